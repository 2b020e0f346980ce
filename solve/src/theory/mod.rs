//! The theory of order as a decision procedure beside a SAT solver: it receives assigned literals, derives order, and
//! answers with propagated literals, conflict clauses, and finally a total order.
//!
//! Reads-from choices and order literals become edges of a reachability closure. Further edges follow that have no
//! literals (from-read: `w` feeds `r` and comes before `v`, so `r` comes before `v`; write order: `w` feeds `r` and `v`
//! comes before `r`, so `v` comes before `w`; sections: one that begins before another ends also ends before that one
//! begins). Each edge stores its reasons, and explanations are built on demand. The derivation rules are those of Zord
//! and Deagle. Deviation: total orders of writes and sections are never written out; if the rules leave a relevant
//! choice open, [`linear`] returns it, and only then are literals for it created.

mod decide;
mod explain;
mod hidden;
mod linear;
mod rules;
mod stretches;

pub(crate) use decide::{Guide, Taste};
pub(crate) use linear::{Choice, Linear};
pub(crate) use stretches::StretchState;

use std::collections::HashMap;

use crate::reach::{Mark, Reach};
use hidden::Implied;
use stretches::Stretches;

/// A literal in the notation of the SAT solver. [`TRUE`] is always true.
pub(crate) type Lit = i32;

/// The first variable is the constant.
pub(crate) const TRUE: Lit = 1;

const NONE: u32 = u32::MAX;

/// The reasons of an edge: true literals, and possibly a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Why {
    lits: [Lit; 4],
    from: u32,
    to: u32,
}

impl Why {
    fn lits(lits: [Lit; 4]) -> Why {
        Why { lits, from: NONE, to: NONE }
    }

    fn path(lits: [Lit; 4], from: u32, to: u32) -> Why {
        Why { lits, from, to }
    }
}

/// The meaning of a literal when it becomes true.
#[derive(Clone, Copy, Debug)]
enum Role {
    Before { a: u32, b: u32 },
    Chosen { read: u32, source: u32 },
    Writes { cell: u32, writer: u32 },
    Section { lock: u32, section: u32 },
    Block { block: u32 },
    Stretch { stretch: u32 },
    Happens { node: u32 },
}

