//! The results of `heddle repair`: patches with their verification, and the covers of the causes that they come from.

use std::cmp::Ordering;

use super::cause::Order;
use crate::named::named;

/// The answer of a repair.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repaired {
    /// In the order of their ranks.
    pub repairs: Vec<Repair>,
    /// By cause, the orders each of which forbids it.
    pub kill_sets: Vec<KillSet>,
    /// Sets of orders that forbid all causes, composite ones first.
    pub covers: Vec<Cover>,
    /// Covers that were counted but not listed; none if the enumeration was complete.
    pub more_covers: Option<u64>,
    /// The number of candidate patches.
    pub generated: usize,
    /// The number of those that were compiled.
    pub tried: usize,
    pub uncompiled: usize,
    pub refuted: usize,
    /// Why no change of the synchronisation helps.
    pub hopeless: Option<String>,
    /// A required change that cannot be made.
    pub unchangeable: Option<String>,
    /// The best refuted patch, if none was verified.
    pub counterexample: Option<Counterexample>,
    /// Files that were written.
    pub applied: Vec<String>,
}

/// A change of the source, as a patch.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    /// A short name for a reader.
    pub kind: &'static str,
    /// In one sentence.
    pub what: String,
    pub edits: Vec<RepairEdit>,
    /// Unified, for `git apply` and `patch -p1`.
    pub diff: String,
    pub verified: Verified,
    /// Compared with the original, in native runs.
    pub cost: Option<Cost>,
    /// The number of lines added and removed.
    pub size: usize,
    /// The share of conflicting pairs that can still happen in both orders.
    pub permissiveness: f64,
    /// The changed files with their whole contents.
    pub files: Vec<(String, String)>,
}

impl Repair {
    /// Whether it is correct within the requested verification.
    pub fn is_verified(&self) -> bool {
        self.verified.level != RepairLevel::Unverified && !self.verified.changes_behaviour
    }

    /// Whether it also preserves concurrency.
    pub fn counts(&self) -> bool {
        self.is_verified() && !self.verified.serialises
    }

    /// Its size; a condition variable that the program did not have counts as ten lines, because it adds complexity;
    /// so does a patch that only removes, because other callers may need what it removes.
    fn weight(&self) -> usize {
        let adds = self.diff.lines().any(|line| line.starts_with('+') && !line.starts_with("+++"));
        self.size + if self.kind == "signal-wait" { 10 } else { 0 } + if adds { 0 } else { 10 }
    }

    /// Better ones first: those that count, then by verification level, then by permissiveness, then by size. An order
    /// between threads comes behind everything else that is known as well, as elementary solutions come behind composite
    /// ones in the paper. A new lock comes last among equals, since code that uses the data under an existing lock would not respect it.
    pub fn rank(&self, other: &Repair) -> Ordering {
        let class = |one: &Repair| (!one.is_verified(), one.verified.serialises, one.verified.level);
        class(self)
            .cmp(&class(other))
            .then((self.kind == "signal-wait").cmp(&(other.kind == "signal-wait")))
            .then(other.permissiveness.total_cmp(&self.permissiveness))
            .then((self.kind == "new-lock").cmp(&(other.kind == "new-lock")))
            .then(self.weight().cmp(&other.weight()))
    }
}

/// A range of lines with the text that replaces a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairEdit {
    pub file: String,
    pub line: u32,
    pub end_line: u32,
    pub text: String,
}

/// The verification of a patch. It compiles without new warnings, otherwise it is dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    pub level: RepairLevel,
    pub new_deadlock: bool,
    /// It has an outcome that no passing run of the original has.
    pub changes_behaviour: bool,
    /// Two threads that could run in parallel no longer can.
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

/// The bounds of the verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepairBounds {
    pub executions: u64,
    pub states: u64,
    /// Every schedule.
    pub complete: bool,
    /// Every schedule with this many preemptions.
    pub preemptions: Option<u32>,
    /// The unrolling bound within which the solver found no failure.
    pub unroll: Option<u32>,
}

/// Times of the patched program divided by those of the original.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    pub cpu_ratio: f64,
    pub wall_ratio: f64,
}

/// A refuted patch, and its counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    pub kind: &'static str,
    pub what: String,
    pub why: String,
    pub diff: String,
}

/// Orders each of which forbids a cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KillSet {
    /// The index of the cause.
    pub cause: usize,
    pub orders: Vec<Order>,
}

/// Orders that together forbid all causes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cover {
    /// Two elementary solutions either of which suffices: a critical section.
    pub composite: bool,
    pub orders: Vec<Order>,
}
