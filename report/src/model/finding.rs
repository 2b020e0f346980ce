//! A failure with the execution that shows it.

use events::Extent;
use run::ThreadName;
use vm::FailureKind;

use super::event::{Event, Place, Where};
use super::explanation::Explanation;

#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub kind: FailureKind,
    pub at: Where,
    pub condition: String,
    /// Where an assertion says it stands, when the code's own place is not known.
    pub asserted_at: Option<(String, u32)>,
    pub related: Vec<(String, Where)>,
    /// Deadlocks and hangs: the cycle first.
    pub stuck: Vec<Stuck>,
    /// What the user's code did, directly or through a library; the runtime's own accesses are left out.
    pub events: Vec<Event>,
    pub inputs: Vec<Input>,
    pub context_switches: usize,
    /// As it was found.
    pub context_switches_before: Option<usize>,
    /// Why it fails, where that was asked.
    pub explanation: Option<Explanation>,
    /// In one sentence, why that is not told although it was asked.
    pub explanation_missing: Option<String>,
    /// `None` where a schedule was given.
    pub found: Option<Found>,
    /// How often the schedule was run again and failed alike.
    pub replayed: u32,
    /// The schedule's file and the command that replays it.
    pub schedule: Option<(String, String)>,
    /// What is known of a failure of stored paths besides.
    pub traced: Option<Traced>,
}

/// How the failing execution was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The run without preemptions that comes before the others.
    Undisturbed,
    Seed(u64),
    /// One schedule after the other was tried.
    Exploration,
    /// Along the paths of a run that was recorded natively.
    Recorded,
    /// By the solver, among all runs within a bound.
    Bounded,
    /// By the solver, near a recorded run: so many of its decisions go another way.
    Near {
        flips: usize,
    },
    /// Among random orders of stored paths.
    Simulation {
        /// How many were tried, this one included.
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
    /// Where each holder took what is waited for, as far as the events tell.
    pub taken: Vec<(ThreadName, Place)>,
}

/// What a thread waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// The end of another thread.
    Join,
    /// A change that ends a loop.
    Loop,
    /// A mutex, a condition, or whatever else the runtime lets threads wait for, by its name.
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

/// Something that the environment gave to the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    Argument(Vec<u8>),
    Variable { name: String, value: String },
    Stdin(Vec<u8>),
    Choice { thread: ThreadName, step: u64, value: u64 },
}

/// What a failing execution of stored paths has besides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced {
    /// The condition's variables with the values that were read for them.
    pub values: Vec<(String, String)>,
    pub subject: Subject,
    pub extent: Extent,
    pub paths: Vec<PathFile>,
    /// Positions of the events that the failing condition depends on, ascending; the failing one is among them.
    pub relevant: Vec<usize>,
    /// What was written and lost: positions of writes that someone overwrote who had read before.
    pub lost: Vec<usize>,
    /// The position of the failing assertion.
    pub failed: usize,
    /// Names of what the relevant events touch.
    pub followed: Vec<String>,
}

/// Which of the stored paths a question was about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A run by its id, which is empty where the traces have none.
    Run(String),
    /// All stored paths of each thread.
    Merged,
}

/// The file of a thread's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathFile {
    pub thread: ThreadName,
    pub file: String,
    /// It was made by flipping branches of a run.
    pub synthesised: bool,
}

impl Finding {
    /// The place that a reader looks at first; what an assertion says about itself helps where debug information is missing.
    pub fn place(&self) -> Option<Place> {
        let named =
            || self.asserted_at.as_ref().map(|(file, line)| Place { file: file.clone(), line: *line, column: 0 });
        self.at.place().cloned().or_else(named)
    }

    /// How many of those who are stuck wait for each other in a circle; they come first. 0 when there is no circle.
    pub fn cycle_length(&self) -> usize {
        cycle_length(&self.stuck)
    }

    /// The execution that does not fail and is told beside it.
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
