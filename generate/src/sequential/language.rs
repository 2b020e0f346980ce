//! Feature: the rest of the language: enums, `_Generic`, `sizeof` and layout, qualifiers, sequencing operators, jumps,
//! switches, statement expressions.

use super::integer::Integer;
use super::program::Program;
use crate::source::{Source, c};

const TOPICS: [fn(&mut Program) -> String; 12] = [
    enums,
    generic,
    layout,
    qualifiers,
    sequencing,
    loops,
    fall_through,
    unrolled_copy,
    statement_expressions,
    jumps,
    shadowing,
    promotions,
];

pub fn emit(program: &mut Program) {
    let mut body = Source::new();
    for topic in program.random.some_of(&TOPICS, 3, 5) {
        let text = topic(program);
        body.add(format!("{{\n{text}\n}}"));
    }
    program.test("language", &body);
}

fn enums(program: &mut Program) -> String {
    let stem = program.fresh("colour");
    program.types.add(c!(
        "enum $s { ${s}_RED, ${s}_GREEN = $a, ${s}_BLUE, ${s}_LAST = ${s}_BLUE + $b };\ntypedef enum { ${s}_NO = -1, ${s}_YES = 1 } ${s}_answer;",
        s = stem, a = program.random.between(1, 50), b = program.random.between(1, 50)
    ));
    c!(
        "enum $s c = ${s}_GREEN;\n${s}_answer answer = c > $k ? ${s}_YES : ${s}_NO;\nint names[${s}_LAST + 1] = {[${s}_BLUE] = 7};\nc = (enum $s)(c + 1);\n\
         switch (c) {\ncase ${s}_RED: mix(1);\nbreak;\ncase ${s}_BLUE: mix((uint64_t)names[c]);\n/* fall through */\ncase ${s}_GREEN: mix(3);\nbreak;\ncase ${s}_LAST: mix(4);\n}\n\
         show(\"answer\", answer);\nshow(\"last\", ${s}_LAST * 10 + (int)sizeof(enum $s));",
        s = stem,
        k = program.random.between(0, 50)
    )
}

fn generic(program: &mut Program) -> String {
    let name = program.fresh("KIND");
    program.types.add(c!(
        "#define $n(x) _Generic((x), _Bool: 1, char: 2, signed char: 3, unsigned char: 4, short: 5, unsigned short: 6, int: 7, unsigned: 8, long: 9, unsigned long: 10, long long: 11, unsigned long long: 12, float: 13, double: 14, long double: 15, char *: 16, const char *: 17, int *: 18, default: 19)",
        n = name
    ));
    let (a, b) = (Integer::any(&mut program.random), Integer::any(&mut program.random));
    let (a, b) = (a.name(), b.name());
    c!(
        "$a a = 1;\n$b b = 2;\nfloat f = 1;\nprintf(\"%d %d %d %d %d %d\\n\", $n(a), $n(b), $n(a + b), $n(+a), $n(a << b), $n(f * a));\n\
         printf(\"%d %d %d %d %d %d\\n\", $n('c'), $n(1u), $n(a == b), $n(sizeof a), $n(\"text\"), $n(a ? a : b));\n\
         show(\"chosen\", _Generic(b, int: abs, long: labs, default: abs)((int)b * -$k));",
        a = a,
        b = b,
        n = name,
        k = program.random.below(100)
    )
}

fn layout(program: &mut Program) -> String {
    let name = program.fresh("struct laid");
    let types = [
        "char",
        "short",
        "int",
        "long",
        "float",
        "double",
        "long double",
        "char *",
        "__int128",
        "char[3]",
        "short[5]",
        "_Bool",
    ];
    let fields = program.random.some_of(&types, 3, 6);
    let attribute = if program.random.chance(25) { " __attribute__((packed))" } else { "" };
    let mut members = String::new();
    let mut lines = String::new();
    for (index, ty) in fields.iter().enumerate() {
        let (base, bounds) = ty.split_once('[').map_or((*ty, String::new()), |(base, rest)| (base, format!("[{rest}")));
        let align = if program.random.chance(10) { "_Alignas(16) " } else { "" };
        let align = if attribute.is_empty() { align } else { "" };
        members.push_str(&format!("{align}{base} f{index}{bounds};\n"));
        lines.push_str(&c!("printf(\"%zu+%zu \", offsetof($n, f$i), sizeof((($n *)0)->f$i));\n", n = name, i = index));
    }
    program.types.add(c!(
        "$n {\n$m}$a;\n_Static_assert(sizeof($n) >= $k, \"members take room\");",
        n = name,
        m = members,
        a = attribute,
        k = fields.len()
    ));
    c!(
        "${l}printf(\"%zu %zu %zu\\n\", sizeof($n), _Alignof($n), sizeof($n[3]));\nint i = 5;\nsize_t size = sizeof(i++);\nshow(\"unevaluated\", i * 10 + (long long)size);\nshow(\"text\", (long long)(sizeof \"abc\" + sizeof 'a' + sizeof(char)));",
        l = lines,
        n = name
    )
}

