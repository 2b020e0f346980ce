//! Searches for a failing execution of recorded paths: by simulation, then by the solver on each run, then by the
//! solver on all stored paths together, and last for failures at which the other threads need not be able to continue.

use std::time::Instant;

use diagnose::{Hardness, OrderQuestion, Ordered, Replayed};
use encode::{EncodeError, Failure};
use events::{EventGraph, Execution, Extent, Outcome, Simulation, Sought};
use report::{Answer, Attempt, Found, SolverStats, Stopped, Subject, Timing};
use traces::{Run, Traces};

use crate::context::Context;
use crate::error::Error;

/// The number of simulated orders between two checks of the clock.
const ROUNDS: u32 = 24;

/// Bounds for simulation: the events on one graph, and the fewest and most orders.
const SIMULATED_EVENTS: usize = 3_000_000;
const FEWEST: usize = 2;
const MOST: usize = 10;

pub struct Plan<'a> {
    pub context: Context<'a>,
    pub simulates: bool,
    /// The user named a run: other paths are of no interest.
    pub one_run: bool,
}

/// A failing execution that was replayed.
pub struct Hit {
    pub subject: Subject,
    pub graph: EventGraph,
    pub execution: Execution,
    pub outcome: Outcome,
    pub extent: Extent,
    pub found: Found,
}

pub struct Search<'a> {
    traces: &'a Traces,
    runs: Vec<&'a Run>,
    plan: Plan<'a>,
    pub attempts: Vec<Attempt>,
    pub stopped: Option<Stopped>,
    pub solver: Option<SolverStats>,
    pub seconds: Timing,
    /// The numbers of threads, events and shared accesses of the last graph.
    pub sizes: (usize, usize, usize),
}

