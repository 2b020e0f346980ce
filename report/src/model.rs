//! What a report says, before it is said: an execution's values with ids resolved to names and places.

use std::collections::BTreeSet;

use ir::{Origin, Program, SpanId};
use run::ThreadName;
use vm::{Execution, Failure, FailureKind, Outcome, Site};

use crate::caveats::Caveats;
use crate::checked::Checked;
use crate::stopped::Stopped;
use crate::trace::explanation::Explanation;

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    pub file: String,
    pub line: u32,
    /// 0 when it is not known.
    pub column: u32,
}

impl Place {
    /// `None` for code that has no place in a source text.
    pub fn of_span(program: &Program, span: SpanId) -> Option<Place> {
        let span = program.spans.get(span.0 as usize)?;
        let file = program.files.get(span.file.0 as usize)?;
        (span.line != 0).then(|| Place { file: file.clone(), line: span.line, column: span.column })
    }

    /// The file without its folders.
    pub fn file_name(&self) -> &str {
        self.file.rsplit('/').next().unwrap_or(&self.file)
    }
}

/// One call of a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub function: String,
    pub place: Option<Place>,
    pub origin: Origin,
}

/// Where a thread was. What a reader is shown first is the innermost code of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Where {
    pub thread: ThreadName,
    /// Innermost first, with the calls that were inlined.
    pub stack: Vec<Frame>,
}

impl Where {
    pub fn new(program: &Program, site: &Site) -> Where {
        let mut stack = Vec::new();
        for frame in &site.frames {
            let Some(function) = program.functions.get(frame.function.index()) else { continue };
            let mut span = frame.span;
            // An inlined call's own function is not known any more; its caller's name is the best there is.
            for _ in 0..64 {
                stack.push(Frame {
                    function: function.display.clone(),
                    place: Place::of_span(program, span),
                    origin: function.origin,
                });
                match program.spans.get(span.0 as usize).and_then(|span| span.inlined_at) {
                    Some(outer) => span = outer,
                    None => break,
                }
            }
        }
        Where { thread: site.thread.clone(), stack }
    }

    /// The innermost frame of the user's own code, or else the innermost that has a place.
    pub fn frame(&self) -> Option<&Frame> {
        let of_user = |frame: &&Frame| frame.origin == Origin::User && frame.place.is_some();
        self.stack.iter().find(of_user).or_else(|| self.stack.iter().find(|frame| frame.place.is_some()))
    }

    pub fn place(&self) -> Option<&Place> {
        self.frame().and_then(|frame| frame.place.as_ref())
    }

    /// `None` when there is only a library on the stack, as where a thread begins.
    pub fn user_place(&self) -> Option<&Place> {
        self.frame().filter(|frame| frame.origin == Origin::User).and_then(|frame| frame.place.as_ref())
    }

    pub fn function(&self) -> Option<&str> {
        self.frame().or(self.stack.first()).map(|frame| frame.function.as_str())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its position in the run.
    pub id: usize,
    pub thread: ThreadName,
    pub kind: &'static str,
    pub object: String,
    pub value: String,
    pub at: Where,
}

impl Event {
    /// What it is about: of `queue.push_back()` the queue.
    pub fn subject(&self) -> &str {
        self.object
            .strip_suffix("()")
            .and_then(|call| call.rsplit_once('.'))
            .map_or(&self.object, |(subject, _)| subject)
    }

    /// Whether it is the runtime's own business: outside of all user code, or on a library's own variables.
    pub fn is_internal(&self, library: &BTreeSet<String>) -> bool {
        let is_access = matches!(self.kind, "read" | "write" | "rmw");
        let base = self.object.split(['.', '[', ' ', '-']).next().unwrap_or_default();
        is_access && (self.at.user_place().is_none() || library.contains(base))
    }

    pub fn new(program: &Program, id: usize, event: &vm::Event) -> Event {
        Event {
            id,
            thread: event.thread.clone(),
            kind: event.kind,
            object: event.object.clone(),
            value: event.value.clone(),
            at: Where::new(program, &event.site),
        }
    }
}

/// A thread that waits for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    pub at: Where,
    pub on: &'static str,
    pub object: String,
    pub held_by: Vec<ThreadName>,
    /// Where each holder took what is waited for, as far as the events tell.
    pub taken: Vec<(ThreadName, Place)>,
}

/// Something that the environment gave to the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    Argument(Vec<u8>),
    Variable { name: String, value: String },
    Stdin(Vec<u8>),
    Choice { thread: ThreadName, step: u64, value: u64 },
}

/// A failure with the run that shows it.
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
    pub found: Option<Found>,
    /// How often the schedule was run again and failed alike.
    pub replayed: u32,
    /// The schedule's file and the command that replays it.
    pub schedule: Option<(String, String)>,
}

/// Which of the runs it was.
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
}

impl Finding {
    /// `None` when the execution did not fail.
    pub fn new(program: &Program, execution: &Execution) -> Option<Finding> {
        let Outcome::Failed(failure) = &execution.outcome else { return None };
        let of_library = program.globals.iter().filter(|global| global.origin != Origin::User);
        let library: BTreeSet<String> = of_library.map(|global| global.name.clone()).collect();
        let all = execution.events.iter().enumerate().map(|(id, event)| Event::new(program, id, event));
        let events: Vec<Event> = all.filter(|event| !event.is_internal(&library)).collect();
        let stuck = stuck(program, failure, &events);
        let at = match stuck.first() {
            Some(first) => first.at.clone(),
            None => Where::new(program, &failure.site),
        };
        Some(Finding {
            kind: failure.kind,
            at,
            condition: failure.condition.clone(),
            asserted_at: failure.asserted_at.clone(),
            related: failure.related.iter().map(|(what, site)| (what.clone(), Where::new(program, site))).collect(),
            stuck,
            inputs: execution
                .choices
                .iter()
                .map(|choice| Input::Choice { thread: choice.thread.clone(), step: choice.step, value: choice.value })
                .collect(),
            context_switches: execution.context_switches,
            context_switches_before: None,
            explanation: None,
            explanation_missing: None,
            found: None,
            replayed: 0,
            schedule: None,
            events,
        })
    }

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
}

