//! Regions: the calls, or the ranges of a thread's own function, that make up one construct, and the memory locations
//! that belong to it.
//!
//! A construct begins with a wait in some run. At level 0 its region is the innermost call of the user's code that
//! waits; each further level goes one call outwards. The locations that such calls access, among those that several
//! threads access and some of them write, belong to one construct; other code that accesses them has another role in
//! it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use ir::{FunctionId, SpanId};
use semantics::code::Code;

use crate::observe::{Call, What, span_of};
use crate::runs::{Entry, Run};

pub type RegionId = usize;

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Region {
    /// All of a call.
    Call(FunctionId),
    /// Positions in a function that threads begin with.
    Stretch { function: FunctionId, positions: BTreeSet<u32> },
}

/// One construct: its regions and its places.
#[derive(Clone, Debug)]
pub struct Layout {
    pub regions: Vec<Region>,
    pub places: Rc<HashSet<u64>>,
    /// Where threads were seen to wait.
    pub waits: BTreeSet<SpanId>,
    /// A thread that comes back to where it entered a stretch, and has written since, goes through it once more.
    pub repeats: bool,
    calls: HashMap<FunctionId, RegionId>,
    stretches: HashMap<(FunctionId, u32), RegionId>,
}

impl Layout {
    pub fn new(regions: Vec<Region>, places: HashSet<u64>, waits: BTreeSet<SpanId>) -> Layout {
        let mut calls = HashMap::new();
        let mut stretches = HashMap::new();
        for (id, region) in regions.iter().enumerate() {
            match region {
                Region::Call(function) => {
                    calls.insert(*function, id);
                }
                Region::Stretch { function, positions } => {
                    stretches.extend(positions.iter().map(|&position| ((*function, position), id)));
                }
            }
        }
        Layout { regions, places: Rc::new(places), waits, repeats: false, calls, stretches }
    }

    /// The region that a thread is in, and the call that holds it: the outermost one that is a region.
    pub fn region(&self, calls: &[Call]) -> Option<(RegionId, u64)> {
        let of_call = calls.iter().rev().find_map(|call| Some((*self.calls.get(&call.function)?, call.serial)));
        of_call.or_else(|| {
            calls.iter().find_map(|call| Some((*self.stretches.get(&(call.function, call.position))?, call.serial)))
        })
    }

    pub fn touches(&self, what: What) -> bool {
        what.places().any(|place| self.places.contains(&place))
    }
}

/// Facts about memory locations from all runs.
pub struct Facts {
    /// Places that several threads touch and some of them write, once there are several.
    pub mutable: HashSet<u64>,
    pub atomic: HashSet<u64>,
    /// Places that threads wait for.
    pub awaited: HashSet<u64>,
    /// Places that several threads write.
    pub contested: HashSet<u64>,
}

pub fn facts(runs: &[Run]) -> Facts {
    // By place: the threads that access it, and those that write it.
    let mut touched: HashMap<u64, (u64, u64)> = HashMap::new();
    let mut atomic = HashSet::new();
    for entry in runs.iter().flat_map(|run| &run.entries).filter(|entry| entry.threaded) {
        let bit = 1_u64 << entry.thread.min(63);
        for place in entry.what.places() {
            let (threads, writers) = touched.entry(place).or_default();
            *threads |= bit;
            let writes = match entry.what {
                What::Memory { writes, atomic: is_atomic, .. } => {
                    if is_atomic {
                        atomic.insert(place);
                    }
                    writes
                }
                _ => true,
            };
            if writes {
                *writers |= bit;
            }
        }
    }
    let is_mutable = |(_, (threads, writers)): &(&u64, &(u64, u64))| *writers != 0 && threads.count_ones() > 1;
    let mutable = touched.iter().filter(is_mutable).map(|(place, _)| *place).collect();
    let is_contested = |(_, (_, writers)): &(&u64, &(u64, u64))| writers.count_ones() > 1;
    let contested = touched.iter().filter(is_contested).map(|(place, _)| *place).collect();
    let waits = runs.iter().flat_map(|run| &run.entries).filter_map(|entry| entry.waits.as_ref());
    let awaited = waits.flat_map(|waits| waits.places.iter().copied()).collect();
    Facts { mutable, atomic, awaited, contested }
}

/// The calls of an entry without the function that its thread began with.
fn chain(entry: &Entry) -> &[Call] {
    entry.calls.split_last().map_or(&[], |(_, chain)| chain)
}

fn chain_after(entry: &Entry) -> &[Call] {
    entry.after.split_last().map_or(&[], |(_, chain)| chain)
}

/// Places that belong together.
#[derive(Default)]
struct Unions(HashMap<u64, u64>);

impl Unions {
    fn root(&mut self, place: u64) -> u64 {
        let parent = *self.0.entry(place).or_insert(place);
        if parent == place {
            return place;
        }
        let root = self.root(parent);
        self.0.insert(place, root);
        root
    }

