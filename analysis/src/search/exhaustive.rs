//! Explores all schedules of a program until one fails.

use report::{FailureCount, Found, LeftOut, Search, Stopped, Unsupported};
use vm::FailureKind;
use vm::explore::{Cut, Exploration};

use crate::budget::Budget;
use crate::candidate::Candidate;
use crate::context::Context;
use crate::observer::Progress;
use crate::program::{Loaded, Settings};
use crate::search::{self, Plan, Searched, Tried};

pub fn explore(loaded: &Loaded, settings: &Settings, plan: &Plan, context: &Context<'_>) -> Searched {
    let Search::Exhaustive { reduction, hashing, preemptions } = plan.search else { return Searched::default() };
    let bounds = vm::explore::Settings {
        reduction,
        hashing,
        preemptions,
        executions: plan.runs,
        time: context.budget.left(),
        all: plan.keep_going,
        ..vm::explore::Settings::default()
    };
    let exploration = vm::explore::explore(&loaded.code, &settings.options(false), &bounds, &mut |so_far| {
        context.observer.progress(Progress::Exploration { executions: so_far.executions, share: so_far.share });
        !context.budget.is_over() && plan.work.is_none_or(|most| so_far.work < most)
    });
    let mut searched = searched(loaded, exploration, context.budget);
    // Whether accesses race depends on the past, which hashed states do not include.
    if searched.tried.states.is_some() && settings.properties.kinds().contains(&FailureKind::Race) {
        searched.complete = false;
        searched.left_out.push(LeftOut::Pasts);
    }
    searched
}

/// Adds a finished exploration to a search that also made runs.
pub fn join(loaded: &Loaded, exploration: Exploration, searched: &mut Searched) {
    let is_complete = exploration.is_complete() && exploration.unasked.is_empty();
    for failure in &exploration.unasked {
        let fresh = FailureCount::new(&loaded.program, failure);
        if !searched.unasked.iter().any(|known| known.is_same(&fresh)) {
            searched.unasked.push(fresh);
        }
    }
    for cut in &exploration.cuts {
        if let Cut::Unsupported { what, site } = cut {
            searched.reached(Unsupported::new(&loaded.program, what, site));
        }
    }
    // All schedules were tried, although failures of other kinds ended some of them.
    searched.is_exhausted |= exploration.is_complete();
    if is_complete {
        searched.complete = true;
        searched.tried.explored = exploration.executions;
        searched.tried.executions += exploration.executions;
        searched.tried.steps += exploration.transitions;
        searched.tried.states = (exploration.states > 0).then_some(exploration.states);
        for last in exploration.finals.keys().filter(|last| last.status != 0) {
            search::note_status(&mut searched.unasked, last.status, None);
        }
    }
    for failing in exploration.failures {
        let fresh = FailureCount::new(&loaded.program, &failing.failure);
        if searched.counts.iter().any(|known| known.is_same(&fresh)) {
            continue;
        }
        searched.counts.push(fresh);
        searched.failed(candidate(failing));
    }
}

fn searched(loaded: &Loaded, exploration: Exploration, budget: &Budget) -> Searched {
    let mut searched = Searched {
        complete: exploration.is_complete(),
        tried: Tried {
            executions: exploration.executions,
            steps: exploration.transitions,
            states: (exploration.states > 0).then_some(exploration.states),
            ..Tried::default()
        },
        ..Searched::default()
    };
    for last in exploration.finals.into_keys() {
        if last.status != 0 {
            search::note_status(&mut searched.unasked, last.status, None);
        }
        searched.outputs.passing.get_or_insert(last.output);
    }
    // The continuation after a failure of another kind is unexplored.
    searched.complete &= exploration.unasked.is_empty();
    searched.unasked.extend(exploration.unasked.iter().map(|failure| FailureCount::new(&loaded.program, failure)));
    for cut in exploration.cuts {
        match cut {
            // Stopping at the first failure is expected.
            Cut::FirstFailure => {}
            Cut::Executions(count) => searched.left_out.push(LeftOut::Executions(count)),
            Cut::Preemptions(count) => searched.left_out.push(LeftOut::Preemptions(count)),
            Cut::Inputs => searched.left_out.push(LeftOut::Inputs),
            Cut::Sleeps => searched.left_out.push(LeftOut::Sleeps),
            // The number of cut runs is not counted.
            Cut::Steps(_) => searched.tried.cut += 1,
            Cut::Long => searched.left_out.push(LeftOut::Long),
            Cut::Time(_) => searched.stopped = Some(Stopped::Time),
            Cut::Interrupted => searched.stopped = budget.over().or(Some(Stopped::Work)),
            Cut::Unsupported { what, site } => searched.reached(Unsupported::new(&loaded.program, &what, &site)),
        }
    }
    // The number of failing runs is unknown if equivalent schedules are tried once.
    let counted = exploration.failures.iter().map(|failing| FailureCount::new(&loaded.program, &failing.failure));
    searched.counts.extend(counted);
    for failing in exploration.failures {
        searched.failed(candidate(failing));
    }
    searched
}

fn candidate(found: vm::explore::Found) -> Candidate {
    let vm::explore::Found { failure, segments, choices } = found;
    Candidate { found: Found::Exploration, failure, segments, choices }
}
