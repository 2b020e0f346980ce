//! A run of a program as a subject of diagnosis: its graph, and the machine that runs the program in an order of that graph.

use std::rc::Rc;

use diagnose::{Description, Ending, Performed, Subject};
use events::{EventGraph, EventId};
use run::Divergence;
use symex::bounded::{Driven, Followed, drive};
use vm::{Code, Execution, Failure, Options, Outcome};

pub struct Program<'a> {
    pub code: &'a Rc<Code>,
    pub options: &'a Options,
    /// The failure that is diagnosed.
    pub failure: &'a Failure,
    pub followed: Followed,
}

impl Subject for Program<'_> {
    type Evidence = Execution;

    fn graph(&self) -> &EventGraph {
        self.followed.graph()
    }

    fn describe(&self, event: EventId, value: Option<u128>) -> Option<Description> {
        let label = self.followed.label(event)?;
        let value = value.zip(label.value).map(|(word, (ty, layout))| {
            let mask = if ty.bits() >= 128 { u128::MAX } else { (1 << ty.bits()) - 1 };
            vm::names::value(&self.code.program, self.followed.memory(), layout, ty, word & mask)
        });
        Some(Description { object: label.object, value, kind: label.kind })
    }

    fn perform(&self, graph: &EventGraph, execution: &events::Execution) -> Result<Performed<Execution>, Divergence> {
        let Driven { execution, followed } = drive(self.code, self.options, &self.followed, graph, execution)?;
        let ending = match &execution.outcome {
            Outcome::Passed { .. } => Ending::Passes,
            Outcome::Failed(again) if !again.is_same(self.failure) => Ending::FailsElsewhere,
            Outcome::Failed(again) if again.site != self.failure.site => Ending::FailsAlike,
            Outcome::Failed(_) => Ending::FailsAgain,
            _ => Ending::Undecided,
        };
        Ok(Performed { ending, followed, evidence: execution })
    }
}
