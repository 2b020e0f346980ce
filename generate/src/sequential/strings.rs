//! Feature: <string.h>, <ctype.h> and the numbers in <stdlib.h>'s and <stdio.h>'s parsers. Of comparisons only the sign
//! is looked at, of `is…` functions only the truth, as the standard promises no more.

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
        "const char *a = \"$a\", *b = \"$b\";\nint order = strcmp(a, b);\nshow(\"strcmp\", (order > 0) - (order < 0));\n\
         order = strncmp(a, b, $n);\nshow(\"strncmp\", (order > 0) - (order < 0));\norder = strcasecmp(a, \"HELLO\");\nshow(\"case\", order > 0);\n\
         show(\"same\", strcmp(a, \"$a\") == 0 && !strncasecmp(a, b, 0));\nshow(\"length\", (long long)(strlen(a) * 100 + strnlen(b, $n)));",
        a = word(program),
        b = word(program),
        n = program.random.below(6)
    )
}

fn copy(program: &mut Program) -> String {
    c!(
        "char to[40];\nmemset(to, '$f', sizeof to);\nstrncpy(to, \"$a\", $n);\nto[39] = 0;\nmix_text(to);\n\
         char *end = strcpy(to, \"$b\");\nshow(\"returned\", end == to);\nmix_text(end);\nstrncpy(to + 1, \"$a\", 10);\nto[11] = '\\0';\nputs(to);\n\
         char *twin = strdup(to);\ntwin[0] = 'T';\nputs(twin);\nfree(twin);\nshow(\"end\", stpcpy(to, \"$a\") - to);",
        f = program.random.pick(&['.', '#', '-']),
        a = word(program),
        b = word(program),
        n = 1 + program.random.below(38)
    )
}

fn concatenate(program: &mut Program) -> String {
    c!(
        "char to[120] = \"$a\";\nstrcat(to, \"$b\");\nstrncat(to, \"$c\", $n);\nstrcat(strcat(to, \"/\"), \"$a\");\nprintf(\"%s %zu\\n\", to, strlen(to));\nmix_text(to);",
        a = word(program),
        b = word(program),
        c = word(program),
        n = program.random.below(9)
    )
}

fn search(program: &mut Program) -> String {
    let part = program.random.pick(&["weft", "a", "", "the", "zz", "rp", "aa", "l"]);
    c!(
        "const char *text = \"$a\", *at;\nat = strchr(text, '$l');\nshow(\"strchr\", at ? at - text : -1);\nat = strrchr(text, '$l');\nshow(\"strrchr\", at ? at - text : -1);\n\
         at = strstr(text, \"$p\");\nshow(\"strstr\", at ? at - text : -1);\nshow(\"nul\", strchr(text, 0) - text);\n\
         at = memchr(text, '$l', strlen(text));\nshow(\"memchr\", at ? at - text : -1);\nint count = 0;\nfor (at = text; (at = strchr(at, '$l')); at++) count++;\nshow(\"count\", count);",
        a = word(program),
        l = program.random.pick(&['a', 'e', 'l', ' ', 'w', 'Q']),
        p = part
    )
}

fn memory(program: &mut Program) -> String {
    let ty = program.random.pick(&["unsigned char", "short", "int", "long"]);
    c!(
        "$t from[8], to[8];\nfor (int i = 0; i < 8; i++) from[i] = ($t)(i * $k);\nmemset(to, $b, sizeof to);\nmemcpy(to + 1, from, $n * sizeof *to);\n\
         for (int i = 0; i < 8; i++) mix((uint64_t)to[i]);\nmemmove(from + $m, from, (8 - $m) * sizeof *from);\nmemmove(to, to + 2, 5 * sizeof *to);\n\
         int order = memcmp(from, to, sizeof from);\nshow(\"memcmp\", (order > 0) - (order < 0));\nshow(\"equal\", !memcmp(from, from, sizeof from));\n\
         for (int i = 0; i < 8; i++) mix((uint64_t)(from[i] - to[i]));\nmemset(from, 0, 3 * sizeof *from);\nshow(\"zero\", from[0] + from[2]);",
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
            "char text[] = \"$a\";\nint count = 0;\nfor (char *part = strtok(text, \"$d\"); part; part = strtok(NULL, \"$d\")) {\nprintf(\"<%s>\", part);\nmix_text(part);\ncount++;\n}\nprintf(\" %d\\n\", count);",
            a = word(program),
            d = delimiters
        );
    }
    c!(
        "char text[] = \"$a\", *state, *part = strtok_r(text, \"$d\", &state);\nwhile (part) {\nprintf(\"<%s>\", part);\npart = strtok_r(0, \"$d\", &state);\n}\nputchar('\\n');",
        a = word(program),
        d = delimiters
    )
}

