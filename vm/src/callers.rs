//! The user's names for objects that are passed to a library, taken from the thread's calls.
//!
//! A heap block has no name of its own, but a caller that passes a part of it on names it: `&q->lock`.

use std::rc::Rc;

use ir::{Function, Origin, Program};

use crate::machine::{Datum, Machine};
use crate::names;
use crate::outcome::{Event, Site, SiteFrame};
use crate::world::Pending;

/// The source's words for a step that is about to be taken inside of a library.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// The member function that the user's code is in, with its object: `queue.push_back()`.
    pub library_call: Option<String>,
    /// The object of the operation, if it is a lock or another primitive.
    pub object: Option<String>,
}

impl<V: Datum> Machine<V> {
    /// The source's words for the step that a thread is about to take.
    pub fn words(&self, thread: usize, site: &Site, pending: Option<&Pending>) -> Words {
        let object = match pending {
            Some(Pending::Primitive { args, .. }) => object(self, thread, args[0]),
            _ => None,
        };
        Words { library_call: library_call(self, thread, site), object }
    }

    /// Records the step that a thread has taken, as it was called before.
    pub(crate) fn note_event(&mut self, thread: usize, step: u64, site: Site, words: Words) {
        let Some(touch) = self.shared.notes.touch.take() else { return };
        let (program, memory) = (&self.code.program, &self.shared.memory);
        let named = |at: u64| match words.object {
            Some(word) if touch.value.is_none() && !names::has_name(program, memory, at) => word,
            _ => names::describe(program, memory, at, touch.place),
        };
        // The contents of a library's object mean nothing to its user.
        let (object, value) = match (touch.value, words.library_call) {
            (Some(_), Some(call)) => (call, String::new()),
            (Some((ty, value)), None) => {
                let layout = touch.address.and_then(|at| names::layout_at(program, memory, at, ty));
                let value = names::value(program, memory, layout, ty, value);
                (touch.address.map(named).unwrap_or_default(), value)
            }
            (None, _) => (touch.address.map(named).unwrap_or_default(), touch.text),
        };
        let event = Event { thread: self.name(thread).clone(), step, kind: touch.kind, object, value, site };
        Rc::make_mut(&mut self.events).push(event);
    }
}

/// The name under which the innermost of the user's calls knows an address, when the object itself has none.
pub fn object<V: Datum>(machine: &Machine<V>, thread: usize, at: u64) -> Option<String> {
    let program = &machine.code.program;
    if names::has_name(program, &machine.shared.memory, at) {
        return None;
    }
    let calls = machine.thread(thread);
    (0..calls.frames.len()).rev().find_map(|index| {
        let function = &program.functions[calls.frames[index].function.index()];
        if function.origin != Origin::User {
            return None;
        }
        passed(program, function, calls.registers_of(index), at)
    })
}

/// The expression whose address a register of the function holds.
fn passed<V: Datum>(program: &Program, function: &Function, values: &[V], at: u64) -> Option<String> {
    function.registers.iter().zip(values).find_map(|(register, value)| {
        let text = program.texts.get(register.name?.index())?;
        text.strip_prefix('&').filter(|_| value.word() as u64 == at).map(str::to_owned)
    })
}

fn library_call<V: Datum>(machine: &Machine<V>, thread: usize, site: &Site) -> Option<String> {
    let program = &machine.code.program;
    let is_user = |frame: &SiteFrame| program.functions[frame.function.index()].origin == Origin::User;
    let depth = site.frames.iter().position(is_user).filter(|&depth| depth > 0)?;
    let called = &site.frames[depth - 1];
    let name = &program.functions[called.function.index()].display;
    let member = name.strip_prefix("std::")?.rsplit_once("::").map(|(_, member)| member)?;
    let calls = machine.thread(thread);
    let index = calls.frames.len().checked_sub(depth)?;
    let (this, _) = *machine.code.function(called.function).params.first()?;
    let at = calls.registers_of(index).get(this as usize)?.word() as u64;
    let memory = &machine.shared.memory;
    let object = match names::has_name(program, memory, at) {
        true => names::describe(program, memory, at, None),
        false => {
            let caller = &program.functions[site.frames[depth].function.index()];
            passed(program, caller, calls.registers_of(index.checked_sub(1)?), at)?
        }
    };
    Some(format!("{object}.{member}()"))
}
