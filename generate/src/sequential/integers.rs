//! Feature: arithmetic on integers of every type, in expressions, functions and control flow at random.

use super::expression::{Expression, Function, Place, Scope};
use super::integer::Integer;
use super::program::Program;
use super::statement::{Block, pure_function, unwrapped};

pub fn emit(program: &mut Program) {
    let mut scope = globals(program);
    for _ in 0..program.random.below(3) {
        let function = pure_function(program, &scope);
        scope.functions.push(function);
    }
    let mut actions = Vec::new();
    for _ in 0..program.random.below(2) {
        actions.push(action(program, &scope));
    }
    let mut block = Block::new(program, scope);
    block.actions = actions;
    let count = 3 + block.program.random.below(5);
    block.declare(count);
    let count = 3 + block.program.random.below(6);
    block.statements(count, 2);
    block.show_all();
    let body = block.out;
    program.test("integers", &body);
}

/// A few global variables with constant initialisers.
fn globals(program: &mut Program) -> Scope {
    let mut scope = Scope::default();
    for _ in 0..program.random.below(4) {
        let ty = Integer::any(&mut program.random);
        let name = program.fresh("g");
        let value = Expression::constant(program, ty);
        let spelling = ty.spelling(&mut program.random);
        let storage = program.random.pick(&["static ", "", "static volatile ", "static _Thread_local "]);
        let start = if program.random.chance(70) { format!(" = {}", unwrapped(&value.text)) } else { String::new() };
        program.globals.add(format!("{storage}{spelling} {name}{start};"));
        scope.places.push(Place::new(name, ty));
    }
    scope
}

/// A function that changes globals and remembers its calls in a static local.
fn action(program: &mut Program, visible: &Scope) -> Function {
    let name = program.fresh("act");
    let result = Integer::any(&mut program.random);
    let parameter = Integer::any(&mut program.random);
    let (count, argument) = (program.fresh("calls"), program.fresh("x"));
    let mut scope = visible.clone();
    scope.places.push(Place::new(argument.clone(), parameter));
    scope.places.push(Place { writable: false, ..Place::new(count.clone(), Integer::Unsigned) });
    let head = format!("static {} {name}({} {argument}) {{", result.name(), parameter.name());
    let mut block = Block::new(program, scope);
    block.scope.functions.clear();
    block.out.add(format!("static unsigned {count};\n{count}++;"));
    let lines = 1 + block.program.random.below(4);
    block.statements(lines, 1);
    let value = block.scope.expression(block.program, 2).text;
    let cost = block.cost();
    let out = block.out;
    program.functions.add(head);
    program.functions.add(out.text());
    program.functions.add(format!("return {};\n}}", unwrapped(&value)));
    Function { name, parameters: vec![parameter], result, cost }
}
