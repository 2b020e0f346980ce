//! Walks a program up to a fixpoint, and makes its graph.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::rc::Rc;

use events::{EventGraph, EventId};
use formula::Term;
use run::{RecordedRun, Taken, ThreadName};
use semantics::code::Code;
use thiserror::Error;
use vm::{Machine, Options};

use crate::bounded::Bounds;
use crate::bounded::births;
use crate::bounded::clashes::Touched;
use crate::bounded::foresight::foresee;
use crate::bounded::given::{self, Part};
use crate::bounded::objects::Object;
use crate::bounded::observe::Observed;
use crate::bounded::place::Place;
use crate::bounded::prefer::{Decision, Flip, Flips, Unmarked};
use crate::bounded::protected::Sure;
use crate::bounded::shape::Shapes;
use crate::bounded::state::{Memory, Rest, State};
use crate::bounded::value::Value;
use crate::bounded::walk::{Chosen, Cut, Guidance, Known, Origin, Remarks, Walk, Wrong};

/// What is shared and stored where settles in a few rounds.
const MOST_ROUNDS: u32 = 24;
/// In this round along a run everything begins anew, and all pointers keep their values in the run: if pointers lead
/// from one container to the next, each round finds further possible objects.
const LAST_TARGETS: u32 = 5;

#[derive(Debug, Error)]
pub enum UnrollError {
    #[error("the shared objects did not reach a fixpoint in {MOST_ROUNDS} rounds")]
    Unsettled,
    #[error("the time was over before all paths were unrolled")]
    Late,
    #[error("the graph of the program is ill-formed: {0}")]
    IllFormed(String),
}

/// The parts of its environment that a program reads, on any path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub stdin: bool,
    /// By name.
    pub files: BTreeSet<String>,
    pub variables: BTreeSet<String>,
}

/// A program as a graph.
#[derive(Debug)]
pub struct Unrolled {
    pub graph: EventGraph,
    /// By event.
    pub(crate) origins: Vec<Origin>,
    /// The meaning of assertions.
    pub wrongs: HashMap<EventId, Wrong>,
    /// Ends of the process by failures that were not asked for.
    pub unasked: HashMap<EventId, Wrong>,
    /// The cuts, behind which nothing is known.
    pub cuts: Vec<Cut>,
    pub(crate) inputs: Vec<Chosen>,
    /// The inputs that the program is given before it begins.
    pub(crate) parts: Vec<(Part, Term)>,
    /// The parts of its environment that it reads.
    pub seen: Seen,
    /// What races are looked for with.
    pub(crate) touched: Vec<Touched>,
    pub(crate) remarks: Remarks,
    /// The meaning of the graph's objects.
    pub(crate) cells: HashMap<events::ObjectId, Cell>,
    /// How many rounds it took to settle.
    pub rounds: u32,
    /// How many instructions were walked in the last one.
    pub steps: u64,
    /// The number of recorded loop iterations that changed nothing and were left out.
    pub idle_rounds: u64,
    /// By thread, the parts of its record that these rounds were.
    pub(crate) idle: Vec<(ThreadName, Range<Taken>)>,
    /// Decisions of recorded runs that some path flips.
    pub decisions: Vec<Decision>,
    /// The paths that flip them.
    pub flips: Vec<Flip>,
}

/// The meaning of an object of the graph, and the address that it concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cell {
    Memory(u64),
    /// What threads synchronise on.
    Sync(u64),
    /// Whether a block has ended.
    End(u64),
    /// What the source has no word for.
    Other,
}

impl Unrolled {
    /// The calls around an event, innermost first.
    pub fn frames(&self, event: EventId) -> &[vm::SiteFrame] {
        self.origins.get(event.index()).map_or(&[], |origin| &origin.frames)
    }
}

/// All that a program can do within the bounds.
pub fn unroll(code: &Rc<Code>, options: &Options, bounds: &Bounds) -> Result<Unrolled, UnrollError> {
    settle(code, options, bounds, Guidance::default(), false)?.whole()
}

