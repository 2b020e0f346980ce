//! Explains a failing run of a subject: reduces its context switches, as far as the subject still fails in the same
//! way, and diagnoses it. If no order of its paths passes, the nearest order of the paths of another run is the
//! alternate.

use std::collections::HashMap;
use std::time::Instant;

use events::{EventId, Execution, Extent, Obstacle, Plan, Step};
use solve::Budget;

use crate::diagnosis::{Alternate, Confirmation, DiagnoseError, Diagnosis, Method, Wishes, diagnose, plan_of};
use crate::failure::{Replayed, Wrong};
use crate::nearest::{Found, Paths, nearest};
use crate::passing::Passing;
use crate::projection::project;
use crate::subject::{Ending, Performed, Subject, diverges};
use crate::switches::fewer_switches;
use crate::twins::Twins;
use crate::unite::unite;

/// One subject, and the diagnosis of its failing run.
pub struct Answer<S: Subject> {
    pub subject: S,
    pub failing: Replayed,
    /// The failing run, as the subject was run in its order.
    pub evidence: S::Evidence,
    pub diagnosis: Diagnosis,
    /// Where the alternate is on other paths.
    pub other: Option<OtherPaths<S>>,
}

/// The preference between two alternates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefer {
    /// The one with fewer operations.
    Smaller,
    /// That of the other run.
    Other,
}

/// The run that the alternate is an order of.
pub struct OtherPaths<S> {
    subject: S,
    /// By event of the united graph that the failing one does not have: its number here.
    own: HashMap<EventId, EventId>,
}

/// The execution must be one of the subject's graph that fails.
pub fn answer<S: Subject>(subject: S, found: Execution, wishes: &Wishes) -> Result<Answer<S>, DiagnoseError> {
    let started = Instant::now();
    let plan = plan_of(subject.graph())?;
    let outcome = plan
        .replay(&found, Extent::Prefix)
        .map_err(|violation| DiagnoseError::Diverges(diverges(subject.graph(), &violation)))?;
    if Wrong::of(&outcome).is_none() {
        return Err(DiagnoseError::Decided);
    }
    let found = Replayed { execution: found, outcome };
    let (failing, evidence) = reduced(&subject, &plan, found, &wishes.budget).ok_or(DiagnoseError::NotPerformed)?;
    let reduce = started.elapsed();
    let mut diagnosis = diagnose(&subject, &failing, wishes)?;
    diagnosis.cost.reduce = reduce;
    Ok(Answer { subject, failing, evidence, diagnosis, other: None })
}

/// The run with fewer context switches, or the original one. The subject decides whether it still fails, and how many
/// switches it has.
fn reduced<S: Subject>(
    subject: &S,
    plan: &Plan<'_>,
    found: Replayed,
    budget: &Budget,
) -> Option<(Replayed, S::Evidence)> {
    let perform = |execution: &Execution| match subject.perform(plan.graph, execution) {
        Ok(Performed { ending: Ending::FailsAgain | Ending::FailsAlike, evidence, .. }) => Some(evidence),
        _ => None,
    };
    let fewer = fewer_switches(plan, found.clone(), Extent::Prefix, budget);
    match perform(&fewer.execution) {
        Some(evidence) => Some((fewer, evidence)),
        None => perform(&found.execution).map(|evidence| (found, evidence)),
    }
}

impl<S: Subject> Answer<S> {
    /// The better the higher.
    fn worth(&self) -> u32 {
        let confirmed = self.diagnosis.alternates.first().map(|(alternate, _)| alternate.confirmation);
        match confirmed {
            Some(Confirmation::Passes) => 3,
            Some(_) => 2,
            None => u32::from(!self.diagnosis.orders().is_empty()),
        }
    }

    pub fn is_better_than(&self, other: &Answer<S>) -> bool {
        self.worth() > other.worth()
    }

    /// Whether an order of these paths passes, so that no better answer exists.
    pub fn is_best(&self) -> bool {
        self.worth() >= 3
    }

