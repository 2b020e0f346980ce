//! Extends the partial order to a total order, or returns the open choices.
//!
//! The order is built from the front. A node can be next if all nodes before it are placed, if it does not overwrite a
//! value that some read still needs, does not enter a section while another is open, and does not intrude into a block
//! or a stretch. Among these, the guide's preference decides. If there is none, each waiting node contributes the pair
//! that keeps it waiting as a choice, for which the caller creates literals.

use super::{Lit, Theory};

/// A total order of all nodes.
pub(crate) type Linear = Vec<u32>;

/// A choice that the order has to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Choice {
    /// The rival writer comes before the read's source or after the read.
    Rival { read: u32, source: u32, rival: u32 },
    /// One of the two sections comes first.
    Sections { lock: u32, one: u32, other: u32 },
    /// The outsider is not between the two members.
    Block { block: u32, first: u32, second: u32, outsider: u32 },
    /// The outsider is not between the ends.
    Stretch { stretch: u32, outsider: u32 },
}

struct Builder<'a> {
    theory: &'a Theory,
    /// By chain, the number of placed nodes.
    done: Vec<usize>,
    placed: Vec<bool>,
    waiting: Vec<u32>,
    targets: Vec<Vec<u32>>,
    /// By cell, the node with the last write.
    current: Vec<Option<u32>>,
    open: Vec<Option<u32>>,
    inside: Option<u32>,
    /// Stretches that have begun and not ended.
    begun: Vec<u32>,
}

impl Theory {
    /// Places nodes by preference, lowest first, and respects the reads-from choices if all are made.
    pub fn linearise(&self, preference: &[u32]) -> Result<Linear, Vec<Choice>> {
        let mut builder = Builder::new(self);
        let mut order = Vec::with_capacity(self.constraints.nodes.len());
        let mut ready: std::collections::BinaryHeap<std::cmp::Reverse<(u32, u32)>> = Default::default();
        let mut blocked: Vec<u32> = Vec::new();
        for chain in 0..builder.done.len() {
            builder.offer(chain, preference, &mut ready);
        }
        while order.len() < self.constraints.nodes.len() {
            let mut choices = Vec::new();
            let mut next = None;
            while let Some(std::cmp::Reverse((_, node))) = ready.pop() {
                if builder.hindrances(node, &mut Vec::new()) {
                    blocked.push(node);
                } else {
                    next = Some(node);
                    break;
                }
            }
            let Some(node) = next else {
                for &node in &blocked {
                    builder.hindrances(node, &mut choices);
                }
                choices.sort_unstable();
                choices.dedup();
                return Err(choices);
            };
            order.push(node);
            builder.place(node, preference, &mut ready);
            for node in blocked.drain(..) {
                ready.push(std::cmp::Reverse((preference[node as usize], node)));
            }
        }
        Ok(order)
    }
}

type Ready = std::collections::BinaryHeap<std::cmp::Reverse<(u32, u32)>>;

