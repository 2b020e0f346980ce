//! Candidates: changes of the source that may repair a failure. Each generator reads the trees and the facts of runs of
//! the program; none decides whether a change helps.

mod section;
pub mod regions;
pub mod add_sections;
mod moves;
mod split;
mod interruptions;
mod waits;
mod narrow;
mod atomics;
mod read_once;
mod once;
mod private_copy;
mod conditions;
mod recheck;
mod composites;
mod signals;

use crate::breaks::Break;
use crate::code::Code;
use crate::facts::{Facts, Seen};
use crate::sources::Edit;
use report::Cover;
use vm::FailureKind;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal,)*) => {
        /// What a person would call the change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind { $($(#[$doc])* $kind,)* }

        impl Kind {
            pub const ALL: &[Kind] = &[$(Kind::$kind,)*];

            pub fn name(self) -> &'static str {
                match self { $(Kind::$kind => $name,)* }
            }
        }
    };
}

kinds! {
    MergeSections = "merge-sections",
    WidenSection = "widen-section",
    AddSection = "add-section",
    NewLock = "new-lock",
    Unlock = "unlock",
    NarrowSection = "narrow-section",
    LockOrder = "lock-order",
    WaitLoop = "wait-loop",
    Notify = "notify",
    Reorder = "reorder",
    MoveThread = "move-thread",
    Atomic = "atomic",
    ReadOnce = "read-once",
    SignalWait = "signal-wait",
    Once = "once",
    PrivateCopy = "private-copy",
    Recheck = "recheck",
}

impl Kind {
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

/// A change that may help.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub kind: Kind,
    pub edits: Vec<Edit>,
    /// A description for the user.
    pub what: String,
    /// Smaller ones are tried first.
    pub rank: u32,
}

/// What generators look at.
pub struct Given<'a> {
    pub code: &'a Code,
    pub facts: &'a Facts,
    pub failure: FailureKind,
    /// Families of the objects in the causes; may be empty.
    pub of_causes: Vec<String>,
    /// The paper's covers of the causes.
    pub covers: &'a [Cover],
    /// Where the failing run was interrupted.
    pub breaks: &'a [Break],
    /// The operations that ended objects in use by other threads.
    pub ends: &'a [Seen],
}

/// All candidates, the likely ones first.
pub fn candidates(given: &Given<'_>) -> Vec<Candidate> {
    let mut all = interruptions::candidates(given);
    all.extend(add_sections::candidates(given));
    all.extend(moves::candidates(given));
    all.extend(waits::candidates(given));
    all.extend(narrow::candidates(given));
    all.extend(atomics::candidates(given));
    all.extend(read_once::candidates(given));
    all.extend(once::candidates(given));
    all.extend(private_copy::candidates(given));
    all.extend(conditions::candidates(given));
    all.extend(recheck::candidates(given));
    all.extend(composites::candidates(given));
    all.extend(signals::candidates(given));
    all.sort_by_key(|candidate| candidate.rank);
    all
}