    /// Whether another run may be more informative: no order passes on these paths, or a signal came too early, which
    /// is easier to see if the thread checks again.
    pub fn may_gain(&self) -> bool {
        let overlooked = |stuck: &events::Stuck| matches!(stuck.waits_for, Obstacle::Signal { .. });
        !self.is_best() || self.failing.outcome.stuck.iter().any(overlooked)
    }

    /// The source's description of an event. Events of other paths are described by the subject of those paths.
    pub fn describe(&self, event: EventId, value: Option<u128>) -> Option<crate::subject::Description> {
        let own = self.other.as_ref().and_then(|other| Some((&other.subject, *other.own.get(&event)?)));
        let (subject, event) = own.unwrap_or((&self.subject, event));
        subject.describe(event, value)
    }

    /// Uses an alternate from the paths of another run, which is a passing execution of the other subject's graph, if
    /// it is more informative and has no more operations.
    pub fn compare_with(&mut self, other: S, run: Execution, prefer: Prefer, method: Method, budget: &Budget) {
        let fewest = match self.diagnosis.alternates.first() {
            Some((_, projection)) if self.is_best() && prefer == Prefer::Smaller => projection.metrics.operations,
            _ => usize::MAX,
        };
        let Some((diagnosis, own)) = self.on_other_paths(&other, run, method, budget) else { return };
        if diagnosis.alternates.first().is_some_and(|(_, there)| there.metrics.operations <= fewest) {
            self.diagnosis = diagnosis;
            self.other = Some(OtherPaths { subject: other, own });
        }
    }

    fn on_other_paths(
        &self,
        other: &S,
        run: Execution,
        method: Method,
        budget: &Budget,
    ) -> Option<(Diagnosis, HashMap<EventId, EventId>)> {
        let (graph, failing, before) = (self.subject.graph(), &self.failing, &self.diagnosis);
        let twins = Twins::by_name(graph, &with_waits(failing), other.graph());
        let (run, optimal) = self.nearest_on(other, run, &twins, method, budget)?;
        let united = unite(graph, other.graph(), &run, &twins);
        let own = united.numbers.iter().filter(|(_, number)| number.index() >= graph.events.len());
        let own = own.map(|(&own, &number)| (number, own)).collect();
        let alternate = Alternate {
            method: if optimal.is_some() { method } else { Method::Any },
            execution: united.other.execution,
            outcome: united.other.outcome,
            confirmation: Confirmation::Passes,
            pair: None,
            pairs_tried: before.pairs_tried,
            optimal,
        };
        let mut diagnosis = before.clone();
        diagnosis.passing = Passing { graph: united.graph, dropped: Vec::new(), unlocks: Vec::new() };
        let projection = project(graph, failing, &diagnosis.passing, &alternate.replayed(), diagnosis.orders());
        // An order that passes a later point of the failing paths is more informative than one without common
        // operations.
        if projection.operations.is_empty() && !before.alternates.is_empty() {
            return None;
        }
        diagnosis.alternates = vec![(alternate, projection)];
        Some((diagnosis, own))
    }

    /// The nearest order of the other paths that the subject confirms, or the original run.
    fn nearest_on(
        &self,
        other: &S,
        run: Execution,
        twins: &Twins,
        method: Method,
        budget: &Budget,
    ) -> Option<(Replayed, Option<bool>)> {
        let method = if method == Method::Pair { Method::Lexicographic } else { method };
        let paths = Paths { graph: other.graph(), synthetic: &[], twins };
        if let Ok(Found::Nearest(nearest)) = nearest(self.subject.graph(), &self.failing, paths, method, budget)
            && let Ok(Performed { ending: Ending::Passes, .. }) = other.perform(other.graph(), &nearest.execution)
        {
            let run = Replayed { execution: nearest.execution, outcome: nearest.outcome };
            return Some((run, Some(nearest.optimal)));
        }
        let outcome = events::replay(other.graph(), &run, Extent::Prefix).ok()?;
        Some((Replayed { execution: run, outcome }, None))
    }
}

/// The events that threads wait for at the end have twins too.
fn with_waits(failing: &Replayed) -> Execution {
    let mut execution = failing.execution.clone();
    execution.steps.extend(failing.outcome.stuck.iter().map(|stuck| Step::from(stuck.event)));
    execution
}
