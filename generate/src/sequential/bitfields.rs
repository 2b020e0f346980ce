//! Feature: bit-fields of every base type and width, with zero-width ones, unnamed ones, and neighbours that straddle.
//! Reads of fields based on types wider than `int` are cast, because gcc and clang give the bare name different types.

use super::expression::{Place, Scope};
use super::integer::Integer;
use super::program::Program;
use super::range::Range;
use super::statement::Block;
use crate::source::{Source, c};

pub fn emit(program: &mut Program) {
    let mut scope = Scope::default();
    let mut declarations = Source::new();
    for _ in 0..1 + program.random.below(2) {
        fields(program, &mut scope, &mut declarations);
    }
    let exact = exact(program);
    let mut block = Block::new(program, scope);
    block.out.add(declarations.text());
    let locals = 1 + block.program.random.below(3);
    block.declare(locals);
    let count = 4 + block.program.random.below(5);
    block.statements(count, 2);
    block.show_all();
    block.out.add(exact);
    let body = block.out;
    program.test("bitfields", &body);
}

/// A struct of random bit-fields, a variable of it, and one place for each named field.
fn fields(program: &mut Program, scope: &mut Scope, declarations: &mut Source) {
    let (name, variable) = (program.fresh("struct bits"), program.fresh("b"));
    let mut text = Source::new();
    let mut values = Vec::new();
    text.add(format!("{name} {{"));
    for _ in 0..3 + program.random.below(6) {
        let bases = [
            Integer::Int,
            Integer::Int,
            Integer::Unsigned,
            Integer::Unsigned,
            Integer::Bool,
            Integer::SignedChar,
            Integer::UnsignedShort,
            Integer::Long,
            Integer::UnsignedLong,
            Integer::UnsignedLongLong,
        ];
        let base = program.random.pick(&bases);
        match program.random.below(12) {
            0 => text.add(format!("{} : 0;", base.name().replace("_Bool", "int"))),
            1 => text.add(format!("unsigned : {};", 1 + program.random.below(9))),
            2 => {
                let field = program.fresh("c");
                text.add(format!("short {field};"));
                values.push(program.random.between(-99, 99).to_string());
                scope.places.push(Place::new(format!("{variable}.{field}"), Integer::Short));
            }
            _ => {
                let field = program.fresh("b");
                let width = 1 + program.random.below(base.bits() as usize) as u32;
                let keyword = if base == Integer::Int { "signed int" } else { base.name() };
                text.add(format!("{keyword} {field} : {width};"));
                values.push(program.random.below(2).to_string());
                scope.places.push(place(format!("{variable}.{field}"), base, width));
            }
        }
    }
    let last = program.fresh("d");
    text.add(format!("unsigned {last} : 7;\n}};"));
    scope.places.push(place(format!("{variable}.{last}"), Integer::Unsigned, 7));
    program.types.add(text.text());
    values.push("99".to_string());
    let start = if program.random.chance(50) { values.join(", ") } else { "0".to_string() };
    declarations.add(format!(
        r#"{name} {variable} = {{{start}}};
        printf("size %zu\n", sizeof {variable});"#
    ));
}

fn place(text: String, base: Integer, width: u32) -> Place {
    let range = if base.signed() {
        Range::new(-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1)
    } else {
        Range::new(0, (1i128 << width) - 1)
    };
    // A field whose values fit into `int` promotes to `int`, whatever its base is.
    let (ty, cast) = match base.bits() {
        64 => (base, true),
        _ if range.within(Range::of(Integer::Int)) => (Integer::Int, false),
        _ => (base, false),
    };
    let read = if cast { format!("({}){text}", ty.name()) } else { text.clone() };
    Place { text, read, ty, range, writable: true }
}

/// Bit-fields that fill a word exactly, so that the word under them has a value.
fn exact(program: &mut Program) -> String {
    let wide = program.random.chance(50);
    let (word, total) = if wide { ("uint64_t", 64) } else { ("uint32_t", 32) };
    let union = program.fresh("union word");
    let mut widths = Vec::new();
    let mut left = total;
    while left > 0 {
        let width = (1 + program.random.below(if wide { 40 } else { 17 })).min(left);
        widths.push(width);
        left -= width;
    }
    let fields: Vec<String> = widths.iter().enumerate().map(|(i, width)| format!("{word} f{i} : {width};")).collect();
    program.types.add(c!("$u {\n$w whole;\nstruct {\n$f\n} part;\n};", u = union, w = word, f = fields.join("\n")));
    let mut text = c!("$u w = {0x9e3779b97f4a7c15u & ($w)-1};\n", u = union, w = word);
    for (index, width) in widths.iter().enumerate() {
        let mask = program.random.word() >> (64 - width);
        text.push_str(&match program.random.below(4) {
            0 => format!("w.part.f{index} = {mask}u;\n"),
            1 => format!("w.part.f{index}++;\n"),
            2 => format!("w.part.f{index} ^= {mask}u;\n"),
            _ => format!("mix((uint64_t)w.part.f{index});\n"),
        });
    }
    text.push_str(
        r#"printf("word %llx\n", (unsigned long long)w.whole);
        mix(w.whole);"#,
    );
    text
}
