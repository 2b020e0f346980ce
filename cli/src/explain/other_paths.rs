//! Where no order of the failing paths passes: a run of the program that does, as near to the failing one as it can be had,
//! and the nearest order of its paths.

use std::collections::HashMap;

use diagnose::{
    Alternate, Confirmation, Diagnosis, Found, Method, Passing, Paths, Replayed, Twins, nearest, project, unite,
};
use events::{EventId, Extent};
use run::Schedule;
use solve::Budget;
use symex::{Followed, Until, drive, follow};
use vm::strategy::Random;
use vm::{Execution, Outcome};

use crate::pipeline::{Loaded, Settings};

/// How many beginnings of the failing schedule are tried, and how many schedules by chance after them.
const BEGINNINGS: usize = 64;
const BY_CHANCE: u64 = 64;

/// The run that the alternate is an order of.
pub struct OtherPaths {
    followed: Followed,
    /// By event of the united graph that the failing one does not have: its number here.
    own: HashMap<EventId, EventId>,
}

impl OtherPaths {
    /// Of an event that only these paths have: who speaks of it, and under which number.
    pub fn own(&self, event: EventId) -> Option<(&Followed, EventId)> {
        self.own.get(&event).map(|&own| (&self.followed, own))
    }
}

pub struct Search<'a> {
    pub loaded: &'a Loaded,
    pub settings: &'a Settings,
    pub schedule: &'a Schedule,
    pub method: Method,
    pub budget: Budget,
}

impl Search<'_> {
    /// The diagnosis with an alternate on other paths, if one is found.
    pub fn explain(
        &self,
        followed: &Followed,
        failing: &Replayed,
        before: &Diagnosis,
    ) -> Option<(Diagnosis, OtherPaths)> {
        let options = self.settings.options(false);
        let passing = self.passing_run()?;
        let schedule =
            Schedule { header: self.schedule.header.clone(), segments: passing.segments, choices: passing.choices };
        let other = follow(&self.loaded.code, &options, &schedule, Until::Failure).ok()?;
        let twins = Twins::by_name(&followed.graph, &with_what_is_waited_for(failing), &other.graph);
        let (run, optimal) = self.nearest(followed, failing, &other, &twins)?;
        let united = unite(&followed.graph, &other.graph, &run, &twins);
        let own = united.numbers.iter().filter(|(_, number)| number.index() >= followed.graph.events.len());
        let own = own.map(|(&own, &number)| (number, own)).collect();
        let alternate = Alternate {
            method: if optimal.is_some() { self.method } else { Method::Any },
            execution: united.other.execution.clone(),
            outcome: united.other.outcome.clone(),
            confirmation: Confirmation::Passes,
            pair: None,
            pairs_tried: before.pairs_tried,
            optimal,
        };
        let mut diagnosis = before.clone();
        diagnosis.passing = Passing { graph: united.graph, dropped: Vec::new(), unlocks: Vec::new() };
        let projection =
            project(&followed.graph, failing, &diagnosis.passing, &alternate.replayed(), diagnosis.orders());
        // An order that comes further on the failing paths says more than one that has nothing in common with them.
        if projection.operations.is_empty() && !before.alternates.is_empty() {
            return None;
        }
        diagnosis.alternates = vec![(alternate, projection)];
        Some((diagnosis, OtherPaths { followed: other, own }))
    }

    /// The nearest order of the other paths that the program confirms, or the run as it was found.
    fn nearest(
        &self,
        followed: &Followed,
        failing: &Replayed,
        other: &Followed,
        twins: &Twins,
    ) -> Option<(Replayed, Option<bool>)> {
        let method = if self.method == Method::Pair { Method::Lexicographic } else { self.method };
        let paths = Paths { graph: &other.graph, synthetic: &[], twins };
        let found = nearest(&followed.graph, failing, paths, method, &self.budget);
        if let Ok(Found::Nearest(nearest)) = found {
            let options = self.settings.options(false);
            let driven = drive(&self.loaded.code, &options, other, &other.graph, &nearest.execution);
            if driven.is_ok_and(|driven| matches!(driven.execution.outcome, Outcome::Passed { .. })) {
                let run = Replayed { execution: nearest.execution, outcome: nearest.outcome };
                return Some((run, Some(nearest.optimal)));
            }
        }
        let outcome = events::replay(&other.graph, &other.execution, Extent::Prefix).ok()?;
        Some((Replayed { execution: other.execution.clone(), outcome }, None))
    }

    /// The longest beginnings of the failing schedule first, each thread going on for as long as it can; then chance.
    fn passing_run(&self) -> Option<Execution> {
        let options = self.settings.options(false);
        let passes = |run: &Execution| matches!(run.outcome, Outcome::Passed { status: 0 });
        let all = self.schedule.segments.len();
        let stride = all.div_ceil(BEGINNINGS).max(1);
        for length in (0..all).rev().step_by(stride) {
            let segments = self.schedule.segments[..length].to_vec();
            let schedule = Schedule { segments, ..self.schedule.clone() };
            let run = vm::replay_and_go_on(&self.loaded.code, &options, &schedule).ok();
            if let Some(run) = run.filter(passes) {
                return Some(run);
            }
        }
        let by_chance = (0..BY_CHANCE).map(|seed| vm::execute(&self.loaded.code, &options, &mut Random::new(seed)));
        by_chance.into_iter().find(passes)
    }
}

/// What threads wait for at the end has twins too.
fn with_what_is_waited_for(failing: &Replayed) -> events::Execution {
    let mut execution = failing.execution.clone();
    execution.steps.extend(failing.outcome.stuck.iter().map(|stuck| events::Step::from(stuck.event)));
    execution
}
