//! What `heddle check` says beyond a failing run: every cause, how far the program was followed, and what was assumed.

mod given;
mod teller;
pub mod text;
pub mod json;

use std::collections::BTreeSet;

use crate::model::{Event, Place};

pub use given::{Given, GivenArguments, GivenStdin};
pub use teller::Teller;

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
        let Some(Cause { reason: Reason::Orders { orders, .. }, .. }) = self.causes.first() else {
            return BTreeSet::new();
        };
        let events = orders.iter().flat_map(|order| [&order.before.event, &order.after.event]);
        let named = events.filter(|event| !matches!(event.kind, "fork" | "join") && !event.object.is_empty());
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CutWhat {
    Loop,
    Recursion,
    Steps,
}

impl CutWhat {
    pub fn name(self) -> &'static str {
        match self {
            CutWhat::Loop => "loop",
            CutWhat::Recursion => "recursion",
            CutWhat::Steps => "steps",
        }
    }
}

/// Why one of the failures happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Which of the different failures it leads to, from 0.
    pub failure: usize,
    pub reason: Reason,
    /// Values of the environment without which these orders can pass.
    pub inputs: Vec<NeededInput>,
    /// Whether it also needs what the environment chose otherwise: who was woken, or who gave up waiting.
    pub choices: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    Orders {
        orders: Vec<Order>,
        /// Whether none can be left out; otherwise a budget ended the proof for some.
        minimal: bool,
        /// How many orders they were chosen from.
        candidates: usize,
    },
    /// It fails in whatever order the threads go.
    Inevitable,
    /// The same orders can pass: it depends on who was woken, say.
    Chosen,
    Unknown,
}

/// Both happen, the first before the second, unless the second never comes about because of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    pub before: End,
    pub after: End,
    pub reason: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    pub event: Event,
    /// Whether its id is that of an event of the failing run that is shown.
    pub shown: bool,
}

/// A part of what a program is given before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputPart {
    ArgumentCount,
    /// Both from 0.
    ArgumentByte {
        argument: u32,
        byte: u32,
    },
    StdinLength,
    StdinByte(u32),
}

/// An input with the value that a cause needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeededInput {
    /// Of those that the program asks for, in the order in which it was followed, from 1.
    pub number: usize,
    /// What it is otherwise.
    pub part: Option<InputPart>,
    pub value: String,
    /// Whether every bit of it matters.
    pub whole: bool,
    /// Where the program asks for it, if only one of the values that it got can be this one.
    pub at: Option<Place>,
}
