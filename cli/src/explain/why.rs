//! From a failing run of a program to its explanation: the run becomes a graph, loses the context switches that it does
//! not need, its cause is found on the graph, and an order that does not fail is confirmed by running the program in it.

use std::collections::{BTreeSet, HashMap};
use std::time::Instant;

use diagnose::{Confirmation, DiagnoseError, Diagnosis, Replayed, Wishes, Wrong, diagnose};
use events::{EventId, Extent, Kind, Obstacle, Plan};
use report::trace::explanation::{Explanation, Speech, Told, Work};
use run::Schedule;
use symex::{FollowError, Followed, Until, drive, follow};
use vm::{Execution, Failure, FailureKind, Outcome};

use super::diagnosis;
use super::other_paths::{self, OtherPaths};
use crate::args::{ExplainArgs, Part};
use crate::budget::Budget;
use crate::exit;
use crate::pipeline::{self, Loaded, Settings};

/// A failing run, and why it fails.
pub struct Why {
    pub schedule: Schedule,
    pub replayed: Execution,
    pub explanation: Explanation,
}

/// One way to tell the run as a graph, and what was found on it.
struct Answer {
    followed: Followed,
    failing: Replayed,
    diagnosis: Diagnosis,
    /// The failing run as the program was run in the order of the graph.
    replayed: Execution,
    /// Where the alternate is on other paths.
    other: Option<OtherPaths>,
}

impl Answer {
    /// The better the higher.
    fn worth(&self) -> u32 {
        let confirmed = self.diagnosis.alternates.first().map(|(alternate, _)| alternate.confirmation);
        match confirmed {
            Some(Confirmation::Passes) => 3,
            Some(_) => 2,
            None => u32::from(!self.diagnosis.orders().is_empty()),
        }
    }

    /// How many there are to look at.
    fn operations(&self) -> usize {
        self.diagnosis.alternates.first().map_or(0, |(_, projection)| projection.metrics.operations)
    }
}

/// What is explained, and what that may take.
pub struct Asked<'a> {
    pub args: &'a ExplainArgs,
    pub loaded: &'a Loaded,
    pub settings: &'a Settings,
    pub schedule: &'a Schedule,
    pub failure: &'a Failure,
    /// Of everything.
    pub budget: &'a Budget,
}

/// Why a run fails. `None` for what no order explains; where there should be an explanation and is none, the error says
/// in one sentence why. Nothing that goes wrong in here takes the failing run away.
pub fn why(asked: &Asked<'_>) -> Result<Option<Why>, String> {
    // Two accesses without an order race in every order.
    if asked.failure.kind == FailureKind::Race {
        return Ok(None);
    }
    let started = Instant::now();
    let mut work = Work::default();
    let mut answer = asked.best(&mut work)?;
    let looking = Instant::now();
    // Without it the answer stands as it is.
    let other = exit::guarded(|| asked.on_other_paths(&answer)).ok().flatten();
    if let Some((diagnosis, other)) = other {
        answer.diagnosis = diagnosis;
        answer.other = Some(other);
    }
    work.alternate += looking.elapsed().as_secs_f64();
    let told = exit::guarded(|| {
        let mut explanation = tell(asked.loaded, &answer, asked.failure, started.elapsed().as_secs_f64());
        explanation.work = Some(measured(&answer, work));
        asked.confirmed(&answer).map(|(schedule, replayed)| Why { schedule, replayed, explanation })
    });
    told?.map(Some).map_err(|error| format!("{error:#}"))
}