#[derive(Clone, Debug)]
pub(crate) struct CellState {
    pub writers: Vec<WriterState>,
    /// By chain, the writers in its order.
    by_chain: Vec<Vec<u32>>,
    /// By chain, the reads in its order.
    reads_by_chain: Vec<Vec<u32>>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct WriterState {
    pub node: u32,
    pub writes: Lit,
}

#[derive(Clone, Debug)]
pub(crate) struct ReadState {
    pub node: u32,
    pub cell: u32,
    pub sources: Vec<SourceState>,
    /// The chosen source.
    current: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceState {
    /// An index into the cell's writers.
    pub writer: Option<u32>,
    pub chosen: Lit,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct SectionState {
    pub enter: u32,
    pub leave: Option<u32>,
    pub active: Lit,
    pub closed: Lit,
}

#[derive(Clone, Debug)]
pub(crate) struct LockState {
    pub sections: Vec<SectionState>,
    /// By chain, the sections in its order.
    by_chain: Vec<Vec<u32>>,
    /// By chain and position there, the last index at which a section up to this position ends.
    ends: Vec<Vec<u32>>,
}

#[derive(Clone, Debug)]
pub(crate) struct BlockState {
    pub literal: Lit,
    pub nodes: Vec<u32>,
}

/// The part of a chain in a block, as indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Span {
    first: u32,
    last: u32,
    block: u32,
}

/// The roles of a node.
#[derive(Clone, Debug, Default)]
struct NodeState {
    happens: Lit,
    /// Cell and writer.
    writes: Vec<(u32, u32)>,
    /// Reads at this node.
    reads: Vec<u32>,
    /// Reads that have chosen this node, in the order of the choice.
    readers: Vec<u32>,
    enters: Option<(u32, u32)>,
    leaves: Option<(u32, u32)>,
    blocks: Vec<u32>,
}

/// A state to backtrack to.
#[derive(Clone, Copy, Debug)]
struct StateMark {
    reach: Mark,
    choices: u32,
}

/// The theory section of a formula, with literals for terms.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    pub happens: Vec<Lit>,
    pub chains: Vec<Vec<u32>>,
    pub cells: Vec<Vec<WriterState>>,
    pub reads: Vec<(u32, u32, Vec<SourceState>)>,
    pub locks: Vec<Vec<SectionState>>,
    pub blocks: Vec<BlockState>,
    pub stretches: Vec<StretchState>,
    pub bystanders: Vec<u32>,
}

/// The nodes and their constraints, with the literals that switch them on.
#[derive(Debug)]
struct Constraints {
    nodes: Vec<NodeState>,
    cells: Vec<CellState>,
    reads: Vec<ReadState>,
    locks: Vec<LockState>,
    blocks: Vec<BlockState>,
    /// By chain, in its order.
    spans: Vec<Vec<Span>>,
    stretches: Stretches,
    /// By `node * chains + chain`: literals that become true once the node comes before that index of the chain.
    watches: Vec<Vec<(u32, Lit)>>,
    roles: HashMap<Lit, Vec<Role>>,
}

/// The solver's assignment, and how much of it is propagated.
#[derive(Debug)]
struct Assigned {
    /// By variable, its assigned value, and its propagated value.
    told: Vec<i8>,
    known: Vec<i8>,
    trail: Vec<Lit>,
    /// The number of propagated literals of the trail.
    head: usize,
    /// By decision level, the length of the trail before it.
    levels: Vec<usize>,
}

/// The consequences of the assignment that the solver has not taken yet.
#[derive(Debug, Default)]
struct Derived {
    /// Edges to be added.
    pending: Vec<(u32, u32, Why)>,
    implied: Vec<Implied>,
    reasons: HashMap<Lit, Implied>,
    conflict: Option<Vec<Lit>>,
    /// Literals that unit clauses assert, to be propagated first.
    expected: Vec<Lit>,
}

#[derive(Debug)]
pub(crate) struct Theory {
    reach: Reach,
    why: Vec<Why>,
    constraints: Constraints,
    assigned: Assigned,
    /// By propagated literal of the trail.
    marks: Vec<StateMark>,
    /// Reads with a current source, in the order of the choice.
    chosen: Vec<u32>,
    /// By cell, the reads that have chosen its initial value, in the order of the choice.
    initial_readers: Vec<Vec<u32>>,
    derived: Derived,
    pub guide: Guide,
}

impl Theory {
    pub fn new(parts: Parts) -> Theory {
        let count = parts.happens.len();
        let reach = Reach::new(count, parts.chains);
        let chains = reach.chains().len();
        let constraints = Constraints {
            nodes: parts.happens.iter().map(|&happens| NodeState { happens, ..NodeState::default() }).collect(),
            cells: Vec::new(),
            reads: Vec::new(),
            locks: Vec::new(),
            blocks: Vec::new(),
            spans: vec![Vec::new(); chains],
            stretches: Stretches::default(),
            watches: vec![Vec::new(); count * chains],
            roles: HashMap::new(),
        };
        let mut theory = Theory {
            reach,
            why: Vec::new(),
            constraints,
            assigned: Assigned { told: vec![0, 1], known: vec![0, 1], trail: Vec::new(), head: 0, levels: Vec::new() },
            marks: Vec::new(),
            chosen: Vec::new(),
            initial_readers: vec![Vec::new(); parts.cells.len()],
            derived: Derived::default(),
            guide: Guide::default(),
        };
        parts.cells.into_iter().for_each(|writers| theory.add_cell(writers));
        parts.reads.into_iter().for_each(|(node, cell, sources)| theory.add_read(node, cell, sources));
        parts.locks.into_iter().for_each(|sections| theory.add_lock(sections));
        parts.blocks.into_iter().for_each(|block| theory.add_block(block));
        for (number, stretch) in parts.stretches.iter().enumerate() {
            theory.add_role(stretch.literal, Role::Stretch { stretch: number as u32 });
        }
        theory.add_stretches(parts.stretches, &parts.bystanders);
        theory.sort();
        if !theory.constraints.blocks.is_empty() || !theory.constraints.stretches.all.is_empty() {
            for node in 0..theory.constraints.nodes.len() as u32 {
                theory.add_role(theory.constraints.nodes[node as usize].happens, Role::Happens { node });
            }
        }
        for block in 0..theory.constraints.blocks.len() as u32 {
            if theory.holds(theory.constraints.blocks[block as usize].literal) {
                theory.apply(TRUE, Role::Block { block });
                theory.settle();
            }
        }
        for stretch in 0..theory.constraints.stretches.all.len() as u32 {
            if theory.holds(theory.constraints.stretches.all[stretch as usize].literal) {
                theory.apply(TRUE, Role::Stretch { stretch });
                theory.settle();
            }
        }
        theory
    }

