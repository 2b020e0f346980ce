//! Follows one run of a program in the machine, and tells it as an event graph: what each thread did along its path, as
//! far as others could see it, with what it read of others as symbols.
//!
//! The run is followed several times: which bytes are shared is found from the run itself ([`crate::sharing`]).

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use events::{EventGraph, EventId, Execution, Extent, Kind, Step, ThreadId, Violation};
use formula::Term;
use ir::FunctionId;
use run::{Divergence, Schedule, ThreadName};
use semantics::code::Code;
use semantics::execute;
use thiserror::Error;
use vm::callers::{self, Words};
use vm::memory::Memory;
use vm::world::Phase;
use vm::{Follower, Machine, Observer, Options, Outcome};

use crate::aftermath;
use crate::bounded::compact::compact;
use crate::dual::Dual;
use crate::failure::{self, Decided};
use crate::sharing::Sharing;
use crate::trace::{Label, Origin, Trace, Turn};
use crate::world::Tracer;

/// Sharing settles in two or three rounds.
const MOST_ROUNDS: usize = 12;

#[derive(Debug, Error)]
pub enum FollowError {
    #[error("the schedule does not fit the program: {0}")]
    Divergence(#[from] Divergence),
    #[error("only one thread ever ran")]
    OneThread,
    #[error("what is shared did not settle in {MOST_ROUNDS} rounds")]
    Unsettled,
    #[error("the graph of the run is ill-formed: {0}")]
    IllFormed(String),
    #[error("the graph does not agree with the run that it was made of: {0}")]
    Disagrees(Violation),
}

/// A run as a graph.
#[derive(Clone, Debug)]
pub struct Followed {
    pub graph: EventGraph,
    /// The run itself, an execution of the graph.
    pub execution: Execution,
    /// What it came to in the machine.
    pub outcome: Outcome,
    /// By event.
    pub origins: Vec<Origin>,
    /// By event: what accesses touched.
    pub labels: HashMap<EventId, Label>,
    /// As it was in the end.
    pub memory: Memory,
    /// The assertion that stands for the failure, if it is one that a condition decides.
    pub failing: Option<EventId>,
    /// The failing thread's events from this one on may be missing where it does not fail: its number among them.
    pub(crate) open_from: Option<(ThreadId, usize)>,
    /// By thread: whether it came to its end.
    pub(crate) ended: Vec<bool>,
    pub(crate) given: Given,
    pub(crate) sharing: Rc<Sharing>,
}

/// What the run was followed with, and has to be followed with again to come to the same events.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    /// What was written to a place, as far as it was known.
    pub written: HashMap<u64, Vec<u128>>,
    /// What the environment chose.
    pub choices: Vec<run::Choice>,
}

/// How far a run is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// To its failure.
    Failure,
    /// On to what the other threads do if nothing had happened: one way to go on among many.
    End,
}

/// Follows the run that a schedule describes.
pub fn follow(code: &Rc<Code>, options: &Options, schedule: &Schedule, until: Until) -> Result<Followed, FollowError> {
    let mut sharing = Rc::new(Sharing::default());
    let mut written = HashMap::new();
    for _ in 0..MOST_ROUNDS {
        let observer = begin(code, sharing.clone(), written.clone());
        let (follower, outcome) = vm::replay_by(code, options, schedule, observer)?;
        let Follower { mut machine, observer: mut trace, .. } = follower;
        if !trace.live {
            return Err(FollowError::OneThread);
        }
        let decided = match &outcome {
            Outcome::Failed(failed) => {
                let decided = failure::decide(&machine, &mut trace, failed);
                if until == Until::End || failed.is_stuck() {
                    aftermath::go_on(&mut machine, &mut trace, failed);
                }
                if failed.is_stuck() {
                    failure::note_waiting(&machine, &mut trace);
                }
                decided
            }
            _ => None,
        };
        if sharing.covers(&trace.found) {
            return conclude(&machine, trace, outcome, decided, Given { written, choices: schedule.choices.clone() });
        }
        let mut next = trace.found;
        next.join(&sharing);
        sharing = Rc::new(next);
        written = trace.written;
    }
    Err(FollowError::Unsettled)
}

pub(crate) fn begin(code: &Rc<Code>, sharing: Rc<Sharing>, written: HashMap<u64, Vec<u128>>) -> Trace {
    let mut trace = Trace::new(code, sharing, written);
    trace.add_thread(ThreadName::main());
    trace
}

impl Observer<Dual> for Trace {
    fn step(&mut self, machine: &mut Machine<Dual>, thread: usize, choice: u64) -> Option<Outcome> {
        self.current = thread;
        let state = machine.thread(thread);
        self.step = state.steps + 1;
        let last = state.frames.len().saturating_sub(1);
        let calls = state.frames.iter().enumerate().map(|(depth, frame)| {
            // Callers stand behind their call.
            (frame.function, frame.position - u32::from(depth < last && frame.position > 0))
        });
        let calls: Vec<(FunctionId, u32)> = calls.collect();
        self.threads[thread].calls = calls;
        self.words = words(machine, thread);
        machine.step_by(thread, choice, |code, state, shared, limit| {
            execute::run(code, state, &mut Tracer { shared, trace: self }, limit)
        })
    }
}

