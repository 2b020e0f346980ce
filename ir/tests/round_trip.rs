//! Printing and parsing are inverse to each other, for generated programs and for one written by hand.

mod generator;

use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn printing_then_parsing_gives_an_equal_program(numbers in vec(any::<u32>(), 0..400)) {
        let program = generator::program(&numbers);
        prop_assert_eq!(ir::verify(&program), Ok(()));
        let text = program.to_string();
        let parsed = ir::parse(&text);
        prop_assert_eq!(parsed.as_ref(), Ok(&program), "{}", text);
        prop_assert_eq!(ir::fingerprint(&program), parsed.map(|parsed| ir::fingerprint(&parsed)).unwrap_or_default());
    }

    #[test]
    fn a_mutated_text_never_panics(
        numbers in vec(any::<u32>(), 0..200),
        edits in vec((any::<usize>(), any::<usize>(), 0_usize..4), 1..6),
    ) {
        let mut text = generator::program(&numbers).to_string();
        for (from, to, kind) in edits {
            text = mutate(&text, from, to, kind);
        }
        if let Ok(program) = ir::parse(&text) {
            let _ = ir::verify(&program);
            let _ = ir::fingerprint(&program);
            let printed = program.to_string();
            prop_assert!(ir::parse(&printed) == Ok(program), "{}", printed);
        }
    }
}

/// Removes, duplicates, swaps or splits a part of the text.
fn mutate(text: &str, from: usize, to: usize, kind: usize) -> String {
    let chars: Vec<char> = text.chars().collect();
    let length = chars.len().max(1);
    let (from, to) = (from % length, to % length);
    let (from, to) = (from.min(to), from.max(to).min(chars.len()));
    let to = to.min(from + 40);
    let piece = &chars[from..to];
    let mut mutated: Vec<char> = chars[..from].to_vec();
    match kind {
        0 => {}
        1 => mutated.extend(piece.iter().chain(piece)),
        2 => mutated.extend(piece.iter().rev()),
        _ => mutated.extend(['9', '9', '9', '9', '9', '9', '9', '9', '9', '9']),
    }
    mutated.extend(&chars[to..]);
    mutated.into_iter().collect()
}

const COUNTER: &str = "\
heddle ir 1
program \"counter\"
entry @main
constructor @prepare
file \"counter.c\"
span !0 0:0:0
span !1 0:7:5
span !2 0:3:9 from !1
text \"count\"
text \"argc\"
layout #0 signed \"int\" 4
layout #1 struct \"node\" 16 { \"value\" at 0 size 32 #0, \"next\" at 64 size 64 #2 }
layout #2 pointer #1
layout #3 enum \"color\" 4 { \"red\" 0, \"blue\" -1 }

global $count size 4 align 4 layout #0 !1 {  ; counter.c:7:5
  bytes 2a000000
}

global $table size 24 align 8 constant library {
  at 0 @main
  at 16 $count - 4
}

global $errno size 4 align 4 thread_local

function @prepare atomic library {
b0:
  return
}

function @main -> (i32) display \"main()\" !1 {  ; counter.c:7:5
b0(v0 \"argc\": i32):
  v1: i32 = load $count \"count\" !2  ; counter.c:3:9, inlined at counter.c:7:5
  v2: i1 = compare eq v1, i32 -1
  v5: i32, v6: i1 = cmpxchg weak $count, v1, i32 7 acqrel acquire \"count\"
  v7: i32 = mutex.lock($count + 8, null)
  v8: i32 = call indirect @main(v0, f64 0x3ff0000000000000)
  branch v2, b1(v1, i8 0), b2
b1(v3: i32, v4: i8):
  v9: ptr = address $table, 8, v3 * 4, v4 * -8
  return v3
b2:
  switch v1 [0: b1(v1, undef i8), 5: b2] else b2
}

function @printf -> (i32) variadic
";

#[test]
fn a_program_reads_as_it_is_written() {
    let program = ir::parse(COUNTER).expect("it is a program");
    assert_eq!(ir::verify(&program), Ok(()));
    assert_eq!(program.to_string(), COUNTER);
}

#[test]
fn tables_may_be_left_out() {
    let source = "\
heddle ir 1
entry @main
function @main {
b0:
  v0 \"i\": i32 = load $g \"g.x\" acquire_is_no_place
";
    assert!(ir::parse(source).is_err());
    let source = "\
heddle ir 1

entry @main
function @main {   ; the only one
b0:
  v0 \"i\": i32 = load $g \"g.x\" !\"a.c\":3:4
  store v0 to $g \"g.x\" !\"a.c\":3:4
  return
}
global $g size 4 align 4";
    let program = ir::parse(source).expect("it is a program");
    assert_eq!(ir::verify(&program), Ok(()));
    assert_eq!((program.files.len(), program.spans.len(), program.texts.len()), (1, 2, 2));
    let instrs = &program.functions[0].blocks[0].instrs;
    assert_eq!(instrs[0].span, instrs[1].span);
}

#[test]
fn every_operation_has_a_name_of_its_own() {
    let mut names: Vec<&str> = Vec::new();
    names.extend(ir::UnaryOp::ALL.iter().map(|op| op.name()));
    names.extend(ir::BinaryOp::ALL.iter().map(|op| op.name()));
    names.extend(ir::OverflowOp::ALL.iter().map(|op| op.name()));
    names.extend(ir::CastOp::ALL.iter().map(|op| op.name()));
    names.extend(ir::Primitive::ALL.iter().map(|op| op.name()));
    names.extend(["compare", "fcompare", "fma", "select", "address", "thread_local", "local", "load", "store", "rmw"]);
    names.extend(["cmpxchg", "fence", "call", "variadic_arguments", "unsupported"]);
    names.extend(["jump", "branch", "switch", "invoke", "return", "unreachable"]);
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}
