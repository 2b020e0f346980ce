//! The recorded run nearest to a failing execution: an order in which it passes, and the decisions that the failing
//! execution flips.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use events::{EventId, ThreadId};
use predict::Near;
use report::{Flip, Where};
use run::{RecordedRun, Schedule, ThreadName, ThreadRecord};
use symex::bounded::Side;
use vm::{Effort, Execution, FailureKind, Options, Outcome, Site, retrace};

use crate::context::Context;
use crate::explore::NamedRun;
use crate::program::{Loaded, Settings};

/// Bounds for tried orders of a run, and for the visible steps of all of them.
const ATTEMPTS: u64 = 2_000;
const STEPS: u64 = 2_000_000;

/// Passing orders of runs, each computed once.
pub struct Orders<'a> {
    loaded: &'a Loaded,
    options: &'a Options,
    runs: &'a [NamedRun],
    context: &'a Context<'a>,
    time: Duration,
    found: HashMap<u32, Option<Schedule>>,
}

impl<'a> Orders<'a> {
    pub fn new(
        loaded: &'a Loaded,
        options: &'a Options,
        runs: &'a [NamedRun],
        context: &'a Context<'a>,
        time: Duration,
    ) -> Orders<'a> {
        Orders { loaded, options, runs, context, time, found: HashMap::new() }
    }

    pub fn of(&mut self, run: u32) -> Option<&Schedule> {
        if !self.found.contains_key(&run) {
            let order = self.order(&self.runs[run as usize]);
            self.found.insert(run, order);
        }
        self.found.get(&run).and_then(Option::as_ref)
    }

    fn order(&self, run: &NamedRun) -> Option<Schedule> {
        if let Some(schedule) = &run.schedule {
            return Some(schedule.clone());
        }
        let until = self.context.budget.within(self.time).deadline();
        let effort = Effort { seed: self.context.seed, attempts: ATTEMPTS, steps: STEPS, until };
        let passes = |outcome: &Outcome| matches!(outcome, Outcome::Passed { status: 0 });
        // A race would end the run.
        let mut options = self.options.clone();
        options.properties.retain(|kind| *kind != FailureKind::Race);
        let Execution { segments, choices, .. } = retrace(&self.loaded.code, &options, &run.run, effort, &passes)?;
        Some(Schedule { header: run::Header::default(), segments, choices })
    }
}

/// The decisions of the nearest run that an execution flips. Threads have the machine's names.
pub fn flips(
    loaded: &Loaded,
    near: &Near,
    execution: &events::Execution,
    (nearest, flipped): (u32, &[usize]),
    threads: &HashMap<ThreadId, ThreadName>,
) -> Vec<Flip> {
    let happened: HashSet<EventId> = execution.steps.iter().map(|step| step.event).collect();
    let mut flips = Vec::new();
    for &number in flipped {
        let decision = &near.unrolled.decisions[number];
        let taken = near.unrolled.flips.iter().find(|flip| {
            let concerns = flip.recorded.iter().any(|(run, _)| *run == nearest);
            flip.decision == number && happened.contains(&flip.mark) && concerns
        });
        let Some(flip) = taken else { continue };
        let recorded = flip.recorded.iter().find(|(run, _)| *run == nearest);
        let name = &near.unrolled.graph.threads[decision.thread.index()].name;
        let thread = threads.get(&decision.thread).unwrap_or(name).clone();
        let site = Site { thread: thread.clone(), frames: decision.frames.clone() };
        let at = Where::new(&loaded.program, &site).place().cloned();
        let side = |side: &Side| match side {
            Side::Way(true) => "true".to_owned(),
            Side::Way(false) => "false".to_owned(),
            Side::Case(Some(case)) => format!("case {case}"),
            Side::Case(None) => "default".to_owned(),
            Side::Callee(name) => name.clone(),
            Side::Number(number) => number.to_string(),
            Side::OtherNumber => "another number".to_owned(),
        };
        let recorded = recorded.map_or(String::new(), |(_, recorded)| side(recorded));
        flips.push(Flip { thread, at, recorded, now: side(&flip.now) });
    }
    flips
}

/// The number of threads of a failing execution whose path no run has recorded. The execution is replayed to record its
/// decisions.
pub fn synthesised(loaded: &Loaded, settings: &Settings, failing: &Execution, runs: &[RecordedRun]) -> usize {
    let options = Options { record: true, ..settings.options(false) };
    let (segments, choices) = (failing.segments.clone(), failing.choices.clone());
    let schedule = Schedule { header: run::Header::default(), segments, choices };
    let Ok(Execution { recorded: Some(recorded), .. }) = vm::replay(&loaded.code, &options, &schedule) else {
        return 0;
    };
    let goes_along = |thread: &ThreadRecord, run: &RecordedRun| {
        run.thread(&thread.name).is_some_and(|record| {
            // The last decision is that of the failing condition, or has no effect any more.
            let decided = thread.bits.len().saturating_sub(1);
            decided <= record.bits.len()
                && thread.bits.iter().zip(record.bits.iter()).take(decided).all(|(a, b)| a == b)
        })
    };
    let threads = recorded.threads.iter();
    threads.filter(|thread| !runs.iter().any(|run| goes_along(thread, run))).count()
}
