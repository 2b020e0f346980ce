//! A failure with a failing execution.

use events::Extent;
use run::ThreadName;
use vm::FailureKind;

use super::event::{Event, Place, Where};
use super::explanation::Explanation;

// Many fields: a report is flat, so that each renderer picks the parts that its format shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub kind: FailureKind,
    pub at: Where,
    pub condition: String,
    /// The place that an assertion names, if that of the code is unknown.
    pub asserted_at: Option<(String, u32)>,
    pub related: Vec<(String, Where)>,
    /// Deadlocks and hangs: the cycle first.
    pub stuck: Vec<Stuck>,
    /// The events of the user's code, directly or through a library, without the runtime's own accesses.
    pub events: Vec<Event>,
    pub inputs: Vec<Input>,
    pub context_switches: usize,
    /// Before the reduction.
    pub context_switches_before: Option<usize>,
    /// The explanation, if it was requested.
    pub explanation: Option<Explanation>,
    /// Why the explanation is missing although it was requested, in one sentence.
    pub explanation_missing: Option<String>,
    /// `None` if a schedule was given.
    pub found: Option<Found>,
    /// How often the schedule was replayed with the same failure.
    pub replayed: u32,
    /// The schedule's file and the command that replays it.
    pub schedule: Option<(String, String)>,
    /// Additional information about a failure of stored paths.
    pub traced: Option<Traced>,
}

/// How the failing execution was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The first run, without preemptions.
    Undisturbed,
    Seed(u64),
    /// By trying one schedule after the other.
    Exploration,
    /// From the paths of a native run.
    Recorded,
    /// By the solver, among all runs within a bound.
    Bounded,
    /// By the solver, near a recorded run, with this many flipped decisions.
    Near {
        flips: usize,
    },
    /// Among random orders of stored paths.
    Simulation {
        /// The number of orders tried, including this one.
        orders: u64,
        seed: u64,
    },
    /// By the solver, among the orders of stored paths.
    Solver {
        mode: String,
    },
}

impl Found {
    pub fn name(&self) -> &'static str {
        match self {
            Found::Undisturbed => "undisturbed",
            Found::Seed(_) => "seed",
            Found::Exploration => "exploration",
            Found::Recorded => "recorded",
            Found::Bounded => "bounded",
            Found::Near { .. } => "near",
            Found::Simulation { .. } => "simulation",
            Found::Solver { .. } => "solver",
        }
    }

    pub fn seed(&self) -> Option<u64> {
        match self {
            Found::Seed(seed) | Found::Simulation { seed, .. } => Some(*seed),
            _ => None,
        }
    }
}

/// A thread that waits for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    pub at: Where,
    pub on: Awaited,
    pub object: String,
    pub held_by: Vec<ThreadName>,
    /// Where each holder acquired the object, as far as the events tell.
    pub taken: Vec<(ThreadName, Place)>,
}

/// The object of a wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// The end of another thread.
    Join,
    /// A change that ends a loop.
    Loop,
    /// A mutex, a condition variable, or another object of the runtime, by name.
    Object(String),
}

impl Awaited {
    pub fn new(name: &str) -> Awaited {
        match name {
            "join" => Awaited::Join,
            "loop" => Awaited::Loop,
            other => Awaited::Object(other.to_owned()),
        }
    }

    pub fn name(&self) -> &str {
        match self {
            Awaited::Join => "join",
            Awaited::Loop => "loop",
            Awaited::Object(name) => name,
        }
    }
}

/// An input from the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    Argument(Vec<u8>),
    Variable { name: String, value: String },
    Stdin(Vec<u8>),
    Choice { thread: ThreadName, step: u64, value: u64 },
}

/// Additional information about a failing execution of stored paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced {
    /// The condition's variables with the values read.
    pub values: Vec<(String, String)>,
    pub subject: Subject,
    pub extent: Extent,
    pub paths: Vec<PathFile>,
    /// Positions of the events that the failing condition depends on, ascending, including the failing one.
    pub relevant: Vec<usize>,
    /// Lost updates: positions of writes that were overwritten by a thread which had read before.
    pub lost: Vec<usize>,
    /// The position of the failing assertion.
    pub failed: usize,
    /// The names of the objects of the relevant events.
    pub followed: Vec<String>,
}

/// The stored paths that a question was about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A run by its id, which is empty if the traces have none.
    Run(String),
    /// All stored paths of each thread.
    Merged,
}

/// The file of a thread's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathFile {
    pub thread: ThreadName,
    pub file: String,
    /// Whether it was synthesised by flipping branches of a run.
    pub synthesised: bool,
}

impl Finding {
    /// The main place of the failure; the assertion's own place is used if debug information is missing.
    pub fn place(&self) -> Option<Place> {
        let named =
            || self.asserted_at.as_ref().map(|(file, line)| Place { file: file.clone(), line: *line, column: 0 });
        self.at.place().cloned().or_else(named)
    }

    /// The number of stuck threads that wait for each other in a cycle; they come first. 0 if there is no cycle.
    pub fn cycle_length(&self) -> usize {
        cycle_length(&self.stuck)
    }

    /// The passing execution that is shown beside it.
    pub fn alternate(&self) -> Option<&super::explanation::Alternate> {
        self.explanation.as_ref()?.alternates.first()
    }
}

pub(crate) fn cycle_length(stuck: &[Stuck]) -> usize {
    for (position, waiting) in stuck.iter().enumerate() {
        if waiting.held_by.contains(&stuck[0].at.thread) {
            return position + 1;
        }
        match stuck.get(position + 1) {
            Some(next) if waiting.held_by.contains(&next.at.thread) => {}
            _ => return 0,
        }
    }
    0
}
