//! Feature: <string.h>, <ctype.h> and the number parsers of <stdlib.h> and <stdio.h>. Only the sign of comparisons and
//! only the truth of `is…` functions is used, since the standard guarantees no more.

use super::program::Program;
use crate::source::{Source, c};

const WORDS: [&str; 12] = [
    "loom",
    "warp",
    "weft",
    "shuttle",
    "warp and weft",
    "",
    "a",
    "aaa",
    "the heddle lifts the warp",
    "x=1;y=22;;z",
    "ABC abc",
    "Hello, World",
];

const TOPICS: [fn(&mut Program) -> String; 14] = [
    compare,
    copy,
    concatenate,
    search,
    memory,
    tokens,
    characters,
    to_integer,
    to_double,
    print_to,
    scan,
    scan_more,
    spans,
    own_loops,
];

pub fn emit(program: &mut Program) {
    let mut body = Source::new();
    for topic in program.random.some_of(&TOPICS, 3, 6) {
        let text = topic(program);
        body.add(format!("{{\n{text}\n}}"));
    }
    program.test("strings", &body);
}

fn word(program: &mut Program) -> &'static str {
    program.random.pick(&WORDS)
}

fn compare(program: &mut Program) -> String {
    c!(
        r#"const char *a = "$a", *b = "$b";
        int order = strcmp(a, b);
        show("strcmp", (order > 0) - (order < 0));
        order = strncmp(a, b, $n);
        show("strncmp", (order > 0) - (order < 0));
        order = strcasecmp(a, "HELLO");
        show("case", order > 0);
        show("same", strcmp(a, "$a") == 0 && !strncasecmp(a, b, 0));
        show("length", (long long)(strlen(a) * 100 + strnlen(b, $n)));"#,
        a = word(program),
        b = word(program),
        n = program.random.below(6)
    )
}

fn copy(program: &mut Program) -> String {
    c!(
        r#"char to[40];
        memset(to, '$f', sizeof to);
        strncpy(to, "$a", $n);
        to[39] = 0;
        mix_text(to);
        char *end = strcpy(to, "$b");
        show("returned", end == to);
        mix_text(end);
        strncpy(to + 1, "$a", 10);
        to[11] = '\0';
        puts(to);
        char *twin = strdup(to);
        if (*twin) twin[0] = 'T';
        puts(twin);
        free(twin);
        show("end", stpcpy(to, "$a") - to);"#,
        f = program.random.pick(&['.', '#', '-']),
        a = word(program),
        b = word(program),
        n = 1 + program.random.below(38)
    )
}

fn concatenate(program: &mut Program) -> String {
    c!(
        r#"char to[120] = "$a";
        strcat(to, "$b");
        strncat(to, "$c", $n);
        strcat(strcat(to, "/"), "$a");
        printf("%s %zu\n", to, strlen(to));
        mix_text(to);"#,
        a = word(program),
        b = word(program),
        c = word(program),
        n = program.random.below(9)
    )
}

fn search(program: &mut Program) -> String {
    let part = program.random.pick(&["weft", "a", "", "the", "zz", "rp", "aa", "l"]);
    c!(
        r#"const char *text = "$a", *at;
        at = strchr(text, '$l');
        show("strchr", at ? at - text : -1);
        at = strrchr(text, '$l');
        show("strrchr", at ? at - text : -1);
        at = strstr(text, "$p");
        show("strstr", at ? at - text : -1);
        show("nul", strchr(text, 0) - text);
        at = memchr(text, '$l', strlen(text));
        show("memchr", at ? at - text : -1);
        int count = 0;
        for (at = text; (at = strchr(at, '$l')); at++) count++;
        show("count", count);"#,
        a = word(program),
        l = program.random.pick(&['a', 'e', 'l', ' ', 'w', 'Q']),
        p = part
    )
}

fn memory(program: &mut Program) -> String {
    let ty = program.random.pick(&["unsigned char", "short", "int", "long"]);
    c!(
        r#"$t from[8], to[8];
        for (int i = 0; i < 8; i++) from[i] = ($t)(i * $k);
        memset(to, $b, sizeof to);
        memcpy(to + 1, from, $n * sizeof *to);
        for (int i = 0; i < 8; i++) mix((uint64_t)to[i]);
        memmove(from + $m, from, (8 - $m) * sizeof *from);
        memmove(to, to + 2, 5 * sizeof *to);
        int order = memcmp(from, to, sizeof from);
        show("memcmp", (order > 0) - (order < 0));
        show("equal", !memcmp(from, from, sizeof from));
        for (int i = 0; i < 8; i++) mix((uint64_t)(from[i] - to[i]));
        memset(from, 0, 3 * sizeof *from);
        show("zero", from[0] + from[2]);"#,
        t = ty,
        k = program.random.between(-99, 99),
        b = program.random.between(0, 255),
        n = program.random.below(7),
        m = 1 + program.random.below(6)
    )
}

