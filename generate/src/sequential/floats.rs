//! Feature: floating numbers of three widths. Operations that IEEE 754 rounds exactly, conversions to and from
//! integers, comparisons with infinities and NaN, and printing. A NaN's sign, and the sign of zero from `fmin` and
//! `fmax`, depend on the compiler, so that neither can reach the output.

use super::integer::Integer;
use super::program::Program;
use crate::source::{Source, c};

#[derive(Clone, Copy, PartialEq)]
enum Float {
    Single,
    Double,
    Extended,
}

const FLOATS: [Float; 4] = [Float::Single, Float::Double, Float::Double, Float::Extended];

impl Float {
    fn name(self) -> &'static str {
        match self {
            Float::Single => "float",
            Float::Double => "double",
            Float::Extended => "long double",
        }
    }

    /// The suffix of a constant and of a function of this type.
    fn suffix(self) -> &'static str {
        match self {
            Float::Single => "f",
            Float::Double => "",
            Float::Extended => "l",
        }
    }
}

struct Variable {
    name: String,
    ty: Float,
}

pub fn emit(program: &mut Program) {
    let mut body = Source::new();
    let mut variables = Vec::new();
    for _ in 0..3 + program.random.below(3) {
        let ty = program.random.pick(&FLOATS);
        let name = program.fresh("x");
        let value = constant(program, ty);
        let volatile = if program.contracts || program.random.chance(20) { "volatile " } else { "" };
        body.add(format!("{volatile}{} {name} = {value};", ty.name()));
        variables.push(Variable { name, ty });
    }
    for _ in 0..4 + program.random.below(5) {
        let text = match program.random.below(9) {
            0..=2 => assignment(program, &variables),
            3 => comparisons(program, &variables),
            4 => to_integer(program, &variables),
            5 => from_integer(program, &variables),
            6 => iteration(program, &variables),
            7 => classification(program, &variables),
            _ => printed(program, &variables),
        };
        body.add(text);
    }
    for variable in &variables {
        body.add(format!("show_double(\"{0}\", (double){0});", variable.name));
    }
    program.test("floats", &body);
}

fn constant(program: &mut Program, ty: Float) -> String {
    let suffix = ty.suffix();
    let numerator = program.random.between(-10_000, 10_000) as f64;
    match program.random.below(12) {
        0 => "INFINITY".to_string(),
        1 => "-INFINITY".to_string(),
        2 => "NAN".to_string(),
        3 => format!("-0.0{suffix}"),
        4 => program
            .random
            .pick(&["DBL_MAX", "FLT_MIN", "DBL_EPSILON", "FLT_MAX", "DBL_MIN / 8", "LDBL_MAX", "LDBL_EPSILON"])
            .to_string(),
        5 => format!("{}e{}{suffix}", numerator / 100.0, program.random.between(-30, 30)),
        6 => format!("0x1.{:x}p{}{suffix}", program.random.below(1 << 20), program.random.between(-20, 20)),
        7 => format!("{:?}{suffix}", numerator),
        _ => format!("{:?}{suffix}", numerator / program.random.pick(&[2.0, 3.0, 7.0, 8.0, 10.0, 1000.0])),
    }
}

fn pick<'v>(program: &mut Program, variables: &'v [Variable]) -> &'v Variable {
    &variables[program.random.below(variables.len())]
}

/// An expression over the variables, with its type.
fn expression(program: &mut Program, variables: &[Variable], depth: usize) -> (String, Float) {
    if depth == 0 || program.random.chance(15) {
        if !program.contracts && program.random.chance(25) {
            let ty = program.random.pick(&FLOATS);
            let text = constant(program, ty);
            // The names of limits have types of their own.
            return (format!("({})({text})", ty.name()), ty);
        }
        let variable = pick(program, variables);
        return (variable.name.clone(), variable.ty);
    }
    let (a, left) = expression(program, variables, depth - 1);
    match program.random.below(10) {
        0 => (format!("(-{a})"), left),
        1 => {
            let ty = program.random.pick(&FLOATS);
            (format!("(({}){a})", ty.name()), ty)
        }
        2 | 3 => (exact_function(program, variables, &a, left, depth), left),
        4 => {
            let (b, right) = expression(program, variables, depth - 1);
            let condition = comparison(program, variables);
            (format!("({condition} ? {a} : {b})"), wider(left, right))
        }
        _ => {
            let (b, right) = expression(program, variables, depth - 1);
            let operator = program.random.pick(&["+", "-", "*", "/"]);
            (format!("({a} {operator} {b})"), wider(left, right))
        }
    }
}

fn wider(a: Float, b: Float) -> Float {
    match (a, b) {
        (Float::Extended, _) | (_, Float::Extended) => Float::Extended,
        (Float::Single, Float::Single) => Float::Single,
        _ => Float::Double,
    }
}

/// A call of a function whose result is rounded equally in every library.
fn exact_function(program: &mut Program, variables: &[Variable], a: &str, ty: Float, depth: usize) -> String {
    let suffix = ty.suffix();
    let name = program
        .random
        .pick(&["sqrt", "floor", "ceil", "trunc", "fabs", "rint", "round", "fmod", "copysign", "fmin", "fmax"]);
    let (b, _) = expression(program, variables, depth - 1);
    match name {
        "fmod" => format!("fmod{suffix}({a}, {b})"),
        "copysign" => {
            let other = &pick(program, variables).name;
            format!("copysign{suffix}({a}, {other} == {other} ? {other} : -1)")
        }
        "fmin" | "fmax" => format!("({name}{suffix}({a}, {b}) + 0)"),
        _ => format!("{name}{suffix}({a})"),
    }
}

