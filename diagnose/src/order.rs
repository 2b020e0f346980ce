//! An order for paths of which nothing is known but that they were taken: how their threads took turns so that it failed.

use encode::{Encoding, Failure, Goal, Question, encode};
use events::{EventGraph, Extent};
use solve::{Budget, Mode, Portfolio, Reason, Solver, Verdict};

use crate::diagnosis::DiagnoseError;
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

/// Looks for a failing execution of the graph, which is replayed.
pub fn order(
    graph: &EventGraph,
    failure: Failure,
    jobs: usize,
    budget: &Budget,
) -> Result<(Ordered, Hardness), DiagnoseError> {
    let Encoding { formula, legend } = encode(graph, &Question::new(Goal::Failure(failure), Extent::Prefix))?;
    let constraints = formula.assertions.len() + formula.order.reads.len();
    let mut solver = Portfolio::new(formula, &Mode::ALL, jobs);
    let verdict = solver.solve(&[], budget);
    let statistics = solver.statistics();
    let hardness = Hardness { constraints, variables: statistics.variables, conflicts: statistics.conflicts };
    let ordered = match verdict {
        Verdict::Satisfiable(assignment) => {
            let execution = legend.decode(&solver.formula().terms, &assignment);
            let outcome = events::replay(graph, &execution, Extent::Prefix)
                .map_err(|violation| DiagnoseError::NotFailing(violation.to_string()))?;
            if Wrong::of(&outcome).is_none() {
                return Err(DiagnoseError::NotFailing("nothing fails".to_owned()));
            }
            Ordered::Found(Box::new(Replayed { execution, outcome }))
        }
        Verdict::Unsatisfiable { .. } => Ordered::Impossible,
        Verdict::Unknown(Reason::Failed(message)) => return Err(DiagnoseError::Solver(message)),
        Verdict::Unknown(reason) => Ordered::Unknown(reason),
    };
    Ok((ordered, hardness))
}
