//! An order for paths of which only the decisions are known: how their threads can be interleaved so that the failure
//! occurs.

use std::time::{Duration, Instant};

use encode::{EncodeError, Encoding, Failure, Goal, Legend, Question, encode};
use events::{EventGraph, Execution, Extent, Sought, Turns};
use solve::{Budget, Mode, Portfolio, Reason, Solver, Verdict};

use crate::diagnosis::{DiagnoseError, unasked};
use crate::failure::{Replayed, Wrong};

/// Whether the paths fail in some order.
#[derive(Debug)]
pub enum Ordered {
    Found(Box<Replayed>),
    /// Proven: there is none.
    Impossible,
    Unknown(Reason),
}

/// How hard the question was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hardness {
    pub constraints: usize,
    pub variables: u64,
    pub clauses: u64,
    pub conflicts: u64,
    /// The mode of the solver that answered.
    pub mode: Mode,
    pub time: Duration,
}

/// The limit of events in all orders tried by turns.
const STEPS: u64 = 8_000_000;

/// Searches for a failing execution by turns in which threads read the values they need: this finds most at once, for
/// much longer paths than the solver can order. A failed search proves nothing.
pub fn order_by_turns(
    graph: &EventGraph,
    failure: Failure,
    budget: &Budget,
) -> Result<Option<Replayed>, DiagnoseError> {
    let sought = match failure {
        Failure::Assertion(assertion) => Sought::Assertion(assertion),
        Failure::AnyAssertion => Sought::AnyAssertion,
        Failure::Deadlock => Sought::Deadlock,
        Failure::Race => return Ok(None),
    };
    let found = Turns { sought, seed: 0, steps: STEPS, until: budget.ends() }.find(graph);
    found.map(|execution| replayed(graph, execution, Extent::Prefix)).transpose()
}

fn replayed(graph: &EventGraph, execution: Execution, extent: Extent) -> Result<Replayed, DiagnoseError> {
    let outcome = events::replay(graph, &execution, extent)
        .map_err(|violation| DiagnoseError::NotFailing(violation.to_string()))?;
    match Wrong::of(&outcome) {
        Some(_) => Ok(Replayed { execution, outcome }),
        None => Err(DiagnoseError::NotFailing("nothing fails".to_owned())),
    }
}

/// Searches for a failing execution of the graph with the solver, which can also prove its absence.
pub fn order(
    graph: &EventGraph,
    failure: Failure,
    jobs: usize,
    budget: &Budget,
) -> Result<(Ordered, Hardness), DiagnoseError> {
    match OrderQuestion::new(graph, failure, Extent::Prefix, jobs, budget.ends()) {
        Ok(mut question) => question.solve(budget),
        Err(error) => {
            let reason = unasked(error).ok_or(error)?;
            Ok((Ordered::Unknown(reason), Hardness::default()))
        }
    }
}

/// The question whether the paths fail in some order, as a formula.
pub struct OrderQuestion<'a> {
    graph: &'a EventGraph,
    extent: Extent,
    constraints: usize,
    legend: Legend,
    solver: Portfolio,
}

impl OrderQuestion<'_> {
    pub fn new(
        graph: &EventGraph,
        failure: Failure,
        extent: Extent,
        jobs: usize,
        until: Option<Instant>,
    ) -> Result<OrderQuestion<'_>, EncodeError> {
        let question = Question::new(Goal::Failure(failure), extent).until(until);
        let Encoding { formula, legend } = encode(graph, &question)?;
        let constraints = formula.assertions.len() + formula.order.reads.len();
        let solver = Portfolio::new(formula, &Mode::ALL, jobs);
        Ok(OrderQuestion { graph, extent, constraints, legend, solver })
    }

    /// The result was replayed.
    pub fn solve(&mut self, budget: &Budget) -> Result<(Ordered, Hardness), DiagnoseError> {
        let started = Instant::now();
        let verdict = self.solver.solve(&[], budget);
        let statistics = self.solver.statistics();
        let hardness = Hardness {
            constraints: self.constraints,
            variables: statistics.variables,
            clauses: statistics.clauses,
            conflicts: statistics.conflicts,
            mode: self.solver.winner(),
            time: started.elapsed(),
        };
        let ordered = match verdict {
            Verdict::Satisfiable(assignment) => {
                let execution = self.legend.decode(&self.solver.formula().terms, &assignment);
                Ordered::Found(Box::new(replayed(self.graph, execution, self.extent)?))
            }
            Verdict::Unsatisfiable { .. } => Ordered::Impossible,
            Verdict::Unknown(Reason::Failed(message)) => return Err(DiagnoseError::Solver(message)),
            Verdict::Unknown(reason) => Ordered::Unknown(reason),
        };
        Ok((ordered, hardness))
    }
}
