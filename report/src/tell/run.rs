//! A failing run of the machine.

use std::collections::BTreeSet;

use ir::{Origin, Program};
use run::ThreadName;
use vm::{Execution, Failure, Outcome};

use crate::model::{Awaited, Event, EventKind, Finding, Input, Stuck, Where, cycle_length};

impl Finding {
    /// `None` if the execution did not fail.
    pub fn new(program: &Program, execution: &Execution) -> Option<Finding> {
        let Outcome::Failed(failure) = &execution.outcome else { return None };
        let of_library = program.globals.iter().filter(|global| global.origin != Origin::User);
        let library: BTreeSet<&str> = of_library.map(|global| global.name.as_str()).collect();
        let all = execution.events.iter().enumerate().map(|(id, event)| Event::new(program, id, event));
        let events: Vec<Event> = all.filter(|event| !is_internal(event, &library)).collect();
        let stuck = stuck(program, failure, &events);
        let at = match stuck.first() {
            Some(first) => first.at.clone(),
            None => Where::new(program, &failure.site),
        };
        Some(Finding {
            kind: failure.kind,
            at,
            condition: failure.condition.clone(),
            asserted_at: failure.asserted_at.clone(),
            related: failure.related.iter().map(|(what, site)| (what.clone(), Where::new(program, site))).collect(),
            stuck,
            inputs: execution
                .choices
                .iter()
                .map(|choice| Input::Choice { thread: choice.thread.clone(), step: choice.step, value: choice.value })
                .collect(),
            context_switches: execution.context_switches,
            context_switches_before: None,
            explanation: None,
            explanation_missing: None,
            found: None,
            replayed: 0,
            schedule: None,
            traced: None,
            events,
        })
    }
}

/// Whether it is internal to the runtime: outside of all user code, or on a library's own variables.
fn is_internal(event: &Event, library: &BTreeSet<&str>) -> bool {
    let base = event.object.split(['.', '[', ' ', '-']).next().unwrap_or_default();
    event.kind.is_access() && (event.at.user_place().is_none() || library.contains(base))
}

fn stuck(program: &Program, failure: &Failure, events: &[Event]) -> Vec<Stuck> {
    let last_lock = |thread: &ThreadName, object: &str| {
        let taken = |event: &&Event| {
            event.thread() == thread
                && event.object == object
                && matches!(event.kind, EventKind::Lock | EventKind::ReadLock | EventKind::WriteLock)
        };
        events.iter().rev().find(taken).and_then(|event| event.at.place().cloned())
    };
    let mut stuck: Vec<Stuck> = failure
        .waiting
        .iter()
        .map(|waiting| Stuck {
            at: Where::new(program, &waiting.site),
            on: Awaited::new(waiting.on),
            object: waiting.object.clone(),
            held_by: waiting.held_by.clone(),
            taken: waiting
                .held_by
                .iter()
                .filter_map(|holder| Some((holder.clone(), last_lock(holder, &waiting.object)?)))
                .collect(),
        })
        .collect();
    // Without a cycle, threads that only wait in a join are the least interesting.
    if cycle_length(&stuck) == 0 {
        stuck.sort_by_key(|stuck| stuck.on == Awaited::Join);
    }
    stuck
}