    fn join(&mut self, left: u64, right: u64) {
        let (left, right) = (self.root(left), self.root(right));
        if left != right {
            self.0.insert(left.max(right), left.min(right));
        }
    }
}

/// Where regions are searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The call that waits, this many levels outwards, is a region whatever its other effects are.
    Calls(usize),
    /// Calls without other effects are regions; in all others, ranges.
    Stretches,
    /// Only ranges: lines of functions that do more than synchronise.
    Lines,
}

/// The waiting code by location.
struct Waiting {
    /// Functions whose calls are regions.
    functions: BTreeSet<FunctionId>,
    /// Lines on which threads wait in functions that are not regions.
    lines: BTreeSet<(FunctionId, u32)>,
    places: HashSet<u64>,
    spans: Vec<(SpanId, u64)>,
}

fn waiting(code: &Code, runs: &[Run], facts: &Facts, mode: Mode, unions: &mut Unions) -> Waiting {
    let mut waiting =
        Waiting { functions: BTreeSet::new(), lines: BTreeSet::new(), places: HashSet::new(), spans: Vec::new() };
    for entry in runs.iter().flat_map(|run| &run.entries).filter(|entry| entry.threaded) {
        let Some(waits) = &entry.waits else { continue };
        // A condition variable in a thread's own function is used directly.
        if waits.on_condition && (!matches!(mode, Mode::Calls(_)) || chain_after(entry).is_empty()) {
            continue;
        }
        let places: Vec<u64> = waits.places.iter().copied().filter(|place| facts.mutable.contains(place)).collect();
        let Some(&first) = places.first() else { continue };
        for &place in &places {
            unions.join(first, place);
            waiting.places.insert(place);
        }
        waiting.spans.push((waits.span, first));
        let chain = chain_after(entry);
        let region = match mode {
            Mode::Calls(level) => chain.get(level.min(chain.len().saturating_sub(1))),
            Mode::Stretches | Mode::Lines => None,
        };
        match region {
            Some(call) => {
                waiting.functions.insert(call.function);
            }
            None => {
                waiting.lines.extend(entry.after.first().map(|call| (call.function, line(code, *call))));
                waiting.lines.extend(entry.after.last().map(|call| (call.function, line(code, *call))));
            }
        }
    }
    waiting.spans.sort_unstable_by_key(|(span, place)| (span.0, *place));
    waiting.spans.dedup();
    waiting
}

/// The constructs of a program.
pub fn layouts(code: &Code, runs: &[Run], facts: &Facts, mode: Mode) -> Vec<Layout> {
    let mut unions = Unions::default();
    let waiting = waiting(code, runs, facts, mode, &mut unions);
    let footprints = footprints(runs, facts);
    for ((_, _, _, function), places) in &footprints {
        if waiting.functions.contains(function)
            && let Some(&first) = places.first()
        {
            places.iter().for_each(|&place| unions.join(first, place));
        }
    }
    // Functions that only access synchronisation variables: their accesses in one call belong together.
    let own: HashSet<u64> = footprints
        .iter()
        .filter(|((_, _, _, function), _)| waiting.functions.contains(function))
        .flat_map(|(_, places)| places.iter().copied())
        .collect();
    let serves = |place: &u64| waiting.places.contains(place) || facts.atomic.contains(place) || own.contains(place);
    let mut pure: BTreeMap<FunctionId, bool> = BTreeMap::new();
    for ((_, _, _, function), touched) in &footprints {
        *pure.entry(*function).or_insert(true) &= touched.iter().all(serves);
    }
    for ((_, _, _, function), places) in &footprints {
        if pure.get(function) == Some(&true)
            && places.iter().any(|place| waiting.places.contains(place))
            && let Some(&first) = places.first()
        {
            places.iter().for_each(|&place| unions.join(first, place));
        }
    }
    join_inline(code, runs, facts, &waiting, &mut unions);
    let mut groups: BTreeMap<u64, HashSet<u64>> = BTreeMap::new();
    for &place in &facts.mutable {
        groups.entry(unions.root(place)).or_default().insert(place);
    }
    let mut layouts = Vec::new();
    let awaited = |places: &HashSet<u64>| places.iter().any(|place| waiting.places.contains(place));
    for (_, places) in groups.into_iter().filter(|(_, places)| awaited(places)) {
        let regions = regions(code, runs, &pure, &waiting.functions, &places, mode);
        let spans = waiting.spans.iter().filter(|(_, place)| places.contains(place)).map(|(span, _)| *span).collect();
        layouts.push(Layout::new(regions, places, spans));
    }
    layouts
}

pub type Footprints = BTreeMap<(usize, usize, u64, FunctionId), BTreeSet<u64>>;

