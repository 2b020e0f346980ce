//! The subject of a diagnosis: an event graph, its program or traces, and a way to run it in the order of an execution.

use events::{EventGraph, EventId, Execution, Extent, Outcome, Violation};
use run::{Divergence, Happened, Item, ThreadName};

pub trait Subject {
    /// The evidence of a run.
    type Evidence;

    /// The graph of the paths that failed.
    fn graph(&self) -> &EventGraph;

    /// The source's description of an event, and of the value that it reads or writes. `None` if there is only that of
    /// the graph.
    fn describe(&self, event: EventId, value: Option<u128>) -> Option<Description>;

    /// A run in the order of an execution of this graph, which is the subject's or begins with it.
    fn perform(&self, graph: &EventGraph, execution: &Execution) -> Result<Performed<Self::Evidence>, Divergence>;
}

/// The words of the source for an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    pub object: String,
    pub value: Option<String>,
    /// `None` if it is the kind in the graph.
    pub kind: Option<&'static str>,
}

/// A run of the subject in a given order.
#[derive(Clone, Debug)]
pub struct Performed<E> {
    pub ending: Ending,
    /// Whether the order was followed to its end; otherwise the run ended before.
    pub followed: bool,
    pub evidence: E,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    Passes,
    /// With the failure that is diagnosed.
    FailsAgain,
    /// The diagnosed failure, but with other names of the stuck threads.
    FailsAlike,
    FailsElsewhere,
    /// It neither passed nor failed.
    Undecided,
}

/// Recorded paths without a program: a run is a replay on the graph.
#[derive(Clone, Copy, Debug)]
pub struct Traces<'a>(pub &'a EventGraph);

impl Subject for Traces<'_> {
    type Evidence = Outcome;

    fn graph(&self) -> &EventGraph {
        self.0
    }

    fn describe(&self, _: EventId, _: Option<u128>) -> Option<Description> {
        None
    }

    fn perform(&self, graph: &EventGraph, execution: &Execution) -> Result<Performed<Outcome>, Divergence> {
        let outcome =
            events::replay(graph, execution, Extent::Whole).map_err(|violation| diverges(graph, &violation))?;
        let ending = if outcome.passes() { Ending::Passes } else { Ending::FailsElsewhere };
        Ok(Performed { ending, followed: true, evidence: outcome })
    }
}

/// A list of steps that is not an execution of the graph, as a divergence.
pub(crate) fn diverges(graph: &EventGraph, violation: &Violation) -> Divergence {
    let event = violation.event.and_then(|event| Some((event, graph.events.get(event.index())?)));
    let happened = Happened::Refused(violation.reason.to_string());
    match event {
        Some((id, event)) => Divergence {
            expected: Item::Event { number: violation.after, event: id.0 },
            thread: graph.threads[event.thread.index()].name.clone(),
            happened,
        },
        None => Divergence { expected: Item::End, thread: ThreadName::main(), happened },
    }
}
