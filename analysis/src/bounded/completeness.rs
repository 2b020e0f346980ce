//! Executions beyond a bound: whether a run without failure can reach a place at which the exploration was cut off.

use diagnose::{CutReached, cut_reachable};
use events::{EventGraph, Kind};
use report::{CutPlace, CutWhat, Unsupported, Where};
use run::ThreadName;
use solve::{Budget, Reason as Stopped};
use symex::bounded::{Bounds, Cut, Reason, Unrolled};
use vm::Site;

use crate::error::Error;
use crate::program::Loaded;

/// The reachable cuts.
#[derive(Default)]
pub struct Beyond {
    pub unsupported: Option<Unsupported>,
    /// Larger bounds may help.
    pub deeper: bool,
    /// Whether a thread can exceed the limit of instructions.
    pub long: bool,
    pub open: Option<Stopped>,
}

impl Beyond {
    pub fn is_nothing(&self) -> bool {
        self.unsupported.is_none() && !self.deeper && !self.long && self.open.is_none()
    }
}

pub fn beyond(loaded: &Loaded, unrolled: &Unrolled, unroll: u32, budget: &dyn Fn() -> Budget) -> Result<Beyond, Error> {
    let mut beyond = Beyond::default();
    let reached = |wanted: &dyn Fn(&Cut) -> bool, beyond: &mut Beyond| -> Result<Option<Cut>, Error> {
        let any = unrolled.cuts.iter().any(wanted);
        if !any {
            return Ok(None);
        }
        let graph = with_cuts(unrolled, wanted);
        match cut_reachable(&graph, &budget()).map_err(Error::bug)? {
            CutReached::Cut { cut, .. } => Ok(unrolled.cuts.iter().find(|known| known.event == cut).cloned()),
            CutReached::Never => Ok(None),
            CutReached::Unknown(reason) => {
                beyond.open = Some(reason);
                Ok(None)
            }
        }
    };
    if let Some(Cut { reason: Reason::Unsupported(what), frames, .. }) =
        reached(&|cut| matches!(cut.reason, Reason::Unsupported(_)), &mut beyond)?
    {
        let site = Site { thread: ThreadName::main(), frames };
        beyond.unsupported = Some(Unsupported::new(&loaded.program, &what, &site));
        return Ok(beyond);
    }
    let deeper = |cut: &Cut| match cut.reason {
        Reason::Loop => true,
        // Calls that do not depend on unknown values have a limit of their own.
        Reason::Recursion => nested(cut) == u64::from(unroll),
        Reason::Steps | Reason::Record | Reason::Free | Reason::Unsupported(_) => false,
    };
    let long = |cut: &Cut| matches!(cut.reason, Reason::Recursion | Reason::Steps) && !deeper(cut);
    beyond.deeper = reached(&deeper, &mut beyond)?.is_some();
    beyond.long = !beyond.deeper && reached(&long, &mut beyond)?.is_some();
    Ok(beyond)
}

/// The graph without executions that reach other cuts.
fn with_cuts(unrolled: &Unrolled, wanted: &dyn Fn(&Cut) -> bool) -> EventGraph {
    let mut graph = unrolled.graph.clone();
    let condition = graph.terms.falsehood();
    for cut in unrolled.cuts.iter().filter(|cut| !wanted(cut)) {
        graph.events[cut.event.index()].kind = Kind::Assume { condition };
    }
    graph
}

/// The places of the reachable cuts, or of all if there is no time to decide.
pub fn places(
    loaded: &Loaded,
    unrolled: &Unrolled,
    unroll: u32,
    budget: &dyn Fn() -> Budget,
) -> Result<Vec<CutPlace>, Error> {
    let all: Vec<(CutPlace, &Cut)> =
        unrolled.cuts.iter().filter_map(|cut| Some((place(loaded, cut, unroll)?, cut))).collect();
    let mut reached: Vec<CutPlace> = Vec::new();
    while reached.len() < all.len() {
        let wanted = |cut: &Cut| {
            let known = all.iter().find(|(_, known)| known.event == cut.event);
            known.is_some_and(|(place, _)| !reached.contains(place))
        };
        if !unrolled.cuts.iter().any(wanted) {
            break;
        }
        match cut_reachable(&with_cuts(unrolled, &wanted), &budget()).map_err(Error::bug)? {
            CutReached::Cut { cut, .. } => {
                let place = all.iter().find(|(_, known)| known.event == cut).map(|(place, _)| place.clone());
                reached.extend(place);
            }
            CutReached::Never => break,
            CutReached::Unknown(_) => {
                let others = all.iter().map(|(place, _)| place.clone());
                reached.extend(others);
                break;
            }
        }
    }
    reached.sort();
    reached.dedup();
    Ok(reached)
}

/// The number of nested calls of a function that were explored.
fn nested(cut: &Cut) -> u64 {
    let innermost = cut.frames.first().map(|frame| frame.function);
    let calls = cut.frames.iter().filter(|frame| Some(frame.function) == innermost).count() as u64;
    calls.saturating_sub(2)
}

fn place(loaded: &Loaded, cut: &Cut, unroll: u32) -> Option<CutPlace> {
    let at = Where::new(&loaded.program, &Site { thread: ThreadName::main(), frames: cut.frames.clone() });
    let (what, after) = match cut.reason {
        Reason::Loop => (CutWhat::Loop, u64::from(unroll)),
        Reason::Recursion => (CutWhat::Recursion, nested(cut)),
        Reason::Steps => (CutWhat::Steps, Bounds::default().steps),
        Reason::Record | Reason::Free | Reason::Unsupported(_) => return None,
    };
    Some(CutPlace { at: at.place().cloned(), function: at.function().map(str::to_owned), what, after })
}