fn qualifiers(program: &mut Program) -> String {
    let function = program.fresh("copy");
    program.functions.add(c!(
        "static inline void $f(int *restrict to, const int *restrict from, register int count) {\nwhile (count-- > 0) *to++ = *from++;\n}",
        f = function
    ));
    c!(
        "const int fixed[3] = {$a, $b, 3};\nint to[3];\nvolatile int changing = $a;\nconst volatile long both = $b;\nint *const pinned = to;\nconst char *const text = \"const\";\n$f(pinned, fixed, 3);\n\
         changing++;\nchanging += changing;\nchanging = -changing;\nfor (volatile unsigned char i = 250; i; i++) mix(i);\nvolatile int *alias = &changing;\n*alias -= to[1];\nshow(\"changing\", changing);\nshow(\"both\", both + text[1]);",
        a = program.random.between(-99, 99),
        b = program.random.between(-99, 99),
        f = function
    )
}

fn sequencing(program: &mut Program) -> String {
    let name = program.fresh("touch");
    program.functions.add(c!("static int $f(int *count, int result) {\n++*count;\nreturn result;\n}", f = name));
    c!(
        "int count = 0, a = $a, b;\nb = (a++, a *= 2, a - 1);\nshow(\"comma\", a * 1000 + b);\n\
         show(\"and\", $f(&count, 0) && $f(&count, 1));\nshow(\"or\", $f(&count, $c) || $f(&count, 1));\nint calls = count;\nshow(\"calls\", calls);\n\
         b = a > $b ? $f(&count, 5) : a < -3 ? $f(&count, 6) + 1 : 7;\nshow(\"nested\", b);\nb = !!a ?: 9;\nshow(\"elvis\", (a & $c ?: 8) + b);\n\
         int i = 0, list[4] = {0};\nlist[i++] = 5;\nlist[i] = i;\ni += 2;\nlist[i--] = 9;\nint sum = 0;\nfor (int x = 0, y = 3; x < y; x++, y--) sum += list[x] * 10 + list[y];\nshow(\"sum\", sum + i);",
        f = name,
        a = program.random.between(-9, 9),
        b = program.random.between(-9, 9),
        c = program.random.below(2)
    )
}

fn loops(program: &mut Program) -> String {
    c!(
        "int found = 0, rounds = 0;\nfor (int i = 2; found < $n; i++) {\nint prime = 1;\nfor (int j = 2; j * j <= i; j++) {\nif (i % j) continue;\nprime = 0;\nbreak;\n}\nif (!prime) continue;\nfound++;\nmix((uint64_t)i);\n}\n\
         do {\nif (++rounds % $m == 0) continue;\nif (rounds > 40) break;\n} while (rounds < $k);\nshow(\"rounds\", rounds);\nfor (;;) {\nif (--rounds < 0) break;\nrounds -= rounds / 3;\nmix((uint64_t)rounds);\n}\nwhile (rounds++ < 3);\nshow(\"left\", rounds);",
        n = 3 + program.random.below(15),
        m = 2 + program.random.below(5),
        k = 5 + program.random.below(60)
    )
}

fn fall_through(program: &mut Program) -> String {
    let function = program.fresh("classify");
    let ty = program.random.pick(&["int", "unsigned char", "long", "uint64_t", "short", "char"]);
    program.functions.add(c!(
        "static int $f($t value) {\nint result = 0;\nswitch (value) {\ncase 0: return -1;\ncase 1 ... $a: result += 1;\ncase 'a' ... 'c': result += 10;\nbreak;\n\
         default: result += 100;\n__attribute__((fallthrough));\ncase 60: case 61: result += 1000;\nif (value & 1) break;\nresult++;\nbreak;\ncase 127: {\nint inner = value % 5;\nswitch (inner) {\ncase 2: result = 7;\ndefault: result += inner;\n}\n}\n}\nreturn result;\n}",
        f = function, t = ty, a = 2 + program.random.below(40)
    ));
    c!(
        "for (int i = 0; i < 128; i += $s) mix((uint64_t)$f(($t)i));\nshow(\"class\", $f(($t)$x) + $f(127));",
        s = 1 + program.random.below(9),
        f = function,
        t = ty,
        x = program.random.below(128)
    )
}