/// What the source calls what a thread is about to do.
fn words(machine: &Machine<Dual>, thread: usize) -> Words {
    let site = machine.site(thread);
    callers::words(machine, thread, &site, machine.shared.status[thread].pending.as_ref())
}

fn conclude(
    machine: &Machine<Dual>,
    mut trace: Trace,
    outcome: Outcome,
    decided: Option<Decided>,
    given: Given,
) -> Result<Followed, FollowError> {
    note_woken(machine, &mut trace);
    trace.close_sections();
    let asleep: Vec<EventId> = trace.threads.iter().filter_map(|thread| thread.halfway).collect();
    let Trace { builder, origins, labels, order, mut dropped, sharing, .. } = trace;
    let mut graph = builder.finish();
    end_sleep(&mut graph, &asleep);
    note_foreign(&mut graph);
    let exits = graph.threads.len();
    let first_exit = (graph.events.len() - exits) as u32;
    let open_from = decided.as_ref().map(|decided| {
        let first = decided.first();
        (graph.events[first.index()].thread, origins[first.index()].index)
    });
    let mut ended = vec![false; graph.threads.len()];
    for turn in &order {
        if let Turn::Exit(thread) = turn {
            ended[thread.index()] = true;
        }
    }
    let failing = decided.and_then(|decided| failure::apply(&mut graph, decided, first_exit, &mut dropped));
    let mut all_origins = origins;
    all_origins.resize(graph.events.len(), Origin::default());
    let numbers = compact(&mut graph, &dropped);
    let origins = all_origins.into_iter().enumerate();
    let origins = origins.filter(|(index, _)| numbers.of(EventId(*index as u32)).is_some()).map(|(_, origin)| origin);
    let steps = order.into_iter().filter_map(|turn| {
        let (event, choice) = match turn {
            Turn::Event(event, choice) => (event, choice),
            Turn::Exit(thread) => (EventId(first_exit + thread.0), events::Choice::Only),
        };
        Some(Step { event: numbers.of(event)?, choice: numbers.choice(choice)? })
    });
    let failing = failing.and_then(|event| numbers.of(event));
    let mut execution = Execution { steps: steps.collect(), inputs: Vec::new() };
    // What others did between the decision and the end is no part of it.
    if let Some(last) = execution.steps.iter().position(|step| Some(step.event) == failing) {
        execution.steps.truncate(last + 1);
    }
    if let Err(errors) = events::check(&graph) {
        return Err(FollowError::IllFormed(errors.first().map(ToString::to_string).unwrap_or_default()));
    }
    events::replay(&graph, &execution, Extent::Prefix).map_err(FollowError::Disagrees)?;
    let origins = origins.collect();
    let labels = labels.into_iter().filter_map(|(event, label)| Some((numbers.of(event)?, label))).collect();
    let memory = machine.shared.memory.clone();
    Ok(Followed { graph, execution, outcome, origins, labels, memory, failing, open_from, ended, given, sharing })
}

/// Whoever was woken and had not got its mutex back when the run ended would do so next.
fn note_woken(machine: &Machine<Dual>, trace: &mut Trace) {
    for thread in 0..trace.threads.len() {
        let Some(sleep) = trace.threads[thread].halfway else { continue };
        let is_sleep = matches!(trace.builder.graph().events[sleep.index()].kind, Kind::Sleep { .. });
        let is_woken = matches!(machine.shared.status[thread].phase, Phase::Woken(_));
        let wakes = |event: &events::Event| matches!(event.kind, Kind::Wake { sleep: other, .. } if other == sleep);
        if is_sleep && is_woken && !trace.builder.graph().events.iter().any(wakes) {
            trace.current = thread;
            let id = trace.prepare();
            let (wake, _) = trace.wake(sleep, false);
            let event = trace.builder.event(id, wake);
            trace.remember(event);
        }
    }
}

/// Whoever was asleep when the run ended did no more than to let go of the mutex.
fn end_sleep(graph: &mut EventGraph, asleep: &[EventId]) {
    for &event in asleep {
        let wakes = |kind: &Kind| matches!(kind, Kind::Wake { sleep, .. } if *sleep == event);
        if graph.events.iter().any(|event| wakes(&event.kind)) {
            continue;
        }
        if let Kind::Sleep { mutex, recursive, .. } = graph.events[event.index()].kind {
            graph.events[event.index()].kind = Kind::Unlock { mutex, recursive, foreign: false };
        }
    }
}

/// Where one thread releases a mutex that another one holds, those who took it may release it from others too, in another
/// order.
fn note_foreign(graph: &mut EventGraph) {
    let place = |event: &events::Event| match event.kind {
        Kind::Unlock { mutex, foreign, .. } => Some(((mutex.object, mutex.offset), foreign)),
        _ => None,
    };
    let found = graph.events.iter().filter_map(place).filter(|(_, foreign)| *foreign);
    let mutexes: HashSet<(Term, Term)> = found.map(|(mutex, _)| mutex).collect();
    for event in graph.events.iter_mut().filter(|_| !mutexes.is_empty()) {
        if let Kind::Unlock { mutex, recursive: false, foreign } = &mut event.kind {
            *foreign |= mutexes.contains(&(mutex.object, mutex.offset));
        }
    }
}