impl Asked<'_> {
    /// The better one of two ways to tell the run as a graph.
    fn best(&self, work: &mut Work) -> Result<Answer, String> {
        let mut best: Option<Answer> = None;
        let mut trouble = None;
        for until in [Until::End, Until::Failure] {
            let answer = exit::guarded(|| self.told(until, work)).and_then(|answer| answer);
            match answer {
                Ok(answer) if best.as_ref().is_none_or(|best| answer.worth() > best.worth()) => best = Some(answer),
                Ok(_) => {}
                Err(reason) => drop(trouble.get_or_insert(reason)),
            }
            if best.as_ref().is_some_and(|best| best.worth() >= 3 || self.budget().is_over()) {
                break;
            }
        }
        best.ok_or_else(|| trouble.unwrap_or_else(|| "nothing was found that tells it from runs that pass".to_owned()))
    }

    /// One way to tell the run, and what is found on it.
    fn told(&self, until: Until, work: &mut Work) -> Result<Answer, String> {
        let following = Instant::now();
        let followed = follow(&self.loaded.code, &self.settings.options(false), self.schedule, until);
        work.symex += following.elapsed().as_secs_f64();
        let followed = followed.map_err(|error| match error {
            FollowError::OneThread | FollowError::Unsettled => error.to_string(),
            FollowError::Divergence(_) | FollowError::IllFormed(_) | FollowError::Disagrees(_) => a_bug(error),
        })?;
        self.ask(followed, work)
    }

    /// An alternate on other paths, where it says more than what is known.
    fn on_other_paths(&self, answer: &Answer) -> Option<(Diagnosis, OtherPaths)> {
        let overlooked =
            answer.failing.outcome.stuck.iter().any(|stuck| matches!(stuck.waits_for, Obstacle::Signal { .. }));
        if (answer.worth() >= 3 && !overlooked) || self.args.only == Some(Part::Cause) || self.budget().is_over() {
            return None;
        }
        let search = other_paths::Search {
            loaded: self.loaded,
            settings: self.settings,
            schedule: self.schedule,
            method: diagnosis::method(self.args),
            budget: self.budget(),
        };
        // Of a signal that came too early there is more to see where the sleeper looks once more, if it is no more to look at.
        let fewest = if answer.worth() < 3 { usize::MAX } else { answer.operations() };
        let few = |diagnosis: &Diagnosis| {
            diagnosis.alternates.first().is_some_and(|(_, there)| there.metrics.operations <= fewest)
        };
        search.explain(&answer.followed, &answer.failing, &answer.diagnosis).filter(|(diagnosis, _)| few(diagnosis))
    }

    /// The schedule of the run that is explained, which fails like the one that was found.
    fn confirmed(&self, answer: &Answer) -> anyhow::Result<(Schedule, Execution)> {
        let Asked { loaded, settings, failure, .. } = *self;
        let header = self.schedule.header.clone();
        let mut schedule =
            Schedule { header, segments: answer.replayed.segments.clone(), choices: answer.replayed.choices.clone() };
        let replayed = pipeline::confirm(loaded, settings, &schedule, failure)?;
        schedule.header.outcome = pipeline::outcome(&loaded.program, &replayed.outcome);
        Ok((schedule, replayed))
    }

    fn budget(&self) -> solve::Budget {
        self.budget.of_solver(Some(self.args.conflicts.unwrap_or(diagnosis::CONFLICTS)))
    }
}

fn a_bug(error: impl std::fmt::Display) -> String {
    format!("{error} (this is a bug in heddle)")
}

