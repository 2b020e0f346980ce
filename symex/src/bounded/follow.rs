//! The paths of a run of the machine as a graph, and the run as an execution of it.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use events::{EventGraph, EventId, Execution, Extent, Kind, Step, Violation};
use ir::{LayoutId, Type};
use run::{Choice, Divergence, Schedule};
use semantics::code::{Code, Inst};
use thiserror::Error;
use vm::memory::{Memory, ObjectKind};
use vm::{FailureKind, Options, Outcome, names};

use crate::bounded::Bounds;
use crate::bounded::compact::compact;
use crate::bounded::decisive::decide;
use crate::bounded::map_schedule::place_moves;
use crate::bounded::observe::{self, Deed, Observed, Spot, Until};
use crate::bounded::place::source_place;
use crate::bounded::shape::Shapes;
use crate::bounded::unroll::{Cell, UnrollError, Unrolled, unroll_run};
use crate::bounded::walk::{Cut, Reason};

/// How many instructions of each thread are followed.
const STEPS: u64 = 100_000_000;

#[derive(Debug, Error)]
pub enum FollowError {
    #[error("the schedule does not fit the program: {0}")]
    Divergence(#[from] Divergence),
    #[error("only one thread ever ran")]
    OneThread,
    #[error(transparent)]
    Unrolled(#[from] UnrollError),
    #[error("its paths cannot be unrolled: {0}")]
    Cut(String),
    #[error("the graph of the run is ill-formed: {0}")]
    IllFormed(String),
    #[error("the graph does not fit the run that it was made from: {0}")]
    Disagrees(Violation),
    #[error("the run does not fail on its own graph")]
    Passes,
}

/// The source name of an accessed object, and the format of its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// `q->filled`, or the library's function that touched it: `queue.push_back()`.
    pub object: String,
    /// None if the contents mean nothing to the user.
    pub value: Option<(Type, Option<LayoutId>)>,
    /// The kind, if it differs from the graph's: the end of a block, or a use of one.
    pub kind: Option<&'static str>,
}

/// A run as a graph.
pub struct Followed {
    pub(crate) unrolled: Unrolled,
    /// The run itself, an execution of the graph.
    pub execution: Execution,
    /// The assertion that represents the failure, if a condition decides it.
    pub failing: Option<EventId>,
    pub(crate) observed: Observed,
    /// What the environment chose.
    pub(crate) choices: Vec<Choice>,
    code: Rc<Code>,
    options: Options,
    schedule: Schedule,
    until: Until,
    deeds: OnceCell<HashMap<Spot, Deed>>,
}

/// Follows the run that a schedule describes.
pub fn follow(code: &Rc<Code>, options: &Options, schedule: &Schedule, until: Until) -> Result<Followed, FollowError> {
    let shapes = Shapes::new(code);
    let run = Observed::new(code, options, schedule, until, &shapes)?;
    if run.threads == 1 {
        return Err(FollowError::OneThread);
    }
    let failure = run.failure().cloned();
    let properties = failure.iter().map(|failure| failure.kind).collect();
    let sought = Options { properties, ..options.clone() };
    let bounds = Bounds { steps: STEPS, ..Bounds::default() };
    let mut unrolled = unroll_run(code, &sought, &bounds, &run)?;
    if let Some(cut) = unrolled.cuts.iter().find(|cut| cut.reason != Reason::Record) {
        return Err(FollowError::Cut(cut_off(&code.program, cut)));
    }
    let observed = run;
    let mut execution = place_moves(&unrolled, &observed.moves, true)?;
    let cuts = unrolled.cuts.iter().map(|cut| cut.event);
    let mut dropped: HashSet<EventId> = cuts.chain(unrolled.remarks.hidden.iter().copied()).collect();
    let mut failing = None;
    // Two accesses without an order race in every order.
    if failure.is_some_and(|failure| !failure.is_stuck() && failure.kind != FailureKind::Race) {
        let replayed = events::replay(&unrolled.graph, &execution, Extent::Prefix).map_err(FollowError::Disagrees)?;
        let &event = replayed.failed.first().ok_or(FollowError::Passes)?;
        failing = Some(decide(&mut unrolled, &code.program, event, &mut dropped));
    }
    end_sleep(&mut unrolled, &observed, &mut dropped);
    failing = renumber(&mut unrolled, &mut execution, failing, &dropped);
    if let Err(errors) = events::check(&unrolled.graph) {
        return Err(FollowError::IllFormed(errors.first().map(ToString::to_string).unwrap_or_default()));
    }
    events::replay(&unrolled.graph, &execution, Extent::Prefix).map_err(FollowError::Disagrees)?;
    Ok(Followed {
        unrolled,
        execution,
        failing,
        observed,
        choices: schedule.choices.clone(),
        code: code.clone(),
        options: options.clone(),
        schedule: schedule.clone(),
        until,
        deeds: OnceCell::new(),
    })
}

/// Why a path ends and where, in one line.
fn cut_off(program: &ir::Program, cut: &Cut) -> String {
    let reason = match &cut.reason {
        Reason::Unsupported(what) => what.clone(),
        reason => format!("{reason:?}"),
    };
    let Some(frame) = cut.frames.first() else { return reason };
    let function = &program.functions[frame.function.index()].display;
    match source_place(program, &cut.frames) {
        Some(place) => format!("{reason}, in {function}, {}:{}", place.file, place.line),
        None => format!("{reason}, in {function}"),
    }
}

/// Sleepers that were still asleep when the run ended did no more than to let go of the mutex.
fn end_sleep(unrolled: &mut Unrolled, observed: &Observed, dropped: &mut HashSet<EventId>) {
    let graph = &mut unrolled.graph;
    for thread in &graph.threads {
        if !observed.asleep.contains(&thread.name) {
            continue;
        }
        let of_kind = |wanted: fn(&Kind) -> bool| {
            thread.events.iter().rev().copied().find(|event| wanted(&graph.events[event.index()].kind))
        };
        let wake = of_kind(|kind| matches!(kind, Kind::Wake { .. }));
        let sleep = of_kind(|kind| matches!(kind, Kind::Sleep { .. }));
        let (Some(wake), Some(sleep)) = (wake, sleep) else { continue };
        dropped.insert(wake);
        if let Kind::Sleep { mutex, recursive, .. } = graph.events[sleep.index()].kind {
            graph.events[sleep.index()].kind = Kind::Unlock { mutex, recursive, foreign: false };
        }
    }
}

/// Takes events out of the graph and the execution, which ends with the failure.
fn renumber(
    unrolled: &mut Unrolled,
    execution: &mut Execution,
    failing: Option<EventId>,
    dropped: &HashSet<EventId>,
) -> Option<EventId> {
    let numbers = compact(&mut unrolled.graph, dropped);
    let origins = std::mem::take(&mut unrolled.origins).into_iter().enumerate();
    let kept = origins.filter(|(index, _)| numbers.of(EventId(*index as u32)).is_some());
    unrolled.origins = kept.map(|(_, origin)| origin).collect();
    let steps = execution
        .steps
        .iter()
        .filter_map(|step| Some(Step { event: numbers.of(step.event)?, choice: numbers.choice(step.choice)? }));
    execution.steps = steps.collect();
    let failing = failing.and_then(|event| numbers.of(event));
    // Later actions of other threads between the decision and the end are not part of it.
    if let Some(last) = execution.steps.iter().position(|step| Some(step.event) == failing) {
        execution.steps.truncate(last + 1);
    }
    failing
}

impl Followed {
    pub fn graph(&self) -> &EventGraph {
        &self.unrolled.graph
    }

