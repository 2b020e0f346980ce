//! Feature: objects with static storage and their initialisers: designators, nesting, partial lists, addresses of other
//! globals with offsets, strings, functions, compound literals, tentative definitions.

use super::integer::UP_TO_64;
use super::program::Program;
use crate::source::{Source, c};

const TOPICS: [fn(&mut Program) -> String; 8] =
    [designated, addresses, texts, linked, unions, zeroes, constants, wide_texts];

pub fn emit(program: &mut Program) {
    let mut body = Source::new();
    for topic in program.random.some_of(&TOPICS, 2, 5) {
        let text = topic(program);
        body.add(format!("{{\n{text}\n}}"));
    }
    program.test("globals", &body);
}

fn designated(program: &mut Program) -> String {
    let (kind, name) = (program.fresh("struct entry"), program.fresh("entries"));
    let (a, b) = (program.random.pick(&UP_TO_64).name(), program.random.pick(&UP_TO_64).name());
    let n = program.random.between(0, 100);
    program.types.add(c!(
        r"$k {
            $a key;
            struct {
                $b low;
                double ratio;
                short list[3];
            } inner[2];
            const char *name;
        };",
        k = kind,
        a = a,
        b = b
    ));
    program.globals.add(c!(
        r#"static $k $g[4] = {
            [1] = {.key = $n, .inner = {[1] = {1, 0.25, {1, 2}}, [0].list[2] = $n}},
            {5, {{2}, {.ratio = -1.5, .list = {[1] = 9}}}, "after"},
            [0].name = "first",
        };"#,
        k = kind,
        g = name,
        n = n
    ));
    c!(
        r#"for (int i = 0; i < 4; i++) {
            mix((uint64_t)$g[i].key);
            for (int j = 0; j < 2; j++) {
                mix((uint64_t)$g[i].inner[j].low);
                mix_double($g[i].inner[j].ratio);
                for (int k = 0; k < 3; k++) mix((uint64_t)$g[i].inner[j].list[k]);
            }
            printf("%s\n", $g[i].name ? $g[i].name : "none");
        }
        $g[2].inner[1].list[1]++;
        show("list", $g[2].inner[1].list[1]);"#,
        g = name
    )
}

fn addresses(program: &mut Program) -> String {
    let stem = program.fresh("base");
    let ty = program.random.pick(&["short", "int", "long", "unsigned char", "uint64_t"]);
    let values: Vec<String> = (0..6).map(|_| program.random.between(0, 127).to_string()).collect();
    program.globals.add(c!(
        r"static $t $s[6] = {$v};
        static struct {
            char tag;
            $t member[2];
        } ${s}_record = {'r', {7, 8}};
        static $t *${s}_middle = &$s[$i], *${s}_end = $s + 6, *${s}_back = &$s[5] - $j;
        static $t *const ${s}_all[] = {&$s[0], $s + 2, &${s}_record.member[1], 0};
        static $t **${s}_indirect = &${s}_middle;
        static const long ${s}_distance = (char *)&${s}_record.member[1] - (char *)&${s}_record;
        static void *${s}_any = &${s}_record.tag;
        extern $t ${s}_shared;
        $t ${s}_shared = $k;",
        t = ty,
        s = stem,
        v = values.join(", "),
        i = program.random.below(6),
        j = program.random.below(5),
        k = program.random.below(100)
    ));
    c!(
        r#"mix((uint64_t)*${s}_middle);
        mix((uint64_t)*${s}_back);
        mix((uint64_t)${s}_end[-1]);
        mix((uint64_t)**${s}_indirect);
        for (int i = 0; ${s}_all[i]; i++) {
            *${s}_all[i] += 1;
            show("at", (long long)*${s}_all[i]);
        }
        show("distance", ${s}_distance);
        *${s}_indirect = &${s}_shared;
        show("middle", (long long)*${s}_middle);
        show("tag", *(char *)${s}_any);
        show("span", (long long)(${s}_end - ${s}_back));"#,
        s = stem
    )
}

fn texts(program: &mut Program) -> String {
    let stem = program.fresh("texts");
    let words =
        ["alpha", "be\\tta", "\\x41\\102c", "", "quote\\\"d", "a\" \"b", "longer text here", "nul\\0inside", "\\\\"];
    let chosen = program.random.some_of(&words, 3, 6);
    let list: Vec<String> = chosen.iter().map(|word| format!("\"{word}\"")).collect();
    program.globals.add(c!(
        r#"static const char *const $s[] = {$l};
        static char ${s}_grid[][18] = {$l};
        static char ${s}_exact[3] = "abc";
        static const char *${s}_tail = "tail of text" + $k;
        char ${s}_own[] = $first;"#,
        s = stem,
        l = list.join(", "),
        k = program.random.below(12),
        first = list[0]
    ));
    c!(
        r#"for (unsigned i = 0; i < sizeof $s / sizeof $s[0]; i++) {
            printf("%u %s %zu\n", i, $s[i], strlen($s[i]));
            mix_text(${s}_grid[i]);
        }
        mix_text(${s}_tail);
        ${s}_own[0] = 'X';
        mix((uint64_t)sizeof ${s}_own);
        printf("%.3s %s\n", ${s}_exact, ${s}_tail);
        for (int i = 0; i < 18; i++) mix((unsigned char)${s}_grid[1][i]);"#,
        s = stem
    )
}

