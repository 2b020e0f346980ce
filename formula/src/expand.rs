//! Expands the theory section of a formula to terms over `before`, by its definition. The only remaining axiom is that
//! positions are a total order, which integers provide. This is for solvers without a theory of order; it is as large
//! as the encoding of Symbiosis (Machado, Quinta, Lucia, Rodrigues, TOSEM 25(2), 2016, section 3.3), whose read-write
//! and locking constraints it follows: cubic in the accesses to a cell, quadratic in the sections of a lock.
//! Deviations: reads select their source by a symbol instead of a disjunction, and optional events carry conditions.

use crate::formula::{Assertion, Family, Formula};
use crate::order::{Block, Read, Section, Stretch};
use crate::term::{Node, Sort, Term, Terms};

impl Formula {
    /// The formula's terms with those of its expansion, and all assertions, the formula's own first. The expansion may
    /// have symbols of its own.
    pub fn expanded(&self) -> (Terms, Vec<Assertion>) {
        let mut expansion = Expansion { formula: self, terms: self.terms.clone(), assertions: self.assertions.clone() };
        expansion.chains();
        for read in &self.order.reads {
            expansion.read(read);
        }
        for lock in &self.order.locks {
            expansion.lock(lock);
        }
        for block in &self.order.blocks {
            expansion.block(block);
        }
        for stretch in &self.order.stretches {
            expansion.stretch(stretch);
        }
        (expansion.terms, expansion.assertions)
    }
}

struct Expansion<'a> {
    formula: &'a Formula,
    terms: Terms,
    assertions: Vec<Assertion>,
}

impl Expansion<'_> {
    fn assert(&mut self, family: Family, term: Term) {
        if self.terms.as_bool(term) != Some(true) {
            self.assertions.push(Assertion { term, family });
        }
    }

    fn chains(&mut self) {
        for chain in &self.formula.order.chains {
            for pair in chain.windows(2) {
                let ordered = self.terms.before(pair[0], pair[1]);
                self.assert(Family::MemoryOrder, ordered);
            }
        }
    }

    fn read(&mut self, read: &Read) {
        let choices: Vec<Term> = read.sources.iter().map(|source| source.chosen).collect();
        let some = self.terms.or(&choices);
        let as_active = self.terms.iff(read.active, some);
        self.assert(Family::ReadWrite, as_active);
        self.at_most_one(&choices);
        let writers = &self.formula.order.cells[read.cell].writers;
        for source in &read.sources {
            let mut follows = vec![source.implies];
            let chosen = source.writer.map(|writer| writers[writer]);
            if let Some(chosen) = chosen {
                follows.push(chosen.writes);
                follows.push(self.terms.before(chosen.node, read.node));
            }
            for (other, writer) in writers.iter().enumerate() {
                if Some(other) == source.writer || writer.node == read.node {
                    continue;
                }
                let not_written = self.terms.not(writer.writes);
                let mut apart = vec![not_written, self.terms.before(read.node, writer.node)];
                if let Some(chosen) = chosen {
                    apart.push(self.terms.before(writer.node, chosen.node));
                }
                follows.push(self.terms.or(&apart));
            }
            let all = self.terms.and(&follows);
            let implied = self.terms.implies(source.chosen, all);
            self.assert(Family::ReadWrite, implied);
        }
    }

    /// Linear in size: each term excludes the disjunction of those before it.
    fn at_most_one(&mut self, choices: &[Term]) {
        let Some((&first, rest)) = choices.split_first() else { return };
        let mut earlier = first;
        for &choice in rest {
            let both = self.terms.and2(earlier, choice);
            let not_both = self.terms.not(both);
            self.assert(Family::ReadWrite, not_both);
            earlier = self.terms.or2(earlier, choice);
        }
    }

    fn lock(&mut self, sections: &[Section]) {
        for (index, first) in sections.iter().enumerate() {
            for second in &sections[index + 1..] {
                let both = self.terms.and2(first.active, second.active);
                let one = self.leaves_before(first, second);
                let other = self.leaves_before(second, first);
                let apart = self.terms.or2(one, other);
                let excluded = self.terms.implies(both, apart);
                self.assert(Family::Sync, excluded);
            }
        }
    }

    fn leaves_before(&mut self, first: &Section, second: &Section) -> Term {
        let Some(leave) = first.leave else { return self.terms.falsehood() };
        let ordered = self.terms.before(leave, second.enter);
        self.terms.and2(first.closed, ordered)
    }

    /// One symbol per outside node chooses the side of the block on which it stands.
    fn block(&mut self, block: &Block) {
        let nodes = &self.formula.order.nodes;
        if block.nodes.len() < 2 || self.terms.as_bool(block.literal) == Some(false) {
            return;
        }
        for outside in (0..nodes.len() as u32).map(Node).filter(|node| !block.nodes.contains(node)) {
            let side = self.terms.symbol("side", Sort::Bool);
            let relevant = self.terms.and2(block.literal, nodes[outside.0 as usize].happens);
            for &inside in &block.nodes {
                let ordered = self.terms.before(outside, inside);
                let agrees = self.terms.iff(ordered, side);
                let matters = self.terms.and2(relevant, nodes[inside.0 as usize].happens);
                let implied = self.terms.implies(matters, agrees);
                self.assert(Family::Sync, implied);
            }
        }
    }

    fn stretch(&mut self, stretch: &Stretch) {
        let Stretch { literal, first, last, of_chain } = *stretch;
        if first == last || self.terms.as_bool(literal) == Some(false) {
            return;
        }
        let ordered = self.terms.before(first, last);
        let implied = self.terms.implies(literal, ordered);
        self.assert(Family::Sync, implied);
        let order = &self.formula.order;
        let spared = order.chains.iter().find(|chain| of_chain && chain.contains(&first));
        for (index, info) in order.nodes.iter().enumerate() {
            let node = Node(index as u32);
            let exempt = order.bystanders.contains(&node) || spared.is_some_and(|chain| chain.contains(&node));
            if exempt || node == first || node == last {
                continue;
            }
            let apart = [self.terms.before(node, first), self.terms.before(last, node)];
            let apart = self.terms.or(&apart);
            let matters = self.terms.and2(literal, info.happens);
            let implied = self.terms.implies(matters, apart);
            self.assert(Family::Sync, implied);
        }
    }
}
