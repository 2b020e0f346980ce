//! Feature: declarations and types: enums, `_Generic`, `sizeof` and layout, qualifiers, scopes, promotions.

use super::integer::Integer;
use super::program::Program;
use crate::source::{Source, c};

const TOPICS: [fn(&mut Program) -> String; 7] =
    [enums, generic, layout, qualifiers, statement_expressions, shadowing, promotions];

pub fn emit(program: &mut Program) {
    let mut body = Source::new();
    for topic in program.random.some_of(&TOPICS, 2, 4) {
        let text = topic(program);
        body.add(format!("{{\n{text}\n}}"));
    }
    program.test("language", &body);
}

fn enums(program: &mut Program) -> String {
    let stem = program.fresh("colour");
    program.types.add(c!(
        r"enum $s { ${s}_RED, ${s}_GREEN = $a, ${s}_BLUE, ${s}_LAST = ${s}_BLUE + $b };
        typedef enum { ${s}_NO = -1, ${s}_YES = 1 } ${s}_answer;",
        s = stem,
        a = program.random.between(1, 50),
        b = program.random.between(1, 50)
    ));
    c!(
        r#"enum $s c = ${s}_GREEN;
        ${s}_answer answer = c > $k ? ${s}_YES : ${s}_NO;
        int names[${s}_LAST + 1] = {[${s}_BLUE] = 7};
        c = (enum $s)(c + 1);
        switch (c) {
            case ${s}_RED: mix(1);
            break;
            case ${s}_BLUE: mix((uint64_t)names[c]);
            /* fall through */
            case ${s}_GREEN: mix(3);
            break;
            case ${s}_LAST: mix(4);
        }
        show("answer", answer);
        show("last", ${s}_LAST * 10 + (int)sizeof(enum $s));"#,
        s = stem,
        k = program.random.between(0, 50)
    )
}

fn generic(program: &mut Program) -> String {
    let name = program.fresh("KIND");
    program.types.add(c!(
        r"#define $n(x) _Generic((x), _Bool: 1, char: 2, signed char: 3, unsigned char: 4, \
        short: 5, unsigned short: 6, int: 7, unsigned: 8, long: 9, unsigned long: 10, long long: 11, \
        unsigned long long: 12, float: 13, double: 14, long double: 15, char *: 16, const char *: 17, int *: 18, \
        default: 19)",
        n = name
    ));
    let (a, b) = (Integer::any(&mut program.random), Integer::any(&mut program.random));
    let (a, b) = (a.name(), b.name());
    c!(
        r#"$a a = 1;
        $b b = 2;
        float f = 1;
        printf("%d %d %d %d %d %d\n", $n(a), $n(b), $n(a + b), $n(+a), $n(a << b), $n(f * a));
        printf("%d %d %d %d %d %d\n", $n('c'), $n(1u), $n(a == b), $n(sizeof a), $n("text"), $n(a ? a : b));
        show("chosen", _Generic(b, int: abs, long: labs, default: abs)((int)b * -$k));"#,
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
        r#"$n {
            $m}$a;
            _Static_assert(sizeof($n) >= $k, "members take room");"#,
        n = name,
        m = members,
        a = attribute,
        k = fields.len()
    ));
    c!(
        r#"${l}printf("%zu %zu %zu\n", sizeof($n), _Alignof($n), sizeof($n[3]));
        int i = 5;
        size_t size = sizeof(i++);
        show("unevaluated", i * 10 + (long long)size);
        show("text", (long long)(sizeof "abc" + sizeof 'a' + sizeof(char)));"#,
        l = lines,
        n = name
    )
}

fn qualifiers(program: &mut Program) -> String {
    let function = program.fresh("copy");
    program.functions.add(c!(
        r"static inline void $f(int *restrict to, const int *restrict from, register int count) {
            while (count-- > 0) *to++ = *from++;
        }",
        f = function
    ));
    c!(
        r#"const int fixed[3] = {$a, $b, 3};
        int to[3];
        volatile int changing = $a;
        const volatile long both = $b;
        int *const pinned = to;
        const char *const text = "const";
        $f(pinned, fixed, 3);
        changing++;
        changing += changing;
        changing = -changing;
        for (volatile unsigned char i = 250; i; i++) mix(i);
        volatile int *alias = &changing;
        *alias -= to[1];
        show("changing", changing);
        show("both", both + text[1]);"#,
        a = program.random.between(-99, 99),
        b = program.random.between(-99, 99),
        f = function
    )
}

fn statement_expressions(program: &mut Program) -> String {
    let name = program.fresh("LARGER");
    program.types.add(c!(
        "#define $n(a, b) ({ __typeof__(a) left = (a); __typeof__(b) right = (b); left > right ? left : right; })",
        n = name
    ));
    c!(
        r#"int a = $a, b = $b;
        show("larger", $n(a++, b--));
        show("after", a * 100 + b);
        show_double("larger", $n(a * 0.5, b));
        __typeof__(a + 1L) wide = ({
            long sum = 0;
            for (int i = 0; i < $k; i++) sum += i * a;
            sum;
        });
        show("wide", wide);
        __auto_type same = a - b;
        show("same", same);"#,
        n = name,
        a = program.random.between(-99, 99),
        b = program.random.between(-99, 99),
        k = program.random.below(9)
    )
}

fn shadowing(program: &mut Program) -> String {
    c!(
        r#"int x = $a;
        {
            int outer = x;
            long x = outer * 2L;
            mix((uint64_t)x);
            for (int x = 0; x < 3; x++) {
                unsigned x = 9;
                mix(x--);
            }
            if (x > 0) {
                extern int abs(int);
                x = abs((int)-x);
            }
            show("inner", x);
        }
        show("outer", x);
        typedef short number;
        number n = (number)(x * 1000);
        struct {
            number number;
        } s = {n};
        show("number", s.number);"#,
        a = program.random.between(-99, 99)
    )
}

/// Where the type of an operation decides its value.
fn promotions(program: &mut Program) -> String {
    let (a, b) = (program.random.between(0, 255), program.random.between(0, 255));
    c!(
        r#"unsigned char a = $a, b = $b;
        signed char s = (signed char)a;
        unsigned short h = (unsigned short)(a * 257);
        int i = -$b;
        unsigned u = $a;
        show("difference", a - b);
        show("complement", ~a);
        show("narrow", (unsigned char)~a);
        show("shifted", (a << 4) >> 4);
        show("kept", (unsigned char)(a << 4) >> 4);
        show("compare", (i < u) + 2 * (s < a) + 4 * (-1 < (long)u) + 8 * (h == (short)h));
        show("sum", (unsigned char)(a + b) == a + b);
        show("mixed", i + u);
        show("wide", i + (long long)u);
        show("sign", -1 > 1u);
        show("long", (long)i - 1u);
        show("char", (char)h + '\xff');"#,
        a = a,
        b = b
    )
}