fn stuck(program: &Program, failure: &Failure, events: &[Event]) -> Vec<Stuck> {
    let last_lock = |thread: &ThreadName, object: &str| {
        let taken = |event: &&Event| {
            event.thread == *thread
                && event.object == object
                && matches!(event.kind, "lock" | "read-lock" | "write-lock")
        };
        events.iter().rev().find(taken).and_then(|event| event.at.place().cloned())
    };
    let mut stuck: Vec<Stuck> = failure
        .waiting
        .iter()
        .map(|waiting| Stuck {
            at: Where::new(program, &waiting.site),
            on: waiting.on,
            object: waiting.object.clone(),
            held_by: waiting.held_by.clone(),
            taken: waiting
                .held_by
                .iter()
                .filter_map(|holder| Some((holder.clone(), last_lock(holder, &waiting.object)?)))
                .collect(),
        })
        .collect();
    // Without a circle, whoever only waits for another thread's end is not the one to look at.
    if cycle_length(&stuck) == 0 {
        stuck.sort_by_key(|stuck| stuck.on == "join");
    }
    stuck
}

fn cycle_length(stuck: &[Stuck]) -> usize {
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

/// Something that heddle does not cover, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    pub what: String,
    pub at: Option<Place>,
    pub function: Option<String>,
    /// Whether a run came there; otherwise it only stands in the program.
    pub reached: bool,
    /// Other places in the user's code that do the same.
    pub elsewhere: Vec<Place>,
}

impl Unsupported {
    /// Something that a run came to.
    pub fn new(program: &Program, what: &str, site: &Site) -> Unsupported {
        let at = Where::new(program, site);
        Unsupported {
            what: what.to_owned(),
            at: at.place().cloned(),
            function: at.function().map(str::to_owned),
            reached: true,
            elsewhere: Vec::new(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Failure,
    NoneFound,
    Inconclusive,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Failure => "failure",
            Verdict::NoneFound => "none-found",
            Verdict::Inconclusive => "inconclusive",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub first: u64,
    pub last: u64,
}

/// How schedules were chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search {
    /// One schedule was given.
    Replay,
    Random,
    Pct {
        depth: u32,
    },
    Exhaustive {
        reduction: bool,
        hashing: vm::explore::Hashing,
        preemptions: Option<u32>,
    },
    /// All schedules at once, with loops followed up to a bound.
    Bounded,
    /// Runs of several strategies, and in turns with them exploration.
    Portfolio {
        /// Of the executions, those that were explored.
        explored: u64,
    },
}

impl Search {
    pub fn name(&self) -> &'static str {
        match self {
            Search::Replay => "replay",
            Search::Random => "random",
            Search::Pct { .. } => "pct",
            Search::Exhaustive { .. } => "exhaustive",
            Search::Bounded => "bounded",
            Search::Portfolio { .. } => "portfolio",
        }
    }
}

/// What was tried: a verdict says nothing beyond it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Every schedule was tried.
    pub complete: bool,
    pub search: Search,
    /// Executions in all, the undisturbed one included.
    pub executions: u64,
    pub undisturbed: bool,
    /// The seeds that were used, if any.
    pub seeds: Option<Range>,
    /// No run may be longer.
    pub step_limit: u64,
    /// Runs that were longer, and were cut.
    pub cut: u64,
    /// Runs in which an assumption did not hold.
    pub excluded: u64,
    /// Why it ended before everything that was asked for was done.
    pub stopped: Option<Stopped>,
    /// Different states that were met, when they were counted.
    pub states: Option<u64>,
    /// What an exhaustive search left out, in words.
    pub left_out: Vec<String>,
}

impl Bounds {
    /// The executions that were runs, and not part of an exploration beside them.
    pub fn runs(&self) -> u64 {
        match self.search {
            Search::Portfolio { explored } => self.executions.saturating_sub(explored),
            _ => self.executions,
        }
    }
}

/// Failures of the same kind at the same place, when all runs were made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureCount {
    pub kind: FailureKind,
    pub at: Option<Place>,
    pub condition: String,
    /// Not known when schedules that amount to the same are tried once.
    pub runs: Option<u64>,
    pub first_seed: Option<u64>,
    /// The file of its own schedule, when it has one besides the finding's.
    pub schedule: Option<String>,
}

impl FailureCount {
    /// Whether both count failures of the same kind at the same place.
    pub fn is_same(&self, other: &FailureCount) -> bool {
        self.kind == other.kind && self.at == other.at && self.condition == other.condition
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timing {
    pub frontend: f64,
    pub search: f64,
    pub total: f64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    pub threads: usize,
    pub events: usize,
    /// Steps of all executions together.
    pub steps: u64,
    pub seconds: Timing,
}

/// The answer about a program that can be run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunReport {
    pub command: &'static str,
    pub program: String,
    pub verdict: Verdict,
    pub bounds: Bounds,
    pub finding: Option<Finding>,
    /// All failures, counted; empty unless they were asked for.
    pub counts: Vec<FailureCount>,
    pub unsupported: Vec<Unsupported>,
    /// What bounded checking says.
    pub checked: Option<Checked>,
    /// What the verdict leaves open.
    pub caveats: Caveats,
    pub stats: Stats,
}