fn tokens(program: &mut Program) -> String {
    let delimiters = program.random.pick(&[" ", ";", "; =", "aeiou", ","]);
    if program.random.chance(50) {
        return c!(
            r#"char text[] = "$a";
            int count = 0;
            for (char *part = strtok(text, "$d"); part; part = strtok(NULL, "$d")) {
                printf("<%s>", part);
                mix_text(part);
                count++;
            }
            printf(" %d\n", count);"#,
            a = word(program),
            d = delimiters
        );
    }
    c!(
        r#"char text[] = "$a", *state, *part = strtok_r(text, "$d", &state);
        while (part) {
            printf("<%s>", part);
            part = strtok_r(0, "$d", &state);
        }
        putchar('\n');"#,
        a = word(program),
        d = delimiters
    )
}

fn characters(program: &mut Program) -> String {
    c!(
        r#"char text[] = "$a\t9~_";
        for (char *p = text; *p; p++) {
            int c = (unsigned char)*p;
            mix((uint64_t)(!!isdigit(c) | !!isalpha(c) << 1 | !!isspace(c) << 2 | !!isupper(c) << 3));
            mix((uint64_t)(!!islower(c) | !!isalnum(c) << 1 | !!ispunct(c) << 2 | !!isxdigit(c) << 3));
            mix((uint64_t)(!!isprint(c) | !!iscntrl(c) << 1));
            *p = (char)(p - text & 1 ? toupper(c) : tolower(c));
        }
        puts(text);"#,
        a = word(program)
    )
}

fn number_text(program: &mut Program) -> String {
    let n = program.random.between(-1_000_000, 1_000_000);
    match program.random.below(9) {
        0 => format!("  {n}rest"),
        1 => format!("0x{:x}g", n.abs()),
        2 => format!("+0{:o}8", n.abs()),
        3 => "99999999999999999999".to_string(),
        4 => "-99999999999999999999".to_string(),
        5 => "none".to_string(),
        6 => format!("-{}zz", n.abs() % 1000),
        7 => "0x".to_string(),
        _ => n.to_string(),
    }
}

fn to_integer(program: &mut Program) -> String {
    let mut lines = "char *end;\n".to_string();
    for _ in 0..3 {
        let (text, base) = (number_text(program), program.random.pick(&[0, 10, 16, 8, 2, 36]));
        let call = program.random.pick(&["strtol", "strtoul", "strtoll", "strtoull"]);
        lines.push_str(&c!(
            r#"{
                const char *text = "$t";
                long long value = (long long)$call(text, &end, $b);
                printf("%lld after %d\n", value, (int)(end - text));
            }
"#,
            t = text,
            call = call,
            b = base
        ));
    }
    let n = program.random.between(-99_999, 99_999);
    lines
        + &c!(
            r#"show("atoi", atoi(" $n.5") + atol("$n") + atoll("12x"));
            show("abs", abs($n) + labs(-5L) + llabs($n));
            div_t d = div($n, 7);
            show("div", d.quot * 10 + d.rem);"#,
            n = n
        )
}

fn to_double(program: &mut Program) -> String {
    let mut lines = "char *end;\n".to_string();
    for _ in 0..3 {
        let n = program.random.between(-100_000, 100_000) as f64 / 64.0;
        let text = match program.random.below(8) {
            0 => format!("{n:?}e{}", program.random.between(-20, 20)),
            1 => format!("  {n:?}xyz"),
            2 => format!("0x{:x}.8p{}", program.random.below(4096), program.random.between(-9, 9)),
            3 => program.random.pick(&["inf", "-Infinity", "nan", "1e999", "-1e-999", "."]).to_string(),
            4 => format!("0.{}1", "0".repeat(program.random.below(30))),
            5 => format!("{}{}", program.random.word(), program.random.word()),
            6 => format!("{n:?}e"),
            _ => format!("{n:?}"),
        };
        let call = program.random.pick(&["strtod", "strtod", "(double)strtof", "(double)strtold"]);
        lines.push_str(&c!(
            r#"{
                const char *text = "$t";
                double value = $call(text, &end);
                show_double("value", value);
                show("after", end - text);
            }
"#,
            t = text,
            call = call
        ));
    }
    lines + &c!("show_double(\"atof\", atof(\"$n.25e1\"));", n = program.random.between(-99, 99))
}