/// A switch that jumps into a loop.
fn unrolled_copy(program: &mut Program) -> String {
    let function = program.fresh("unrolled");
    program.functions.add(c!(
        "static void $f(char *to, const char *from, int count) {\nif (count <= 0) return;\nint n = (count + 3) / 4;\nswitch (count % 4) {\ncase 0: do {\n*to++ = *from++;\ncase 3: *to++ = *from++;\ncase 2: *to++ = *from++;\ncase 1: *to++ = *from++;\n} while (--n > 0);\n}\n}",
        f = function
    ));
    c!(
        "char to[24] = {0};\n$f(to, \"duff was here, and there\", $n);\nputs(to);",
        f = function,
        n = program.random.below(24)
    )
}

fn statement_expressions(program: &mut Program) -> String {
    let name = program.fresh("LARGER");
    program.types.add(c!(
        "#define $n(a, b) ({ __typeof__(a) left = (a); __typeof__(b) right = (b); left > right ? left : right; })",
        n = name
    ));
    c!(
        "int a = $a, b = $b;\nshow(\"larger\", $n(a++, b--));\nshow(\"after\", a * 100 + b);\nshow_double(\"larger\", $n(a * 0.5, b));\n__typeof__(a + 1L) wide = ({\nlong sum = 0;\nfor (int i = 0; i < $k; i++) sum += i * a;\nsum;\n});\nshow(\"wide\", wide);\n__auto_type same = a - b;\nshow(\"same\", same);",
        n = name,
        a = program.random.between(-99, 99),
        b = program.random.between(-99, 99),
        k = program.random.below(9)
    )
}

fn jumps(program: &mut Program) -> String {
    c!(
        "int i = 0, j = 0, steps = 0;\nagain:\nsteps++;\nfor (i = 0; i < 5; i++) {\nfor (j = 0; j < 5; j++) {\nif (i * j == $x) goto found;\nif (steps > 3) goto done;\n}\n}\n\
         mix(77);\nif (steps < $n) goto again;\ngoto done;\nfound:\nmix((uint64_t)(i * 10 + j));\nif (steps < 3) goto again;\ndone:\nshow(\"steps\", steps * 100 + i * 10 + j);",
        x = program.random.below(20),
        n = 1 + program.random.below(5)
    )
}

fn shadowing(program: &mut Program) -> String {
    c!(
        "int x = $a;\n{\nint outer = x;\nlong x = outer * 2L;\nmix((uint64_t)x);\nfor (int x = 0; x < 3; x++) {\nunsigned x = 9;\nmix(x--);\n}\nif (x > 0) {\nextern int abs(int);\nx = abs((int)-x);\n}\nshow(\"inner\", x);\n}\nshow(\"outer\", x);\n\
         typedef short number;\nnumber n = (number)(x * 1000);\nstruct {\nnumber number;\n} s = {n};\nshow(\"number\", s.number);",
        a = program.random.between(-99, 99)
    )
}

/// Where the type of an operation decides its value.
fn promotions(program: &mut Program) -> String {
    let (a, b) = (program.random.between(0, 255), program.random.between(0, 255));
    c!(
        "unsigned char a = $a, b = $b;\nsigned char s = (signed char)a;\nunsigned short h = (unsigned short)(a * 257);\nint i = -$b;\nunsigned u = $a;\n\
         show(\"difference\", a - b);\nshow(\"complement\", ~a);\nshow(\"narrow\", (unsigned char)~a);\nshow(\"shifted\", (a << 4) >> 4);\nshow(\"kept\", (unsigned char)(a << 4) >> 4);\n\
         show(\"compare\", (i < u) + 2 * (s < a) + 4 * (-1 < (long)u) + 8 * (h == (short)h) + 16 * ((unsigned char)(a + b) == a + b));\nshow(\"mixed\", i + u);\nshow(\"wide\", i + (long long)u);\nshow(\"sign\", -1 > 1u);\nshow(\"long\", (long)i - 1u);\nshow(\"char\", (char)h + '\\xff');",
        a = a,
        b = b
    )
}
