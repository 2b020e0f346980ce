//! The verifier's messages for programs that parse and are ill-formed.

use ir::{BlockId, FunctionId, GlobalId, LayoutId, Op, Operand, Program, Reg, SpanId, Type, VerifyError};

fn parse(source: &str) -> Program {
    ir::parse(source).unwrap_or_else(|error| panic!("{error}:\n{source}"))
}

fn messages(program: &Program) -> Vec<String> {
    ir::verify(program).err().unwrap_or_default().iter().map(VerifyError::to_string).collect()
}

/// A program whose entry has the given lines as its body.
fn with_body(body: &str) -> Program {
    parse(&format!(
        "heddle ir 1\nentry @main\nglobal $g size 16 align 8\nglobal $t size 8 align 8 thread_local\n\
         function @main -> (i32) {{\n{body}\n}}\nfunction @two -> (i32, i1) variadic {{\nb0(v0: i8, v1: ptr):\n  \
         return i32 0, i1 0\n}}\nfunction @declared\n"
    ))
}

/// The messages for a first block with one line, before which v0 is an i32, v1 an f64 and v2 a pointer.
fn about(line: &str) -> Vec<String> {
    let body = format!(
        "b0:\n  v0: i32 = add i32 1, i32 2\n  v1: f64 = fneg f64 0\n  v2: ptr = address $g, 0\n  {line}\n  return v0"
    );
    let all = messages(&with_body(&body));
    all.into_iter().map(|message| message.replace("in @main, b0, instruction 3: ", "")).collect()
}

#[test]
fn operations() {
    for (line, expected) in [
        ("v3: i32 = add v0, v0", &[][..]),
        ("v3: i32 = add v0, v1", &["i32 and f64 must be the same type"]),
        ("v3: i64 = add v0, v0", &["v3 must be i32, and is i64"]),
        ("v3: f64 = add v1, v1", &["an integer is needed, and f64 is given"]),
        ("v3: i32 = fadd v0, v0", &["a float is needed, and i32 is given"]),
        ("v3: f64 = popcount v1", &["an integer is needed, and f64 is given"]),
        ("v3: i1 = bswap i1 0", &["only whole bytes can be swapped"]),
        ("add v0, v0", &["there are 1 results, and 0 registers for them"]),
        ("v3: i32, v4: i32 = sadd.overflow v0, v0", &["v4 must be i1, and is i32"]),
        ("v3: i1 = compare eq v2, null", &[]),
        ("v3: i1 = compare eq v1, v1", &["an integer or a pointer is needed, and f64 is given"]),
        ("v3: i8 = fcompare oeq v1, v1", &["v3 must be i1, and is i8"]),
        ("v3: i32 = trunc v0", &["trunc does not lead from i32 to i32"]),
        ("v3: i64 = bits v2", &[]),
        ("v3: i32 = bits v2", &["bits does not lead from ptr to i32"]),
        ("v3: i8 = zext v0", &["zext does not lead from i32 to i8"]),
        ("v3: f64 = fma v1, v1, v1", &[]),
        ("v3: i32 = select v0, v0, v0", &["the condition must be i1, and is i32"]),
        ("v3: ptr = address v0, 0", &["the base must be ptr, and is i32"]),
        ("v3: ptr = address v2, 0, v1 * 4", &["an index must be an integer of at most 64 bits, and is f64"]),
        ("v3: ptr = thread_local $t", &[]),
        ("v3: ptr = thread_local $g", &["$g is not thread-local"]),
        ("v3: i8 = load $t", &["$t is thread-local: its address needs a `thread_local` instruction"]),
        ("v3: ptr = local i32 8 align 3", &["the size must be i64, and is i32", "3 is no alignment"]),
        ("v3: i8 = load v0 release", &["the address must be ptr, and is i32", "a load cannot be release"]),
        ("store v0 to v2 acquire", &["a store cannot be acquire"]),
        ("v3: f64 = rmw fadd v2, v1 relaxed", &[]),
        ("v3: ptr = rmw add v2, v2 relaxed", &["an integer is needed, and ptr is given"]),
        ("v3: i32, v4: i1 = cmpxchg strong v2, v0, v1 seqcst seqcst", &["i32 and f64 must be the same type"]),
        ("v3: i32, v4: i1 = cmpxchg weak v2, v0, v0 acqrel acqrel", &["a failed compare-exchange cannot be acqrel"]),
        ("fence relaxed", &["a fence cannot be relaxed"]),
        ("v3: i32 = mutex.lock(v2, v0)", &["argument 1 of mutex.lock must be ptr, and is i32"]),
        ("mutex.lock(v2)", &["mutex.lock takes 2 arguments, not 1", "there are 1 results, and 0 registers for them"]),
        ("v3: ptr = variadic_arguments", &["this function is not variadic"]),
        ("v3: f32 = unsupported \"inline assembly\"", &[]),
        ("v3: i32, v4: i1 = call @two(i8 1, v2, v1)", &[]),
        ("v3: i32, v4: i8 = call @two(i8 1)", &["@two takes 2 arguments, not 1", "v4 must be i1, and is i8"]),
        ("v3: i32 = call @main(v0)", &["@main takes 0 arguments, not 1"]),
        ("v3: f80 = call @declared(v0, v1)", &[]),
        (
            "call indirect v0(v9)",
            &["the address of a function must be ptr, and is i32", "v9 is used, and there is no such register"],
        ),
        ("v3: i32 = add v3, v0", &["v3 is used here, and not every way leads through b0, which assigns it"]),
    ] {
        assert_eq!(about(line), expected, "{line}");
    }
}

