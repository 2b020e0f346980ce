//! Decision heuristic: follows some total order of all nodes and lets each read, in that order, choose the last write
//! before it. Guided stretches alternate with stretches of CaDiCaL's own decisions: following an order alone can be
//! much slower than either.

use super::{Lit, Theory};

/// The number of backtracks of a stretch.
const STRETCH: u64 = 32;

/// The guiding order, and how often decisions follow it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guide {
    /// By node, its position in the order.
    positions: Vec<u32>,
    /// The reads in that order, each with the candidate that fits the order best.
    reads: Vec<(u32, u32)>,
    next: usize,
    saved: Vec<usize>,
    backtracks: u64,
    /// One in this many stretches is guided; none if this is zero.
    one_in: u64,
    taste: Taste,
    /// Pairs of stretches: the literals of the two, and the one to decide if both hold.
    ranks: Vec<(Lit, Lit, Lit)>,
}

/// Which of the possible candidates a read chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Taste {
    /// The last write before the read in the guiding order.
    #[default]
    Fresh,
    /// The first write: updates of stale values are lost.
    Stale,
}

impl Taste {
    /// The rank of a candidate at one position for a read at another; the greatest is best.
    fn rank(self, there: i64, here: i64) -> (u8, i64) {
        match self {
            Taste::Fresh if there < here => (1, there),
            Taste::Fresh | Taste::Stale => (0, -there),
        }
    }
}

impl Guide {
    pub fn positions(&self) -> &[u32] {
        &self.positions
    }

    pub(super) fn new_level(&mut self) {
        self.saved.push(self.next);
    }

    pub(super) fn backtrack(&mut self, level: usize) {
        self.backtracks += 1;
        if let Some(&next) = self.saved.get(level) {
            self.next = next;
            self.saved.truncate(level);
        }
    }
}

impl Theory {
    /// From now on decisions follow this order, in one of this many stretches.
    pub fn follow(&mut self, positions: Vec<u32>, one_in: u64, taste: Taste) {
        let mut reads: Vec<(u32, u32)> = (0..self.constraints.reads.len() as u32)
            .filter_map(|read| {
                let state = &self.constraints.reads[read as usize];
                let cell = &self.constraints.cells[state.cell as usize];
                let here = positions[state.node as usize];
                let writer = |source: &super::SourceState| match source.writer {
                    Some(writer) => positions[cell.writers[writer as usize].node as usize] as i64,
                    None => -1,
                };
                let rank = |source: &super::SourceState| taste.rank(writer(source), i64::from(here));
                let best = state.sources.iter().enumerate().max_by_key(|(_, source)| rank(source));
                best.map(|(source, _)| (read, source as u32))
            })
            .collect();
        reads.sort_by_key(|&(read, _)| positions[self.constraints.reads[read as usize].node as usize]);
        self.guide = Guide { positions, reads, one_in, taste, ..Guide::default() };
    }

    /// Pairs of stretches of different chains, by the first nodes in the guiding order.
    pub fn rivals(&self, most: usize) -> Vec<(Lit, Lit, u32, u32)> {
        let mut wide: Vec<_> = self.constraints.stretches.all.iter().filter(|stretch| stretch.of_chain).collect();
        wide.sort_by_key(|stretch| self.guide.positions[stretch.first as usize]);
        if wide.len() > most {
            return Vec::new();
        }
        let mut rivals = Vec::new();
        for (number, one) in wide.iter().enumerate() {
            for other in &wide[number + 1..] {
                if self.reach.chain(one.first) != self.reach.chain(other.first) {
                    rivals.push((one.literal, other.literal, one.first, other.first));
                }
            }
        }
        rivals
    }

    /// If both stretches of a pair hold, their order is decided before all else, since it determines most of the rest.
    pub fn rank(&mut self, ranks: Vec<(Lit, Lit, Lit)>) {
        self.guide.ranks = ranks;
    }

    fn decide_rank(&self) -> Option<Lit> {
        let open = |&&(one, other, order): &&(Lit, Lit, Lit)| {
            self.told(order) == 0 && self.told(one) > 0 && self.told(other) > 0
        };
        self.guide.ranks.iter().find(open).map(|&(_, _, order)| order)
    }

    /// The next guided decision, if there is one.
    pub fn decide(&mut self) -> Option<Lit> {
        if let Some(rank) = self.decide_rank() {
            return Some(rank);
        }
        if self.guide.one_in == 0 || !(self.guide.backtracks / STRETCH).is_multiple_of(self.guide.one_in) {
            return None;
        }
        while let Some(&(read, wanted)) = self.guide.reads.get(self.guide.next) {
            let state = &self.constraints.reads[read as usize];
            if state.current.is_none() {
                let lit = state.sources[wanted as usize].chosen;
                if self.told(lit) == 0 {
                    return Some(lit);
                }
                if let Some(source) = self.second_best(read) {
                    return Some(source);
                }
            }
            self.guide.next += 1;
        }
        None
    }

    /// Of the remaining candidates, the last before the read, otherwise the first after it.
    fn second_best(&self, read: u32) -> Option<Lit> {
        let state = &self.constraints.reads[read as usize];
        let cell = &self.constraints.cells[state.cell as usize];
        let here = i64::from(self.guide.positions[state.node as usize]);
        let free = state.sources.iter().filter(|source| self.told(source.chosen) == 0);
        let best = free.max_by_key(|source| {
            let there = source
                .writer
                .map_or(-1, |writer| i64::from(self.guide.positions[cell.writers[writer as usize].node as usize]));
            self.guide.taste.rank(there, here)
        });
        // A read whose choice is assigned but not propagated yet needs no decision.
        let settled = state.sources.iter().any(|source| self.told(source.chosen) > 0);
        best.filter(|_| !settled).map(|source| source.chosen)
    }
}
