//! Feature: objects with static storage and what may initialise them: designators, nesting, partial lists, addresses of
//! other globals with offsets, strings, functions, compound literals, tentative definitions.

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
        "$k {\n$a key;\nstruct {\n$b low;\ndouble ratio;\nshort list[3];\n} inner[2];\nconst char *name;\n};",
        k = kind,
        a = a,
        b = b
    ));
    program.globals.add(c!(
        "static $k $g[4] = {\n[1] = {.key = $n, .inner = {[1] = {1, 0.25, {1, 2}}, [0].list[2] = $n}},\n\
         {5, {{2}, {.ratio = -1.5, .list = {[1] = 9}}}, \"after\"},\n[0].name = \"first\",\n};",
        k = kind,
        g = name,
        n = n
    ));
    c!(
        "for (int i = 0; i < 4; i++) {\nmix((uint64_t)$g[i].key);\nfor (int j = 0; j < 2; j++) {\nmix((uint64_t)$g[i].inner[j].low);\n\
         mix_double($g[i].inner[j].ratio);\nfor (int k = 0; k < 3; k++) mix((uint64_t)$g[i].inner[j].list[k]);\n}\n\
         printf(\"%s\\n\", $g[i].name ? $g[i].name : \"none\");\n}\n$g[2].inner[1].list[1]++;\nshow(\"list\", $g[2].inner[1].list[1]);",
        g = name
    )
}

fn addresses(program: &mut Program) -> String {
    let stem = program.fresh("base");
    let ty = program.random.pick(&["short", "int", "long", "unsigned char", "uint64_t"]);
    let values: Vec<String> = (0..6).map(|_| program.random.between(0, 127).to_string()).collect();
    program.globals.add(c!(
        "static $t $s[6] = {$v};\nstatic struct {\nchar tag;\n$t member[2];\n} ${s}_record = {'r', {7, 8}};\n\
         static $t *${s}_middle = &$s[$i], *${s}_end = $s + 6, *${s}_back = &$s[5] - $j;\n\
         static $t *const ${s}_all[] = {&$s[0], $s + 2, &${s}_record.member[1], 0};\nstatic $t **${s}_indirect = &${s}_middle;\n\
         static const long ${s}_distance = (char *)&${s}_record.member[1] - (char *)&${s}_record;\n\
         static void *${s}_any = &${s}_record.tag;\nextern $t ${s}_shared;\n$t ${s}_shared = $k;",
        t = ty, s = stem, v = values.join(", "), i = program.random.below(6), j = program.random.below(5), k = program.random.below(100)
    ));
    c!(
        "mix((uint64_t)*${s}_middle);\nmix((uint64_t)*${s}_back);\nmix((uint64_t)${s}_end[-1]);\nmix((uint64_t)**${s}_indirect);\n\
         for (int i = 0; ${s}_all[i]; i++) {\n*${s}_all[i] += 1;\nshow(\"at\", (long long)*${s}_all[i]);\n}\nshow(\"distance\", ${s}_distance);\n\
         *${s}_indirect = &${s}_shared;\nshow(\"middle\", (long long)*${s}_middle);\nshow(\"tag\", *(char *)${s}_any);\n\
         show(\"span\", (long long)(${s}_end - ${s}_back));",
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
        "static const char *const $s[] = {$l};\nstatic char ${s}_grid[][18] = {$l};\nstatic char ${s}_exact[3] = \"abc\";\n\
         static const char *${s}_tail = \"tail of text\" + $k;\nchar ${s}_own[] = $first;",
        s = stem, l = list.join(", "), k = program.random.below(12), first = list[0]
    ));
    c!(
        "for (unsigned i = 0; i < sizeof $s / sizeof $s[0]; i++) {\nprintf(\"%u %s %zu\\n\", i, $s[i], strlen($s[i]));\nmix_text(${s}_grid[i]);\n}\n\
         mix_text(${s}_tail);\n${s}_own[0] = 'X';\nmix((uint64_t)sizeof ${s}_own);\nprintf(\"%.3s %s\\n\", ${s}_exact, ${s}_tail);\n\
         for (int i = 0; i < 18; i++) mix((unsigned char)${s}_grid[1][i]);",
        s = stem
    )
}

fn linked(program: &mut Program) -> String {
    let stem = program.fresh("ring");
    let (a, b, c) = (program.random.below(99), program.random.below(99), program.random.below(99));
    program.globals.add(c!(
        "struct $s {\nint value;\nstruct $s *next;\nint (*score)(int);\n};\nstatic int ${s}_double(int x) {\nreturn 2 * x;\n}\n\
         static int ${s}_negate(int x) {\nreturn -x;\n}\nstatic struct $s ${s}_a, ${s}_b, ${s}_c;\n\
         static struct $s ${s}_a = {$a, &${s}_b, ${s}_double};\nstatic struct $s ${s}_b = {.next = &${s}_c, .value = $b, .score = &${s}_negate};\n\
         static struct $s ${s}_c = {$c, &${s}_a};",
        s = stem, a = a, b = b, c = c
    ));
    c!(
        "struct $s *at = &${s}_a;\nfor (int i = 0; i < $n; i++, at = at->next) {\nshow(\"ring\", at->score ? at->score(at->value) : at->value);\nat->value += i;\n}\n\
         ${s}_b.next = ${s}_b.next->next->next;\nshow(\"itself\", ${s}_b.next == &${s}_b);",
        s = stem,
        n = 2 + program.random.below(6)
    )
}