impl<'a> Builder<'a> {
    fn new(theory: &'a Theory) -> Builder<'a> {
        let count = theory.constraints.nodes.len();
        let mut waiting = vec![0; count];
        let mut targets = vec![Vec::new(); count];
        for &(from, to) in theory.reach.edges() {
            waiting[to as usize] += 1;
            targets[from as usize].push(to);
        }
        Builder {
            theory,
            done: vec![0; theory.reach.chains().len()],
            placed: vec![false; count],
            waiting,
            targets,
            current: vec![None; theory.constraints.cells.len()],
            open: vec![None; theory.constraints.locks.len()],
            inside: None,
            begun: Vec::new(),
        }
    }

    /// Makes the chain's next node available if no node must come before it any more.
    fn offer(&self, chain: usize, preference: &[u32], ready: &mut Ready) {
        if let Some(&node) = self.theory.reach.chains()[chain].get(self.done[chain])
            && self.waiting[node as usize] == 0
        {
            ready.push(std::cmp::Reverse((preference[node as usize], node)));
        }
    }

    fn place(&mut self, node: u32, preference: &[u32], ready: &mut Ready) {
        let theory = self.theory;
        self.placed[node as usize] = true;
        let state = &theory.constraints.nodes[node as usize];
        for &(cell, writer) in &state.writes {
            if theory.holds(theory.constraints.cells[cell as usize].writers[writer as usize].writes) {
                self.current[cell as usize] = Some(node);
            }
        }
        if let Some((lock, section)) = state.leaves
            && self.open[lock as usize] == Some(section)
            && theory.holds(theory.constraints.locks[lock as usize].sections[section as usize].closed)
        {
            self.open[lock as usize] = None;
        }
        if let Some((lock, section)) = state.enters
            && theory.holds(theory.constraints.locks[lock as usize].sections[section as usize].active)
        {
            self.open[lock as usize] = Some(section);
        }
        self.inside = self.block_after(node);
        self.begun.retain(|&stretch| theory.constraints.stretches.all[stretch as usize].last != node);
        let begin = theory.constraints.stretches.begin.get(node as usize).into_iter().flatten().copied();
        self.begun
            .extend(begin.filter(|&stretch| theory.holds(theory.constraints.stretches.all[stretch as usize].literal)));
        let chain = theory.reach.chain(node);
        self.done[chain] += 1;
        self.offer(chain, preference, ready);
        for position in 0..self.targets[node as usize].len() {
            let target = self.targets[node as usize][position];
            self.waiting[target as usize] -= 1;
            let chain = theory.reach.chain(target);
            if self.waiting[target as usize] == 0 && theory.reach.index(target) as usize == self.done[chain] {
                self.offer(chain, preference, ready);
            }
        }
    }

    /// The block that is open after the node was placed.
    fn block_after(&self, node: u32) -> Option<u32> {
        if !self.theory.happens(node) {
            return self.inside;
        }
        let blocks = self.theory.constraints.nodes[node as usize].blocks.iter().copied().chain(self.inside);
        blocks.filter(|&block| self.theory.holds(self.theory.constraints.blocks[block as usize].literal)).find(
            |&block| {
                let members = &self.theory.constraints.blocks[block as usize].nodes;
                members.iter().any(|&member| !self.placed[member as usize] && self.theory.happens(member))
            },
        )
    }

    /// Whether the node cannot be next, with the choices responsible.
    fn hindrances(&self, node: u32, choices: &mut Vec<Choice>) -> bool {
        let theory = self.theory;
        let state = &theory.constraints.nodes[node as usize];
        let before = choices.len();
        let mut hindered = false;
        for &(cell, writer) in &state.writes {
            if theory.holds(theory.constraints.cells[cell as usize].writers[writer as usize].writes) {
                for read in self.still_to_read(cell, node) {
                    hindered = true;
                    let source = theory.constraints.reads[read as usize].current.unwrap_or(0);
                    choices.push(Choice::Rival { read, source, rival: writer });
                }
            }
        }
        if let Some((lock, section)) = state.enters
            && theory.holds(theory.constraints.locks[lock as usize].sections[section as usize].active)
            && let Some(open) = self.open[lock as usize]
        {
            hindered = true;
            choices.push(Choice::Sections { lock, one: open.min(section), other: open.max(section) });
        }
        if let Some(block) = self.inside
            && theory.happens(node)
            && !theory.constraints.blocks[block as usize].nodes.contains(&node)
        {
            hindered = true;
            let members = theory.constraints.blocks[block as usize].nodes.iter().copied();
            let mut members = members.filter(|&member| theory.happens(member));
            let first = members.clone().find(|&member| self.placed[member as usize]);
            let second = members.find(|&member| !self.placed[member as usize]);
            if let (Some(first), Some(second)) = (first, second) {
                choices.push(Choice::Block { block, first, second, outsider: node });
            }
        }
        for &stretch in &self.begun {
            if theory.happens(node) && theory.minds(stretch, node) {
                choices.push(Choice::Stretch { stretch, outsider: node });
            }
        }
        hindered || choices.len() > before
    }

    /// Reads other than the node's own that still need the current value of the cell.
    fn still_to_read(&self, cell: u32, node: u32) -> impl Iterator<Item = u32> + '_ {
        let theory = self.theory;
        let current = self.current[cell as usize];
        let readers: &[u32] = match current {
            Some(writer) => &theory.constraints.nodes[writer as usize].readers,
            None => &theory.initial_readers[cell as usize],
        };
        readers.iter().copied().filter(move |&read| {
            let state = &theory.constraints.reads[read as usize];
            state.cell == cell && state.node != node && !self.placed[state.node as usize]
        })
    }
}

