//! The outcomes of executions as values, without formatting.

use ir::{FunctionId, SpanId};
use run::{Choice, RecordedRun, Segment, ThreadName};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FailureKind {
    Assertion,
    Abort,
    Memory,
    Exception,
    Deadlock,
    Hang,
    Race,
    Exit,
}

impl FailureKind {
    pub const ALL: &[FailureKind] = &[
        FailureKind::Assertion,
        FailureKind::Abort,
        FailureKind::Memory,
        FailureKind::Exception,
        FailureKind::Deadlock,
        FailureKind::Hang,
        FailureKind::Race,
        FailureKind::Exit,
    ];

    pub fn name(self) -> &'static str {
        match self {
            FailureKind::Assertion => "assertion",
            FailureKind::Abort => "abort",
            FailureKind::Memory => "memory",
            FailureKind::Exception => "exception",
            FailureKind::Deadlock => "deadlock",
            FailureKind::Hang => "hang",
            FailureKind::Race => "race",
            FailureKind::Exit => "exit",
        }
    }

    pub fn from_name(name: &str) -> Option<FailureKind> {
        FailureKind::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

/// Where a thread was: the instruction and the calls that led to it, innermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    pub thread: ThreadName,
    pub frames: Vec<SiteFrame>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SiteFrame {
    pub function: FunctionId,
    pub span: SpanId,
}

/// The object that a thread waits for, and the threads that could release it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    pub site: Site,
    /// In words: `mutex`, `condition`, `join`, `semaphore`, `barrier`, `rwlock`, `once`, `loop`.
    pub on: &'static str,
    /// The source name of the object, such as `lock_a`, or the thread to join.
    pub object: String,
    pub held_by: Vec<ThreadName>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub kind: FailureKind,
    pub site: Site,
    /// The asserted condition, or the failure: `total == sum`, `null pointer read`, `freed memory written`.
    pub condition: String,
    /// The place that an assertion names, when it names one.
    pub asserted_at: Option<(String, u32)>,
    /// More of the story: where the freed block was allocated and freed, the other access of a race.
    pub related: Vec<(String, Site)>,
    /// Deadlocks and hangs: all stuck threads, the cycle first.
    pub waiting: Vec<Waiting>,
}

impl Failure {
    /// Whether threads wait for ever, rather than one of them executing a wrong operation.
    pub fn is_stuck(&self) -> bool {
        matches!(self.kind, FailureKind::Deadlock | FailureKind::Hang)
    }

    /// Whether two runs fail in the same way: the same kind and condition, by the same thread at the same place.
    /// Threads that wait for ever have no single place: the first one depends on the order of arrival.
    pub fn is_same(&self, other: &Failure) -> bool {
        self.kind == other.kind && self.condition == other.condition && (self.is_stuck() || self.site == other.site)
    }

    /// Whether two failures of one program are one defect for the reader: failures of one kind at one place, in any thread.
    /// The callers of a library function belong to the place. Stuck threads wait for the same, each at the same place.
    pub fn is_alike(&self, other: &Failure) -> bool {
        self.kind == other.kind
            && self.condition == other.condition
            && self.stands() == other.stands()
            && (!self.waiting.is_empty() || self.site.frames == other.site.frames)
    }

    /// The waits of the threads and their places, independent of the order of arrival.
    fn stands(&self) -> Vec<(&'static str, Vec<(u32, u32)>)> {
        let frames = |site: &Site| site.frames.iter().map(|frame| (frame.function.0, frame.span.0)).collect();
        let mut stands: Vec<_> = self.waiting.iter().map(|waiting| (waiting.on, frames(&waiting.site))).collect();
        stands.sort_unstable();
        stands
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every thread ended, or the process exited.
    Passed {
        status: i32,
    },
    Failed(Box<Failure>),
    /// A failure of a kind that was not requested. The process ended there, or no thread was enabled.
    Unasked(Box<Failure>),
    /// An unsupported construct was reached.
    Unsupported {
        what: String,
        site: Site,
    },
    /// The run was longer than it may be.
    StepLimit {
        steps: u64,
    },
    /// An assumption did not hold: the run does not count.
    Excluded {
        site: Site,
    },
}

impl Outcome {
    /// Whether a thread executed a wrong operation, requested or not.
    pub fn is_wrong(&self) -> bool {
        matches!(self, Outcome::Failed(_) | Outcome::Unasked(_))
    }
}

/// One visible operation of an execution, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub thread: ThreadName,
    /// The thread's step count when it was done.
    pub step: u64,
    /// read, write, rmw, lock, unlock, wait, signal, broadcast, fork, join, start, exit, assert, …
    pub kind: &'static str,
    /// The source name of the accessed object: `q->filled`, `accounts[2].balance`; empty if there is none.
    pub object: String,
    /// The value read or written, as a person would write it; empty when there is none.
    pub value: String,
    pub site: Site,
}

#[derive(Clone, Debug)]
pub struct Execution {
    pub outcome: Outcome,
    pub segments: Vec<Segment>,
    pub choices: Vec<Choice>,
    /// Empty unless events were requested.
    pub events: Vec<Event>,
    /// The equivalent native record, if it was requested and the run ended.
    pub recorded: Option<RecordedRun>,
    /// The output of the program, in order: (descriptor, bytes).
    pub output: Vec<(i32, Vec<u8>)>,
    pub threads: usize,
    pub steps: u64,
    /// The number of visible steps, among which a strategy chooses.
    pub visible_steps: u64,
    pub context_switches: usize,
}
