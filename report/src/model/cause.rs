//! Why a failure happens: the inter-thread orderings that cause it, and the inputs that these need.

use diagnose::Proof;
use serde::Serialize;

use super::event::{Event, EventKind, Place};
use crate::named::named;

/// Why one of the failures happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The index of its failure among the distinct failures, from 0.
    pub failure: usize,
    pub reason: Reason,
    /// Input values without which these orders can pass.
    pub inputs: Vec<NeededInput>,
    /// Whether it also needs other choices of the environment: which thread a signal woke, or which wait timed out.
    pub choices: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    Orders {
        orders: Vec<Order>,
        /// Whether the orders are sufficient, and whether each is needed.
        proof: Proof,
        /// The number of orders from which they were chosen.
        candidates: usize,
    },
    /// It fails in every order of the threads.
    Inevitable,
    /// The same orders can pass: it depends on a choice of the environment.
    Chosen,
    Unknown,
}

impl Reason {
    pub fn orders(&self) -> &[Order] {
        match self {
            Reason::Orders { orders, .. } => orders,
            Reason::Inevitable | Reason::Chosen | Reason::Unknown => &[],
        }
    }
}

/// Both happen, the first before the second, unless the second never happens because of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Order {
    pub before: Event,
    pub after: Event,
    #[serde(rename = "reason")]
    pub consequence: Consequence,
}

named! {
    /// The consequence of an order between two events. The names are those of the JSON form.
    pub enum Consequence {
        Waits = "so it waits",
        TooLate = "which comes too late",
        Gone = "so it is gone by then",
        OldValue = "so the value that is read is the old one",
        ThisValue = "so this is the value that is read",
        NoOlderValue = "so the value that is read is not an older one",
        SecondStays = "so the second value stays",
        SectionAfterSection = "so one critical section comes after the other",
        SignalFindsSleeper = "so the signal finds it asleep",
        SignalTooEarly = "so the signal comes too early",
        FindsLeft = "so the second finds what the first left",
    }
}

impl Consequence {
    /// A phrase that follows the order in a text.
    pub fn in_words(self) -> &'static str {
        match self {
            Consequence::Waits => "so it waits",
            Consequence::TooLate => "which comes too late",
            Consequence::Gone => "so the object no longer exists",
            Consequence::OldValue => "so the read gets the old value",
            Consequence::ThisValue => "so the read gets this value",
            Consequence::NoOlderValue => "so the read gets no older value",
            Consequence::SecondStays => "so the second overwrites the first",
            Consequence::SectionAfterSection => "so the critical sections run in this order",
            Consequence::SignalFindsSleeper => "so the signal finds it waiting",
            Consequence::SignalTooEarly => "so the signal is lost",
            Consequence::FindsLeft => "so the second sees the effect of the first",
        }
    }

    /// `sees`: the second reads the value that the first wrote. `happened`: the second happened at all.
    pub(crate) fn new(before: EventKind, after: EventKind, sees: bool, happened: bool) -> Consequence {
        use EventKind::{Broadcast, Free, Join, Lock, Read, Signal, Unlock, Use, Wait, Wake, Write};
        match (before, after) {
            (_, Lock | Wake | Join) if !happened => Consequence::Waits,
            _ if !happened => Consequence::TooLate,
            (Free, Use | Free) => Consequence::Gone,
            (Read, Write) => Consequence::OldValue,
            (Write, Read) if sees => Consequence::ThisValue,
            (Write, Read) => Consequence::NoOlderValue,
            (Write, Write) => Consequence::SecondStays,
            (Unlock | Wait, Lock | Wake) => Consequence::SectionAfterSection,
            (Wait, Signal | Broadcast) => Consequence::SignalFindsSleeper,
            (Signal | Broadcast, Wait) => Consequence::SignalTooEarly,
            _ => Consequence::FindsLeft,
        }
    }
}

/// A part of the input that a program has before it starts.
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
    /// Its number among the inputs that the program reads, in the order of exploration, from 1.
    pub number: usize,
    /// The part of the program's input, for other inputs.
    pub part: Option<InputPart>,
    pub value: String,
    /// Whether every bit of it matters.
    pub whole: bool,
    /// Where the program reads it, if only one of the values read can be this one.
    pub at: Option<Place>,
}