impl Theory {
    /// The literals of a choice; clauses over these and order literals decide it.
    pub fn describe(&self, choice: Choice) -> Description {
        match choice {
            Choice::Rival { read, source, rival } => {
                let read = &self.constraints.reads[read as usize];
                let source = read.sources[source as usize];
                let cell = &self.constraints.cells[read.cell as usize];
                let rival = cell.writers[rival as usize];
                let mut orders = vec![(None, read.node, rival.node)];
                if let Some(writer) = source.writer {
                    orders.push((None, rival.node, cell.writers[writer as usize].node));
                }
                Description { unless: vec![-source.chosen, -rival.writes], orders }
            }
            Choice::Sections { lock, one, other } => {
                let sections = &self.constraints.locks[lock as usize].sections;
                let (one, other) = (sections[one as usize], sections[other as usize]);
                let order = |a: super::SectionState, b: super::SectionState| Some((Some(a.closed), a.leave?, b.enter));
                let orders = [order(one, other), order(other, one)].into_iter().flatten().collect();
                Description { unless: vec![-one.active, -other.active], orders }
            }
            Choice::Block { block, first, second, outsider } => {
                let block = &self.constraints.blocks[block as usize];
                let happens = |node: u32| -self.constraints.nodes[node as usize].happens;
                Description {
                    unless: vec![-block.literal, happens(first), happens(second), happens(outsider)],
                    orders: vec![(None, outsider, first), (None, second, outsider)],
                }
            }
            Choice::Stretch { stretch, outsider } => {
                let super::StretchState { literal, first, last, .. } = self.constraints.stretches.all[stretch as usize];
                Description {
                    unless: vec![-literal, -self.constraints.nodes[outsider as usize].happens],
                    orders: vec![(None, outsider, first), (None, last, outsider)],
                }
            }
        }
    }
}

/// One of the orders holds, together with its condition if there is one, unless one of the literals does.
#[derive(Clone, Debug)]
pub(crate) struct Description {
    pub unless: Vec<Lit>,
    pub orders: Vec<(Option<Lit>, u32, u32)>,
}

impl Theory {
    /// Positions of all nodes in an order that prefers nodes with small keys, as far as the theory allows.
    pub fn preferred<K: Ord>(&self, key: impl Fn(usize, u32) -> K) -> Vec<u32> {
        let mut nodes: Vec<u32> = (0..self.constraints.nodes.len() as u32).collect();
        nodes.sort_by_key(|&node| key(self.reach.chain(node), self.reach.index(node)));
        let preference = positions(&nodes);
        match self.linearise(&preference) {
            Ok(order) => positions(&order),
            Err(_) => preference,
        }
    }

    /// Positions of all nodes in an order that follows the given one; a node that it does not name follows the last
    /// named one before it in its chain.
    pub fn along(&self, order: &[u32]) -> Vec<u32> {
        let mut keys: Vec<Option<u32>> = vec![None; self.constraints.nodes.len()];
        order.iter().enumerate().for_each(|(position, &node)| keys[node as usize] = Some(position as u32 + 1));
        let mut by_chain: Vec<Vec<u32>> = Vec::with_capacity(self.reach.chains().len());
        for chain in self.reach.chains() {
            let mut last = 0;
            let key = |&node: &u32| {
                last = keys[node as usize].unwrap_or(last);
                last
            };
            by_chain.push(chain.iter().map(key).collect());
        }
        self.preferred(|chain, index| (by_chain[chain][index as usize], chain, index))
    }

    /// The final order, after all literals are assigned: with the guide's preference first, then with others.
    pub fn finish(&self) -> Result<Linear, Vec<Choice>> {
        let first = self.linearise(self.guide.positions());
        if first.is_ok() {
            return first;
        }
        let reversed: Vec<u32> = self.guide.positions().iter().map(|position| u32::MAX - position).collect();
        self.linearise(&reversed).or(first)
    }
}

fn positions(order: &[u32]) -> Vec<u32> {
    let mut positions = vec![0; order.len()];
    for (position, &node) in order.iter().enumerate() {
        positions[node as usize] = position as u32;
    }
    positions
}