fn unions(program: &mut Program) -> String {
    let stem = program.fresh("either");
    program.globals.add(c!(
        "static union {\nint i;\ndouble d;\nunsigned char bytes[8];\n} ${s}_first = {$a}, ${s}_second = {.d = $b}, ${s}_third = {.bytes = {1, 2, 3, 4, 5, 6, 7, 8}};\n\
         static struct {\nunsigned a : 5, : 3, b : 9;\nsigned c : 4;\n} ${s}_bits = {$f, $g, -3};",
        s = stem, a = program.random.between(-999, 999), b = format!("{:?}", program.random.between(-99, 99) as f64 / 8.0),
        f = program.random.below(32), g = program.random.below(512)
    ));
    c!(
        "show(\"first\", ${s}_first.i);\nshow_double(\"second\", ${s}_second.d);\n\
         for (int i = 0; i < 8; i++) mix(${s}_third.bytes[i] + ${s}_second.bytes[i]);\n\
         show(\"bits\", ${s}_bits.a * 10000 + ${s}_bits.b * 10 + ${s}_bits.c);",
        s = stem
    )
}

fn zeroes(program: &mut Program) -> String {
    let stem = program.fresh("zero");
    program.globals.add(c!(
        "int ${s}_tentative;\nint ${s}_tentative;\nstatic long ${s}_array[$n];\nstatic double ${s}_number;\nstatic char *${s}_pointer;\n\
         static _Thread_local int ${s}_thread = $v;\nstatic struct {\nint a;\nchar *b;\nfloat c[2];\n} ${s}_record;",
        s = stem, n = 2 + program.random.below(20), v = program.random.below(50)
    ));
    c!(
        "show(\"zero\", ${s}_tentative + ${s}_array[1] + !${s}_pointer + ${s}_record.a + (${s}_record.b == 0));\n\
         show_double(\"zero\", ${s}_number + ${s}_record.c[1]);\n${s}_thread += 2;\nshow(\"thread\", ${s}_thread);\n${s}_tentative--;\nshow(\"t\", ${s}_tentative);",
        s = stem
    )
}

/// Constant expressions that the compiler evaluates.
fn constants(program: &mut Program) -> String {
    let stem = program.fresh("constant");
    let (a, b) = (program.random.between(1, 99), program.random.between(1, 99));
    program.globals.add(c!(
        "enum { ${s}_LOW = -$a, ${s}_NEXT, ${s}_HIGH = 1 << 20 | $b, ${s}_CHAR = 'q' };\n\
         static const int ${s}_values[] = {${s}_LOW * $b, ${s}_NEXT % 7, ${s}_HIGH >> 3, sizeof(long[$b]), ${s}_CHAR, $a > $b ? $a : $b, ~$a & 0xff, -$a / 4, !$b};\n\
         static const double ${s}_doubles[] = {$a / 8.0, (double)$b * 1e3, 1.0 / 3, (float)0.1, (int)($a * 1.5), 1e-5f};\n\
         static const unsigned char ${s}_wrapped = (unsigned char)($a * 77);\nstatic const uint64_t ${s}_big = UINT64_MAX / $b;",
        s = stem, a = a, b = b
    ));
    c!(
        "for (unsigned i = 0; i < sizeof ${s}_values / sizeof *${s}_values; i++) show(\"constant\", ${s}_values[i]);\n\
         for (unsigned i = 0; i < sizeof ${s}_doubles / sizeof *${s}_doubles; i++) mix_double(${s}_doubles[i]);\n\
         mix(${s}_wrapped);\nmix(${s}_big);",
        s = stem
    )
}

fn wide_texts(program: &mut Program) -> String {
    let stem = program.fresh("wide");
    program.globals.add(c!(
        "static const wchar_t $s[] = L\"wide \\x3b1 text\";\nstatic const char ${s}_utf[] = u8\"\\u00e9t\\u00e9\";\nstatic const uint16_t *${s}_sixteen = u\"s\\u20ac\";",
        s = stem
    ));
    c!(
        "for (int i = 0; $s[i]; i++) mix((uint64_t)$s[i]);\nshow(\"wide\", (long long)(sizeof $s / sizeof $s[0]));\n\
         for (int i = 0; ${s}_utf[i]; i++) mix((unsigned char)${s}_utf[i]);\nshow(\"sixteen\", ${s}_sixteen[1]);",
        s = stem
    )
}
