//! The bounded program in the solver. Programs become graphs with all failures of a bound (`bound`), which the machine
//! confirms (`confirm`); bounds are increased until no path is cut off or the time is over (`deepen`).

mod asked;
pub(crate) mod confirm;
pub(crate) mod races;
pub(crate) mod bound;
mod completeness;
mod unasked;
pub(crate) mod deepen;

use report::Found;
use symex::bounded::Symbolic;

use crate::candidate::Candidate;
use crate::context::Context;
use crate::error::Error;
use crate::established::Established;
use crate::program::{Loaded, Settings};
use confirm::Confirmed;
use deepen::Plan;

pub(crate) use asked::{Asked, Effort};

/// A failing run of the program, without its cause.
pub(crate) fn find(
    loaded: &Loaded,
    settings: &Settings,
    context: &Context<'_>,
    established: &mut Established<'_>,
) -> Result<Hunted, Error> {
    let symbolic = Symbolic::default();
    let plan = Plan { unroll: None, all: false, causes: false, symbolic, context: *context };
    let deepened = deepen::deepen(&plan, loaded, settings, established, &|_| Ok(()))?;
    let (complete, unsupported) = (deepened.is_complete(), deepened.unsupported);
    let failing = deepened.answer.and_then(|answer| answer.failures.into_iter().next()).map(candidate);
    Ok(Hunted { failing, complete, unsupported })
}

/// The result of [`find`].
pub(crate) struct Hunted {
    pub failing: Option<Candidate>,
    /// There is no failure, in any order and for any input.
    pub complete: bool,
    /// An unsupported construct that is reachable.
    pub unsupported: Option<report::Unsupported>,
}

fn candidate(confirmed: Confirmed) -> Candidate {
    let Confirmed { failure, replayed, .. } = confirmed;
    Candidate { found: Found::Bounded, failure, segments: replayed.segments, choices: replayed.choices }
}
