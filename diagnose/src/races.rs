//! All data races of a graph with all paths: each pair of places whose accesses can be simultaneous, with an execution
//! that ends there. A race needs no cause: unordered accesses race in every order.
//!
//! The program's machine stops at the first race of a run. So executions without an earlier known race are preferred,
//! and are reduced to the steps that the two threads need; a race that only occurs after others is counted, not shown.

use std::collections::{BTreeSet, HashSet};

use encode::{Encoding, Legend, Question, encode};
use events::{Clash, EventGraph, EventId, Execution, Extent, Plan, Step, ThreadId};
use formula::{Assignment, Term};
use solve::{Budget, Engine, Mode, Reason, Solver, Verdict};

use crate::diagnosis::{DiagnoseError, unasked};
use crate::every::Clock;
use crate::failure::Replayed;

/// Executions with more steps than this are not reduced.
const LONG: usize = 2_000;

/// The races to search for.
pub struct RacesSought<'a> {
    pub graph: &'a EventGraph,
    pub clashes: &'a [Clash],
    /// By race candidate, its group for reports.
    pub sites: &'a [u32],
    /// By race candidate, the events of its accesses; both have happened in executions that continue after the race.
    pub pairs: &'a [(EventId, EventId)],
    /// Otherwise the first is enough.
    pub all: bool,
    /// Time is of the whole.
    pub budget: Budget,
}

/// The answer of the program's owner to a race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Raced {
    Confirmed,
    /// Another race comes first in this execution.
    Earlier,
    Refuted(String),
}

#[derive(Clone, Debug)]
pub struct FoundRace {
    /// The index among the requested ones.
    pub clash: usize,
    /// It ends where both accesses could be next.
    pub racing: Replayed,
}

#[derive(Clone, Debug, Default)]
pub struct Races {
    pub found: Vec<FoundRace>,
    /// The number of pairs of places that were only seen to race after another race.
    pub behind: usize,
    /// The number of executions examined.
    pub iterations: u32,
    /// Why a question was left open.
    pub open: Option<Reason>,
    /// The program does not behave as in the graph.
    pub refuted: Option<String>,
}

/// All races of the graph, one for each pair of places.
pub fn races(
    sought: &RacesSought<'_>,
    confirm: &mut dyn FnMut(usize, &Execution) -> Raced,
) -> Result<Races, DiagnoseError> {
    let mut races = Races::default();
    if sought.clashes.is_empty() {
        return Ok(races);
    }
    let plan = Plan::new(sought.graph)
        .map_err(|errors| DiagnoseError::IllFormed(errors.first().map(ToString::to_string).unwrap_or_default()))?;
    let clock = Clock::new(&sought.budget);
    let question = Question::race(sought.clashes.to_vec()).until(sought.budget.ends());
    let Encoding { formula, legend } = match encode(sought.graph, &question) {
        Ok(encoding) => encoding,
        Err(error) => {
            races.open = Some(unasked(error).ok_or(error)?);
            return Ok(races);
        }
    };
    let mut engine = Engine::with_mode(formula, Mode::Plain);
    let mut seen: BTreeSet<u32> = BTreeSet::new();
    let mut racy: BTreeSet<u32> = BTreeSet::new();
    // First where no known race has happened, then anywhere.
    for first_only in [true, false] {
        while races.found.is_empty() || sought.all {
            let mut assumptions = vec![unseen(&mut engine, &legend, sought, &seen)];
            if first_only {
                assumptions.extend(not_yet(&mut engine, &legend, sought, &racy));
            }
            let assignment = match engine.solve(&assumptions, &clock.left()) {
                Verdict::Satisfiable(assignment) => assignment,
                Verdict::Unsatisfiable { .. } => break,
                Verdict::Unknown(Reason::Failed(message)) => return Err(DiagnoseError::Solver(message)),
                Verdict::Unknown(reason) => {
                    races.open = Some(reason);
                    return Ok(races);
                }
            };
            races.iterations += 1;
            let (clash, execution) = met(&plan, sought, &seen, (&engine, &legend, &assignment))?;
            let execution = needed(&plan, &sought.clashes[clash], execution);
            seen.insert(sought.sites[clash]);
            match confirm(clash, &execution) {
                Raced::Confirmed => {
                    racy.insert(sought.sites[clash]);
                    races.found.push(FoundRace { clash, racing: replayed(&plan, execution)? });
                }
                Raced::Earlier => races.behind += 1,
                Raced::Refuted(why) => {
                    races.refuted = Some(why);
                    return Ok(races);
                }
            }
        }
    }
    Ok(races)
}

