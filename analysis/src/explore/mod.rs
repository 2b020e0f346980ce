//! Finds failures hidden in passing runs (Cortex): recorded runs of a program, or runs in the virtual machine.
//!
//! The distinct passing runs of one input and their neighbourhood become one event graph. The search finds a failing
//! execution with the fewest flipped decisions, which is performed in the machine and explained beside the nearest
//! recorded run.

mod distinct;
mod near_run;
mod trial;
mod group;
mod predicates;
mod tell;
mod traces;

use std::time::Duration;

use run::Schedule;
use vm::Outcome;
use vm::strategy::{Pos, Random, Strategy, Undisturbed};

use report::Found;

use crate::answer::Answer;
use crate::context::Context;
use crate::error::Error;
use crate::explain;
use crate::program::{Loaded, Settings};
use crate::search::Searched;

use predicates::TakenOver;
use tell::{Said, tell};

pub use distinct::{Distinct, NamedRun};
pub use predicates::{Inserted, Recorded};
pub use traces::traces;

/// The bounds of the search.
#[derive(Clone, Debug)]
pub struct Request {
    /// The number of last decisions before the failure that may be flipped.
    pub window: Option<u32>,
    /// The largest number of flips.
    pub flips: Option<u32>,
    /// The number of stored paths used to continue a flipped decision, the shortest first.
    pub paths: Option<usize>,
    /// Arguments and stdin are free, each within the length that the runs recorded.
    pub vary_input: bool,
    /// Whether to search for all distinct failures, with at most one deadlock. The first one is explained.
    pub all: bool,
    /// The request for the explanation.
    pub explain: explain::Request,
}

/// Runs in the machine that a program is explored from.
const RUNS: u64 = 12;

/// The time to find an order of a recorded run.
const ORDERING: Duration = Duration::from_secs(5);

/// Passing runs of one input.
#[derive(Clone, Debug)]
pub struct Group {
    pub settings: Settings,
    pub runs: Vec<NamedRun>,
}

/// Explores from runs of the program in the machine.
pub fn program(
    loaded: &Loaded,
    settings: &Settings,
    request: &Request,
    context: &Context<'_>,
) -> Result<Answer, Error> {
    context.observer.stage("running the program");
    let options = vm::Options { record: true, ..settings.options(false) };
    let mut searched = Searched::default();
    let mut runs = Vec::new();
    for number in 0..=RUNS {
        let seed = context.seed.wrapping_add(number.saturating_sub(1));
        let mut strategy: Box<dyn Strategy> = match number {
            0 => Box::new(Undisturbed::new()),
            odd if odd % 2 == 1 => Box::new(Random::new(seed)),
            _ => Box::new(Pos::new(seed)),
        };
        let mut execution = vm::execute(&loaded.code, &options, strategy.as_mut());
        let found = if number == 0 { Found::Undisturbed } else { Found::Seed(seed) };
        if let (Outcome::Passed { status: 0 }, Some(run)) = (&execution.outcome, execution.recorded.take()) {
            let name = if number == 0 { "the run without preemptions".to_owned() } else { format!("seed {seed}") };
            let (segments, choices) = (execution.segments.clone(), execution.choices.clone());
            let schedule = Schedule { header: run::Header::default(), segments, choices };
            runs.push(NamedRun { name, run, count: 1, schedule: Some(schedule) });
        }
        searched.take(loaded, found, execution);
        if searched.one_run || context.budget.is_over() {
            break;
        }
    }
    let distinct = Distinct::of(runs, request.paths);
    if distinct.runs.is_empty() {
        let explored = report::Explored { runs: distinct.all, distinct: distinct.runs.len(), ..Default::default() };
        return tell(loaded, settings, request, context, Said { searched, explored, beside: None });
    }
    group::explored(loaded, settings, &distinct, request, context, searched)
}

/// Explores from recorded runs, group by group until a failure is found. If inputs may vary, all runs are one group.
pub fn runs(loaded: &Loaded, groups: Vec<Group>, request: &Request, context: &Context<'_>) -> Result<Answer, Error> {
    let as_recorded =
        |group: Group, _: &Context<'_>| TakenOver { group, searched: Searched::default(), skipped: Vec::new() };
    each(loaded, groups, &as_recorded, request, context)
}

/// The same with predicates, which are in the program and were not in the recorded one.
pub fn runs_with_predicates(
    loaded: &Loaded,
    recorded: &Recorded<'_>,
    groups: Vec<Group>,
    request: &Request,
    context: &Context<'_>,
) -> Result<Answer, Error> {
    let take_over = |group: Group, context: &Context<'_>| recorded.take_over(loaded, group, context);
    each(loaded, groups, &take_over, request, context)
}

fn each(
    loaded: &Loaded,
    groups: Vec<Group>,
    taken_over: &dyn Fn(Group, &Context<'_>) -> TakenOver,
    request: &Request,
    context: &Context<'_>,
) -> Result<Answer, Error> {
    let count = groups.len() as u32;
    let mut before: Option<Answer> = None;
    for (number, group) in groups.into_iter().enumerate() {
        let share = context.budget.left().map(|left| left / (count - number as u32));
        let budget = share.map_or_else(|| context.budget.clone(), |share| context.budget.within(share));
        let context = Context { budget: &budget, ..*context };
        let TakenOver { group: Group { settings, runs }, searched, skipped } = taken_over(group, &context);
        let distinct = Distinct::of(runs, request.paths);
        let mut answer = match distinct.runs.is_empty() {
            true => {
                let said = Said { searched, explored: report::Explored::default(), beside: None };
                tell(loaded, &settings, request, &context, said)?
            }
            false => group::explored(loaded, &settings, &distinct, request, &context, searched)?,
        };
        if let Some(explored) = &mut answer.report.explored {
            explored.skipped.extend(skipped);
        }
        let answer = match before {
            None => answer,
            Some(before) => tell::together(before, answer),
        };
        if answer.report.finding.is_some() && !request.all {
            return Ok(answer);
        }
        before = Some(answer);
    }
    before.ok_or_else(|| Error::bug("there are no runs to explore from"))
}
