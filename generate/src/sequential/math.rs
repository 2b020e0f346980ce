//! Feature: the functions of <math.h> whose results IEEE 754 fixes to the last bit, in three widths, over values at
//! which they are easy to get wrong.

use super::program::Program;
use crate::source::{Source, c};

const VALUES: [&str; 20] = [
    "0.0",
    "-0.0",
    "0.5",
    "-0.5",
    "1.5",
    "2.5",
    "-2.5",
    "0.49999999999999994",
    "1e300",
    "-1e-310",
    "4503599627370497.5",
    "9007199254740993.0",
    "INFINITY",
    "-INFINITY",
    "NAN",
    "2.0",
    "1e10",
    "-7.75",
    "0x1p-1074",
    "123456.789",
];

const ONE: [&str; 7] = ["sqrt", "floor", "ceil", "trunc", "fabs", "rint", "round"];
const TWO: [&str; 4] = ["fmod", "copysign", "fmin", "fmax"];

pub fn emit(program: &mut Program) {
    let mut body = Source::new();
    let (ty, suffix) = program.random.pick(&[("double", ""), ("float", "f"), ("long double", "l")]);
    let values = program.random.some_of(&VALUES, 4, 9);
    body.add(c!("static const $t values[] = {$v};", t = ty, v = values.join(", ")));
    body.add("for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {");
    body.add(c!(
        "volatile $t x = values[i], y = values[(i + $k) % $n];",
        t = ty,
        k = program.random.below(4),
        n = values.len()
    ));
    for name in program.random.some_of(&ONE, 2, 5) {
        body.add(c!("show_double(\"$n\", (double)$n$s(x));", n = name, s = suffix));
    }
    for name in program.random.some_of(&TWO, 1, 3) {
        body.add(match name {
            // The sign of a NaN, and that of the zero of fmin and fmax, is not fixed.
            "copysign" => c!("show_double(\"copysign\", (double)copysign$s(x, y == y ? y : 1));", s = suffix),
            "fmod" => c!("show_double(\"fmod\", (double)fmod$s(x, y));", s = suffix),
            _ => c!("show_double(\"$n\", (double)($n$s(x, y) + 0));", n = name, s = suffix),
        });
    }
    body.add("}");
    program.test("math", &body);
}