fn characters(program: &mut Program) -> String {
    c!(
        "char text[] = \"$a\\t9~_\";\nfor (char *p = text; *p; p++) {\nint c = (unsigned char)*p;\n\
         mix((uint64_t)(!!isdigit(c) | !!isalpha(c) << 1 | !!isspace(c) << 2 | !!isupper(c) << 3 | !!islower(c) << 4 | !!isalnum(c) << 5 | !!ispunct(c) << 6 | !!isxdigit(c) << 7 | !!isprint(c) << 8 | !!iscntrl(c) << 9));\n\
         *p = (char)(p - text & 1 ? toupper(c) : tolower(c));\n}\nputs(text);",
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
            "{\nconst char *text = \"$t\";\nlong long value = (long long)$call(text, &end, $b);\nprintf(\"%lld after %d\\n\", value, (int)(end - text));\n}\n",
            t = text, call = call, b = base
        ));
    }
    let n = program.random.between(-99_999, 99_999);
    lines
        + &c!(
            "show(\"atoi\", atoi(\" $n.5\") + atol(\"$n\") + atoll(\"12x\"));\nshow(\"abs\", abs($n) + labs(-5L) + llabs($n));\ndiv_t d = div($n, 7);\nshow(\"div\", d.quot * 10 + d.rem);",
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
            "{\nconst char *text = \"$t\";\ndouble value = $call(text, &end);\nshow_double(\"value\", value);\nshow(\"after\", end - text);\n}\n",
            t = text, call = call
        ));
    }
    lines + &c!("show_double(\"atof\", atof(\"$n.25e1\"));", n = program.random.between(-99, 99))
}

fn print_to(program: &mut Program) -> String {
    c!(
        "char text[50];\nint length = snprintf(text, $room, \"%s-%d-%c-%5.1f\", \"$a\", $n, 'z', $f);\nprintf(\"%d [%s]\\n\", length, text);\n\
         length = snprintf(NULL, 0, \"%x%s\", $u, \"$a\");\nshow(\"needed\", length);\nint at = 0;\nfor (int i = 0; i < 5; i++) at += sprintf(text + at, \"%d,\", i * $n);\nputs(text);",
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
        "int a = -1, b = -2, used = 0;\nunsigned x = 0;\nlong l = 0;\nchar name[16] = \"\", letter = '?';\n\
         int fields = sscanf(\"$n, $x name:$w $q !\", \"%d ,%x name:%15s %ld %c%n\", &a, &x, name, &l, &letter, &used);\n\
         printf(\"%d: %d %x %s %ld %c %d\\n\", fields, a, x, name, l, letter, used);\n\
         fields = sscanf(\"$n\", \"%2d%d\", &a, &b);\nprintf(\"%d: %d %d\\n\", fields, a, b);\nshow(\"none\", sscanf(\"\", \"%d\", &a));",
        n = n,
        x = format!("{:x}", program.random.below(65536)),
        w = program.random.pick(&["loom", "a", "0b1"]),
        q = program.random.between(-99_999_999_999, 99_999_999_999)
    )
}

fn scan_more(program: &mut Program) -> String {
    c!(
        "double d = 0;\nfloat f = 0;\nshort h = 0;\nsigned char hh = 0;\nlong long ll = 0;\nint i = 0, o = 0;\nchar set[20] = \"\", rest[20] = \"\";\n\
         int fields = sscanf(\"$d $f $h 7\", \"%lf %f %hd %hhd\", &d, &f, &h, &hh);\nshow_double(\"d\", d);\nshow_double(\"f\", f);\nprintf(\"%d: %d %d\\n\", fields, h, hh);\n\
         fields = sscanf(\"key=value $h 0x1f 017\", \"%19[^=]=%19[a-z] %*d %i %i\", set, rest, &i, &o);\nprintf(\"%d: %s %s %d %d\\n\", fields, set, rest, i, o);\n\
         fields = sscanf(\"$l%end\", \"%lld%%%3c\", &ll, rest);\nprintf(\"%d: %lld %.3s\\n\", fields, ll, rest);",
        d = format!("{:?}", program.random.between(-9999, 9999) as f64 / 16.0),
        f = format!("{:?}e2", program.random.between(-99, 99) as f64 / 8.0),
        h = program.random.between(-999, 999),
        l = program.random.between(-999_999_999_999, 999_999_999_999)
    )
}

fn spans(program: &mut Program) -> String {
    c!(
        "const char *text = \"$a\";\nshow(\"strspn\", (long long)strspn(text, \"$s\"));\nshow(\"strcspn\", (long long)strcspn(text, \"$s\"));\nconst char *at = strpbrk(text, \"$s\");\nshow(\"strpbrk\", at ? at - text : -1);",
        a = word(program),
        s = program.random.pick(&["warp", " ", "helo", "xyz=", "ABC"])
    )
}

/// Loops over characters that a program writes itself.
fn own_loops(program: &mut Program) -> String {
    let name = program.fresh("text");
    program.functions.add(c!(
        "static unsigned ${n}_hash(const char *text) {\nunsigned hash = 5381;\nfor (int c; (c = *text++) != 0; ) hash = (hash << 5) + hash + (unsigned)c;\nreturn hash;\n}\n\
         static char *${n}_reverse(char *text) {\nfor (char *low = text, *high = text + strlen(text); low < --high; low++) {\nchar keep = *low;\n*low = *high;\n*high = keep;\n}\nreturn text;\n}\n\
         static int ${n}_digits(unsigned value, unsigned base, char *to) {\nint length = 0;\ndo to[length++] = \"0123456789abcdef\"[value % base];\nwhile (value /= base);\n\
         to[length] = '\\0';\n${n}_reverse(to);\nreturn length;\n}",
        n = name
    ));
    c!(
        "char text[40] = \"$a\";\nshow(\"hash\", ${n}_hash(text));\nputs(${n}_reverse(text));\nshow(\"length\", ${n}_digits($v, $b, text));\nputs(text);",
        a = word(program),
        n = name,
        v = program.random.below(1_000_000),
        b = program.random.pick(&[2, 3, 8, 10, 16])
    )
}
