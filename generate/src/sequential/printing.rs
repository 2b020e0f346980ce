//! Feature: printf's conversions of integers, characters and strings, with flags, widths and precisions, also given as
//! arguments. Only combinations that the standard defines.

use super::integer::{Integer, UP_TO_64};
use super::program::Program;
use crate::source::{Source, c};

pub fn emit(program: &mut Program) {
    let mut body = Source::new();
    for _ in 0..6 + program.random.below(8) {
        let line = match program.random.below(8) {
            0..=3 => integer(program),
            4 => text(program),
            5 => starred(program),
            6 => named_width(program),
            _ => mixed(program),
        };
        body.add(line);
    }
    program.test("printing", &body);
}

/// A directive for a value of `ty`, without the brackets around it.
fn directive(program: &mut Program, ty: Integer) -> String {
    let (length, decimal) = ty.conversion();
    let letter = if program.random.chance(50) { decimal } else { program.random.pick(&['x', 'X', 'o', 'u', 'd', 'i']) };
    let letter = match letter {
        // A conversion of the other sign would be given a value that it may not represent.
        'x' | 'X' | 'o' | 'u' if ty.signed() => 'd',
        'd' | 'i' if !ty.signed() && ty != Integer::Bool => 'u',
        other => other,
    };
    let flags: &[&str] = match letter {
        'd' | 'i' => &["-", "+", " ", "0"],
        'u' => &["-", "0"],
        _ => &["-", "#", "0"],
    };
    let flags = program.random.some_of(flags, 0, 2).concat();
    let width = if program.random.chance(50) { (1 + program.random.below(24)).to_string() } else { String::new() };
    let precision = if program.random.chance(40) { format!(".{}", program.random.below(12)) } else { String::new() };
    format!("%{flags}{width}{precision}{length}{letter}")
}

fn value(program: &mut Program, ty: Integer) -> String {
    let value = ty.interesting(&mut program.random);
    ty.literal(value, &mut program.random)
}

fn integer(program: &mut Program) -> String {
    let ty = program.random.pick(&UP_TO_64);
    let ty = if ty == Integer::Bool { Integer::Int } else { ty };
    format!("printf(\"[{}]\\n\", {});", directive(program, ty), value(program, ty))
}

fn text(program: &mut Program) -> String {
    let words = ["", "a", "heddle", "warp and weft", "100% of it"];
    let word = program.random.pick(&words);
    let width = program.random.pick(&["", "3", "-3", "12", "-12"]);
    let precision = program.random.pick(&["", ".0", ".2", ".20"]);
    let letter = program.random.pick(&['A', 'z', '~', ' ', '0']);
    match program.random.below(3) {
        0 => format!("printf(\"[%{width}c]%c\\n\", '{letter}', '%');"),
        1 => format!("printf(\"[%{width}{precision}s] 100%%\\n\", \"{word}\");"),
        _ => c!(
            r#"{
                int before = 0, after = 0;
                int all = printf("%s%n:%${w}s%n\n", "$a", &before, "$a", &after);
                printf("%d %d %d\n", all, before, after);
            }"#,
            a = word,
            w = width
        ),
    }
}

fn starred(program: &mut Program) -> String {
    let (width, precision) = (program.random.between(-12, 12), program.random.between(-2, 8));
    let number = program.random.between(-100_000, 100_000);
    match program.random.below(3) {
        0 => format!("printf(\"[%*d][%-*d]\\n\", {width}, {number}, {}, {number});", width.abs()),
        1 => format!("printf(\"[%.*d][%*.*x]\\n\", {precision}, {number}, {width}, {precision}, {}u);", number.abs()),
        _ => format!("printf(\"[%*.*s][%.*s]\\n\", {width}, {precision}, \"starred\", {precision}, \"width\");"),
    }
}

/// Types whose length modifiers have letters or macros of their own.
fn named_width(program: &mut Program) -> String {
    let number = program.random.between(-1_000_000, 1_000_000);
    let line = program.random.pick(&[
        "printf(\"[%zu][%zx][%td][%jd]\\n\", (size_t)$u, (size_t)$u, (ptrdiff_t)$n, (intmax_t)$n);",
        "printf(\"[%ju][%-12jx]\\n\", (uintmax_t)$u, (uintmax_t)$u);",
        r#"printf("[%" PRId64 "][%" PRIu32 "]\n", (int64_t)$n, (uint32_t)$u);"#,
        r#"printf("[%" PRIx16 "][%" PRIo8 "]\n", (uint16_t)$u, (uint8_t)$u);"#,
        "printf(\"[%8\" PRIX64 \"][%\" PRIdMAX \"][%\" PRIuPTR \"]\\n\", (uint64_t)$u, (intmax_t)$n, (uintptr_t)$u);",
        "printf(\"[%hhd][%hd][%hhu]\\n\", (signed char)$n, (short)$n, (unsigned char)$n);",
    ]);
    c!(line, n = number, u = number.abs())
}

/// Several conversions in one call, and the use of `snprintf`, `puts` and `putchar`.
fn mixed(program: &mut Program) -> String {
    let types: Vec<Integer> = (0..2 + program.random.below(5))
        .map(|_| {
            program.random.pick(&[
                Integer::Int,
                Integer::Unsigned,
                Integer::Long,
                Integer::UnsignedLongLong,
                Integer::Short,
            ])
        })
        .collect();
    let format: Vec<String> = types.iter().map(|ty| directive(program, *ty)).collect();
    let values: Vec<String> = types.iter().map(|ty| value(program, *ty)).collect();
    match program.random.below(3) {
        0 => format!("printf(\"{}\\n\", {});", format.join("|"), values.join(", ")),
        1 => c!(
            r#"{
                char text[200];
                int length = snprintf(text, $n, "$f", $v);
                show("length", length);
                puts(text);
            }"#,
            n = program.random.pick(&[1, 5, 12, 200]),
            f = format.join(" "),
            v = values.join(", ")
        ),
        _ => c!(
            r#"{
                char text[200];
                sprintf(text, "$f", $v);
                for (char *p = text; *p; p++) putchar(*p == ' ' ? '_' : *p);
                putchar('\n');
                fputs(text, stdout);
                fprintf(stdout, "%c", '\n');
            }"#,
            f = format.join(" "),
            v = values.join(", ")
        ),
    }
}
