//! Inserts the planned steps.

use ir::effect::{At, EFFECTS, Length};

use crate::llvm::{Edited, Editor, Local, Module};
use crate::names::VALUE;

use super::plan::{FunctionPlan, Plan, Step};
use super::position::Position;
use super::tickets::{DONE, TICKET};
use super::values::Place;
use super::words::{self, FunctionWords};

pub fn insert(module: &mut Module<'_>, plan: &Plan) {
    for function in &plan.functions {
        if let Some(mut editor) = module.edit(&function.name) {
            insert_into(&mut editor, function);
        }
    }
}

fn insert_into<'e>(editor: &mut Editor<'e>, plan: &FunctionPlan) {
    editor.at_start();
    if plan.name == "main"
        && let (Some(count), Some(arguments)) = (editor.parameter(0), editor.parameter(1))
    {
        editor.call("__heddle_arguments", &[count, arguments]);
    }
    let most = plan.after.iter().filter_map(|(_, step)| match step {
        Step::Input { number } => Some(EFFECTS[*number].buffers.len() as u32),
        _ => None,
    });
    let buffers = most.max().filter(|&most| most > 0).map(|most| editor.local(Local::Buffers(most)));
    let mut steps: Vec<(Position, bool, Step)> = Vec::new();
    steps.extend(plan.before.iter().map(|&(position, step)| (position, false, step)));
    steps.extend(plan.after.iter().map(|&(position, step)| (position, true, step)));
    steps.sort_by_key(|&(position, is_after, _)| (position, is_after));
    for (position, is_after, step) in steps {
        let at = (position.block, position.instruction);
        if is_after {
            editor.after(at);
        } else {
            editor.before(at);
        }
        insert_step(editor, buffers, at, step);
    }
}

fn insert_step<'e>(editor: &mut Editor<'e>, buffers: Option<Edited<'e>>, at: (usize, usize), step: Step) {
    match step {
        Step::Branch => {
            if let Some(condition) = editor.condition(at) {
                let bit = editor.as_bit(condition);
                editor.mark_push(bit, 1);
            }
        }
        Step::Switch { width } => {
            let edges = editor.edges(at);
            for edge in 0..edges {
                // The first edge is the default, whose number follows those of the cases.
                let number = if edge == 0 { edges - 1 } else { edge - 1 };
                editor.on_edge(at, edge);
                let number = editor.number(64, u64::from(number));
                editor.mark_push(number, width);
            }
        }
        Step::Jump { width } => {
            if let Some(number) = editor.jump_number(at) {
                editor.mark_push(number, width);
            }
        }
        Step::Value { shift, width } => {
            if let Some(value) = editor.argument(at, 0) {
                let part = editor.part(value, shift, width);
                editor.mark_push(part, width);
            }
        }
        Step::Callee => {
            if let Some(callee) = editor.callee(at) {
                editor.call("__heddle_callee", &[callee]);
            }
        }
        Step::Input { number } => insert_input(editor, buffers, at, number),
        Step::Unknown { place } => {
            if let Some(result) = editor.result(at) {
                let result = editor.as_number(result);
                let place = editor.number(32, place as u64);
                editor.call("__heddle_unknown", &[place, result]);
            }
        }
        Step::Take => {
            editor.call(TICKET, &[]);
        }
        Step::Done => {
            editor.call(DONE, &[]);
        }
        Step::Replace { beginning } => editor.rename_callee(at, beginning),
        Step::Erase => editor.erase(at),
    }
}

