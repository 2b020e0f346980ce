//! Rules of the shared tables: spans, layouts, globals, and the entry.

use std::collections::HashMap;

use super::Errors;
use crate::ids::FunctionId;
use crate::program::{Global, Layout, Program, Symbol};
use crate::span::SpanId;
use crate::types::Type;

pub(super) fn verify(program: &Program, errors: &mut Errors) {
    entry(program, errors);
    for constructor in &program.constructors {
        starting_function(program, *constructor, "the constructor", &[], errors);
    }
    spans(program, errors);
    layouts(program, errors);
    globals(program, errors);
}

fn entry(program: &Program, errors: &mut Errors) {
    starting_function(program, program.entry, "the entry", &[Type::I32, Type::Ptr, Type::Ptr], errors);
    let defined = program.functions.get(program.entry.index()).is_none_or(|entry| entry.is_defined());
    errors.require(defined, || "the entry has no blocks".to_owned());
}

/// A function that the runtime calls takes at most the given arguments.
fn starting_function(program: &Program, id: FunctionId, what: &str, given: &[Type], errors: &mut Errors) {
    let Some(function) = program.functions.get(id.index()) else {
        return errors.add(format!("{what} is function {}, and there are {}", id.0, program.functions.len()));
    };
    let Some(first) = function.blocks.first() else { return };
    for (index, reg) in first.params.iter().enumerate() {
        let Some(register) = function.registers.get(reg.index()) else { continue };
        match given.get(index) {
            Some(ty) if *ty == register.ty => {}
            Some(ty) => {
                errors.add(format!("{what} @{} is given {ty} and takes {} there", function.name, register.ty));
            }
            None => errors.add(format!("{what} @{} takes more than {} arguments", function.name, given.len())),
        }
    }
}

pub(super) fn span_exists(program: &Program, span: SpanId, errors: &mut Errors) {
    let count = program.spans.len();
    errors.require((span.0 as usize) < count, || format!("there is no span !{}, there are {count}", span.0));
}

fn spans(program: &Program, errors: &mut Errors) {
    match program.spans.first() {
        Some(none) if none.line == 0 && none.column == 0 && none.inlined_at.is_none() => {}
        Some(_) => errors.add("span !0 is a place; it must say that there is none (line 0, column 0)"),
        None => errors.add("there is no span !0"),
    }
    for (index, span) in program.spans.iter().enumerate().skip(1) {
        let file = span.file.0 as usize;
        errors.require(file < program.files.len(), || {
            format!("span !{index} is in file {file}, and there are {}", program.files.len())
        });
        let at = span.inlined_at.map_or(0, |at| at.0 as usize);
        errors
            .require(at < program.spans.len(), || format!("span !{index} was inlined at !{at}, which does not exist"));
    }
    let next = |index: usize| program.spans[index].inlined_at.map(|at| at.0 as usize).into_iter().collect::<Vec<_>>();
    for index in on_cycles(program.spans.len(), next) {
        errors.add(format!("span !{index} was inlined at itself, by way of others or not"));
    }
}

fn layouts(program: &Program, errors: &mut Errors) {
    let count = program.layouts.len();
    for (index, layout) in program.layouts.iter().enumerate() {
        let to = match layout {
            Layout::Pointer { to } => to.iter().map(|to| to.index()).collect(),
            _ => contained(layout),
        };
        for to in to.into_iter().filter(|to| *to >= count) {
            errors.add(format!("layout #{index} names layout #{to}, which does not exist"));
        }
    }
    for index in on_cycles(count, |index| contained(&program.layouts[index])) {
        errors.add(format!("layout #{index} contains itself without a pointer between"));
    }
}

fn contained(layout: &Layout) -> Vec<usize> {
    match layout {
        Layout::Array { element, .. } => vec![element.index()],
        Layout::Struct { members, .. } => members.iter().map(|member| member.layout.index()).collect(),
        _ => Vec::new(),
    }
}

/// The nodes at which a walk along `next` closes a cycle: one for each back edge of a depth-first search. Missing
/// successors are skipped.
fn on_cycles(count: usize, next: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; count];
    let mut found = Vec::new();
    for root in 0..count {
        if marks[root] != Mark::New {
            continue;
        }
        marks[root] = Mark::Open;
        let mut stack = vec![(root, next(root))];
        while let Some((node, rest)) = stack.last_mut() {
            let node = *node;
            let Some(successor) = rest.pop() else {
                marks[node] = Mark::Done;
                stack.pop();
                continue;
            };
            match marks.get(successor) {
                Some(Mark::New) => {
                    marks[successor] = Mark::Open;
                    stack.push((successor, next(successor)));
                }
                Some(Mark::Open) => found.push(successor),
                Some(Mark::Done) | None => {}
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn globals(program: &Program, errors: &mut Errors) {
    let mut names = HashMap::new();
    for (index, global) in program.globals.iter().enumerate() {
        let name = &global.name;
        if let Some(first) = names.insert(name.as_str(), index) {
            errors.add(format!("globals {first} and {index} have the same name ${name}"));
        }
        errors.require(global.align.is_power_of_two(), || format!("${name}: {} is no alignment", global.align));
        let (bytes, size) = (global.bytes.len(), global.size);
        errors.require(bytes as u64 <= size, || format!("${name} has {bytes} bytes, and its size is {size}"));
        let empty = global.bytes.is_empty() && global.relocations.is_empty();
        errors.require(!global.external || empty, || format!("${name} is external and has a value all the same"));
        let layout = global.layout.is_none_or(|layout| layout.index() < program.layouts.len());
        errors.require(layout, || format!("${name} has a layout that does not exist"));
        span_exists(program, global.span, errors);
        relocations(program, global, errors);
    }
}

fn relocations(program: &Program, global: &Global, errors: &mut Errors) {
    const WIDTH: u64 = 8;
    let name = &global.name;
    let mut sorted: Vec<_> = global.relocations.iter().collect();
    sorted.sort_by_key(|relocation| relocation.offset);
    for pair in sorted.windows(2) {
        let (first, second) = (pair[0].offset, pair[1].offset);
        errors.require(second - first >= WIDTH, || format!("${name}: the addresses at {first} and {second} overlap"));
    }
    for relocation in &global.relocations {
        let offset = relocation.offset;
        let inside = offset.checked_add(WIDTH).is_some_and(|end| end <= global.size);
        errors.require(inside, || format!("${name}: the address at {offset} is not inside its {} bytes", global.size));
        match relocation.symbol {
            Symbol::Global(id) => match program.globals.get(id.index()) {
                None => {
                    errors.add(format!("${name}: the address at {offset} is of global {}, which does not exist", id.0))
                }
                Some(to) => errors.require(!to.thread_local, || {
                    format!("${name}: the address at {offset} is of the thread-local ${}, which has many", to.name)
                }),
            },
            Symbol::Function(id) => errors.require(id.index() < program.functions.len(), || {
                format!("${name}: the address at {offset} is of function {}, which does not exist", id.0)
            }),
        }
    }
}