fn print_to(program: &mut Program) -> String {
    c!(
        r#"char text[50];
        int length = snprintf(text, $room, "%s-%d-%c-%5.1f", "$a", $n, 'z', $f);
        printf("%d [%s]\n", length, text);
        length = snprintf(NULL, 0, "%x%s", $u, "$a");
        show("needed", length);
        int at = 0;
        for (int i = 0; i < 5; i++) at += sprintf(text + at, "%d,", i * $n);
        puts(text);"#,
        room = program.random.pick(&[1, 4, 10, 50]),
        a = word(program),
        n = program.random.between(-999, 999),
        f = format!("{:?}", program.random.between(-999, 999) as f64 / 4.0),
        u = program.random.below(100_000)
    )
}

fn scan(program: &mut Program) -> String {
    let n = program.random.between(-9999, 9999);
    c!(
        r#"int a = -1, b = -2, used = 0;
        unsigned x = 0;
        long l = 0;
        char name[16] = "", letter = '?';
        int fields = sscanf("$n, $x name:$w $q !", "%d ,%x name:%15s %ld %c%n", &a, &x, name, &l, &letter, &used);
        printf("%d: %d %x %s %ld %c %d\n", fields, a, x, name, l, letter, used);
        fields = sscanf("$n", "%2d%d", &a, &b);
        printf("%d: %d %d\n", fields, a, b);
        show("none", sscanf("", "%d", &a));"#,
        n = n,
        x = format!("{:x}", program.random.below(65536)),
        w = program.random.pick(&["loom", "a", "0b1"]),
        q = program.random.between(-99_999_999_999, 99_999_999_999)
    )
}

fn scan_more(program: &mut Program) -> String {
    c!(
        r#"double d = 0;
        float f = 0;
        short h = 0;
        signed char hh = 0;
        long long ll = 0;
        int i = 0, o = 0;
        char set[20] = "", rest[20] = "";
        int fields = sscanf("$d $f $h 7", "%lf %f %hd %hhd", &d, &f, &h, &hh);
        show_double("d", d);
        show_double("f", f);
        printf("%d: %d %d\n", fields, h, hh);
        fields = sscanf("key=value $h 0x1f 017", "%19[^=]=%19[a-z] %*d %i %i", set, rest, &i, &o);
        printf("%d: %s %s %d %d\n", fields, set, rest, i, o);
        fields = sscanf("$l%end", "%lld%%%3c", &ll, rest);
        printf("%d: %lld %.3s\n", fields, ll, rest);"#,
        d = format!("{:?}", program.random.between(-9999, 9999) as f64 / 16.0),
        f = format!("{:?}e2", program.random.between(-99, 99) as f64 / 8.0),
        h = program.random.between(-999, 999),
        l = program.random.between(-999_999_999_999, 999_999_999_999)
    )
}

fn spans(program: &mut Program) -> String {
    c!(
        r#"const char *text = "$a";
        show("strspn", (long long)strspn(text, "$s"));
        show("strcspn", (long long)strcspn(text, "$s"));
        const char *at = strpbrk(text, "$s");
        show("strpbrk", at ? at - text : -1);"#,
        a = word(program),
        s = program.random.pick(&["warp", " ", "helo", "xyz=", "ABC"])
    )
}

/// Loops over characters that a program writes itself.
fn own_loops(program: &mut Program) -> String {
    let name = program.fresh("text");
    program.functions.add(c!(
        r#"static unsigned ${n}_hash(const char *text) {
            unsigned hash = 5381;
            for (int c; (c = *text++) != 0; ) hash = (hash << 5) + hash + (unsigned)c;
            return hash;
        }
        static char *${n}_reverse(char *text) {
            for (char *low = text, *high = text + strlen(text); low < --high; low++) {
                char keep = *low;
                *low = *high;
                *high = keep;
            }
            return text;
        }
        static int ${n}_digits(unsigned value, unsigned base, char *to) {
            int length = 0;
            do to[length++] = "0123456789abcdef"[value % base];
            while (value /= base);
            to[length] = '\0';
            ${n}_reverse(to);
            return length;
        }"#,
        n = name
    ));
    c!(
        r#"char text[40] = "$a";
        show("hash", ${n}_hash(text));
        puts(${n}_reverse(text));
        show("length", ${n}_digits($v, $b, text));
        puts(text);"#,
        a = word(program),
        n = name,
        v = program.random.below(1_000_000),
        b = program.random.pick(&[2, 3, 8, 10, 16])
    )
}