    fn add_cell(&mut self, writers: Vec<WriterState>) {
        let cell = self.constraints.cells.len() as u32;
        let mut by_chain = vec![Vec::new(); self.reach.chains().len()];
        for (number, writer) in writers.iter().enumerate() {
            by_chain[self.reach.chain(writer.node)].push(number as u32);
            self.constraints.nodes[writer.node as usize].writes.push((cell, number as u32));
            self.add_role(writer.writes, Role::Writes { cell, writer: number as u32 });
        }
        let reads_by_chain = vec![Vec::new(); by_chain.len()];
        self.constraints.cells.push(CellState { writers, by_chain, reads_by_chain });
    }

    fn add_read(&mut self, node: u32, cell: u32, sources: Vec<SourceState>) {
        let read = self.constraints.reads.len() as u32;
        self.constraints.cells[cell as usize].reads_by_chain[self.reach.chain(node)].push(read);
        self.constraints.nodes[node as usize].reads.push(read);
        for (number, source) in sources.iter().enumerate() {
            self.add_role(source.chosen, Role::Chosen { read, source: number as u32 });
            if let Some(writer) = source.writer {
                let writer = self.constraints.cells[cell as usize].writers[writer as usize].node;
                self.watch(node, writer, -source.chosen);
            }
        }
        self.constraints.reads.push(ReadState { node, cell, sources, current: None });
    }

    /// Adds a reads-from candidate; only at decision level 0.
    pub fn add_source(&mut self, read: u32, source: SourceState) {
        let state = &mut self.constraints.reads[read as usize];
        let (node, cell, number) = (state.node, state.cell, state.sources.len() as u32);
        state.sources.push(source);
        self.add_role(source.chosen, Role::Chosen { read, source: number });
        if let Some(writer) = source.writer {
            let writer = self.constraints.cells[cell as usize].writers[writer as usize].node;
            let key = node as usize * self.reach.chains().len() + self.reach.chain(writer);
            let entry = (self.reach.index(writer), -source.chosen);
            let at = self.constraints.watches[key].partition_point(|other| *other < entry);
            self.constraints.watches[key].insert(at, entry);
        }
    }

    fn add_lock(&mut self, sections: Vec<SectionState>) {
        let lock = self.constraints.locks.len() as u32;
        let mut by_chain = vec![Vec::new(); self.reach.chains().len()];
        for (number, section) in sections.iter().enumerate() {
            let number = number as u32;
            by_chain[self.reach.chain(section.enter)].push(number);
            self.constraints.nodes[section.enter as usize].enters = Some((lock, number));
            if let Some(leave) = section.leave {
                self.constraints.nodes[leave as usize].leaves = Some((lock, number));
            }
            self.add_role(section.active, Role::Section { lock, section: number });
            self.add_role(section.closed, Role::Section { lock, section: number });
            self.add_role(-section.closed, Role::Section { lock, section: number });
        }
        let ends = vec![Vec::new(); by_chain.len()];
        self.constraints.locks.push(LockState { sections, by_chain, ends });
    }