    /// What the run came to in the machine.
    pub fn outcome(&self) -> &Outcome {
        &self.observed.outcome
    }

    /// The machine's memory in the end.
    pub fn memory(&self) -> &Memory {
        &self.observed.memory
    }

    /// What an event touched, if the source has a word for it.
    pub fn label(&self, event: EventId) -> Option<Label> {
        let kind = &self.graph().events.get(event.index())?.kind;
        let origin = self.unrolled.origins.get(event.index())?;
        let terms = &self.graph().terms;
        let (address, writes) = match kind {
            Kind::Access(access) => (access.address, access.new.is_some()),
            Kind::Lock { mutex, .. } | Kind::TryLock { mutex, .. } | Kind::Unlock { mutex, .. } => (*mutex, true),
            Kind::Signal { condition } | Kind::Broadcast { condition } | Kind::Sleep { condition, .. } => {
                (*condition, true)
            }
            _ => return None,
        };
        let thread = &self.graph().threads[self.graph().events[event.index()].thread.index()].name;
        // The run is gone through again for these: only where they are needed.
        let deed = || self.deeds().get(&(thread.clone(), origin.whole_key.clone()));
        let cell = terms
            .as_bits(address.object)
            .and_then(|object| self.unrolled.cells.get(&events::ObjectId(object as u32)).copied());
        let offset = terms.as_bits(address.offset).map(|offset| offset as u64);
        let (program, memory) = (&self.code.program, &self.observed.memory);
        let label = match cell {
            Some(Cell::End(base)) => {
                let kind = Some(if writes { "free" } else { "use" });
                Label { object: self.block_name(base), value: None, kind }
            }
            Some(Cell::Sync(base)) => {
                let at = base + offset?;
                let is_named = names::has_name(program, memory, at);
                let told = if is_named { None } else { deed().and_then(|deed| deed.words.object.clone()) };
                let object = told.unwrap_or_else(|| names::describe(program, memory, at, None));
                Label { object, value: None, kind: None }
            }
            Some(Cell::Other) => return None,
            Some(Cell::Memory(_)) | None => {
                let is_library = origin
                    .frames
                    .first()
                    .is_some_and(|frame| program.functions[frame.function.index()].origin != ir::Origin::User);
                if is_library && let Some(object) = deed().and_then(|deed| deed.words.library_call.clone()) {
                    return Some(Label { object, value: None, kind: None });
                }
                let access = self.access_of(event)?;
                let at = match cell.zip(offset) {
                    Some((Cell::Memory(base), offset)) => base + offset,
                    // Others have an influence on where it is: it is where it was in the run.
                    _ => deed()?.at?,
                };
                let layout = names::layout_at(program, memory, at, access.ty);
                let object = names::describe(program, memory, at, access.place);
                Label { object, value: Some((access.ty, layout)), kind: None }
            }
        };
        Some(label)
    }