fn linked(program: &mut Program) -> String {
    let stem = program.fresh("ring");
    let (a, b, c) = (program.random.below(99), program.random.below(99), program.random.below(99));
    program.globals.add(c!(
        r"struct $s {
            int value;
            struct $s *next;
            int (*score)(int);
        };
        static int ${s}_double(int x) {
            return 2 * x;
        }
        static int ${s}_negate(int x) {
            return -x;
        }
        static struct $s ${s}_a, ${s}_b, ${s}_c;
        static struct $s ${s}_a = {$a, &${s}_b, ${s}_double};
        static struct $s ${s}_b = {.next = &${s}_c, .value = $b, .score = &${s}_negate};
        static struct $s ${s}_c = {$c, &${s}_a};",
        s = stem,
        a = a,
        b = b,
        c = c
    ));
    c!(
        r#"struct $s *at = &${s}_a;
        for (int i = 0; i < $n; i++, at = at->next) {
            show("ring", at->score ? at->score(at->value) : at->value);
            at->value += i;
        }
        ${s}_b.next = ${s}_b.next->next->next;
        show("itself", ${s}_b.next == &${s}_b);"#,
        s = stem,
        n = 2 + program.random.below(6)
    )
}

fn unions(program: &mut Program) -> String {
    let stem = program.fresh("either");
    program.globals.add(c!(
        r"static union {
            int i;
            double d;
            unsigned char bytes[8];
        } ${s}_first = {$a}, ${s}_second = {.d = $b}, ${s}_third = {.bytes = {1, 2, 3, 4, 5, 6, 7, 8}};
        static struct {
            unsigned a : 5, : 3, b : 9;
            signed c : 4;
        } ${s}_bits = {$f, $g, -3};",
        s = stem,
        a = program.random.between(-999, 999),
        b = format!("{:?}", program.random.between(-99, 99) as f64 / 8.0),
        f = program.random.below(32),
        g = program.random.below(512)
    ));
    c!(
        r#"show("first", ${s}_first.i);
        show_double("second", ${s}_second.d);
        for (int i = 0; i < 8; i++) mix(${s}_third.bytes[i] + ${s}_second.bytes[i]);
        show("bits", ${s}_bits.a * 10000 + ${s}_bits.b * 10 + ${s}_bits.c);"#,
        s = stem
    )
}

fn zeroes(program: &mut Program) -> String {
    let stem = program.fresh("zero");
    program.globals.add(c!(
        r"int ${s}_tentative;
        int ${s}_tentative;
        static long ${s}_array[$n];
        static double ${s}_number;
        static char *${s}_pointer;
        static _Thread_local int ${s}_thread = $v;
        static struct {
            int a;
            char *b;
            float c[2];
        } ${s}_record;",
        s = stem,
        n = 2 + program.random.below(20),
        v = program.random.below(50)
    ));
    c!(
        r#"show("zero", ${s}_tentative + ${s}_array[1] + !${s}_pointer + ${s}_record.a + (${s}_record.b == 0));
        show_double("zero", ${s}_number + ${s}_record.c[1]);
        ${s}_thread += 2;
        show("thread", ${s}_thread);
        ${s}_tentative--;
        show("t", ${s}_tentative);"#,
        s = stem
    )
}

/// Constant expressions that the compiler evaluates.
fn constants(program: &mut Program) -> String {
    let stem = program.fresh("constant");
    let (a, b) = (program.random.between(1, 99), program.random.between(1, 99));
    program.globals.add(c!(
        r"enum { ${s}_LOW = -$a, ${s}_NEXT, ${s}_HIGH = 1 << 20 | $b, ${s}_CHAR = 'q' };
        static const int ${s}_values[] = {
            ${s}_LOW * $b, ${s}_NEXT % 7, ${s}_HIGH >> 3, sizeof(long[$b]), ${s}_CHAR,
            $a > $b ? $a : $b, ~$a & 0xff, -$a / 4, !$b,
        };
        static const double ${s}_doubles[] = {$a / 8.0, (double)$b * 1e3, 1.0 / 3, (float)0.1, (int)($a * 1.5), 1e-5f};
        static const unsigned char ${s}_wrapped = (unsigned char)($a * 77);
        static const uint64_t ${s}_big = UINT64_MAX / $b;",
        s = stem,
        a = a,
        b = b
    ));
    c!(
        r#"for (unsigned i = 0; i < sizeof ${s}_values / sizeof *${s}_values; i++) show("constant", ${s}_values[i]);
        for (unsigned i = 0; i < sizeof ${s}_doubles / sizeof *${s}_doubles; i++) mix_double(${s}_doubles[i]);
        mix(${s}_wrapped);
        mix(${s}_big);"#,
        s = stem
    )
}

fn wide_texts(program: &mut Program) -> String {
    let stem = program.fresh("wide");
    program.globals.add(c!(
        r#"static const wchar_t $s[] = L"wide \x3b1 text";
        static const char ${s}_utf[] = u8"\u00e9t\u00e9";
        static const uint16_t *${s}_sixteen = u"s\u20ac";"#,
        s = stem
    ));
    c!(
        r#"for (int i = 0; $s[i]; i++) mix((uint64_t)$s[i]);
        show("wide", (long long)(sizeof $s / sizeof $s[0]));
        for (int i = 0; ${s}_utf[i]; i++) mix((unsigned char)${s}_utf[i]);
        show("sixteen", ${s}_sixteen[1]);"#,
        s = stem
    )
}
