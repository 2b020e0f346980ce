//! Random sequential programs. Each consists of a few features, one file each, which add types, globals, functions and
//! a test function to the program; `main` calls the tests and prints a checksum after each.

mod integer;
mod range;
mod program;
mod expression;
mod statement;
mod control;
mod integers;
mod structs;
mod bitfields;
mod unions;
mod arrays;
mod functions;
mod globals;
mod floats;
mod math;
mod printing;
mod varargs;
mod strings;
mod heap;
mod builtins;
mod atomics;
mod language;
mod flow;

use program::Program;

const FEATURES: &[fn(&mut Program)] = &[
    integers::emit,
    structs::emit,
    bitfields::emit,
    unions::emit,
    arrays::emit,
    functions::emit,
    globals::emit,
    floats::emit,
    math::emit,
    printing::emit,
    varargs::emit,
    strings::emit,
    heap::emit,
    builtins::emit,
    atomics::emit,
    language::emit,
    flow::emit,
];

/// The program of `seed`: it has one right output and exit status, and no undefined or unspecified behaviour. It is GNU
/// C17 for x86-64 Linux and wants `-lm`.
pub fn sequential_c(seed: u64) -> String {
    let mut program = Program::new(seed);
    for feature in program.random.some_of(FEATURES, 3, 4) {
        feature(&mut program);
    }
    program.finish(seed)
}