impl Asked<'_> {
    fn ask(&self, followed: Followed, work: &mut Work) -> Result<Answer, String> {
        let reducing = Instant::now();
        let graph = &followed.graph;
        let options = self.settings.options(false);
        let plan = Plan::new(graph).map_err(|_| a_bug("a graph that was replayed is ill-formed"))?;
        let outcome = plan
            .replay(&followed.execution, Extent::Prefix)
            .map_err(|violation| a_bug(format!("a graph does not fit the run that it was made of: {violation}")))?;
        let found = Replayed { execution: followed.execution.clone(), outcome };
        let wrong = Wrong::of(&found.outcome).ok_or("as a graph of what its threads did the run does not fail")?;
        let driven = self.driven(&followed, &plan, found);
        work.reduce += reducing.elapsed().as_secs_f64();
        let (failing, replayed) = driven.ok_or("the program does not go the way of its own graph")?;
        let wishes = Wishes {
            alternate: Some(diagnosis::method(self.args)).filter(|_| self.args.only != Some(Part::Cause)),
            all: self.args.all_alternates,
            fixed_inputs: true,
            budget: self.budget(),
        };
        let passing = diagnose::passing(graph, &failing, &wrong, &wishes.budget);
        let code = &self.loaded.code;
        // Of stuck threads, also the one that is named first.
        let is_repeated = |again: &Failure| again.is_same(self.failure) && again.site == self.failure.site;
        let mut confirm =
            |execution: &events::Execution| match drive(code, &options, &followed, &passing.graph, execution) {
                Err(_) => Confirmation::LeavesPaths,
                Ok(driven) => match driven.execution.outcome {
                    Outcome::Passed { .. } => Confirmation::Passes,
                    // One that fails before it came to its end, or just as before, does not pass the old point of failure.
                    Outcome::Failed(again) if !driven.followed || is_repeated(&again) => Confirmation::LeavesPaths,
                    Outcome::Failed(_) => Confirmation::FailsElsewhere,
                    _ => Confirmation::LeavesPaths,
                },
            };
        let diagnosis = diagnose(graph, &failing, &wishes, &mut confirm).map_err(|error| match error {
            DiagnoseError::Encode(error) => error.to_string(),
            error => a_bug(error),
        })?;
        work.cause += diagnosis.cost.cause.as_secs_f64();
        work.alternate += diagnosis.cost.alternate.as_secs_f64();
        Ok(Answer { diagnosis, failing, replayed, followed, other: None })
    }

    /// The run with fewer switches, or as it was found. The program has the last word on whether it still fails, and on how
    /// many switches it takes.
    fn driven(&self, followed: &Followed, plan: &Plan<'_>, found: Replayed) -> Option<(Replayed, Execution)> {
        let options = self.settings.options(false);
        let run = |execution: &events::Execution| {
            let driven = drive(&self.loaded.code, &options, followed, &followed.graph, execution).ok()?;
            let fails = matches!(&driven.execution.outcome, Outcome::Failed(again) if again.is_same(self.failure));
            fails.then_some(driven.execution)
        };
        let fewer = diagnose::fewer_switches(plan, found.clone(), Extent::Prefix, &self.budget());
        match run(&fewer.execution) {
            Some(replayed) => Some((fewer, replayed)),
            None => run(&found.execution).map(|replayed| (found, replayed)),
        }
    }
}

/// What the shown answer was made of, beside what all answers took.
fn measured(answer: &Answer, seconds: Work) -> Work {
    let Answer { followed, failing, diagnosis, .. } = answer;
    let is_access = |event: &EventId| matches!(followed.graph.events[event.index()].kind, Kind::Access(_));
    let steps = failing.execution.steps.iter().map(|step| step.event);
    let accesses: Vec<EventId> = steps.filter(is_access).collect();
    let named = |event: &EventId| followed.labels.get(event).map(|label| label.object.as_str());
    let variables: BTreeSet<&str> = accesses.iter().filter_map(named).collect();
    let question = diagnosis.cost.question;
    Work {
        shared_variables: variables.len(),
        shared_accesses: accesses.len(),
        constraints: question.constraints,
        variables: question.variables,
        clauses: question.clauses,
        ..seconds
    }
}

/// The diagnosis in the words of the source.
fn tell(loaded: &Loaded, answer: &Answer, failure: &Failure, seconds: f64) -> Explanation {
    let steps = answer.failing.execution.steps.iter().enumerate();
    let ids: HashMap<EventId, usize> = steps.map(|(position, step)| (step.event, position)).collect();
    // Events of other paths are spoken of as those paths speak of them.
    let speaker = |event: EventId| match answer.other.as_ref().and_then(|other| other.own(event)) {
        Some((other, own)) => (other, own),
        None => (&answer.followed, event),
    };
    let object = |event: EventId| {
        let (followed, event) = speaker(event);
        followed.labels.get(&event).map(|label| label.object.clone())
    };
    let kind = |event: EventId| {
        let (followed, event) = speaker(event);
        followed.labels.get(&event).and_then(|label| label.kind)
    };
    let value = |event: EventId, word: u128| {
        let (followed, event) = speaker(event);
        let (ty, layout) = followed.labels.get(&event)?.value?;
        let mask = if ty.bits() >= 128 { u128::MAX } else { (1 << ty.bits()) - 1 };
        Some(vm::names::value(&loaded.program, &followed.memory, layout, ty, word & mask))
    };
    let told = Told {
        failing: &answer.failing,
        diagnosis: &answer.diagnosis,
        next: answer.failing.execution.steps.len(),
        ids,
        texts: &HashMap::new(),
        speech: Some(Speech {
            object: &object,
            kind: &kind,
            value: &value,
            condition: &failure.condition,
            asserted: failure.kind == FailureKind::Assertion,
        }),
    };
    Explanation::new(told, answer.other.is_some(), seconds)
}