#[test]
fn terminators() {
    let all = messages(&with_body("b0:\n  branch i8 1, b1, b7(i8 0)\nb1:\n  return i1 0, v3"));
    assert_eq!(
        all,
        [
            "in @main, b0, instruction 0: the condition must be i1, and is i8",
            "in @main, b0, instruction 0: there is no block b7",
            "in @main, b1, instruction 0: 1 values are to be returned, not 2",
            "in @main, b1, instruction 0: the returned value must be i32, and is i1",
            "in @main, b1, instruction 0: v3 is used, and there is no such register",
        ]
    );
    let all = messages(&with_body(
        "b0:\n  switch i8 1 [3: b1(i8 0), 256: b1, 3: b1(f64 0)] else b1(i8 1)\nb1(v0: i8):\n  unreachable",
    ));
    assert_eq!(
        all,
        [
            "in @main, b0, instruction 0: the case 256 does not fit i8",
            "in @main, b0, instruction 0: the case 3 stands twice",
            "in @main, b0, instruction 0: b1 takes 1 arguments, not 0",
            "in @main, b0, instruction 0: argument 0 of b1 must be i8, and is f64",
        ]
    );
}

#[test]
fn invokes() {
    let blocks = "b1(v0: i32, v1: i1):\n  return v0\nb2(v2: ptr, v3: i32):\n  return v3";
    let about = |line: &str| messages(&with_body(&format!("b0:\n  {line}\n{blocks}")));
    assert_eq!(about("invoke @two(i8 1, $g, i64 3) to b1 unwind b2 $g"), Vec::<String>::new());
    assert_eq!(about("invoke indirect $g(i8 1) to b1 unwind b2 null"), Vec::<String>::new());
    for (line, expected) in [
        ("invoke @two(i8 1, $g) to b1 unwind b1 null", "b1 must take (ptr, i32), which the invoke gives it"),
        ("invoke @two(i8 1, $g) to b2 unwind b2 null", "b2 must take (i32, i1), which the invoke gives it"),
        ("invoke @two(i8 1, $g) to b1 unwind b9 null", "there is no block b9"),
        ("invoke @two(i8 1, $g) to b1 unwind b2 i8 0", "the table must be ptr, and is i8"),
        ("invoke @two(i8 1, i8 2) to b1 unwind b2 null", "argument 1 of @two must be ptr, and is i8"),
    ] {
        assert_eq!(about(line), [format!("in @main, b0, instruction 0: {expected}")], "{line}");
    }
    // The results of the call are defined only where it returned.
    let all = messages(&with_body(
        "b0:\n  invoke @two(i8 1, $g) to b1 unwind b2 null\nb1(v0: i32, v1: i1):\n  return v0\n\
         b2(v2: ptr, v3: i32):\n  return v0",
    ));
    let expected = "in @main, b2, instruction 0: v0 is used here, and not every way leads through b1, which assigns it";
    assert_eq!(all, [expected]);
}