    fn add_block(&mut self, mut block: BlockState) {
        block.nodes.sort_by_key(|&node| (self.reach.chain(node), self.reach.index(node)));
        let number = self.constraints.blocks.len() as u32;
        for &node in &block.nodes {
            self.constraints.nodes[node as usize].blocks.push(number);
        }
        for nodes in block.nodes.chunk_by(|&one, &next| self.reach.chain(one) == self.reach.chain(next)) {
            let (first, last) = (self.reach.index(nodes[0]), self.reach.index(nodes[nodes.len() - 1]));
            self.constraints.spans[self.reach.chain(nodes[0])].push(Span { first, last, block: number });
        }
        self.add_role(block.literal, Role::Block { block: number });
        self.constraints.blocks.push(block);
    }

    fn sort(&mut self) {
        let Theory { constraints: Constraints { cells, locks, reads, watches, spans, .. }, reach, .. } = self;
        for cell in cells {
            let CellState { writers, by_chain, reads_by_chain } = cell;
            by_chain.iter_mut().for_each(|list| list.sort_by_key(|&w| reach.index(writers[w as usize].node)));
            reads_by_chain.iter_mut().for_each(|list| list.sort_by_key(|&r| reach.index(reads[r as usize].node)));
        }
        for LockState { sections, by_chain, ends } in locks {
            for (list, ends) in by_chain.iter_mut().zip(ends) {
                list.sort_by_key(|&s| reach.index(sections[s as usize].enter));
                let ended = list.iter().scan(0, |last, &s| {
                    *last = sections[s as usize].leave.map_or(0, |leave| reach.index(leave)).max(*last);
                    Some(*last)
                });
                *ends = ended.collect();
            }
        }
        watches.iter_mut().for_each(|list| list.sort_unstable());
        spans.iter_mut().for_each(|list| list.sort_unstable());
    }

    /// Gives a literal a meaning; a constant is in effect at once, by the rules that test for constants.
    fn add_role(&mut self, lit: Lit, role: Role) {
        if lit.abs() != TRUE {
            self.make_room(lit);
            self.constraints.roles.entry(lit).or_default().push(role);
        }
    }

    fn watch(&mut self, from: u32, to: u32, lit: Lit) {
        let key = from as usize * self.reach.chains().len() + self.reach.chain(to);
        self.constraints.watches[key].push((self.reach.index(to), lit));
    }

    fn make_room(&mut self, lit: Lit) {
        let needed = lit.unsigned_abs() as usize + 1;
        if self.assigned.told.len() < needed {
            self.assigned.told.resize(needed, 0);
            self.assigned.known.resize(needed, 0);
        }
    }

    /// Adds a literal for `a` coming before `b`. Returns the order if it is already implied at decision level 0, at
    /// which this must be called.
    pub fn add_before(&mut self, a: u32, b: u32, lit: Lit) -> Option<bool> {
        self.add_role(lit, Role::Before { a, b });
        self.add_role(-lit, Role::Before { a: b, b: a });
        self.watch(a, b, lit);
        self.watch(b, a, -lit);
        for (from, to) in [(a, b), (b, a)] {
            let key = from as usize * self.reach.chains().len() + self.reach.chain(to);
            self.constraints.watches[key].sort_unstable();
        }
        match (self.reach.reaches(a, b), self.reach.reaches(b, a)) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }

    /// The variables that the SAT solver must report.
    pub fn observed(&self) -> impl Iterator<Item = Lit> + '_ {
        self.constraints.roles.keys().map(|lit| lit.abs())
    }