/// The accesses of each call, by run, thread and call.
pub fn footprints(runs: &[Run], facts: &Facts) -> Footprints {
    let mut footprints = Footprints::new();
    for (number, run) in runs.iter().enumerate() {
        for entry in run.entries.iter().filter(|entry| entry.threaded) {
            for place in entry.what.places().filter(|place| facts.mutable.contains(place)) {
                for call in chain(entry) {
                    let key = (number, entry.thread, call.serial, call.function);
                    footprints.entry(key).or_default().insert(place);
                }
            }
        }
    }
    footprints
}

/// Where each function of a thread accesses places that synchronise, as the first and the last position: places that
/// threads wait for or that several threads write.
fn frames(runs: &[Run], synchronises: &dyn Fn(u64) -> bool) -> HashMap<FunctionId, (u32, u32)> {
    let mut frames: HashMap<FunctionId, (u32, u32)> = HashMap::new();
    for entry in runs.iter().flat_map(|run| &run.entries).filter(|entry| entry.threaded) {
        let Some(own) = entry.calls.first() else { continue };
        if entry.what.places().any(synchronises) {
            let (first, last) = frames.entry(own.function).or_insert((own.position, own.position));
            (*first, *last) = ((*first).min(own.position), (*last).max(own.position));
        }
    }
    frames
}

/// For code in a thread's own function: the accesses on the line of a wait belong to it (a macro), and so do adjacent
/// accesses of atomic variables that synchronise, or that stand between such ones (the data of a seqlock). Data that a
/// thread hands over before and after a wait do not.
fn join_inline(code: &Code, runs: &[Run], facts: &Facts, waiting: &Waiting, unions: &mut Unions) {
    let synchronises = |place: u64| waiting.places.contains(&place) || facts.contested.contains(&place);
    let frames = frames(runs, &synchronises);
    let belongs = |place: u64, call: Call| {
        let between = |(first, last): &(u32, u32)| (*first..=*last).contains(&call.position);
        facts.atomic.contains(&place) && (synchronises(place) || frames.get(&call.function).is_some_and(between))
    };
    for run in runs {
        let mut previous: HashMap<usize, (u64, bool, Call)> = HashMap::new();
        let mut on_line: HashMap<(FunctionId, u32), u64> = HashMap::new();
        for entry in run.entries.iter().filter(|entry| entry.threaded) {
            let Some(&own) = entry.calls.first() else { continue };
            for place in entry.what.places().filter(|place| facts.mutable.contains(place)) {
                let here = (own.function, line(code, own));
                let waits_here = waiting.lines.contains(&here);
                if waits_here {
                    let first = *on_line.entry(here).or_insert(place);
                    unions.join(first, place);
                }
                if let Some(&(before, before_waits, call)) = previous.get(&entry.thread)
                    && call.serial == own.serial
                    && (waits_here || before_waits)
                    && belongs(place, own)
                    && belongs(before, call)
                {
                    unions.join(before, place);
                }
                previous.insert(entry.thread, (place, waits_here, own));
            }
        }
    }
}

pub fn line(code: &Code, call: Call) -> u32 {
    let span = span_of(code, call);
    code.program.spans.get(span.0 as usize).map_or(0, |span| span.line)
}

