//! Feature: compiler builtins: counting bits, swapping bytes, arithmetic with overflow reports (also into a type other
//! than the operands'), hints.

use super::expression::Expression;
use super::integer::{Integer, UP_TO_64};
use super::program::Program;
use crate::source::{Source, c};

pub fn emit(program: &mut Program) {
    let mut body = Source::new();
    for _ in 0..5 + program.random.below(6) {
        let text = match program.random.below(8) {
            0 | 1 => counted(program),
            2 => swapped(program),
            3..=5 => overflow(program),
            6 => hints(program),
            _ => rotated(program),
        };
        body.add(format!("{{\n{text}\n}}"));
    }
    program.test("builtins", &body);
}

fn constant(program: &mut Program, ty: Integer) -> String {
    Expression::constant(program, ty).text
}

fn counted(program: &mut Program) -> String {
    let (ty, suffix) = program.random.pick(&[
        (Integer::Unsigned, ""),
        (Integer::UnsignedLong, "l"),
        (Integer::UnsignedLongLong, "ll"),
    ]);
    let value = constant(program, ty);
    c!(
        r#"volatile $t value = $v;
        show("ones", __builtin_popcount$s(value) + 100 * __builtin_parity$s(value));
        if (value) {
            show("zeros", __builtin_clz$s(value) * 100 + __builtin_ctz$s(value));
        }
        show("first", __builtin_ffs$s(($signed)value));
        show("sign", __builtin_clrsb$s(($signed)value));"#,
        t = ty.name(),
        v = value,
        s = suffix,
        signed = match suffix {
            "" => "int",
            "l" => "long",
            _ => "long long",
        }
    )
}

fn swapped(program: &mut Program) -> String {
    let word = program.random.word();
    c!(
        r#"volatile uint64_t value = 0x$w;
        printf("%x %x\n", __builtin_bswap16((uint16_t)value), __builtin_bswap32((uint32_t)value));
        printf("%llx\n", (unsigned long long)__builtin_bswap64(value));
        mix(__builtin_bswap64(checksum));"#,
        w = format!("{word:x}u")
    )
}

fn overflow(program: &mut Program) -> String {
    let wide = [
        Integer::Int,
        Integer::Unsigned,
        Integer::Long,
        Integer::UnsignedLong,
        Integer::LongLong,
        Integer::UnsignedLongLong,
    ];
    let ty = program.random.pick(&UP_TO_64);
    let ty = if ty == Integer::Bool { Integer::Short } else { ty };
    let (left, right) =
        if program.random.chance(20) { (program.random.pick(&wide), program.random.pick(&wide)) } else { (ty, ty) };
    let operation = program.random.pick(&["add", "sub", "mul"]);
    let same = left == ty && right == ty;
    let typed = match ty {
        Integer::Int => "s$o",
        Integer::Unsigned => "u$o",
        Integer::Long => "s${o}l",
        Integer::UnsignedLong => "u${o}l",
        Integer::LongLong => "s${o}ll",
        Integer::UnsignedLongLong => "u${o}ll",
        _ => "$o",
    };
    let typed = if same && program.random.chance(30) { typed } else { "$o" };
    let (a, b) = (constant(program, left), constant(program, right));
    c!(
        r#"volatile $l a = $a;
        volatile $r b = $b;
        $t result;
        _Bool lost = __builtin_${name}_overflow(a, b, &result);
        printf("%d %lld\n", lost, (long long)result);
        mix((uint64_t)result);"#,
        l = left.name(),
        r = right.name(),
        a = a,
        b = b,
        t = ty.name(),
        name = c!(typed, o = operation)
    )
}

fn hints(program: &mut Program) -> String {
    c!(
        r#"volatile int kind = $k;
        int result = 0;
        if (__builtin_expect(kind > $m, 1)) result += 1;
        if (__builtin_expect(!!(kind & 1), 0)) result += 2;
        switch (kind & 3) {
            case 0 ... 1: result += 10;
            break;
            case 2: result += 20;
            break;
            case 3: result += 30;
            break;
            default: __builtin_unreachable();
        }
        show("hinted", result);
        int list[4] = {1, 2, 3, 4};
        __builtin_prefetch(list);
        show("absolute", __builtin_abs(-list[kind & 3]));
        char text[8];
        __builtin_memset(text, 'm', sizeof text);
        __builtin_memcpy(text, "abc", 4);
        show("length", (long long)__builtin_strlen(text));"#,
        k = program.random.between(-50, 50),
        m = program.random.between(-50, 50)
    )
}

/// Rotations as programs write them, which compilers recognise.
fn rotated(program: &mut Program) -> String {
    let (ty, bits) = program.random.pick(&[("uint32_t", 32), ("uint64_t", 64), ("uint8_t", 8), ("uint16_t", 16)]);
    c!(
        r#"volatile $t value = ($t)0x$w;
        unsigned by = $n;
        $t left = ($t)(($t)(value << by) | ($t)(value >> ((0u - by) & $m)));
        $t right = ($t)(value >> 3 | ($t)(value << ($b - 3)));
        printf("%llx %llx\n", (unsigned long long)left, (unsigned long long)right);"#,
        t = ty,
        w = format!("{:x}u", program.random.word()),
        n = 1 + program.random.below(7),
        m = bits - 1,
        b = bits
    )
    .replace("uint8_t)(value << by)", "uint8_t)((unsigned)value << by)")
    .replace("uint16_t)(value << by)", "uint16_t)((unsigned)value << by)")
}
