//! The parser's messages for invalid texts: the place, the expected and the found item.

/// The message for a text with the line inside the function `@main`.
fn inside(line: &str) -> String {
    let source = format!("heddle ir 1\nentry @main\nglobal $g size 8 align 8\nfunction @main {{\nb0:\n  {line}\n}}\n");
    message(&source)
}

fn message(source: &str) -> String {
    match ir::parse(source) {
        Ok(_) => "parsed".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn headers() {
    assert_eq!(
        message(""),
        "line 1, column 1: expected `heddle ir 1`, the first line of every program, found the end of the text"
    );
    assert_eq!(
        message("int main() {}"),
        "line 1, column 1: expected `heddle ir 1`, the first line of every program, found `int`"
    );
    assert_eq!(
        message("\n\nheddle ir 2\n"),
        "line 3, column 11: expected version 1, the only one that this heddle reads, found `2`"
    );
    assert_eq!(
        message("heddle ir 1\nfile \"a.c\"\n"),
        "line 3, column 1: expected a line `entry @function` somewhere, found the end of the text"
    );
}

#[test]
fn items() {
    for (item, expected) in [
        ("entry @nobody", "line 2, column 8: no function is named `@nobody`"),
        ("entry main", "line 2, column 7: expected `@`, found `main`"),
        ("file a.c", "line 2, column 6: expected a file's name in quotes, found `a.c`"),
        ("text \"a", "line 2, column 6: expected a closing `\"` on this line, found its end"),
        ("text \"\\q\"", "line 2, column 6: `\\q` is no escape; there are \\\\ \\\" \\n \\t \\u{…}"),
        ("text \"\\u{d800}\"", "line 2, column 6: `\\u{d800}` is no escape; there are \\\\ \\\" \\n \\t \\u{…}"),
        ("text \"a\" \"b\"", "line 2, column 10: expected the end of the line, found \"b\""),
        ("span !2 0:0:0", "line 2, column 7: expected `1`, the next span, found `2`"),
        ("span !0 0:0", "line 2, column 12: expected `:`, found the end of the line"),
        ("span !0 0:99999999999:0", "line 2, column 11: expected a line's number, found `99999999999`"),
        ("layout #1 signed \"int\" 4", "line 2, column 9: expected `0`, the next layout, found `1`"),
        (
            "layout #0 int",
            "line 2, column 11: expected a layout (signed, unsigned, boolean, character, float, pointer, array, \
             struct, enum or opaque), found `int`",
        ),
        (
            "layout #0 struct \"s\" 4 { \"m\" at 0 size 8 #0",
            "line 2, column 44: expected `,` or `}`, found the end of the line",
        ),
        ("global $g", "line 2, column 10: expected `size`, found the end of the line"),
        ("global $g size 1 align 1 {\nbytes 0\n}", "line 3, column 7: expected pairs of hexadecimal digits, found `0`"),
        ("global $g size 1 align 1 {\nvalue 0\n}", "line 3, column 1: expected `bytes`, `at` or `}`, found `value`"),
        (
            "global $g size 8 align 1 {\nat 0 main\n}",
            "line 3, column 6: expected `$global` or `@function`, found `main`",
        ),
        (
            "global $g size 8 align 8\nglobal $g size 8 align 8",
            "line 3, column 9: expected a new name, found that of another global",
        ),
        ("function @\"f\"\nfunction @f", "line 3, column 11: expected a new name, found that of another function"),
        ("function @f -> (i0)", "line 2, column 17: expected a type (i1 to i128, f32, f64, f80, ptr), found `i0`"),
        ("function @f -> (i129)", "line 2, column 17: expected a type (i1 to i128, f32, f64, f80, ptr), found `i129`"),
        (
            "fun @f",
            "line 2, column 1: expected an item (program, entry, constructor, file, span, text, layout, global or \
             function), found `fun`",
        ),
        ("größe", "line 2, column 3: no item has the character `ö`"),
    ] {
        assert_eq!(message(&format!("heddle ir 1\n{item}\n")), expected, "{item}");
    }
}

#[test]
fn instructions() {
    for (line, expected) in [
        ("v0: i32 add i32 1, i32 2", "line 6, column 11: expected `=`, found `add`"),
        ("v0 = add i32 1, i32 2", "line 6, column 6: expected `:`, found `=`"),
        ("v0: i32 = add i32 1", "line 6, column 22: expected `,`, found the end of the line"),
        ("v0: i8 = add i8 256, i8 0", "line 6, column 19: expected a number of 8 bits, found `256`"),
        ("v0: i8 = add i8 -129, i8 0", "line 6, column 19: expected a number of 8 bits, found `-129`"),
        ("v0: f32 = fneg f32 -1", "line 6, column 22: expected a number of 32 bits, found `-`"),
        ("v0: i8 = add i8, i8 0", "line 6, column 18: expected a number of 8 bits, found `,`"),
        (
            "v0: i8 = add 3, i8 0",
            "line 6, column 16: expected an operand (a register, a constant such as `i32 5`, null, undef, $global or \
             @function), found `3`",
        ),
        (
            "v0: i32 = frobnicate v1",
            "line 6, column 13: expected an instruction or a terminator (jump, branch, switch, invoke, return, unreachable), \
             found `frobnicate`",
        ),
        (
            "b1:",
            "line 6, column 3: expected an instruction or a terminator (jump, branch, switch, invoke, return, unreachable), \
             found `b1`",
        ),
        ("v0: i1 = compare less i32 1, i32 2", "line 6, column 20: expected a predicate such as `ult`, found `less`"),
        ("store i32 1, $g", "line 6, column 14: expected `to`, found `,`"),
        (
            "fence strong",
            "line 6, column 9: expected an ordering (relaxed, acquire, release, acqrel or seqcst), found `strong`",
        ),
        (
            "v0: i32 = rmw add $g, i32 1",
            "line 6, column 30: expected an ordering (relaxed, acquire, release, acqrel or seqcst), \
             found the end of the line",
        ),
        ("call v0()", "line 6, column 8: expected `@`, found `v0`"),
        ("jump 3", "line 6, column 8: expected a block such as `b2`, found `3`"),
        ("switch v0 [1: b0] b0", "line 6, column 21: expected `else`, found `b0`"),
        ("return\n  return", "line 7, column 3: expected the label `b1` or `}`, found `return`"),
        ("return\nb2:", "line 7, column 1: expected the label `b1` or `}`, found `b2`"),
        ("v0: i8 = load $g\n  v0: i8 = load $g\n  return", "line 7, column 3: v0 is assigned a second time here"),
        (
            "v4294967295: i8 = load $g\n  return",
            "line 6, column 3: v4294967295 is assigned here, and v0 nowhere: registers are numbered without gaps",
        ),
        (
            "v4294967296: i8 = load $g\n  return",
            "line 6, column 3: expected an instruction or a terminator (jump, branch, switch, invoke, return, unreachable), \
             found `v4294967296`",
        ),
    ] {
        assert_eq!(inside(line), expected, "{line}");
    }
    assert_eq!(inside("v0: i32 = load $g - 9223372036854775808 !0\n  return"), "parsed");
}
