//! Feature: structs by value. The shapes are chosen for the calling convention: one register, two, integer and floating
//! registers mixed, memory; some are packed, over-aligned, nested or hold arrays.

use super::expression::{Place, Scope};
use super::integer::Integer;
use super::program::Program;
use super::statement::Block;
use crate::source::{Source, c};

/// A struct type and the scalars in it, by their paths from a value.
struct Shape {
    name: String,
    integers: Vec<(String, Integer)>,
    floats: Vec<(String, &'static str)>,
    /// Members may lie where a pointer to their type must not point.
    packed: bool,
}

const LAYOUTS: [&str; 26] = [
    "int",
    "char char char",
    "float float",
    "float float float",
    "double double",
    "int float",
    "float int double",
    "long double",
    "double long",
    "long long*2",
    "long*3",
    "char[3]",
    "char[16]",
    "char[17]",
    "short int char",
    "ldouble",
    "int128",
    "float[4]",
    "double[3]",
    "uint64 char",
    "{int float} double",
    "{short char[2]} {float} long",
    "bool uchar short",
    "double float int",
    "int[2] {double} ",
    "ushort[5]",
];

pub fn emit(program: &mut Program) {
    let mut body = Source::new();
    for _ in 0..1 + program.random.below(2) {
        let shape = shape(program);
        functions(program, &shape);
        uses(program, &shape, &mut body);
    }
    program.test("structs", &body);
}

fn shape(program: &mut Program) -> Shape {
    let name = program.fresh("struct shape");
    let layout = if program.random.chance(75) {
        program.random.pick(&LAYOUTS).to_string()
    } else {
        let words =
            ["int", "char", "float", "double", "short", "long", "uint64", "int[3]", "{char double}", "ldouble", "bool"];
        program.random.some_of(&words, 2, 6).join(" ")
    };
    let mut shape = Shape { name: name.clone(), integers: Vec::new(), floats: Vec::new(), packed: false };
    let mut declaration = Source::new();
    declaration.add(format!("{name} {{"));
    let mut path = Vec::new();
    for word in layout.replace('{', " { ").replace('}', " } ").split_whitespace() {
        match word {
            "{" => {
                declaration.add("struct {");
                path.push(program.fresh("n"));
            }
            "}" => {
                let field = path.pop().unwrap_or_default();
                declaration.add(format!("}} {field};"));
            }
            _ => field(program, word, &path, &mut declaration, &mut shape),
        }
    }
    let attribute = match program.random.below(8) {
        0 => " __attribute__((packed))",
        1 => " __attribute__((aligned(32)))",
        _ => "",
    };
    shape.packed = attribute.contains("packed");
    declaration.add(format!("}}{attribute};"));
    program.types.add(declaration.text());
    shape
}

/// One field, or several where the word ends with a factor.
fn field(program: &mut Program, word: &str, path: &[String], declaration: &mut Source, shape: &mut Shape) {
    let (word, factor) = word.split_once('*').unwrap_or((word, "1"));
    let (word, length) = word.split_once('[').unwrap_or((word, ""));
    let length: usize = length.trim_end_matches(']').parse().unwrap_or(0);
    for _ in 0..factor.parse().unwrap_or(1) {
        let name = program.fresh("m");
        let integer = match word {
            "bool" => Some(Integer::Bool),
            "char" => Some(program.random.pick(&[Integer::Char, Integer::SignedChar, Integer::UnsignedChar])),
            "uchar" => Some(Integer::UnsignedChar),
            "short" => Some(Integer::Short),
            "ushort" => Some(Integer::UnsignedShort),
            "int" => Some(program.random.pick(&[Integer::Int, Integer::Unsigned])),
            "long" => Some(program.random.pick(&[Integer::Long, Integer::LongLong])),
            "uint64" => Some(Integer::UnsignedLong),
            "int128" => Some(program.random.pick(&[Integer::Int128, Integer::Unsigned128])),
            _ => None,
        };
        let float = match word {
            "float" => "float",
            "ldouble" => "long double",
            _ => "double",
        };
        let spelling = integer.map_or(float, |ty| ty.spelling(&mut program.random));
        let bounds = if length > 0 { format!("[{length}]") } else { String::new() };
        declaration.add(format!("{spelling} {name}{bounds};"));
        let mut prefix = path.join(".");
        if !prefix.is_empty() {
            prefix.push('.');
        }
        for index in 0..length.max(1) {
            let element = if length > 0 { format!("{prefix}{name}[{index}]") } else { format!("{prefix}{name}") };
            match integer {
                Some(ty) => shape.integers.push((element, ty)),
                None => shape.floats.push((element, float)),
            }
        }
    }
}

/// Functions that make, change and report values of the shape.
fn functions(program: &mut Program, shape: &Shape) {
    let tag = shape.name.replace("struct ", "");
    let mut make = Source::new();
    make.add(c!("static $s make_$t(int n) {\n$s made;", s = shape.name, t = tag));
    for (path, ty) in &shape.integers {
        let (factor, offset) = (program.random.between(-9, 9), program.random.between(-100, 100));
        make.add(format!("made.{path} = ({})(n * {factor} + {offset});", ty.name()));
    }
    for (path, ty) in &shape.floats {
        let eighths = program.random.between(-400, 400) as f64 / 8.0;
        make.add(format!("made.{path} = ({ty})(n * {eighths:?});"));
    }
    make.add("return made;\n}");
    program.functions.add(make.text());

    let mut report = Source::new();
    report.add(c!("static void mix_$t(const $s *value) {", s = shape.name, t = tag));
    for (path, ty) in &shape.integers {
        let verb = if ty.bits() > 64 { "mix_wide" } else { "mix" };
        report.add(format!("{verb}(value->{path});"));
    }
    for (path, _) in &shape.floats {
        report.add(format!("mix_double((double)value->{path});"));
    }
    report.add("}");
    program.functions.add(report.text());

    let before = ["", "char c, ", "double d, int i, ", "long a, long b, long c, long d, long e, "];
    let before = program.random.pick(&before);
    let between = program.random.pick(&["", "float f, ", "short h, double g, "]);
    let mut scope = Scope::default();
    for (path, ty) in &shape.integers {
        scope.places.push(Place::new(format!("one.{path}"), *ty));
        scope.places.push(Place { writable: false, ..Place::new(format!("two.{path}"), *ty) });
    }
    scope.places.push(Place::new("n", Integer::Int));
    let mut block = Block::new(program, scope);
    block.reports = false;
    let count = 1 + block.program.random.below(3);
    block.statements(count, 1);
    let mut change = block.out;
    for (path, ty) in &shape.floats {
        change.add(format!("one.{path} = one.{path} / ({ty})4 - two.{path} + n;"));
    }
    program.functions.add(c!(
        "static $s change_$t(${before}$s one, ${between}$s two, int n) {",
        s = shape.name,
        t = tag,
        before = before,
        between = between
    ));
    program.functions.add(change.text());
    program.functions.add("return one;\n}");
    let argument = |text: &str| text.split(", ").filter(|p| !p.is_empty()).map(|_| "3, ").collect::<String>();
    program.functions.add(c!(
        r"static $s step_$t($s one, $s two, int n) {
            return change_$t(${x}one, ${y}two, n);
        }",
        s = shape.name,
        t = tag,
        x = argument(before),
        y = argument(between)
    ));
}