impl<'a> Search<'a> {
    pub fn new(traces: &'a Traces, runs: Vec<&'a Run>, plan: Plan<'a>) -> Search<'a> {
        Search {
            traces,
            runs,
            plan,
            attempts: Vec::new(),
            stopped: None,
            solver: None,
            seconds: Timing::default(),
            sizes: (0, 0, 0),
        }
    }

    /// The first failure, or `None`; `stopped` then says why the search was incomplete, if it was.
    pub fn run(&mut self) -> Result<Option<Hit>, Error> {
        let runs = self.runs.clone();
        if self.must_stop() {
            return Ok(None);
        }
        if self.plan.simulates {
            for &run in &runs {
                let graph = self.traces.graph_of_run(run);
                let hit = self.simulate(graph, Subject::Run(run.id.clone()))?;
                if hit.is_some() || self.must_stop() {
                    return Ok(hit);
                }
            }
        }
        for &run in &runs {
            let graph = self.traces.graph_of_run(run);
            let hit = self.solve(graph, Subject::Run(run.id.clone()), Extent::Whole)?;
            if hit.is_some() || self.must_stop() {
                return Ok(hit);
            }
        }
        let only_one = matches!(runs.as_slice(), [run] if run.threads == self.traces.paths());
        if !self.plan.one_run && !only_one {
            self.say("merging all stored paths");
            let mut hit = None;
            if self.plan.simulates {
                hit = self.simulate(self.traces.merged(), Subject::Merged)?;
            }
            if hit.is_none() && !self.must_stop() {
                hit = self.solve(self.traces.merged(), Subject::Merged, Extent::Whole)?;
            }
            if hit.is_some() || self.must_stop() {
                return Ok(hit);
            }
        }
        for &run in &runs {
            let graph = self.traces.graph_of_run(run);
            let hit = self.solve(graph, Subject::Run(run.id.clone()), Extent::Prefix)?;
            if hit.is_some() || self.must_stop() {
                return Ok(hit);
            }
        }
        Ok(None)
    }

    fn say(&self, what: &str) {
        self.plan.context.observer.stage(what);
    }

    fn must_stop(&mut self) -> bool {
        self.stopped = self.plan.context.budget.over();
        self.stopped.is_some()
    }

    fn look_at(&mut self, graph: &EventGraph) {
        let shared = report::shared_accesses(graph);
        self.sizes = (graph.threads.len(), graph.events.len(), shared);
    }

    fn attempt(&mut self, subject: &Subject, extent: Extent, simulated: Option<u64>, answer: Answer, started: Instant) {
        let seconds = started.elapsed().as_secs_f64();
        self.attempts.push(Attempt { subject: subject.clone(), extent, simulated, answer, seconds });
    }

    fn simulate(&mut self, graph: EventGraph, subject: Subject) -> Result<Option<Hit>, Error> {
        let extent = Extent::Whole;
        let started = Instant::now();
        self.look_at(&graph);
        self.say(&format!("{}: trying orders", named(&subject)));
        let batches = (SIMULATED_EVENTS / (graph.events.len().max(1) * ROUNDS as usize)).clamp(FEWEST, MOST);
        let mut orders = 0;
        let mut hit = None;
        for batch in 0..batches as u64 {
            let seed = self.plan.context.seed.wrapping_add(batch);
            let simulation = Simulation { sought: Sought::AnyAssertion, extent, seed, rounds: ROUNDS };
            let found = simulation.run(&graph).map_err(|errors| ill_formed(&errors))?;
            if let Some(found) = found {
                orders += u64::from(found.round) + 1;
                hit = Some((found.execution, Found::Simulation { orders, seed: self.plan.context.seed }));
                break;
            }
            orders += u64::from(ROUNDS);
            if self.must_stop() {
                break;
            }
        }
        let answer = if hit.is_some() { Answer::Fails } else { Answer::NothingFound };
        self.attempt(&subject, extent, Some(orders), answer, started);
        self.seconds.simulate += started.elapsed().as_secs_f64();
        hit.map(|(execution, found)| confirmed(subject, graph, execution, extent, found)).transpose()
    }

    fn solve(&mut self, graph: EventGraph, subject: Subject, extent: Extent) -> Result<Option<Hit>, Error> {
        let started = Instant::now();
        self.look_at(&graph);
        self.say(&format!("{}: encoding {} events", named(&subject), graph.events.len()));
        let (jobs, until) = (self.plan.context.jobs, self.plan.context.budget.deadline());
        let mut question = match OrderQuestion::new(&graph, Failure::AnyAssertion, extent, jobs, until) {
            Ok(question) => question,
            Err(EncodeError::Late | EncodeError::Large) => {
                self.stopped = Some(self.plan.context.budget.over().unwrap_or(Stopped::Memory));
                self.attempt(&subject, extent, None, Answer::Unknown, started);
                return Ok(None);
            }
            Err(error) => return Err(Error::bug(error)),
        };
        self.seconds.encode += started.elapsed().as_secs_f64();
        self.say(&format!("{}: solving, {} events", named(&subject), graph.events.len()));
        let budget = self.plan.context.budget.of_solver(None);
        let (ordered, hardness) = question.solve(&budget).map_err(Error::bug)?;
        let Hardness { variables, clauses, conflicts, mode, time, .. } = hardness;
        self.solver = Some(SolverStats { variables, clauses, conflicts });
        self.seconds.solve += time.as_secs_f64();
        let (answer, found) = match ordered {
            Ordered::Found(found) => (Answer::Fails, Some(*found)),
            Ordered::Impossible => (Answer::Impossible, None),
            Ordered::Unknown(reason) => {
                self.stopped = Some(self.plan.context.budget.why(&reason));
                (Answer::Unknown, None)
            }
        };
        self.attempt(&subject, extent, None, answer, started);
        Ok(found.map(|Replayed { execution, outcome }| {
            let found = Found::Solver { mode: format!("{mode:?}").to_lowercase() };
            Hit { subject, graph, execution, outcome, extent, found }
        }))
    }
}

fn ill_formed(errors: &[events::GraphError]) -> Error {
    let first = errors.first().map(ToString::to_string).unwrap_or_default();
    Error::bug(format!("the graph of the traces is ill-formed: {first}"))
}

/// Replays the execution: only replayed executions are reported.
fn confirmed(
    subject: Subject,
    graph: EventGraph,
    execution: Execution,
    extent: Extent,
    found: Found,
) -> Result<Hit, Error> {
    let outcome = events::replay(&graph, &execution, extent).map_err(|violation| {
        Error::bug(format!("the solver returned an invalid execution ({}): {violation}", named(&subject)))
    })?;
    if outcome.failed.is_empty() {
        return Err(Error::bug(format!("the solver returned an execution that does not fail ({})", named(&subject))));
    }
    Ok(Hit { subject, graph, execution, outcome, extent, found })
}

fn named(subject: &Subject) -> String {
    match subject {
        Subject::Run(id) if id.is_empty() => "the run".to_owned(),
        Subject::Run(id) => format!("run {id}"),
        Subject::Merged => "all paths".to_owned(),
    }
}
