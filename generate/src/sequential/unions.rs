//! Feature: type punning in the ways that C allows: through a union, through `memcpy`, and through characters. `_Bool`
//! and padding are never read this way.

use super::integer::Integer;
use super::program::Program;
use crate::source::{Source, c};

/// Members of a union of eight bytes, and how each is reported.
const VIEWS: [(&str, &str); 11] = [
    ("uint64_t u;", "mix(x.u);"),
    ("int64_t i;", "show(\"i\", x.i);"),
    ("double d;", "mix_double(x.d);"),
    ("float f[2];", "mix_double(x.f[0]);\nmix_double(x.f[1]);"),
    ("uint8_t b[8];", "for (int k = 0; k < 8; k++) mix(x.b[k]);"),
    ("signed char c[8];", "for (int k = 7; k >= 0; k--) mix(x.c[k]);"),
    ("int16_t s[4];", "printf(\"%hd %hd\\n\", x.s[1], x.s[3]);\nmix(x.s[0]);"),
    ("struct {\nuint32_t low;\nint32_t high;\n} h;", "show(\"low\", x.h.low);\nshow(\"high\", x.h.high);"),
    (
        r"struct {
            uint8_t first;
            uint8_t second;
            uint16_t third;
            float fourth;
        } m;",
        "mix(x.m.second);\nmix_double(x.m.fourth);",
    ),
    ("struct {\nuint64_t a : 12;\nuint64_t b : 52;\n} p;", "mix((uint64_t)x.p.b);"),
    ("int n;", "show(\"n\", x.n);"),
];

pub fn emit(program: &mut Program) {
    let mut body = Source::new();
    eight_bytes(program, &mut body);
    for _ in 0..1 + program.random.below(3) {
        match program.random.below(5) {
            0 => copied(program, &mut body),
            1 => bytes(program, &mut body),
            2 => tagged(program, &mut body),
            3 => long_double(program, &mut body),
            _ => body.add(
                r#"{
                    uint32_t one = 1;
                    unsigned char first;
                    memcpy(&first, &one, 1);
                    show("little", first);
                }"#,
            ),
        }
    }
    program.test("unions", &body);
}

fn eight_bytes(program: &mut Program, body: &mut Source) {
    let union = program.fresh("union view");
    let views = program.random.some_of(&VIEWS, 3, 6);
    let members: Vec<&str> = views.iter().map(|view| view.0).collect();
    program.types.add(format!("{union} {{\nuint64_t whole;\n{}\n}};", members.join("\n")));
    body.add(format!("{{\n{union} x, y = {{0x{:x}u}};\nx = y;", program.random.word()));
    for _ in 0..2 + program.random.below(3) {
        let write = match program.random.below(3) {
            0 => format!("x.whole = 0x{:x}u;", program.random.word()),
            1 => format!("x.whole = x.whole * {}u + checksum;", program.random.word() | 1),
            _ => format!("x.whole ^= x.whole >> {};", 1 + program.random.below(60)),
        };
        body.add(write);
        if views.iter().any(|view| view.0.starts_with("double")) && program.random.chance(30) {
            body.add(format!("x.d = {:?};", program.random.between(-4000, 4000) as f64 / 64.0));
        }
        if views.iter().any(|view| view.0.starts_with("float")) && program.random.chance(30) {
            body.add(format!("x.f[1] = {:?}f;", program.random.between(-4000, 4000) as f64 / 64.0));
        }
        for view in program.random.some_of(&views, 1, views.len()) {
            body.add(view.1);
        }
    }
    body.add("mix(x.whole);\n}");
}

/// Bits of floating-point numbers through `memcpy`, in both directions.
fn copied(program: &mut Program, body: &mut Source) {
    let (float, word) = program.random.pick(&[("float", "uint32_t"), ("double", "uint64_t")]);
    let value = program.random.between(-100_000, 100_000) as f64 / 256.0;
    let shift = 1 + program.random.below(20);
    body.add(c!(
        r#"{
            $f number = $v;
            $w bits;
            memcpy(&bits, &number, sizeof bits);
            printf("%llx\n", (unsigned long long)bits);
            bits ^= ($w)1 << $s;
            bits += 3;
            memcpy(&number, &bits, sizeof number);
            show_double("number", number);
        }"#,
        f = float,
        w = word,
        v = format!("{value:?}"),
        s = shift
    ));
}

/// Bytes of an integer through a pointer to characters.
fn bytes(program: &mut Program, body: &mut Source) {
    let ty = Integer::any(&mut program.random);
    let ty = if ty == Integer::Bool { Integer::Int128 } else { ty };
    let value = ty.interesting(&mut program.random);
    let literal = ty.literal(value, &mut program.random);
    let size = ty.bits() / 8;
    body.add(c!(
        r"{
            $t object = $v, other;
            unsigned char *bytes = (unsigned char *)&object;
            for (unsigned k = 0; k < sizeof object; k++) mix(bytes[k]);
            bytes[$last] ^= 0x5a;
            char *to = (char *)&other;
            for (int k = 0; k < $size; k++) to[k] = (char)bytes[$last - k];
            $verb(other);
            $verb(object);
        }",
        t = ty.name(),
        v = literal,
        size = size,
        last = size - 1,
        verb = if size > 8 { "mix_wide" } else { "mix" }
    ));
}

/// A tagged union.
fn tagged(program: &mut Program, body: &mut Source) {
    let (name, count) = (program.fresh("struct value"), 3 + program.random.below(5));
    program.types.add(c!(
        r"$n {
            enum { AN_INT_$n2, A_DOUBLE_$n2, A_TEXT_$n2 } kind;
            union {
                int i;
                double d;
                char text[12];
            };
        };",
        n = name,
        n2 = name.replace("struct ", "")
    ));
    let mut values = Vec::new();
    for _ in 0..count {
        values.push(match program.random.below(3) {
            0 => c!("{AN_INT_$n, .i = $v}", n = name.replace("struct ", ""), v = program.random.between(-999, 999)),
            1 => c!(
                "{.kind = A_DOUBLE_$n, .d = $v}",
                n = name.replace("struct ", ""),
                v = program.random.between(-99, 99) as f64 / 4.0
            ),
            _ => c!("{A_TEXT_$n, .text = \"t$v\"}", n = name.replace("struct ", ""), v = program.random.below(10_000)),
        });
    }
    body.add(c!(
        r#"{
            $n values[] = {$v};
            for (unsigned k = 0; k < sizeof values / sizeof values[0]; k++) {
                switch (values[k].kind) {
                    case AN_INT_$n2: show("int", values[k].i);
                    break;
                    case A_DOUBLE_$n2: show_double("double", values[k].d);
                    break;
                    case A_TEXT_$n2: printf("%s\n", values[k].text);
                    break;
                }
            }
        }"#,
        n = name,
        n2 = name.replace("struct ", ""),
        v = values.join(", ")
    ));
}

/// The ten bytes of a long double that are not padding.
fn long_double(program: &mut Program, body: &mut Source) {
    // Not zero, which with another exponent would be no number at all.
    let value = program.random.between(1, 100_000) as f64 / program.random.pick(&[32.0, -32.0]);
    body.add(c!(
        r#"{
            union {
                long double number;
                struct {
                    uint64_t fraction;
                    uint16_t exponent;
                } parts;
            } x;
            x.number = ${v}L / 3;
            printf("%llx %x\n", (unsigned long long)x.parts.fraction, x.parts.exponent);
            x.parts.exponent += 2;
            printf("%.10Lf\n", x.number);
        }"#,
        v = format!("{value:?}")
    ));
}
