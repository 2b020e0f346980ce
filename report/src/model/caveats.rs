//! The limits of a verdict: failures of kinds that were not requested, assumptions about the environment, and accesses
//! that another memory model treats differently.

use vm::FailureKind;

use super::FailureCount;
use super::bounds::Search;
use super::event::Place;
use crate::named::named;

/// All limits of the verdict besides the bounds of the search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Caveats {
    /// Failures of kinds that were not requested, with the runs that they ended.
    pub unasked: Vec<FailureCount>,
    /// Whether it is unknown if there are such failures.
    pub unasked_open: bool,
    pub assumptions: Vec<Assumption>,
    /// `None` if it was not determined, as in a failing verdict.
    pub beyond_sc: Option<BeyondSc>,
    /// There was one thread and no choice, so one run is exhaustive.
    pub one_run: bool,
}

impl Caveats {
    /// Whether a failure that was not requested ended runs early.
    pub fn ends_early(&self) -> bool {
        self.unasked_open || self.unasked.iter().any(|count| count.kind != FailureKind::Exit)
    }

    pub fn holds_for_sc_only(&self) -> bool {
        self.beyond_sc.as_ref().is_some_and(|beyond| !beyond.is_nothing())
    }
}

named! {
    /// The assumptions of the analysis. Only those relevant to the program are listed.
    pub enum Assumption {
        AllocationSucceeds = "malloc succeeds",
        ThreadCreationSucceeds = "pthread_create succeeds",
        NoAddressReuse = "freed addresses are not used again",
        NoSpuriousWakeups = "no spurious wake-ups",
        WeakExchangeSucceeds = "a weak compare-exchange does not fail spuriously",
        AnyTimeout = "a timed wait may time out at any moment",
        OutputSucceeds = "output succeeds",
        GivenInputs = "files, stdin, arguments and variables are as given",
    }
}

impl Assumption {
    /// The option that removes the assumption; checking never reuses an address.
    pub fn lifted_by(self, search: &Search) -> Option<&'static str> {
        match (self, search) {
            (Assumption::NoAddressReuse, Search::Bounded) => None,
            (Assumption::NoAddressReuse, _) => Some("--reuse"),
            (Assumption::NoSpuriousWakeups, _) => Some("--spurious"),
            _ => None,
        }
    }
}

/// Accesses for which a weaker memory model than sequential consistency may allow more.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BeyondSc {
    /// Atomic accesses weaker than `seq_cst`.
    pub weak: Vec<Weak>,
    /// Data races that occurred, each as its two accesses.
    pub races: Vec<[Place; 2]>,
}

impl BeyondSc {
    pub fn is_nothing(&self) -> bool {
        self.weak.is_empty() && self.races.is_empty()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Weak {
    pub at: Place,
    pub order: WeakOrder,
}

named! {
    /// An order of atomic accesses below `seq_cst`, as C++ calls it. The values stand in the order of their names.
    pub enum WeakOrder {
        AcquireRelease = "acq_rel",
        Acquire = "acquire",
        /// The order is computed at run time.
        Computed = "computed",
        Consume = "consume",
        Relaxed = "relaxed",
        Release = "release",
    }
}
