//! The results of `heddle check` beyond a failing run: every cause, how far the program was explored, and its inputs.

use std::collections::BTreeSet;

use super::cause::Cause;
use super::event::{EventKind, Place};
use crate::named::named;

/// The answer of bounded checking.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checked {
    /// The largest bound that was completed, if any.
    pub unroll: Option<u32>,
    /// Where the exploration was cut off.
    pub cut: Vec<CutPlace>,
    /// Whether the causes hold only for the executions within the bound, because others were not explored.
    pub causes_bounded: bool,
    /// Whether it is proven only for one bound that no order passes: an execution with more iterations may pass.
    pub doubtful: bool,
    /// The number of values that the environment chose.
    pub inputs: usize,
    /// The other inputs of the program.
    pub given: Given,
    /// The number of possible threads, including the main one.
    pub threads: usize,
    /// Whether all failures were requested, not only the first.
    pub all: bool,
    pub causes: Vec<Cause>,
    /// The number of failing executions examined.
    pub iterations: u32,
    /// The number of inter-thread orderings of the first failing execution.
    pub order_constraints: Option<usize>,
    pub seconds: CheckTiming,
}

impl Checked {
    /// The names of the objects in the first cause.
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

/// A place at which the exploration was cut off.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CutPlace {
    pub at: Option<Place>,
    pub function: Option<String>,
    pub what: CutWhat,
    /// The number of iterations, calls or instructions explored.
    pub after: u64,
}

named! {
    /// The kind of cut.
    pub enum CutWhat {
        Loop = "loop",
        Recursion = "recursion",
        Steps = "steps",
    }
}

/// The inputs of a program. `None` for inputs that it does not use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    pub arguments: Option<GivenArguments>,
    pub stdin: Option<GivenStdin>,
    /// Files by name, with their contents as found.
    pub files: Vec<String>,
    pub variables: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenArguments {
    /// Those that were given, by number.
    These(usize),
    /// Every list of at most this many, each of at most this many bytes.
    Every { count: u32, length: u32 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenStdin {
    /// The given input, by number of bytes.
    These(usize),
    /// Every input of at most this many bytes.
    Every(u32),
}
