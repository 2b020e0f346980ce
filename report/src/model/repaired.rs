//! What `heddle repair` says: patches with what is known of each, and the covers of the causes that they come from.

use std::cmp::Ordering;

use super::cause::Order;
use crate::named::named;

/// The answer of a repair.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repaired {
    /// In the order of their ranks.
    pub repairs: Vec<Repair>,
    /// By cause, the orders of which each alone forbids it.
    pub kill_sets: Vec<KillSet>,
    /// Sets of orders that forbid all causes, composite ones first.
    pub covers: Vec<Cover>,
    /// Covers that were counted and not listed; none where the search for them was complete.
    pub more_covers: Option<u64>,
    /// Changes of the source that were made.
    pub generated: usize,
    /// Of these, those that were compiled.
    pub tried: usize,
    pub uncompiled: usize,
    pub refuted: usize,
    /// Why no change of the synchronisation helps.
    pub hopeless: Option<String>,
    /// What would have to change and cannot be changed.
    pub unchangeable: Option<String>,
    /// Where none was verified, the best that was refuted.
    pub counterexample: Option<Counterexample>,
    /// Files that were written.
    pub applied: Vec<String>,
}

/// A change of the source, as a patch.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    /// What a person would call it.
    pub kind: &'static str,
    /// In one sentence.
    pub what: String,
    pub edits: Vec<RepairEdit>,
    /// Unified, for `git apply` and `patch -p1`.
    pub diff: String,
    pub verified: Verified,
    /// Natively, against the original.
    pub cost: Option<Cost>,
    /// Lines that are added and removed.
    pub size: usize,
    /// The share of conflicting pairs that can still go both ways.
    pub permissiveness: f64,
    /// The changed files with their whole contents.
    pub files: Vec<(String, String)>,
}

impl Repair {
    /// Whether it is right as far as was asked.
    pub fn is_verified(&self) -> bool {
        self.verified.level != RepairLevel::Unverified && !self.verified.changes_behaviour
    }

    /// Whether it is one that a person would want, too.
    pub fn counts(&self) -> bool {
        self.is_verified() && !self.verified.serialises
    }

    /// Its size; a condition that the program did not have counts as ten lines, because it is one more to know.
    fn weight(&self) -> usize {
        self.size + if self.kind == "signal-wait" { 10 } else { 0 }
    }

    /// Better ones first: those that count, then by what is known, then by what they still permit, then by size. A new lock comes
    /// last among its like: those who use the data under the lock that it has know nothing of another one.
    pub fn rank(&self, other: &Repair) -> Ordering {
        let class = |one: &Repair| (!one.is_verified(), one.verified.serialises, one.verified.level);
        class(self)
            .cmp(&class(other))
            .then(other.permissiveness.total_cmp(&self.permissiveness))
            .then((self.kind == "new-lock").cmp(&(other.kind == "new-lock")))
            .then(self.weight().cmp(&other.weight()))
    }
}

/// A stretch of lines with the text that replaces something in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairEdit {
    pub file: String,
    pub line: u32,
    pub end_line: u32,
    pub text: String,
}

/// What was found out about a patch. It compiles without new warnings, otherwise it is not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    pub level: RepairLevel,
    pub new_deadlock: bool,
    /// It can end in a way in which the original cannot pass.
    pub changes_behaviour: bool,
    /// Two threads that could run beside each other no longer can.
    pub serialises: bool,
    pub bounds: RepairBounds,
    /// Whether all passing outcomes of the original are known.
    pub outcomes_complete: bool,
}

named! {
    pub enum RepairLevel {
        Proven = "proven",
        Bounded = "bounded",
        Unverified = "unverified",
    }
}

/// How far a patch was looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepairBounds {
    pub executions: u64,
    pub states: u64,
    /// Every schedule.
    pub complete: bool,
    /// Every schedule with so many preemptions.
    pub preemptions: Option<u32>,
    /// Rounds of each loop within which the solver found nothing.
    pub unroll: Option<u32>,
}

/// Times of the patched program divided by those of the original.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    pub cpu_ratio: f64,
    pub wall_ratio: f64,
}

/// A patch that was refuted, and what refutes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    pub kind: &'static str,
    pub what: String,
    pub why: String,
    pub diff: String,
}

/// Orders of which each alone forbids a cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KillSet {
    /// The position of the cause.
    pub cause: usize,
    pub orders: Vec<Order>,
}

/// Orders that together forbid all causes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cover {
    /// Two elementary solutions of which either will do: a critical section.
    pub composite: bool,
    pub orders: Vec<Order>,
}
