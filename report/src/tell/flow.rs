//! Which events of a failing execution matter: a backward slice of the failing condition.
//!
//! A read depends on the write that it read from, a write on the reads in its value. A write of a constant, or of a
//! count that only one thread keeps, does not explain itself; the preceding branch in its thread does, and is followed
//! where the value went to another thread or into the failing condition. Where a thread reads a variable and later
//! writes a value computed from it, writes of other threads in between are lost updates: they are not in the data flow,
//! but often the cause. This is a selection for the reader, not a diagnosis of the cause.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use events::{Effect, EventGraph, Execution, Kind, Location, ThreadId};
use formula::Term;

/// Positions in the execution, ascending.
pub struct Flow {
    pub relevant: Vec<usize>,
    /// Lost updates. Of several in a row by one thread only the last is among the relevant ones.
    pub lost: Vec<usize>,
    /// The reads that the failing condition names, in the order of its symbols.
    pub read: Vec<usize>,
}

/// The largest number of events shown. Flow within a thread is shown only if there is little else.
const LIMIT: usize = 24;
const LIMIT_WITH_OWN: usize = 14;

/// Why an event is relevant; the first reason that applies is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// The failing condition and its reads.
    Failure,
    /// The writes that these read from.
    Source,
    /// A lost update.
    Loss,
    /// Flow from thread to thread.
    Foreign,
    Own,
}

struct History<'a> {
    graph: &'a EventGraph,
    execution: &'a Execution,
    /// By position: the position of the write that it read from.
    sources: Vec<Option<usize>>,
    /// By symbol: the position of the read that defines it.
    definitions: HashMap<Term, usize>,
    /// By location, positions of writes.
    writes: HashMap<Location, Vec<usize>>,
    /// By thread, positions of its branches.
    branches: HashMap<ThreadId, Vec<usize>>,
    /// By position, the location accessed.
    locations: Vec<Option<Location>>,
}

pub fn flow(graph: &EventGraph, execution: &Execution, effects: &[Effect], failed: usize) -> Flow {
    let history = History::new(graph, execution, effects);
    let read = history.reads_of(failed);
    let mut search = Search { ranks: BTreeMap::from([(failed, (Rank::Failure, 0))]), queue: VecDeque::new() };
    let mut lost = BTreeSet::new();
    for &position in &read {
        search.visit(position, Rank::Failure, 1);
    }
    while let Some((position, distance)) = search.queue.pop_front() {
        let near = distance + 1;
        if let Some(source) = history.sources[position] {
            let rank = match (distance, history.thread(source) == history.thread(position)) {
                (1, _) => Rank::Source,
                (_, true) => Rank::Own,
                (_, false) => Rank::Foreign,
            };
            search.visit(source, rank, near);
        }
        let rank = search.ranks[&position].0;
        for (earlier, overwritten) in history.inputs_of(position) {
            // The reads of a branch are as relevant as the branch.
            let rank = match history.kind_and_thread(position).0 {
                Kind::Assume { .. } => rank,
                _ if overwritten.is_empty() => Rank::Own,
                _ => Rank::Loss,
            };
            search.visit(earlier, rank, near);
            if !overwritten.is_empty() {
                search.visit(position, Rank::Loss, distance);
            }
            for (index, &write) in overwritten.iter().enumerate() {
                let next = overwritten.get(index + 1);
                if next.is_none_or(|&next| history.thread(next) != history.thread(write)) {
                    search.visit(write, Rank::Loss, near);
                }
            }
            lost.extend(overwritten);
        }
        if let Some(branch) = history.branch_before(position).filter(|_| rank != Rank::Own) {
            search.visit(branch, if rank <= Rank::Source { Rank::Source } else { Rank::Own }, near);
        }
    }
    let mut chosen: Vec<(Rank, usize, usize)> =
        search.ranks.into_iter().map(|(position, (rank, distance))| (rank, distance, position)).collect();
    chosen.sort_unstable();
    let telling = chosen.partition_point(|(rank, ..)| *rank < Rank::Own);
    chosen.truncate(telling.clamp(LIMIT_WITH_OWN, LIMIT));
    let mut relevant: Vec<usize> = chosen.into_iter().map(|(_, _, position)| position).collect();
    relevant.sort_unstable();
    Flow { relevant, lost: lost.into_iter().collect(), read }
}