#[test]
fn definitions_dominate_uses() {
    let diamond = |last: &str| {
        with_body(&format!(
            "b0:\n  v0: i32 = add i32 1, i32 1\n  branch i1 0, b1, b2\nb1:\n  v1: i32 = add v0, v0\n  jump b3\n\
             b2:\n  v2: i32 = add v0, v0\n  jump b3\nb3:\n  return {last}"
        ))
    };
    assert_eq!(messages(&diamond("v0")), [""; 0]);
    assert_eq!(
        messages(&diamond("v1")),
        ["in @main, b3, instruction 0: v1 is used here, and not every way leads through b1, which assigns it"]
    );
    let in_loop = "b0:\n  jump b1(i32 0)\nb1(v0: i32):\n  branch i1 0, b2, b3\nb2:\n  v1: i32 = add v0, i32 1\n  \
                   jump b1(v1)\nb3:\n  return v0";
    assert_eq!(messages(&with_body(in_loop)), [""; 0]);
    // Unreachable code may use any register; reachable code may not use its registers.
    let unreachable =
        "b0:\n  return v0\nb1:\n  v0: i32 = add v1, v1\n  jump b2\nb2:\n  v1: i32 = add v0, v0\n  jump b1";
    assert_eq!(
        messages(&with_body(unreachable)),
        ["in @main, b0, instruction 0: v0 is used here, and not every way leads through b1, which assigns it"]
    );
    // Irreducible: two blocks that jump into each other, each entered from the first.
    let knot = "b0:\n  v0: i32 = add i32 1, i32 1\n  branch i1 0, b1, b2\nb1:\n  v1: i32 = add v0, v0\n  jump b2\n\
                b2:\n  branch i1 0, b1, b3\nb3:\n  return v1";
    assert_eq!(
        messages(&with_body(knot)),
        ["in @main, b3, instruction 0: v1 is used here, and not every way leads through b1, which assigns it"]
    );
}

#[test]
fn a_long_chain_of_blocks_needs_no_stack() {
    let mut body = String::from("b0:\n  v0: i32 = add i32 1, i32 1\n  jump b1");
    for block in 1..20_000 {
        body += &format!("\nb{block}:\n  jump b{}", block + 1);
    }
    body += "\nb20000:\n  return v0";
    assert_eq!(messages(&with_body(&body)), [""; 0]);
}

