//! Failures of other kinds within a bound. If no requested failure is found, they may be the reason: a run that ends
//! early does not reach later failures.

use diagnose::{CutReached, Ordered, cut_reachable, order};
use encode::Failure as Sought;
use events::{EventId, Kind};
use report::FailureCount;
use run::ThreadName;
use solve::Budget;
use symex::bounded::{Unrolled, perform};
use vm::{Failure, FailureKind, Outcome, Site};

use crate::error::Error;
use crate::program::{Loaded, Settings};

/// More places than this are not reported.
const PLACES: usize = 6;

#[derive(Default)]
pub struct Unasked {
    pub failures: Vec<FailureCount>,
    /// A question was not answered.
    pub open: bool,
}

/// Whether there are such assertions.
pub fn may_be(settings: &Settings, unrolled: &Unrolled) -> bool {
    let kinds = settings.properties.kinds();
    !unrolled.unasked.is_empty() || !kinds.contains(&FailureKind::Deadlock) || !kinds.contains(&FailureKind::Hang)
}

pub fn unasked(
    loaded: &Loaded,
    settings: &Settings,
    unrolled: &Unrolled,
    budget: &dyn Fn() -> Budget,
) -> Result<Unasked, Error> {
    let mut unasked = Unasked::default();
    let mut told: Vec<EventId> = Vec::new();
    while unrolled.unasked.len() > told.len() && unasked.failures.len() < PLACES {
        match ended(unrolled, &told, budget)? {
            CutReached::Cut { cut, .. } => {
                let found = count_end(loaded, unrolled, cut);
                // Several events may have the same line.
                let alike = unrolled.unasked.keys().copied();
                told.extend(alike.filter(|event| count_end(loaded, unrolled, *event) == found));
                unasked.failures.extend(found);
            }
            CutReached::Never => break,
            CutReached::Unknown(_) => {
                unasked.open = true;
                break;
            }
        }
    }
    let kinds = settings.properties.kinds();
    if !kinds.contains(&FailureKind::Deadlock) || !kinds.contains(&FailureKind::Hang) {
        match stuck(loaded, settings, unrolled, &budget())? {
            Stuck::Never => {}
            Stuck::Some(failure) => unasked.failures.push(FailureCount::new(&loaded.program, &failure)),
            Stuck::Unknown => unasked.open = true,
        }
    }
    Ok(unasked)
}

/// Whether a run can end with a failure of another kind that is not reported yet.
fn ended(unrolled: &Unrolled, told: &[EventId], budget: &dyn Fn() -> Budget) -> Result<CutReached, Error> {
    let mut graph = unrolled.graph.clone();
    let condition = graph.terms.falsehood();
    for cut in &unrolled.cuts {
        graph.events[cut.event.index()].kind = Kind::Assume { condition };
    }
    for event in unrolled.unasked.keys() {
        let kind = if told.contains(event) { Kind::Assume { condition } } else { Kind::Cut };
        graph.events[event.index()].kind = kind;
    }
    cut_reachable(&graph, &budget()).map_err(Error::bug)
}

fn count_end(loaded: &Loaded, unrolled: &Unrolled, event: EventId) -> Option<FailureCount> {
    let wrong = unrolled.unasked.get(&event)?;
    let site = Site { thread: ThreadName::main(), frames: unrolled.frames(event).to_vec() };
    Some(FailureCount::at(&loaded.program, wrong.kind, &site, &wrong.what))
}

enum Stuck {
    Never,
    Some(Box<Failure>),
    Unknown,
}

/// A run in which threads wait for ever.
fn stuck(loaded: &Loaded, settings: &Settings, unrolled: &Unrolled, budget: &Budget) -> Result<Stuck, Error> {
    let (ordered, _) = order(&unrolled.graph, Sought::Deadlock, 1, budget).map_err(Error::bug)?;
    let found = match ordered {
        Ordered::Found(found) => found,
        Ordered::Impossible => return Ok(Stuck::Never),
        Ordered::Unknown(_) => return Ok(Stuck::Unknown),
    };
    let mut options = settings.options(false);
    options.properties = vec![FailureKind::Deadlock, FailureKind::Hang];
    let performed = perform(&loaded.code, &options, unrolled, &found.execution, &found.outcome);
    // The program has the last word.
    match performed.map(|performed| performed.execution.outcome) {
        Ok(Outcome::Failed(failure)) => Ok(Stuck::Some(failure)),
        _ => Ok(Stuck::Unknown),
    }
}
