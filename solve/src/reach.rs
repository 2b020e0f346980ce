//! Reachability: the transitive closure of chains and added edges, updated as edges are pushed and popped like a stack.
//!
//! For each node and chain the closure stores the earliest node of that chain that must come later. Chains are total
//! orders, so this determines reachability, and a query is one comparison. Adding an edge `a → b` improves the entries
//! of `a` and of all nodes that reach `a`: in each chain a range that ends at the last such node, traversed backwards
//! until no entry improves. Every improvement is logged with its edge; the log is both the undo stack and the source of
//! explanations. An explanation uses the oldest sufficient version of an entry, so it only names edges that existed
//! when the fact became true.

/// The number of an edge, in the order of addition.
pub(crate) type EdgeId = u32;

const NONE: u32 = u32::MAX;
/// No node of the chain must come later.
const NEVER: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub(crate) struct Reach {
    chain_of: Vec<u32>,
    index_of: Vec<u32>,
    chains: Vec<Vec<u32>>,
    /// `node * chains + chain`: the earliest index in the chain that must come after the node.
    earliest: Vec<u32>,
    /// By the same key: the newest log entry that changed it.
    newest: Vec<u32>,
    log: Vec<Change>,
    edges: Vec<(u32, u32)>,
}

/// An improvement of one entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    key: u32,
    pub old: u32,
    pub new: u32,
    previous: u32,
    edge: EdgeId,
}

/// A state of the stack, to return to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    log: u32,
    edges: u32,
}

pub(crate) enum Added {
    /// The order was implied already.
    Known,
    /// The log entries of the new edge.
    New { changes: std::ops::Range<usize> },
    /// The target must come before the source, or is the source.
    Cycle,
}

impl Reach {
    /// Each node is in exactly one chain.
    pub fn new(nodes: usize, chains: Vec<Vec<u32>>) -> Reach {
        let mut chain_of = vec![NONE; nodes];
        let mut index_of = vec![NONE; nodes];
        for (number, chain) in chains.iter().enumerate() {
            for (index, &node) in chain.iter().enumerate() {
                chain_of[node as usize] = number as u32;
                index_of[node as usize] = index as u32;
            }
        }
        let width = chains.len();
        let mut earliest = vec![NEVER; nodes * width];
        for chain in &chains {
            for (index, &node) in chain.iter().enumerate() {
                if index + 1 < chain.len() {
                    earliest[node as usize * width + chain_of[node as usize] as usize] = index as u32 + 1;
                }
            }
        }
        let newest = vec![NONE; nodes * width];
        Reach { chain_of, index_of, chains, earliest, newest, log: Vec::new(), edges: Vec::new() }
    }

    pub fn chain(&self, node: u32) -> usize {
        self.chain_of[node as usize] as usize
    }

    pub fn index(&self, node: u32) -> u32 {
        self.index_of[node as usize]
    }

    pub fn chains(&self) -> &[Vec<u32>] {
        &self.chains
    }

    pub fn edges(&self) -> &[(u32, u32)] {
        &self.edges
    }

    /// The earliest index in the chain that must come after the node; larger than any index if there is none.
    pub fn earliest(&self, node: u32, chain: usize) -> u32 {
        self.earliest[node as usize * self.chains.len() + chain]
    }

    /// Whether `a` must come before `b`.
    pub fn reaches(&self, a: u32, b: u32) -> bool {
        self.earliest(a, self.chain(b)) <= self.index(b)
    }

    /// The last index in the chain whose node must come before the given one.
    pub fn latest_before(&self, node: u32, chain: usize) -> Option<u32> {
        if self.chain(node) == chain {
            return self.index(node).checked_sub(1);
        }
        let (target, limit) = (self.chain(node), self.index(node));
        let count = self.chains[chain].partition_point(|&other| self.earliest(other, target) <= limit);
        (count as u32).checked_sub(1)
    }

    pub fn change(&self, number: usize) -> (u32, usize, Change) {
        let change = self.log[number];
        let width = self.chains.len() as u32;
        (change.key / width, (change.key % width) as usize, change)
    }

    pub fn mark(&self) -> Mark {
        Mark { log: self.log.len() as u32, edges: self.edges.len() as u32 }
    }

    pub fn undo(&mut self, mark: Mark) {
        while self.log.len() > mark.log as usize {
            if let Some(change) = self.log.pop() {
                self.earliest[change.key as usize] = change.old;
                self.newest[change.key as usize] = change.previous;
            }
        }
        self.edges.truncate(mark.edges as usize);
    }

    /// Adds an edge. Its id is the number of edges before.
    pub fn add(&mut self, from: u32, to: u32) -> Added {
        if from == to || self.reaches(to, from) {
            return Added::Cycle;
        }
        if self.reaches(from, to) {
            return Added::Known;
        }
        let edge = self.edges.len() as EdgeId;
        self.edges.push((from, to));
        let begin = self.log.len();
        for chain in 0..self.chains.len() {
            let last = if chain == self.chain(from) { Some(self.index(from)) } else { self.latest_before(from, chain) };
            let Some(last) = last else { continue };
            for index in (0..=last).rev() {
                let node = self.chains[chain][index as usize];
                if !self.improve(node, to, edge) {
                    break;
                }
            }
        }
        Added::New { changes: begin..self.log.len() }
    }

