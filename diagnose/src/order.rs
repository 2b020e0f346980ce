//! An order for paths of which nothing is known but that they were taken: how their threads took turns so that it failed.

use encode::{Encoding, Failure, Goal, Question, encode};
use events::{EventGraph, Execution, Extent, Sought, Turns};
use solve::{Budget, Mode, Portfolio, Reason, Solver, Verdict};

use crate::diagnosis::{DiagnoseError, unasked};
use crate::failure::{Replayed, Wrong};

/// Whether the paths fail in some order.
#[derive(Debug)]
pub enum Ordered {
    Found(Box<Replayed>),
    /// In none, which is proven.
    Impossible,
    Unknown(Reason),
}

/// How hard the question was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hardness {
    pub constraints: usize,
    pub variables: u64,
    pub conflicts: u64,
}

/// How many events may happen in all orders that are tried by hand.
const STEPS: u64 = 8_000_000;

/// Looks for a failing execution by trying orders that let each thread find what it needs: most are found so at once, of
/// paths much longer than those that the solver can order. That none is found proves nothing.
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
    found.map(|execution| replayed(graph, execution)).transpose()
}

fn replayed(graph: &EventGraph, execution: Execution) -> Result<Replayed, DiagnoseError> {
    let outcome = events::replay(graph, &execution, Extent::Prefix)
        .map_err(|violation| DiagnoseError::NotFailing(violation.to_string()))?;
    match Wrong::of(&outcome) {
        Some(_) => Ok(Replayed { execution, outcome }),
        None => Err(DiagnoseError::NotFailing("nothing fails".to_owned())),
    }
}

/// Looks for a failing execution of the graph with the solver, which also knows when there is none.
pub fn order(
    graph: &EventGraph,
    failure: Failure,
    jobs: usize,
    budget: &Budget,
) -> Result<(Ordered, Hardness), DiagnoseError> {
    let question = Question::new(Goal::Failure(failure), Extent::Prefix).until(budget.ends());
    let Encoding { formula, legend } = match encode(graph, &question) {
        Ok(encoding) => encoding,
        Err(error) => {
            let reason = unasked(error).ok_or(error)?;
            return Ok((Ordered::Unknown(reason), Hardness::default()));
        }
    };
    let constraints = formula.assertions.len() + formula.order.reads.len();
    let mut solver = Portfolio::new(formula, &Mode::ALL, jobs);
    let verdict = solver.solve(&[], budget);
    let statistics = solver.statistics();
    let hardness = Hardness { constraints, variables: statistics.variables, conflicts: statistics.conflicts };
    let ordered = match verdict {
        Verdict::Satisfiable(assignment) => {
            let execution = legend.decode(&solver.formula().terms, &assignment);
            Ordered::Found(Box::new(replayed(graph, execution)?))
        }
        Verdict::Unsatisfiable { .. } => Ordered::Impossible,
        Verdict::Unknown(Reason::Failed(message)) => return Err(DiagnoseError::Solver(message)),
        Verdict::Unknown(reason) => Ordered::Unknown(reason),
    };
    Ok((ordered, hardness))
}
