//! From a failing run of a program to its explanation: the run becomes a graph, loses the context switches that it does
//! not need, its cause is found on the graph, and an order that does not fail is confirmed by running the program in it.

use std::collections::{BTreeSet, HashMap};
use std::time::Instant;

use diagnose::{Answer, DiagnoseError, Prefer, Subject, Wishes};
use events::{EventId, Kind};
use report::{Explanation, Speech, Told, Work};
use run::Schedule;
use symex::bounded::{FollowError, Followed, UnrollError, Until, follow};
use vm::{Execution, Failure, FailureKind, Options};

use crate::budget::Budget;
use crate::error::Error;
use crate::explain::passing_run::passing_run;
use crate::explain::subject::Program;
use crate::explain::{CONFLICTS, Part, Request};
use crate::guard::guarded;
use crate::program::{Loaded, Settings};
use crate::schedule;

/// A failing run, and why it fails.
pub struct Why {
    pub schedule: Schedule,
    pub replayed: Execution,
    pub explanation: Explanation,
}

/// The run to explain, and the budget for it.
pub struct Asked<'a> {
    pub request: &'a Request,
    pub loaded: &'a Loaded,
    pub settings: &'a Settings,
    pub schedule: &'a Schedule,
    pub failure: &'a Failure,
    /// A passing run to show it beside, instead of the nearest passing order.
    pub beside: Option<&'a Schedule>,
    /// Of everything.
    pub budget: &'a Budget,
}

/// Explains why a run fails. `None` for failures that no order explains; if an explanation is missing, the error is a
/// sentence with the reason. An error in here does not lose the failing run.
pub fn why(asked: &Asked<'_>) -> Result<Option<Why>, String> {
    // Two accesses without an order race in every order.
    if asked.failure.kind == FailureKind::Race {
        return Ok(None);
    }
    let started = Instant::now();
    let options = asked.settings.options(false);
    let mut work = Work::default();
    let mut answer = asked.best(&options, &mut work)?;
    let looking = Instant::now();
    // Without other paths the answer is unchanged.
    drop(guarded(|| asked.look_at_other_paths(&options, &mut answer)));
    work.alternate += looking.elapsed().as_secs_f64();
    let told = guarded(|| {
        let mut explanation = tell(&answer, asked.failure, started.elapsed().as_secs_f64());
        explanation.work = Some(measured(&answer, work));
        asked.confirmed(&answer).map(|(schedule, replayed)| Why { schedule, replayed, explanation })
    });
    told?.map(Some).map_err(|error| error.to_string())
}

