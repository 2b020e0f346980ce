//! Finds an interleaving of the paths of a recorded run: by simulated orders of their event graph, then by the solver
//! among all orders consistent with the recorded decisions. If the solver has no answer, because a path contains
//! unsupported operations or time runs out, random orders are tried in the machine.

use std::time::{Duration, Instant};

use diagnose::{DiagnoseError, Hardness, Ordered, order, order_by_turns};
use encode::Failure as Sought;
use events::{EventId, Kind};
use report::{Event, EventKind, Unexplained, Where};
use run::{ProcessEnd, RecordedRun};
use symex::bounded::{Bounds, Reason, Unrolled, perform, unroll_along};
use vm::{Effort, Execution, Failure, FailureKind, Options, Outcome, retrace};

use crate::context::Context;
use crate::error::Error;
use crate::program::Loaded;

/// Bounds for following: instructions of each thread, and time.
const STEPS: u64 = 50_000_000;
const PATIENCE: Duration = Duration::from_secs(10);

/// The recorded run and its setting.
pub struct Recorded<'a> {
    /// As the user called it.
    pub name: &'a str,
    pub loaded: &'a Loaded,
    pub run: &'a RecordedRun,
    pub options: &'a Options,
    pub context: Context<'a>,
    /// Whether the machine has the same inputs as the native run, and the record is complete.
    pub is_told_alike: bool,
}

/// The result of the search for an order.
pub enum Found {
    Order(Box<Execution>),
    /// It is proven that there is no order, with the reason.
    None(Box<Unexplained>),
    Unknown,
}

/// The reads that no order explains, in the form of the report.
fn told(unrolled: &Unrolled, run: &str, why: Option<diagnose::Unexplained>) -> Unexplained {
    let graph = &unrolled.graph;
    let read = |event: &EventId| {
        let event = &graph.events[event.index()];
        let object = match &event.kind {
            Kind::Access(access) => graph.terms.as_bits(access.address.object),
            _ => None,
        };
        let object = object.and_then(|object| graph.objects.get(object as usize));
        Event {
            id: None,
            kind: EventKind::Read,
            object: object.map_or(String::new(), |object| object.name.clone()),
            value: String::new(),
            at: Where::at(graph.threads[event.thread.index()].name.clone(), event.place.clone().map(Into::into)),
        }
    };
    let smallest = why.as_ref().is_some_and(|why| why.smallest);
    let reads = why.iter().flat_map(|why| &why.reads).map(read).collect();
    Unexplained { run: run.to_owned(), reads, smallest }
}