#[test]
fn tables() {
    let program = parse(
        "heddle ir 1\nentry @main\nconstructor @main\nfile \"a.c\"\nspan !0 0:1:0\nspan !1 1:1:1 from !2\n\
         span !2 0:1:1 from !1\nspan !3 0:1:1 from !9\n\
         layout #0 array #1 3\nlayout #1 struct \"s\" 8 { \"m\" at 0 size 8 #0 }\nlayout #2 pointer #2\n\
         layout #3 array #8 1\nglobal $a size 16 align 3 external !7 {\nbytes 00\nat 0 $t\nat 7 @main\nat 9 $a\n}\n\
         global $t size 8 align 8 thread_local layout #4 {\nbytes 000000000000000000\n}\n\
         function @main {\nb0(v0: i64, v1: ptr, v2: ptr, v3: ptr):\n  return\n}\n",
    );
    assert_eq!(
        messages(&program),
        [
            "the entry @main is given i32 and takes i64 there",
            "the entry @main takes more than 3 arguments",
            "the constructor @main takes more than 0 arguments",
            "the constructor @main takes more than 0 arguments",
            "the constructor @main takes more than 0 arguments",
            "the constructor @main takes more than 0 arguments",
            "span !0 is a place; it must say that there is none (line 0, column 0)",
            "span !1 is in file 1, and there are 1",
            "span !3 was inlined at !9, which does not exist",
            "span !1 was inlined at itself, by way of others or not",
            "layout #3 names layout #8, which does not exist",
            "layout #0 contains itself without a pointer between",
            "$a: 3 is no alignment",
            "$a is external and has a value all the same",
            "there is no span !7, there are 4",
            "$a: the addresses at 0 and 7 overlap",
            "$a: the addresses at 7 and 9 overlap",
            "$a: the address at 0 is of the thread-local $t, which has many",
            "$a: the address at 9 is not inside its 16 bytes",
            "$t has 9 bytes, and its size is 8",
            "$t has a layout that does not exist",
        ]
    );
}

/// Errors that no text can express: invalid indices, duplicate names, invalid types.
#[test]
fn what_the_parser_refuses_is_found_too() {
    let mut program = with_body("b0:\n  v0: i32 = load $g\n  store v0 to $g\n  return v0");
    program.functions[2].name = "two".to_owned();
    program.globals[1].name = "g".to_owned();
    program.constructors.push(FunctionId(9));
    program.globals[0].layout = Some(LayoutId(0));
    let main = &mut program.functions[0];
    main.registers[0].ty = Type::Int(0);
    main.span = SpanId(5);
    main.blocks[0].instrs[1].results = vec![Reg(0), Reg(8)];
    main.blocks[0].instrs[0].op =
        Op::Load { address: Operand::Global { global: GlobalId(7), offset: 0 }, ordering: None, place: None };
    let wide = Operand::Const { ty: Type::I8, bits: 256 };
    main.blocks[0].instrs.push(ir::Instr {
        results: vec![],
        op: Op::Store {
            address: Operand::Function(FunctionId(7)),
            value: wide,
            ordering: None,
            place: Some(ir::TextId(0)),
        },
        span: SpanId::NONE,
    });
    assert_eq!(
        messages(&program),
        [
            "the constructor is function 9, and there are 3",
            "$g has a layout that does not exist",
            "globals 0 and 1 have the same name $g",
            "in @main: there is no span !5, there are 1",
            "in @main: v0 has the type i0, which does not exist",
            "in @main, b0, instruction 1: v0 is assigned a second time",
            "in @main, b0, instruction 1: v8 is assigned, and there is no such register",
            "in @main, b0, instruction 0: there is no global 7",
            "in @main, b0, instruction 1: there are 0 results, and 2 registers for them",
            "in @main, b0, instruction 2: there is no function 7",
            "in @main, b0, instruction 2: it names a text that does not exist",
            "in @main, b0, instruction 2: the constant 0x100 does not fit the type i8",
            "in @main, b0, instruction 3: the returned value must be i32, and is i0",
            "in @two: functions 1 and 2 have the same name",
        ]
    );
    program.entry = FunctionId(3);
    program.spans.clear();
    assert_eq!(messages(&program)[0], "the entry is function 3, and there are 3");
    // Printing and hashing accept it.
    assert!(program.to_string().contains("$?7"));
    assert_eq!(ir::fingerprint(&program).len(), 32);
    let mut declared = with_body("b0:\n  return i32 0");
    declared.functions[0].blocks.clear();
    assert_eq!(messages(&declared), ["the entry has no blocks"]);
    let error = &ir::verify(&with_body("b0:\n  return")).unwrap_err()[0];
    assert_eq!((error.function.as_deref(), error.block, error.instruction), (Some("main"), Some(BlockId(0)), Some(0)));
}
