//! Stretches: two nodes without relevant nodes between them. Only the ends are checked: a node before the last end must
//! come before the first, and a node after the first end must come after the last; of each chain the nearest node
//! suffices.

use super::{Lit, TRUE, Theory, Why};

#[derive(Clone, Copy, Debug)]
pub(crate) struct StretchState {
    pub literal: Lit,
    pub first: u32,
    pub last: u32,
    /// Whether further nodes of the first one's chain may be within.
    pub of_chain: bool,
}

/// All stretches, indexed by their ends.
#[derive(Clone, Debug, Default)]
pub(super) struct Stretches {
    pub all: Vec<StretchState>,
    /// By node, the stretches that begin there.
    pub begin: Vec<Vec<u32>>,
    /// By chain, the stretches that end there, by index.
    end: Vec<Vec<(u32, u32)>>,
    /// By node.
    bystander: Vec<bool>,
}

impl Theory {
    pub(super) fn add_stretches(&mut self, all: Vec<StretchState>, bystanders: &[u32]) {
        if all.is_empty() {
            return;
        }
        let count = self.constraints.nodes.len();
        let mut stretches = Stretches {
            all,
            begin: vec![Vec::new(); count],
            end: vec![Vec::new(); self.reach.chains().len()],
            bystander: vec![false; count],
        };
        bystanders.iter().for_each(|&node| stretches.bystander[node as usize] = true);
        for (number, stretch) in stretches.all.iter().enumerate().filter(|(_, stretch)| stretch.first != stretch.last) {
            stretches.begin[stretch.first as usize].push(number as u32);
            stretches.end[self.reach.chain(stretch.last)].push((self.reach.index(stretch.last), number as u32));
        }
        stretches.end.iter_mut().for_each(|list| list.sort_unstable());
        self.constraints.stretches = stretches;
    }

    /// Whether the node, if it happens, must not be within.
    pub(super) fn minds(&self, stretch: u32, node: u32) -> bool {
        let StretchState { first, last, of_chain, .. } = self.constraints.stretches.all[stretch as usize];
        let spared = of_chain && self.reach.chain(node) == self.reach.chain(first);
        node != first && node != last && !spared && !self.constraints.stretches.bystander[node as usize]
    }

    /// The literal of a stretch became true.
    pub(super) fn tighten(&mut self, stretch: u32) {
        let StretchState { literal, first, last, .. } = self.constraints.stretches.all[stretch as usize];
        if first == last {
            return;
        }
        self.need(first, last, Why::lits([literal, TRUE, TRUE, TRUE]));
        for chain in 0..self.reach.chains().len() {
            self.follow_stretch(stretch, chain);
            self.precede_stretch(stretch, chain);
        }
    }

    /// The last node comes before the first relevant node of the chain that the first node comes before.
    fn follow_stretch(&mut self, stretch: u32, chain: usize) {
        let first = self.constraints.stretches.all[stretch as usize].first;
        let begin = self.reach.earliest(first, chain);
        let Some(rest) = self.reach.chains()[chain].get(begin as usize..) else { return };
        if let Some(&node) = rest.iter().find(|&&node| self.minds(stretch, node) && self.happens(node)) {
            self.stand_after(stretch, node);
        }
    }

    /// The last relevant node of the chain that comes before the last node comes before the first node.
    fn precede_stretch(&mut self, stretch: u32, chain: usize) {
        let last = self.constraints.stretches.all[stretch as usize].last;
        let Some(end) = self.reach.latest_before(last, chain) else { return };
        let nodes = &self.reach.chains()[chain][..=end as usize];
        if let Some(&node) = nodes.iter().rev().find(|&&node| self.minds(stretch, node) && self.happens(node)) {
            self.stand_before(stretch, node);
        }
    }

    fn stand_after(&mut self, stretch: u32, node: u32) {
        let StretchState { literal, first, last, .. } = self.constraints.stretches.all[stretch as usize];
        let happens = self.constraints.nodes[node as usize].happens;
        self.need(last, node, Why::path([literal, happens, TRUE, TRUE], first, node));
    }

    fn stand_before(&mut self, stretch: u32, node: u32) {
        let StretchState { literal, first, last, .. } = self.constraints.stretches.all[stretch as usize];
        let happens = self.constraints.nodes[node as usize].happens;
        self.need(node, first, Why::path([literal, happens, TRUE, TRUE], node, last));
    }

    /// The node now comes before the chain's indices from `new` up to `old`.
    pub(super) fn stretch_order(&mut self, node: u32, chain: usize, new: u32, old: u32) {
        for position in 0..self.constraints.stretches.begin[node as usize].len() {
            let stretch = self.constraints.stretches.begin[node as usize][position];
            if self.holds(self.constraints.stretches.all[stretch as usize].literal) {
                self.follow_stretch(stretch, chain);
            }
        }
        if !self.happens(node) {
            return;
        }
        let begin = self.constraints.stretches.end[chain].partition_point(|&(index, _)| index < new);
        for at in begin..self.constraints.stretches.end[chain].len() {
            let (index, stretch) = self.constraints.stretches.end[chain][at];
            if index >= old {
                break;
            }
            if self.holds(self.constraints.stretches.all[stretch as usize].literal) && self.minds(stretch, node) {
                self.stand_before(stretch, node);
            }
        }
    }

    /// A node was found to happen.
    pub(super) fn keep_clear(&mut self, node: u32) {
        for stretch in 0..self.constraints.stretches.all.len() as u32 {
            let StretchState { literal, first, last, .. } = self.constraints.stretches.all[stretch as usize];
            if first == last || !self.holds(literal) || !self.minds(stretch, node) {
                continue;
            }
            if self.reach.reaches(first, node) {
                self.stand_after(stretch, node);
            }
            if self.reach.reaches(node, last) {
                self.stand_before(stretch, node);
            }
        }
    }
}