impl Recorded<'_> {
    pub fn find(&self, effort: Effort) -> Result<Found, Error> {
        let ends = |outcome: &Outcome| matches!(outcome, Outcome::Failed(failure) if is_it(&self.run.end, failure));
        let on_graph = self.on_graph();
        if matches!(on_graph, Ok(Found::Order(_) | Found::None(_))) {
            return on_graph;
        }
        // If the graph cannot be used, the machine may still find an order.
        let found = retrace(&self.loaded.code, self.options, self.run, effort, &ends);
        found.map_or(on_graph, |execution| Ok(Found::Order(Box::new(execution))))
    }

    /// On the graph of the recorded paths.
    fn on_graph(&self) -> Result<Found, Error> {
        let budget = solve::Budget { time: Some(PATIENCE), ..self.context.budget.of_solver(None) };
        let bounds = Bounds { steps: STEPS, until: budget.ends(), ..Bounds::default() };
        let properties = kinds(&self.run.end).unwrap_or(&self.options.properties).to_vec();
        let options = Options { properties, ..self.options.clone() };
        let unrolled = match unroll_along(&self.loaded.code, &options, &bounds, self.run) {
            Ok(unrolled) => unrolled,
            Err(error) => {
                self.context.observer.detail(&format!("the recorded paths could not be unrolled: {error}"));
                return Ok(Found::Unknown);
            }
        };
        let sought = if self.run.end == ProcessEnd::Hang { Sought::Deadlock } else { Sought::AnyAssertion };
        let ordered = self.order(&unrolled, sought, &budget).map_err(Error::bug)?;
        let replayed = match ordered {
            Ordered::Found(replayed) => replayed,
            // With inputs that differ from the native run's, unsatisfiability proves nothing.
            Ordered::Impossible if is_whole(&unrolled) && self.is_told_alike => {
                let why = diagnose::unexplained(&unrolled.graph, sought, &budget);
                let why = why.map_err(Error::bug)?;
                return Ok(Found::None(Box::new(told(&unrolled, self.name, why))));
            }
            Ordered::Impossible | Ordered::Unknown(_) => return Ok(Found::Unknown),
        };
        let (code, options) = (&self.loaded.code, self.options);
        let performed = perform(code, options, &unrolled, &replayed.execution, &replayed.outcome)
            .map_err(|divergence| Error::bug(format!("the program diverges from its recorded paths: {divergence}")))?;
        match &performed.execution.outcome {
            Outcome::Failed(failure) if is_it(&self.run.end, failure) => {
                Ok(Found::Order(Box::new(performed.execution)))
            }
            other => Err(Error::bug(format!("the recorded paths lead to another end: {other:?}"))),
        }
    }

    /// Tries simulated orders first, which are found fast if at all.
    fn order(&self, unrolled: &Unrolled, sought: Sought, budget: &solve::Budget) -> Result<Ordered, DiagnoseError> {
        let graph = &unrolled.graph;
        let started = Instant::now();
        let seconds = || started.elapsed().as_secs_f64();
        let events = graph.events.len();
        if let Some(replayed) = order_by_turns(graph, sought, &solve::Budget { time: None, ..budget.clone() })? {
            let how = format!("the recorded paths have {events} events; an order was found in {:.1} s", seconds());
            self.context.observer.detail(&how);
            return Ok(Ordered::Found(Box::new(replayed)));
        }
        let (ordered, Hardness { constraints, variables, conflicts, .. }) =
            order(graph, sought, self.context.jobs, budget)?;
        let formula = format!("{constraints} constraints, {variables} variables, {conflicts} conflicts");
        let how = format!("the recorded paths have {events} events; {formula}, {:.1} s", seconds());
        self.context.observer.detail(&how);
        Ok(ordered)
    }
}

/// Whether all cuts are ends of the record, so that no other path was left out.
fn is_whole(unrolled: &Unrolled) -> bool {
    unrolled.cuts.iter().all(|cut| cut.reason == Reason::Record)
}

const SIGABRT: i32 = 6;
const SIGSEGV: i32 = 11;
const SIGBUS: i32 = 7;
const SIGFPE: i32 = 8;

/// The machine's failure kinds for an end of the process; `None` if it may be any.
fn kinds(end: &ProcessEnd) -> Option<&'static [FailureKind]> {
    const ABORTS: &[FailureKind] = &[FailureKind::Abort, FailureKind::Exception, FailureKind::Assertion];
    match end {
        ProcessEnd::Assertion { .. } => Some(&[FailureKind::Assertion]),
        ProcessEnd::Abort { .. } | ProcessEnd::Signal { number: SIGABRT, .. } => Some(ABORTS),
        ProcessEnd::Signal { number: SIGSEGV | SIGBUS, .. } => Some(&[FailureKind::Memory]),
        ProcessEnd::Signal { number: SIGFPE, .. } => Some(&[FailureKind::Abort]),
        ProcessEnd::Hang => Some(&[FailureKind::Deadlock, FailureKind::Hang]),
        ProcessEnd::Exited { .. } => Some(&[FailureKind::Exit]),
        ProcessEnd::Signal { .. } | ProcessEnd::Unknown => None,
    }
}

/// Whether a failure of the machine is the end that was seen natively.
fn is_it(end: &ProcessEnd, failure: &Failure) -> bool {
    let alike = match end {
        ProcessEnd::Assertion { at, condition } => {
            let line = failure.asserted_at.as_ref().is_none_or(|(_, line)| *line == at.line);
            failure.condition == *condition && line
        }
        _ => true,
    };
    alike && kinds(end).is_none_or(|kinds| kinds.contains(&failure.kind))
}
