//! What `heddle check` says beyond a failing run: every cause, how far the program was followed, and what it was given.

use std::collections::BTreeSet;

use super::cause::Cause;
use super::event::{EventKind, Place};
use crate::named::named;

/// The answer of bounded checking.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checked {
    /// The largest bound that was finished, if any was.
    pub unroll: Option<u32>,
    /// Where the program goes on beyond what was followed.
    pub cut: Vec<CutPlace>,
    /// Whether the causes speak of the executions within the bound alone: there are others, which were not looked at.
    pub causes_bounded: bool,
    /// Whether that no order passes is known of one bound alone: one that goes round more often may.
    pub doubtful: bool,
    /// How many values the environment chose.
    pub inputs: usize,
    /// What the program was given besides.
    pub given: Given,
    /// How many threads there can be, the main one included.
    pub threads: usize,
    /// Whether all failures were asked for, not only the first.
    pub all: bool,
    pub causes: Vec<Cause>,
    /// How many failing executions were looked at.
    pub iterations: u32,
    /// How many orders between threads the first failing execution decided.
    pub order_constraints: Option<usize>,
    pub seconds: CheckTiming,
}

impl Checked {
    /// Names of what the first cause orders.
    pub fn objects(&self) -> BTreeSet<String> {
        let orders = self.causes.first().map_or(&[][..], |cause| cause.reason.orders());
        let events = orders.iter().flat_map(|order| [&order.before, &order.after]);
        let named =
            events.filter(|event| !matches!(event.kind, EventKind::Fork | EventKind::Join) && !event.object.is_empty());
        named.map(|event| event.subject().to_owned()).collect()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CheckTiming {
    pub symex: f64,
    pub solve: f64,
    pub diagnose: f64,
}

/// Nothing was looked at beyond this place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CutPlace {
    pub at: Option<Place>,
    pub function: Option<String>,
    pub what: CutWhat,
    /// How many rounds, calls or instructions were followed.
    pub after: u64,
}

named! {
    /// What was followed so far and no further.
    pub enum CutWhat {
        Loop = "loop",
        Recursion = "recursion",
        Steps = "steps",
    }
}

/// What a program is given. `None` for what it does not look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    pub arguments: Option<GivenArguments>,
    pub stdin: Option<GivenStdin>,
    /// Files by name, as they were found.
    pub files: Vec<String>,
    pub variables: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenArguments {
    /// Those that were given: how many.
    These(usize),
    /// Every list of at most so many, each of at most so many bytes.
    Every { count: u32, length: u32 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenStdin {
    /// What was given: how many bytes.
    These(usize),
    /// Everything of at most so many bytes.
    Every(u32),
}
