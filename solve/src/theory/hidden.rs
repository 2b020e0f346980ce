//! Overwritten reads-from candidates: if a write comes before another, and that one before a read, the read does not
//! read from the first. The rules in `rules` would only derive this as a conflict after the candidate is chosen; where
//! most of an order is given, as in the search for the nearest execution, propagating it at once saves as many
//! conflicts as there are reads. The propagation is incomplete: it covers reads of the rival's own chain, and rivals
//! that come before a read.

use super::{Constraints, Lit, NONE, Theory};

/// A literal that follows from a path, or from two paths through a writer that writes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Implied {
    pub lit: Lit,
    pub from: u32,
    pub to: u32,
    /// The writer in between, with the literal that it writes; the first path may be empty.
    pub through: Option<(u32, Lit)>,
}

impl Theory {
    /// Called when the writing node now comes before the chain's indices from `new` up to `old`.
    pub(super) fn hide(&mut self, node: u32, chain: usize, new: u32, old: u32) {
        for position in 0..self.constraints.nodes[node as usize].writes.len() {
            let (cell, writer) = self.constraints.nodes[node as usize].writes[position];
            let writes = self.constraints.cells[cell as usize].writers[writer as usize].writes;
            if !self.holds(writes) {
                continue;
            }
            let next = self.next_writer(cell, node);
            self.hide_what_is_before(cell, (node, writes), next, chain, new..old);
            self.hide_behind_rival(cell, node, next, chain, new..old);
        }
    }

    /// The next writer of the cell in the node's chain that writes: it suffices.
    fn next_writer(&self, cell: u32, node: u32) -> Option<u32> {
        let (chain, index) = (self.reach.chain(node), self.reach.index(node));
        self.first_rival(cell, chain, index + 1, [node, node]).map(|(next, _)| next)
    }

    /// Excludes candidates before the node for the reads that now come after the node.
    fn hide_what_is_before(
        &mut self,
        cell: u32,
        (node, writes): (u32, Lit),
        next: Option<u32>,
        chain: usize,
        range: std::ops::Range<u32>,
    ) {
        let Theory { constraints: Constraints { cells, reads, .. }, reach, derived, assigned, .. } = self;
        let cell = &cells[cell as usize];
        let list = &cell.reads_by_chain[chain];
        let begin = list.partition_point(|&read| reach.index(reads[read as usize].node) < range.start);
        for &read in &list[begin..] {
            let read = &reads[read as usize];
            if reach.index(read.node) >= range.end {
                break;
            }
            if read.node == node || next.is_some_and(|next| next != read.node && reach.reaches(next, read.node)) {
                continue;
            }
            for source in read.sources.iter().filter(|source| open(&assigned.told, source.chosen)) {
                let from = source.writer.map_or(NONE, |writer| cell.writers[writer as usize].node);
                if from == NONE || (from != node && reach.reaches(from, node)) {
                    let through = Some((node, writes));
                    derived.implied.push(Implied { lit: -source.chosen, from, to: read.node, through });
                }
            }
        }
    }

    /// The node now comes before another writer of the chain: excludes the node and earlier writes of its chain for the
    /// reads after that writer.
    fn hide_behind_rival(
        &mut self,
        cell: u32,
        node: u32,
        next: Option<u32>,
        chain: usize,
        range: std::ops::Range<u32>,
    ) {
        let Some((rival, writes)) = self.first_rival(cell, chain, range.start, [node, node]) else { return };
        let told_before = self.reach.index(rival) >= range.end;
        if told_before || next.is_some_and(|next| next == rival || self.reach.reaches(next, rival)) {
            return;
        }
        let Theory { constraints: Constraints { cells, reads, .. }, reach, derived, assigned, .. } = self;
        let cell = &cells[cell as usize];
        let list = &cell.reads_by_chain[chain];
        let begin = list.partition_point(|&read| reach.index(reads[read as usize].node) <= reach.index(rival));
        let (own, last) = (reach.chain(node), reach.index(node));
        for &read in &list[begin..] {
            let read = &reads[read as usize];
            for source in read.sources.iter().filter(|source| open(&assigned.told, source.chosen)) {
                let Some(writer) = source.writer else { continue };
                let from = cell.writers[writer as usize].node;
                if from != rival && reach.chain(from) == own && reach.index(from) <= last {
                    let through = Some((rival, writes));
                    derived.implied.push(Implied { lit: -source.chosen, from, to: read.node, through });
                }
            }
        }
    }
}

/// Whether the literal is unassigned.
fn open(told: &[i8], lit: Lit) -> bool {
    told.get(lit.unsigned_abs() as usize).is_none_or(|&value| value == 0)
}
