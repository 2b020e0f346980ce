//! Whether an execution can reach a cut of its graph, so that the graph is incomplete.

use encode::{Encoding, Failure, Goal, Question, encode};
use events::{EventGraph, EventId, Execution, Extent, Kind, replay};
use solve::{Budget, Engine, Reason, Solver, Verdict};

use crate::diagnosis::{DiagnoseError, unasked};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CutReached {
    /// The execution ends just before the cut, without a failure.
    Cut {
        cut: EventId,
        execution: Execution,
    },
    Never,
    Unknown(Reason),
}

/// Searches for an execution that reaches a cut without a failure. If a failure always comes first, all behaviour
/// beyond the cut is behind a reported failure.
pub fn cut_reachable(graph: &EventGraph, budget: &Budget) -> Result<CutReached, DiagnoseError> {
    let mut marked = graph.clone();
    let never = marked.terms.falsehood();
    let mut any = false;
    for event in &mut marked.events {
        match event.kind {
            Kind::Assert { condition } => event.kind = Kind::Assume { condition },
            Kind::Cut => {
                event.kind = Kind::Assert { condition: never };
                any = true;
            }
            _ => {}
        }
    }
    if !any {
        return Ok(CutReached::Never);
    }
    let question = Question::new(Goal::Failure(Failure::AnyAssertion), Extent::Prefix).until(budget.ends());
    let Encoding { formula, legend } = match encode(&marked, &question) {
        Ok(encoding) => encoding,
        Err(error) => return unasked(error).map(CutReached::Unknown).ok_or(error.into()),
    };
    let mut engine = Engine::new(formula);
    let assignment = match engine.solve(&[], budget) {
        Verdict::Satisfiable(assignment) => assignment,
        Verdict::Unsatisfiable { .. } => return Ok(CutReached::Never),
        Verdict::Unknown(Reason::Failed(message)) => return Err(DiagnoseError::Solver(message)),
        Verdict::Unknown(reason) => return Ok(CutReached::Unknown(reason)),
    };
    let mut execution = legend.decode(&engine.formula().terms, &assignment);
    let outcome = replay(&marked, &execution, Extent::Prefix)
        .map_err(|violation| DiagnoseError::NotFailing(violation.to_string()))?;
    match (outcome.failed.as_slice(), execution.steps.pop()) {
        (&[cut], Some(last)) if last.event == cut => Ok(CutReached::Cut { cut, execution }),
        _ => Err(DiagnoseError::NotFailing("it does not end with a cut".to_owned())),
    }
}