/// What it did in a recorded run, but for the order of threads.
pub fn unroll_along(
    code: &Rc<Code>,
    options: &Options,
    bounds: &Bounds,
    run: &RecordedRun,
) -> Result<Unrolled, UnrollError> {
    settle(code, options, bounds, Guidance::along(run), false)?.whole()
}

/// The actions of a run of the machine, without the order of threads. Where a path could fork that the record does not
/// determine, or cannot be walked, it has its values in the run.
pub(crate) fn unroll_run(
    code: &Rc<Code>,
    options: &Options,
    bounds: &Bounds,
    run: &Observed,
) -> Result<Unrolled, UnrollError> {
    settle(code, options, bounds, Guidance::of_run(run), false)?.whole()
}

/// All executions of a program within the bounds near recorded runs of it, as one guarded graph with the flipped
/// decisions. Records determine loops and recursion as far as they reach; the bounds hold for paths that left them.
pub fn unroll_near(
    code: &Rc<Code>,
    options: &Options,
    bounds: &Bounds,
    runs: &[RecordedRun],
) -> Result<Unrolled, UnrollError> {
    let near = |runs, spins| settle(code, options, bounds, Guidance::near(runs), spins);
    if let Settled::Whole(unrolled) = near(runs, true)? {
        return Ok(*unrolled);
    }
    let condensed = runs.iter().map(|run| condensed(code, options, bounds, run));
    let condensed = condensed.collect::<Result<Vec<RecordedRun>, UnrollError>>()?;
    near(&condensed, false)?.whole()
}

/// A run without loop iterations that changed nothing: the number of times that a thread looks for a change that does
/// not come is not a decision.
fn condensed(
    code: &Rc<Code>,
    options: &Options,
    bounds: &Bounds,
    run: &RecordedRun,
) -> Result<RecordedRun, UnrollError> {
    let idle = settle(code, options, bounds, Guidance::along(run), false)?.whole()?.idle;
    let mut run = run.clone();
    for thread in &mut run.threads {
        let parts = idle.iter().filter(|(name, _)| *name == thread.name).map(|(_, part)| part.clone());
        *thread = thread.without(&parts.collect::<Vec<_>>());
    }
    Ok(run)
}

/// How a walk of everything ended.
enum Settled {
    Whole(Box<Unrolled>),
    /// A preferred path has loop iterations that may change nothing.
    Spins,
}

impl Settled {
    fn whole(self) -> Result<Unrolled, UnrollError> {
        match self {
            Settled::Whole(unrolled) => Ok(*unrolled),
            Settled::Spins => Err(UnrollError::Unsettled),
        }
    }
}

/// What is known before the first round.
fn beginning(code: &Code, machine: &Machine<Value>, run: Option<&Observed>) -> Known {
    let mut known = Known::default();
    known.files.hides = !crate::output::has_fixed_streams(&code.program);
    for (_, object) in machine.shared.memory.objects() {
        let name = match object.kind {
            vm::memory::ObjectKind::Global(global) => Some(code.program.globals[global.index()].name.clone()),
            _ => None,
        };
        known.objects.place(Object {
            base: object.base,
            size: object.size,
            image: object.bytes.as_slice().into(),
            constant: object.constant,
            external: object.external,
            heap: false,
            varies: None,
            name,
        });
    }
    if let Some(run) = run {
        let foresight = foresee(&mut known.objects, code, &run.memory, &run.logs());
        known.sharing = foresight.sharing;
        known.told = foresight.told;
        known.kinds = foresight.kinds;
        known.parties = foresight.parties;
    }
    known
}