struct Search {
    /// By position: its reason, and its distance from the failure.
    ranks: BTreeMap<usize, (Rank, usize)>,
    queue: VecDeque<(usize, usize)>,
}

impl Search {
    fn visit(&mut self, position: usize, rank: Rank, distance: usize) {
        match self.ranks.get_mut(&position) {
            Some(known) => *known = (*known).min((rank, distance)),
            None => {
                self.ranks.insert(position, (rank, distance));
                self.queue.push_back((position, distance));
            }
        }
    }
}

impl<'a> History<'a> {
    fn new(graph: &'a EventGraph, execution: &'a Execution, effects: &[Effect]) -> History<'a> {
        let mut history = History {
            graph,
            execution,
            sources: vec![None; execution.steps.len()],
            definitions: HashMap::new(),
            writes: HashMap::new(),
            branches: HashMap::new(),
            locations: vec![None; execution.steps.len()],
        };
        for (position, (step, effect)) in execution.steps.iter().zip(effects).enumerate() {
            let event = &graph.events[step.event.index()];
            if let Kind::Assume { .. } = event.kind {
                history.branches.entry(event.thread).or_default().push(position);
            }
            let (Kind::Access(access), &Effect::Accessed { location, read, written }) = (&event.kind, effect) else {
                continue;
            };
            history.locations[position] = Some(location);
            if read.is_some() {
                history.sources[position] = history.writes.get(&location).and_then(|writes| writes.last().copied());
                history.definitions.extend(access.old.map(|old| (old, position)));
            }
            if written.is_some() {
                history.writes.entry(location).or_default().push(position);
            }
        }
        history
    }

    fn thread(&self, position: usize) -> ThreadId {
        self.kind_and_thread(position).1
    }

    fn kind_and_thread(&self, position: usize) -> (&'a Kind, ThreadId) {
        let event = &self.graph.events[self.execution.steps[position].event.index()];
        (&event.kind, event.thread)
    }

    /// The reads that a condition or a written value names.
    fn reads_of(&self, position: usize) -> Vec<usize> {
        let term = match self.kind_and_thread(position).0 {
            Kind::Assume { condition } | Kind::Assert { condition } => Some(*condition),
            Kind::Access(access) => access.new,
            _ => None,
        };
        let symbols = term.map(|term| self.graph.terms.free_symbols(term)).unwrap_or_default();
        symbols.iter().filter_map(|symbol| self.definitions.get(symbol).copied()).collect()
    }

    /// The dependences of a write or a branch, each with the updates of other threads that it loses.
    fn inputs_of(&self, position: usize) -> Vec<(usize, Vec<usize>)> {
        match self.kind_and_thread(position).0 {
            Kind::Access(_) => {
                let reads = self.reads_of(position);
                reads.into_iter().map(|read| (read, self.overwritten(read, position))).collect()
            }
            Kind::Assume { .. } => self.reads_of(position).into_iter().map(|read| (read, Vec::new())).collect(),
            _ => Vec::new(),
        }
    }

    /// For a write of a trivial value: the branch before it in its thread.
    fn branch_before(&self, position: usize) -> Option<usize> {
        let (kind, thread) = self.kind_and_thread(position);
        let Kind::Access(access) = kind else { return None };
        access.new?;
        let reads = self.reads_of(position);
        let own = self.locations[position];
        let is_count = || {
            let writes = own.and_then(|own| self.writes.get(&own)).map_or(&[][..], |writes| writes);
            reads.iter().all(|&read| self.locations[read] == own)
                && writes.iter().all(|&write| self.thread(write) == thread)
        };
        if !reads.is_empty() && !is_count() {
            return None;
        }
        let branches = self.branches.get(&thread)?;
        let before = branches.partition_point(|&branch| branch < position);
        before.checked_sub(1).map(|index| branches[index])
    }

    /// Writes of other threads between a read and the dependent write to the same location.
    fn overwritten(&self, read: usize, write: usize) -> Vec<usize> {
        let (Some(location), true) = (self.locations[read], self.locations[read] == self.locations[write]) else {
            return Vec::new();
        };
        let thread = self.thread(write);
        let writes = self.writes.get(&location).map_or(&[][..], |writes| writes);
        let between = writes.partition_point(|&other| other < read)..writes.partition_point(|&other| other < write);
        writes[between].iter().copied().filter(|&other| self.thread(other) != thread).collect()
    }
}