fn uses(program: &mut Program, shape: &Shape, body: &mut Source) {
    let tag = shape.name.replace("struct ", "");
    let (first, second) = (program.random.between(-50, 50), program.random.between(-50, 50));
    body.add("{");
    body.add(c!("$s a = make_$t($x), b = make_$t($y), many[4];", s = shape.name, t = tag, x = first, y = second));
    body.add(c!("printf(\"size %zu align %zu\\n\", sizeof($s), _Alignof($s));", s = shape.name));
    for _ in 0..3 + program.random.below(4) {
        let n = program.random.between(-9, 9);
        let line = match program.random.below(9) {
            0 => c!("a = step_$t(a, b, $n);\nmix_$t(&a);", t = tag, n = n),
            1 => c!("b = step_$t(step_$t(b, a, $n), make_$t($n), 2);\nmix_$t(&b);", t = tag, n = n),
            2 => c!(
                r"for (int i = 0; i < 4; i++) many[i] = make_$t(i * $n);
                for ($s *p = many; p < many + 4; p++) mix_$t(p);
                for (int i = 3; i > 0; i--) {
                    many[i] = step_$t(many[i - 1], many[i], i);
                    mix_$t(many + i);
                }",
                s = shape.name,
                t = tag,
                n = n
            ),
            3 => c!(
                r"$s (*f)($s, $s, int) = step_$t;
                $s r = (*f)(a, b, $n);
                mix_$t(&r);",
                s = shape.name,
                t = tag,
                n = n
            ),
            4 => c!(
                r"$s copy = a;
                copy = checksum & 1 ? a : b;
                mix_$t(&copy);
                memcpy(&copy, &b, sizeof copy);
                mix_$t(&copy);",
                s = shape.name,
                t = tag
            ),
            5 => c!("mix_$t(&(($s){0}));\na = step_$t(($s){0}, a, $n);\nmix_$t(&a);", s = shape.name, t = tag, n = n),
            6 => c!("$s swap = a;\na = b;\nb = swap;\nmix_$t(&a);", s = shape.name, t = tag),
            7 => member(program, shape),
            _ => c!(
                r"static $s kept;
                $s *q = &kept;
                *q = step_$t(*q, a, $n);
                mix_$t(&kept);",
                s = shape.name,
                t = tag,
                n = n
            ),
        };
        body.add(format!("{{\n{line}\n}}"));
    }
    body.add("}");
}

/// Reads a member of a returned struct, and writes one through a pointer to it.
fn member(program: &mut Program, shape: &Shape) -> String {
    let tag = shape.name.replace("struct ", "");
    if !shape.integers.is_empty() && program.random.chance(60) {
        let (path, ty) = program.random.pick(&shape.integers);
        if !shape.packed && program.random.chance(50) {
            return c!(
                r#"$ty *at = &a.$p;
                *at = ($ty)(*at ^ $n);
                mix_$t(&a);"#,
                ty = ty.name(),
                p = path,
                n = program.random.below(100),
                t = tag,
            );
        }
        let value = if ty.bits() > 64 { "(unsigned long)" } else { "(long long)" };
        return c!(
            r#"show("$p", ${v}make_$t(7).$p);
            a.$p = 5;
            mix_$t(&a);
            printf("at %zu\n", offsetof($s, $p));"#,
            p = path,
            t = tag,
            v = value,
            s = shape.name
        );
    }
    if shape.floats.is_empty() {
        return c!("mix_$t(&a);", t = tag);
    }
    let (path, _) = program.random.pick(&shape.floats);
    c!(
        r#"show_double("$p", (double)make_$t(7).$p);
        a.$p *= -0.5f;
        mix_$t(&a);"#,
        p = path,
        t = tag
    )
}