fn settle(
    code: &Rc<Code>,
    options: &Options,
    bounds: &Bounds,
    guidance: Guidance<'_>,
    stops_at_spins: bool,
) -> Result<Settled, UnrollError> {
    let shapes = Shapes::new(code);
    let machine: Machine<Value> = Machine::new(code, options);
    let mut known = beginning(code, &machine, guidance.run);
    let mut effort = 0;
    for round in 0..MOST_ROUNDS {
        if round == LAST_TARGETS && guidance.run.is_some() {
            known = beginning(code, &machine, guidance.run);
            known.told.fixed_pointers = true;
        }
        known.stored.round = round;
        let before = (known.news, known.stored.news);
        let grown = known.objects.grown;
        let left = Bounds { effort: bounds.effort.map(|most| most.saturating_sub(effort)), ..*bounds };
        let mut walk = Walk::new(code, &shapes, options, &left, guidance, &mut known);
        walk.add_thread(0, ThreadName::main());
        let thread = machine.thread(0);
        let mut rest = first(Place::of(code, &shapes, thread));
        rest.tracks = guidance.preferred.map_or(Vec::new(), |preferred| preferred.begin(&ThreadName::main()));
        let thread = given::begin(&mut walk, thread, &mut rest);
        walk.walk(State { thread, rest });
        while let Some(birth) = walk.births.pop_front() {
            births::walk(&mut walk, birth);
        }
        if walk.late {
            return Err(UnrollError::Late);
        }
        effort += walk.steps;
        if stops_at_spins && walk.flips.spins {
            return Ok(Settled::Spins);
        }
        walk.settle_values(before.1);
        let (news, found) = ((walk.known.news, walk.known.stored.news), std::mem::take(&mut walk.found));
        if before == news && grown == walk.known.objects.grown && walk.known.sharing.covers(&found) {
            return conclude(walk, round + 1).map(|unrolled| Settled::Whole(Box::new(unrolled)));
        }
        let mut sharing = found;
        sharing.join(&walk.known.sharing);
        walk.known.sharing = sharing;
    }
    Err(UnrollError::Unsettled)
}

pub fn first(place: Place) -> Rest {
    Rest {
        thread: 0,
        place,
        guard: Default::default(),
        memory: Memory::default(),
        live: false,
        atomic: 0,
        held: BTreeMap::new(),
        written: BTreeMap::new(),
        destroyed: BTreeMap::new(),
        counters: BTreeMap::new(),
        joined: BTreeSet::new(),
        claimed: BTreeMap::new(),
        deeds: Value::word(32, 0),
        visits: BTreeMap::new(),
        mutexes: BTreeSet::new(),
        sure: Sure::default(),
        refined: Rc::default(),
        rooms: BTreeMap::new(),
        forced: None,
        along: Default::default(),
        clock_reads: 0,
        children: 0,
        taken: Taken::default(),
        unrecorded: false,
        tracks: Vec::new(),
        free: 0,
        unmarked: Unmarked::default(),
    }
}

fn conclude(mut walk: Walk<'_>, rounds: u32) -> Result<Unrolled, UnrollError> {
    let idle = std::mem::take(&mut walk.idle_records);
    let idle = idle.into_iter().map(|(thread, part)| (walk.name(thread).clone(), part)).collect();
    let Walk {
        known,
        builder,
        origins,
        wrongs,
        unasked,
        cuts,
        inputs,
        parts,
        touched,
        remarks,
        objects,
        syncs,
        ends,
        lives,
        steps,
        idle_rounds,
        flips,
        ..
    } = walk;
    let Flips { decisions, flips, .. } = flips;
    let files = std::mem::take(&mut known.files);
    let variables = std::mem::take(&mut known.variables);
    let seen = Seen { stdin: files.reads_stdin, files: files.names, variables };
    let graph = builder.finish();
    if let Err(errors) = events::check(&graph) {
        return Err(UnrollError::IllFormed(errors.first().map(ToString::to_string).unwrap_or_default()));
    }
    let base = |id| known.objects.get(id).base;
    let syncs = syncs.into_iter().map(|(id, cell)| (cell, Cell::Sync(base(id))));
    let ends = ends.into_iter().map(|(id, cell)| (cell, Cell::End(base(id))));
    let lives = lives.into_values().map(|cell| (cell, Cell::Other));
    let cells = objects
        .into_iter()
        .map(|(id, cell)| (cell, Cell::Memory(base(id))))
        .chain(syncs)
        .chain(ends)
        .chain(lives)
        .collect();
    Ok(Unrolled {
        graph,
        remarks,
        cells,
        origins,
        wrongs,
        unasked,
        cuts,
        inputs,
        parts,
        seen,
        touched,
        rounds,
        steps,
        idle_rounds,
        idle,
        decisions,
        flips,
    })
}