fn assignment(program: &mut Program, variables: &[Variable]) -> String {
    let target = pick(program, variables).name.clone();
    let (value, _) = expression(program, variables, 3);
    match program.random.below(5) {
        0 => format!("{target} {}= {value};", program.random.pick(&["+", "-", "*", "/"])),
        1 => format!("{target}{};", program.random.pick(&["++", "--"])),
        _ => format!("{target} = {value};"),
    }
}

fn comparison(program: &mut Program, variables: &[Variable]) -> String {
    let (a, b) = (pick(program, variables).name.clone(), pick(program, variables).name.clone());
    match program.random.below(4) {
        0 => {
            let name = program.random.pick(&[
                "isgreater",
                "isgreaterequal",
                "isless",
                "islessequal",
                "islessgreater",
                "isunordered",
            ]);
            format!("{name}({a}, {b})")
        }
        _ => format!("({a} {} {b})", program.random.pick(&["<", "<=", ">", ">=", "==", "!="])),
    }
}

fn comparisons(program: &mut Program, variables: &[Variable]) -> String {
    let terms: Vec<String> = (0..5).map(|bit| format!("!!{} << {bit}", comparison(program, variables))).collect();
    let branch = comparison(program, variables);
    format!("show(\"compared\", {});\nif (!{branch}) mix(1);\nelse mix(2);", terms.join(" | "))
}

/// A conversion of a value that the integer type is known to hold.
fn to_integer(program: &mut Program, variables: &[Variable]) -> String {
    let ty = Integer::any(&mut program.random);
    let ty = if ty == Integer::Bool { Integer::Short } else { ty };
    let (value, float) = expression(program, variables, 2);
    let number = program.fresh("y");
    let bits = ty.bits().min(100) - 1 - ty.signed() as u32;
    let low = if ty.signed() { format!("-0x1p{bits}") } else { "0".to_string() };
    c!(
        r#"$f $n = $v;
        if ($n >= $l && $n < 0x1p$b) $verb("integer", ($t)$n);"#,
        f = float.name(),
        n = number,
        v = value,
        l = low,
        b = bits,
        t = ty.spelling(&mut program.random),
        verb = if ty.bits() > 64 { "show_wide" } else { "show" }
    )
}

fn from_integer(program: &mut Program, variables: &[Variable]) -> String {
    let ty = Integer::any(&mut program.random);
    let value = ty.interesting(&mut program.random);
    let (name, target) = (program.fresh("k"), pick(program, variables));
    c!(
        r"volatile $t $n = $v;
        $x = $n;
        $x += ($f)$n;
        $x = $x * $n;
        mix_double((double)$x);",
        t = ty.name(),
        n = name,
        v = ty.literal(value, &mut program.random),
        x = target.name,
        f = program.random.pick(&FLOATS).name()
    )
}

fn iteration(program: &mut Program, variables: &[Variable]) -> String {
    let (x, ty) = (pick(program, variables), program.random.pick(&FLOATS));
    let (sum, index) = (program.fresh("sum"), program.fresh("i"));
    let times = 2 + program.random.below(20);
    let step = match program.random.below(4) {
        0 => c!("$s += ($t)1 / $i;", s = sum, t = ty.name(), i = index),
        1 => c!("$s = ($s + $x / $i) / 2;", s = sum, x = x.name, i = index),
        2 => c!("$s = $s * $i - $x;\nif ($s > 1e6 || $s != $s) break;", s = sum, x = x.name, i = index),
        _ => c!("$s += $i % 2 ? $x / $i : -$x / $i;", s = sum, x = x.name, i = index),
    };
    c!(
        r#"$t $s = 1;
        for (int $i = 1; $i < $n; $i++) {
            $step
        }
        show_double("$s", (double)$s);"#,
        t = ty.name(),
        s = sum,
        i = index,
        n = times,
        step = step
    )
}

fn classification(program: &mut Program, variables: &[Variable]) -> String {
    let x = pick(program, variables).name.clone();
    c!(
        r#"show("class", !!isnan($x) | !!isinf($x) << 1 | !!isfinite($x) << 2 | !!isnormal($x) << 3);
        if ($x == $x) show("sign", !!signbit($x));
        if (!$x) mix(3);
        mix($x ? 4 : 5);
        mix(($x && 1) + 2 * (_Bool)$x);"#,
        x = x
    )
}

/// printf's conversions of floating numbers, with flags, width and precision.
fn printed(program: &mut Program, variables: &[Variable]) -> String {
    let mut lines = String::new();
    for _ in 0..2 {
        let variable = pick(program, variables);
        let flags = program.random.some_of(&["-", "+", " ", "#", "0"], 0, 2).concat();
        let width = if program.random.chance(40) { (1 + program.random.below(20)).to_string() } else { String::new() };
        let precision =
            if program.random.chance(70) { format!(".{}", program.random.below(12)) } else { String::new() };
        let long = if variable.ty == Float::Extended { "L" } else { "" };
        let letter = program.random.pick(&["f", "e", "g", "a", "F", "E", "G", "A", "f", "g", "e"]);
        lines.push_str(&c!(
            "if ($x == $x) printf(\"[%$f$w$p$l$c]\\n\", $x);\n",
            x = variable.name,
            f = flags,
            w = width,
            p = precision,
            l = long,
            c = letter
        ));
    }
    let last = pick(program, variables);
    let small = c!(
        "if (fabs((double)$x) < 1e9) printf(\"[%*.*f]\\n\", $w, $p, (double)$x);",
        x = last.name,
        w = program.random.between(-15, 15),
        p = program.random.between(-1, 9)
    );
    lines + &small
}