    /// The instruction that made an event.
    fn inst_of(&self, event: EventId) -> Option<&Inst> {
        let origin = self.unrolled.origins.get(event.index())?;
        let (function, &position) = (origin.frames.first()?.function, origin.key.last()?);
        self.code.function(function).insts.get(position as usize)
    }

    fn access_of(&self, event: EventId) -> Option<semantics::code::Access> {
        match self.inst_of(event)? {
            Inst::Load { access, .. }
            | Inst::Store { access, .. }
            | Inst::Rmw { access, .. }
            | Inst::CompareExchange { access, .. } => Some(*access),
            _ => None,
        }
    }

    fn deeds(&self) -> &HashMap<Spot, Deed> {
        self.deeds.get_or_init(|| {
            let places = self.unrolled.origins.iter().filter_map(|origin| {
                let function = origin.frames.first()?.function;
                Some((function, *origin.key.last()?))
            });
            observe::deeds(&self.code, &self.options, &self.schedule, self.until, places)
        })
    }

    /// A block has no name, but a place where it was made.
    fn block_name(&self, base: u64) -> String {
        let (program, memory) = (&self.code.program, &self.observed.memory);
        let found = memory.resolve(base).map(|(id, _)| memory.object(id));
        let made = found.and_then(|object| match &object.kind {
            ObjectKind::Heap { allocated } => source_place(program, &allocated.frames),
            _ => None,
        });
        match made {
            Some(place) => {
                let file = place.file.rsplit('/').next().unwrap_or(&place.file).to_owned();
                format!("the block from {file}:{}", place.line)
            }
            None => names::describe(program, memory, base, None),
        }
    }
}