/// The condition that a race occurs at places that were not examined.
fn unseen(engine: &mut Engine, legend: &Legend, sought: &RacesSought<'_>, seen: &BTreeSet<u32>) -> Term {
    let open = sought.sites.iter().zip(legend.races()).filter(|(site, _)| !seen.contains(site));
    let ways: Vec<Term> = open.map(|(_, &race)| race).collect();
    engine.terms().or(&ways)
}

/// For known races, the condition that not both accesses have happened.
fn not_yet(engine: &mut Engine, legend: &Legend, sought: &RacesSought<'_>, racy: &BTreeSet<u32>) -> Vec<Term> {
    let known = sought.pairs.iter().zip(sought.sites).filter(|(_, site)| racy.contains(site));
    let mut all = Vec::new();
    for (&(one, other), _) in known {
        let terms = engine.terms();
        let both = terms.and2(legend.happens(one), legend.happens(other));
        all.push(terms.not(both));
    }
    all
}

/// A race of the assignment that was not examined, and the execution.
fn met(
    plan: &Plan<'_>,
    sought: &RacesSought<'_>,
    seen: &BTreeSet<u32>,
    (engine, legend, assignment): (&Engine, &Legend, &Assignment),
) -> Result<(usize, Execution), DiagnoseError> {
    let terms = &engine.formula().terms;
    let mut evaluator = assignment.evaluator(terms);
    let mut open = (0..sought.clashes.len()).filter(|&clash| !seen.contains(&sought.sites[clash]));
    let clash = open.find(|&clash| evaluator.evaluate_bool(legend.races()[clash]));
    let clash = clash.ok_or_else(|| DiagnoseError::NotFailing("nothing races".to_owned()))?;
    let execution = legend.decode(terms, assignment);
    match plan.races(&execution, &sought.clashes[clash]) {
        Ok(true) => Ok((clash, execution)),
        Ok(false) => Err(DiagnoseError::NotFailing("the accesses do not meet".to_owned())),
        Err(violation) => Err(DiagnoseError::NotFailing(violation.to_string())),
    }
}

/// The execution without the last steps of other threads that the two threads do not need.
fn needed(plan: &Plan<'_>, clash: &Clash, mut execution: Execution) -> Execution {
    if execution.steps.len() > LONG {
        return execution;
    }
    let thread = |event: EventId| plan.graph.events[event.index()].thread;
    let mut settled: HashSet<ThreadId> = [clash.one.event, clash.other.event].map(thread).into();
    let mut at = execution.steps.len();
    while at > 0 {
        at -= 1;
        let step: Step = execution.steps[at];
        if settled.contains(&thread(step.event)) {
            continue;
        }
        execution.steps.remove(at);
        if plan.races(&execution, clash) != Ok(true) {
            execution.steps.insert(at, step);
            settled.insert(thread(step.event));
        }
    }
    execution
}

fn replayed(plan: &Plan<'_>, execution: Execution) -> Result<Replayed, DiagnoseError> {
    let outcome = plan
        .replay(&execution, Extent::Prefix)
        .map_err(|violation| DiagnoseError::NotFailing(violation.to_string()))?;
    Ok(Replayed { execution, outcome })
}