fn insert_input<'e>(editor: &mut Editor<'e>, buffers: Option<Edited<'e>>, at: (usize, usize), number: usize) {
    let Some(returned) = editor.result(at) else { return };
    let result = editor.as_number(returned);
    let effect = &EFFECTS[number];
    let mut count = 0;
    for buffer in effect.buffers {
        let Some(buffers) = buffers else { break };
        let pointer = match buffer.at {
            At::Argument(index) | At::Behind(index) => editor.argument(at, index as u32),
            At::Result => Some(returned),
        };
        let Some(mut pointer) = pointer.filter(|&pointer| editor.is_pointer(pointer)) else { continue };
        if let At::Behind(_) = buffer.at {
            pointer = editor.call("__heddle_behind", &[pointer]);
        }
        let length = match buffer.length {
            Length::Bytes(bytes) => editor.number(64, bytes),
            Length::Text => editor.call("__heddle_length_of_text", &[result, pointer]),
            Length::Result { more } => {
                let (size, more) = (editor.number(64, 1), editor.number(64, more));
                editor.call("__heddle_length_of_result", &[result, size, more])
            }
            Length::Objects { size } => {
                let Some(size) = editor.argument(at, size as u32) else { continue };
                let (size, more) = (editor.as_size(size), editor.number(64, 0));
                editor.call("__heddle_length_of_result", &[result, size, more])
            }
        };
        let element = editor.element(buffers, count);
        editor.call("__heddle_buffer", &[element, pointer, length]);
        count += 1;
    }
    let list = buffers.unwrap_or_else(|| editor.null());
    // Number 0 is `main`.
    let name = editor.number(32, number as u64 + 1);
    let count = editor.number(32, u64::from(count));
    editor.call("__heddle_input", &[name, result, count, list]);
}

/// Inserts a ticket before each of the positions, none of which is a phi.
pub fn insert_tickets(module: &mut Module<'_>, positions: &[(String, Vec<Position>)]) {
    for (function, positions) in positions {
        let Some(mut editor) = module.edit(function) else { continue };
        for position in positions {
            editor.before((position.block, position.instruction));
            editor.call(TICKET, &[]);
        }
    }
}

/// Sends numbers through the recorder where they are computed.
pub fn insert_values(module: &mut Module<'_>, places: &[(String, Vec<Place>)]) {
    module.declare_word_function(VALUE);
    for (function, places) in places {
        let Some(mut editor) = module.edit(function) else { continue };
        for place in places {
            match place {
                Place::Parameter(index) => editor.pass_parameter(*index, VALUE),
                Place::Instruction(position, width) => {
                    editor.pass_through((position.block, position.instruction), *width, VALUE);
                }
            }
        }
    }
}

/// The variables that hold a function's bits.
#[derive(Clone, Copy)]
struct Kept<'e> {
    word: Edited<'e>,
    bits: Edited<'e>,
}

/// Inserts the code that keeps a function's bits, in the place of the marks.
pub fn insert_words(module: &mut Module<'_>, words: &[FunctionWords]) {
    for function in words {
        let Some(mut editor) = module.edit(&function.name) else { continue };
        editor.at_start();
        let kept = Kept { word: editor.local(Local::Pointer), bits: editor.local(Local::Word) };
        editor.call("__heddle_enter", &[kept.word, kept.bits]);
        let mut steps: Vec<(Position, bool, words::Step)> = Vec::new();
        steps.extend(function.before.iter().map(|&(position, step)| (position, false, step)));
        steps.extend(function.after.iter().map(|&(position, step)| (position, true, step)));
        steps.sort_by_key(|&(position, is_after, _)| (position, is_after));
        for (position, is_after, step) in steps {
            let at = (position.block, position.instruction);
            if is_after {
                editor.after(at);
            } else {
                editor.before(at);
            }
            insert_word_step(&mut editor, kept, at, step);
        }
    }
}

fn insert_word_step<'e>(editor: &mut Editor<'e>, kept: Kept<'e>, at: (usize, usize), step: words::Step) {
    match step {
        words::Step::Enter => {
            editor.call("__heddle_enter", &[kept.word, kept.bits]);
        }
        words::Step::Room { bits } => {
            let bits = editor.number(64, u64::from(bits));
            editor.call("__heddle_room", &[kept.word, kept.bits, bits]);
        }
        words::Step::Flush => {
            editor.call("__heddle_flush", &[kept.word, kept.bits]);
        }
        words::Step::Push { width } => {
            if let Some(number) = editor.argument(at, 0) {
                let width = editor.number(64, u64::from(width));
                editor.call("__heddle_number", &[kept.bits, number, width]);
            }
            editor.erase(at);
        }
    }
}