impl Asked<'_> {
    /// The better one of two graphs of the run.
    fn best<'a>(&'a self, options: &'a Options, work: &mut Work) -> Result<Answer<Program<'a>>, String> {
        let mut best: Option<Answer<Program<'_>>> = None;
        let mut trouble = None;
        for until in [Until::End, Until::Failure] {
            let answer = guarded(|| self.told(options, until, work)).and_then(|answer| answer);
            match answer {
                Ok(answer) if best.as_ref().is_none_or(|best| answer.is_better_than(best)) => best = Some(answer),
                Ok(_) => {}
                Err(reason) => drop(trouble.get_or_insert(reason)),
            }
            if best.as_ref().is_some_and(|best| best.is_best() || self.budget().is_over()) {
                break;
            }
        }
        best.ok_or_else(|| trouble.unwrap_or_else(|| "no difference from a passing run was found".to_owned()))
    }

    /// One graph of the run, and its diagnosis.
    fn told<'a>(&'a self, options: &'a Options, until: Until, work: &mut Work) -> Result<Answer<Program<'a>>, String> {
        let following = Instant::now();
        let followed = follow(&self.loaded.code, options, self.schedule, until);
        work.symex += following.elapsed().as_secs_f64();
        let followed = followed.map_err(|error| match error {
            FollowError::OneThread | FollowError::Cut(_) => error.to_string(),
            FollowError::Unrolled(UnrollError::Unsettled | UnrollError::Late) => error.to_string(),
            error => a_bug(error),
        })?;
        let wishes = Wishes {
            alternate: Some(self.request.method()).filter(|_| self.request.only != Some(Part::Cause)),
            all: self.request.all_alternates,
            fixed_inputs: true,
            long: diagnose::Long::default(),
            budget: self.budget(),
        };
        let found = followed.execution.clone();
        let answer = diagnose::answer(self.subject(options, followed), found, &wishes);
        let answer = answer.map_err(|error| match error {
            DiagnoseError::Encode(_) | DiagnoseError::Decided | DiagnoseError::NotPerformed => error.to_string(),
            error => a_bug(error),
        })?;
        let cost = &answer.diagnosis.cost;
        work.reduce += cost.reduce.as_secs_f64();
        work.cause += cost.cause.as_secs_f64();
        work.alternate += cost.alternate.as_secs_f64();
        Ok(answer)
    }

    fn subject<'a>(&'a self, options: &'a Options, followed: Followed) -> Program<'a> {
        Program { code: &self.loaded.code, options, failure: self.failure, followed }
    }

    /// Searches for an alternate on other paths, if it may explain more.
    fn look_at_other_paths<'a>(&'a self, options: &'a Options, answer: &mut Answer<Program<'a>>) {
        let budget = self.budget();
        let is_given = self.beside.is_some();
        if !(is_given || answer.may_gain()) || self.request.only == Some(Part::Cause) || budget.is_over() {
            return;
        }
        let code = &self.loaded.code;
        let passing = match self.beside {
            Some(schedule) => Some((schedule.segments.clone(), schedule.choices.clone())),
            None => passing_run(code, options, self.schedule).map(|run| (run.segments, run.choices)),
        };
        let Some((segments, choices)) = passing else { return };
        let schedule = Schedule { header: self.schedule.header.clone(), segments, choices };
        let Ok(other) = follow(code, options, &schedule, Until::Failure) else { return };
        let run = other.execution.clone();
        let prefer = if is_given { Prefer::Other } else { Prefer::Smaller };
        answer.compare_with(self.subject(options, other), run, prefer, self.request.method(), &budget);
    }

    /// The schedule of the run that is explained, which fails like the one that was found.
    fn confirmed(&self, answer: &Answer<Program<'_>>) -> Result<(Schedule, Execution), Error> {
        let Asked { loaded, settings, failure, .. } = *self;
        let header = self.schedule.header.clone();
        let mut schedule =
            Schedule { header, segments: answer.evidence.segments.clone(), choices: answer.evidence.choices.clone() };
        let replayed = schedule::confirm(loaded, settings, &schedule, failure)?;
        schedule.header.outcome = schedule::outcome(&loaded.program, &replayed.outcome);
        Ok((schedule, replayed))
    }

    fn budget(&self) -> solve::Budget {
        self.budget.of_solver(Some(self.request.conflicts.unwrap_or(CONFLICTS)))
    }
}

fn a_bug(error: impl std::fmt::Display) -> String {
    format!("{error} (this is a bug in heddle)")
}

/// The sizes of the shown answer, and the costs of all answers.
fn measured(answer: &Answer<Program<'_>>, seconds: Work) -> Work {
    let graph = answer.subject.graph();
    let is_access = |event: &EventId| matches!(graph.events[event.index()].kind, Kind::Access(_));
    let steps = answer.failing.execution.steps.iter().map(|step| step.event);
    let accesses: Vec<EventId> = steps.filter(is_access).collect();
    let named = |event: &EventId| answer.subject.describe(*event, None).map(|description| description.object);
    let variables: BTreeSet<String> = accesses.iter().filter_map(named).collect();
    let question = answer.diagnosis.cost.question;
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
fn tell(answer: &Answer<Program<'_>>, failure: &Failure, seconds: f64) -> Explanation {
    let told = Told {
        failing: &answer.failing,
        diagnosis: &answer.diagnosis,
        next: answer.failing.execution.steps.len(),
        ids: answer.failing.positions(),
        texts: &HashMap::new(),
        speech: Some(Speech {
            object: &|event| answer.describe(event, None).map(|description| description.object),
            kind: &|event| answer.describe(event, None)?.kind,
            value: &|event, word| answer.describe(event, Some(word))?.value,
            condition: &failure.condition,
            asserted: failure.kind == FailureKind::Assertion,
        }),
    };
    Explanation::new(told, answer.other.is_some(), seconds)
}