    /// Whether the literal is true and propagated.
    fn holds(&self, lit: Lit) -> bool {
        let value = self.assigned.known.get(lit.unsigned_abs() as usize).copied().unwrap_or(0);
        if lit > 0 { value > 0 } else { value < 0 }
    }

    fn told(&self, lit: Lit) -> i8 {
        let value = self.assigned.told.get(lit.unsigned_abs() as usize).copied().unwrap_or(0);
        if lit > 0 { value } else { -value }
    }

    /// A literal that a unit clause asserts; the solver will assign it too.
    pub fn expect(&mut self, lit: Lit) {
        self.derived.expected.push(lit);
    }

    /// Called by the solver: the literal is true until its level is undone.
    pub fn assign(&mut self, lit: Lit) {
        self.make_room(lit);
        if self.told(lit) != 0 {
            return;
        }
        self.assigned.told[lit.unsigned_abs() as usize] = if lit > 0 { 1 } else { -1 };
        self.assigned.trail.push(lit);
    }

    pub fn new_level(&mut self) {
        self.assigned.levels.push(self.assigned.trail.len());
        self.guide.new_level();
    }

    pub fn backtrack(&mut self, level: usize) {
        let Some(&length) = self.assigned.levels.get(level) else { return };
        self.assigned.levels.truncate(level);
        self.guide.backtrack(level);
        if self.assigned.head > length {
            let mark = self.marks[length];
            self.reach.undo(mark.reach);
            self.why.truncate(self.reach.edges().len());
            while self.chosen.len() > mark.choices as usize {
                self.unchoose();
            }
            self.assigned.head = length;
            self.marks.truncate(length);
        }
        for lit in self.assigned.trail.drain(length..) {
            self.assigned.told[lit.unsigned_abs() as usize] = 0;
            self.assigned.known[lit.unsigned_abs() as usize] = 0;
        }
        self.derived.pending.clear();
        self.derived.implied.clear();
        self.derived.conflict = None;
    }

    fn unchoose(&mut self) {
        let Some(read) = self.chosen.pop() else { return };
        let state = &mut self.constraints.reads[read as usize];
        let source = state.current.take().and_then(|source| state.sources[source as usize].writer);
        match source {
            Some(writer) => {
                let node = self.constraints.cells[state.cell as usize].writers[writer as usize].node;
                self.constraints.nodes[node as usize].readers.pop();
            }
            None => {
                self.initial_readers[state.cell as usize].pop();
            }
        }
    }

    /// Propagates all assigned literals. Afterwards there may be a conflict or implied literals.
    pub fn propagate(&mut self) {
        if self.assigned.levels.is_empty() {
            for lit in std::mem::take(&mut self.derived.expected) {
                self.assign(lit);
            }
        }
        while self.derived.conflict.is_none() && self.assigned.head < self.assigned.trail.len() {
            let lit = self.assigned.trail[self.assigned.head];
            self.marks.push(StateMark { reach: self.reach.mark(), choices: self.chosen.len() as u32 });
            self.assigned.head += 1;
            self.assigned.known[lit.unsigned_abs() as usize] = if lit > 0 { 1 } else { -1 };
            let roles = self.constraints.roles.get(&lit).cloned().unwrap_or_default();
            for role in roles {
                self.apply(lit, role);
                self.settle();
            }
        }
    }

    /// The conflict clause, if there is one.
    pub fn take_conflict(&mut self) -> Option<Vec<Lit>> {
        self.derived.conflict.take()
    }

    /// The next implied literal that is not assigned yet.
    pub fn next_implied(&mut self) -> Option<Lit> {
        while let Some(implied) = self.derived.implied.pop() {
            let lit = implied.lit;
            match self.told(lit) {
                0 => {
                    self.derived.reasons.insert(lit, implied);
                    return Some(lit);
                }
                // It is assigned but not propagated yet; the closure will find a conflict or nothing new.
                _ => continue,
            }
        }
        None
    }
}