/// All code that accesses the locations of a construct, as regions. Code that only reads and never waits has no role.
fn regions(
    code: &Code,
    runs: &[Run],
    pure: &BTreeMap<FunctionId, bool>,
    waiting: &BTreeSet<FunctionId>,
    places: &HashSet<u64>,
    mode: Mode,
) -> Vec<Region> {
    let mut calls: BTreeMap<FunctionId, bool> = BTreeMap::new();
    let mut stretches: BTreeMap<FunctionId, Stretches> = BTreeMap::new();
    for run in runs {
        let mut previous: HashMap<usize, Option<(FunctionId, u64, u32)>> = HashMap::new();
        let mut last: HashMap<usize, Touched> = HashMap::new();
        // Places that another thread than the first has touched: before that, the first one makes them ready.
        let mut begun: HashSet<u64> = HashSet::new();
        let mut over: HashMap<u64, usize> = HashMap::new();
        for (index, entry) in run.entries.iter().enumerate().filter(|(_, entry)| entry.thread > 0) {
            over.extend(entry.what.places().map(|place| (place, index)));
        }
        for (index, entry) in run.entries.iter().enumerate().filter(|(_, entry)| entry.threaded) {
            // A waiting thread counts as active at its last access.
            if let (Some(waits), Some(touched)) = (&entry.waits, last.get(&entry.thread))
                && waits.places.iter().any(|place| places.contains(place))
            {
                touched.waits(&mut calls, &mut stretches);
            }
            if matches!(entry.what, What::Nothing) {
                continue;
            }
            if entry.thread > 0 {
                begun.extend(entry.what.places());
            } else if chain(entry).is_empty()
                && entry
                    .what
                    .places()
                    .all(|place| !begun.contains(&place) || over.get(&place).is_none_or(|&last| last < index))
            {
                // Accesses of the main thread after the last one of other threads are skipped, too.
                continue;
            }
            let touches = entry.what.places().any(|place| places.contains(&place));
            let is_shared = entry.what.places().next().is_some();
            if !touches {
                if is_shared {
                    previous.insert(entry.thread, None);
                }
                continue;
            }
            let acts = entry.waits.is_some() || !matches!(entry.what, What::Memory { writes: false, .. });
            let chain = chain(entry);
            let forced = chain.iter().rev().find(|call| waiting.contains(&call.function));
            // Further outwards as long as the caller has no other effect.
            let is_pure = |call: &&Call| pure.get(&call.function) == Some(&true);
            let outermost = || chain.iter().take_while(is_pure).last().filter(|_| mode != Mode::Lines);
            if let Some(call) = forced.or_else(outermost) {
                *calls.entry(call.function).or_default() |= acts;
                last.insert(entry.thread, Touched::Call(call.function));
                previous.insert(entry.thread, None);
                continue;
            }
            let Some(&own) = entry.calls.iter().find(|call| !is_pure(call)).or(entry.calls.last()) else { continue };
            let here = line(code, own);
            last.insert(entry.thread, Touched::Line { function: own.function, line: here, position: own.position });
            let stretch = stretches.entry(own.function).or_default();
            stretch.positions.insert((own.position, here));
            if acts {
                stretch.busy.entry(here).or_default().insert(own.position);
            }
            if !matches!(entry.what, What::Memory { writes: false, .. }) {
                stretch.writing.insert(here);
            }
            if let Some(Some((function, serial, before))) = previous.get(&entry.thread)
                && (*function, *serial) == (own.function, own.serial)
                && *before != here
            {
                stretch.adjacent.insert((*before, here));
            }
            previous.insert(entry.thread, Some((own.function, own.serial, here)));
        }
    }
    let mut regions: Vec<Region> =
        calls.into_iter().filter(|(_, acts)| *acts).map(|(function, _)| Region::Call(function)).collect();
    for (function, stretch) in stretches {
        regions.extend(stretch.regions(code, function));
    }
    regions
}

/// Where a thread touched the construct last.
enum Touched {
    Call(FunctionId),
    Line { function: FunctionId, line: u32, position: u32 },
}

impl Touched {
    /// A thread waits where it touched the construct last.
    fn waits(&self, calls: &mut BTreeMap<FunctionId, bool>, stretches: &mut BTreeMap<FunctionId, Stretches>) {
        match *self {
            Touched::Call(function) => *calls.entry(function).or_default() = true,
            Touched::Line { function, line, position } => {
                stretches.entry(function).or_default().busy.entry(line).or_default().insert(position);
            }
        }
    }
}

/// The positions of a thread's own function that touch a construct.
#[derive(Default)]
struct Stretches {
    positions: BTreeSet<(u32, u32)>,
    /// By line: positions that write or wait. A line with several such positions, one of which writes, is a macro.
    busy: BTreeMap<u32, BTreeSet<u32>>,
    writing: BTreeSet<u32>,
    adjacent: BTreeSet<(u32, u32)>,
}

impl Stretches {
    fn regions(self, code: &Code, function: FunctionId) -> Vec<Region> {
        let lines: BTreeSet<u32> = self.positions.iter().map(|(_, line)| *line).collect();
        let mut root: BTreeMap<u32, u32> = lines.iter().map(|&line| (line, line)).collect();
        let is_macro =
            |line: u32| self.writing.contains(&line) && self.busy.get(&line).is_some_and(|busy| busy.len() > 1);
        let find = |root: &BTreeMap<u32, u32>, mut line: u32| {
            while root[&line] != line {
                line = root[&line];
            }
            line
        };
        for &(left, right) in &self.adjacent {
            // Backwards is the next round of a loop, not the rest of this one.
            if right < left || is_macro(left) || is_macro(right) {
                continue;
            }
            let (left, right) = (find(&root, left), find(&root, right));
            if left != right {
                root.insert(left.max(right), left.min(right));
            }
        }
        // All code on these lines belongs to them, whatever it accesses.
        let mut found: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for position in 0..code.function(function).insts.len() as u32 {
            let at = line(code, Call { function, position, serial: 0 });
            if root.contains_key(&at) {
                found.entry(find(&root, at)).or_default().insert(position);
            }
        }
        let acts = |root_line: u32| self.busy.keys().any(|&line| find(&root, line) == root_line);
        let acting = found.into_iter().filter(|(root_line, _)| acts(*root_line));
        acting.map(|(_, positions)| Region::Stretch { function, positions }).collect()
    }
}