    /// Orders `node` before `to` and all nodes after `to`; returns whether that changed anything.
    fn improve(&mut self, node: u32, to: u32, edge: EdgeId) -> bool {
        let width = self.chains.len();
        let (own, index) = (self.chain(to), self.index(to));
        let mut improved = false;
        for chain in 0..width {
            let new = if chain == own { index } else { self.earliest[to as usize * width + chain] };
            let key = node as usize * width + chain;
            let old = self.earliest[key];
            if new < old {
                let previous = std::mem::replace(&mut self.newest[key], self.log.len() as u32);
                self.log.push(Change { key: key as u32, old, new, previous, edge });
                self.earliest[key] = new;
                improved = true;
            }
        }
        improved
    }

    /// One edge on a path from `a` to `b`, which must exist; pushes the remaining pairs, so that the caller can add
    /// premises of its own.
    pub fn explain_step(&self, a: u32, b: u32, pairs: &mut Vec<(u32, u32)>) -> Option<EdgeId> {
        if self.chain(a) == self.chain(b) && self.index(a) < self.index(b) {
            return None;
        }
        let (key, limit) = (a as usize * self.chains.len() + self.chain(b), self.index(b));
        let mut entry = self.newest[key];
        debug_assert!(entry != NONE && self.earliest[key] <= limit, "explained pairs are reached");
        loop {
            let change = self.log[entry as usize];
            if change.old > limit || change.previous == NONE {
                break;
            }
            entry = change.previous;
        }
        let edge = self.log[entry as usize].edge;
        let (from, to) = self.edges[edge as usize];
        if a != from {
            pairs.push((a, from));
        }
        if to != b {
            pairs.push((to, b));
        }
        Some(edge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small pseudo-random generator, so that failures can be reproduced.
    struct Dice(u64);

    impl Dice {
        fn roll(&mut self, sides: usize) -> usize {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((self.0 >> 33) as usize) % sides
        }
    }

    fn reached_by_search(reach: &Reach, a: u32, b: u32) -> bool {
        let mut seen = vec![false; reach.chain_of.len()];
        let mut stack = vec![a];
        while let Some(node) = stack.pop() {
            let chain = &reach.chains[reach.chain(node)];
            let next = chain.get(reach.index(node) as usize + 1).copied();
            let targets = reach.edges.iter().filter(|edge| edge.0 == node).map(|edge| edge.1).chain(next);
            for target in targets.collect::<Vec<_>>() {
                if target == b {
                    return true;
                }
                if !std::mem::replace(&mut seen[target as usize], true) {
                    stack.push(target);
                }
            }
        }
        false
    }

    #[test]
    fn agrees_with_search_through_additions_and_undos() {
        for seed in 0..200 {
            let mut dice = Dice(seed);
            let chains: Vec<Vec<u32>> = (0..4).map(|chain| (chain * 5..chain * 5 + 5).collect()).collect();
            let mut reach = Reach::new(20, chains);
            let mut marks = vec![reach.mark()];
            for _ in 0..40 {
                if dice.roll(4) == 0 {
                    let keep = dice.roll(marks.len());
                    marks.truncate(keep + 1);
                    reach.undo(marks[keep]);
                } else {
                    marks.push(reach.mark());
                    let (a, b) = (dice.roll(20) as u32, dice.roll(20) as u32);
                    let expected = a == b || reached_by_search(&reach, b, a);
                    assert_eq!(matches!(reach.add(a, b), Added::Cycle), expected, "seed {seed}: {a} → {b}");
                }
                for a in 0..20 {
                    for b in 0..20 {
                        assert_eq!(reach.reaches(a, b), reached_by_search(&reach, a, b), "seed {seed}: {a} before {b}");
                    }
                }
            }
        }
    }

    #[test]
    fn explanations_are_paths() {
        for seed in 0..100 {
            let mut dice = Dice(1000 + seed);
            let chains: Vec<Vec<u32>> = (0..3).map(|chain| (chain * 6..chain * 6 + 6).collect()).collect();
            let mut reach = Reach::new(18, chains.clone());
            for _ in 0..12 {
                let _ = reach.add(dice.roll(18) as u32, dice.roll(18) as u32);
            }
            for a in 0..18 {
                for b in (0..18).filter(|&b| reach.reaches(a, b)) {
                    let mut pairs = vec![(a, b)];
                    let mut only = Reach::new(18, chains.clone());
                    while let Some((from, to)) = pairs.pop() {
                        if let Some(edge) = reach.explain_step(from, to, &mut pairs) {
                            let (from, to) = reach.edges[edge as usize];
                            let _ = only.add(from, to);
                        }
                    }
                    assert!(only.reaches(a, b), "seed {seed}: {a} before {b}");
                }
            }
        }
    }
}
