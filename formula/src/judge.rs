//! Checks an assignment against the definition of a formula. It shares no code with any solver, so an answer without
//! violations can be trusted.

use std::fmt;

use crate::assignment::{Assignment, Evaluator, Value};
use crate::formula::{Family, Formula};
use crate::order::{Block, Read, Section, Stretch};
use crate::term::{Node, Sort};

/// A violation by an assignment. Numbers are indices into the formula's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Violation {
    /// The value of a symbol has the wrong sort or too many bits.
    Value {
        symbol: usize,
    },
    /// The number of positions differs from that of nodes.
    Positions {
        nodes: usize,
        positions: usize,
    },
    SamePosition {
        first: Node,
        second: Node,
    },
    Assertion {
        index: usize,
        family: Family,
    },
    /// The second of them must come after the first.
    Chain {
        first: Node,
        second: Node,
    },
    /// An active read has exactly one choice, an inactive one none.
    Choices {
        read: usize,
        active: bool,
        chosen: usize,
    },
    /// The term implied by the choice does not hold.
    Implied {
        read: usize,
        source: usize,
    },
    /// The chosen writer does not write, or not before the read.
    Source {
        read: usize,
        source: usize,
    },
    /// Another writer is between the chosen one, or the beginning, and the read.
    Between {
        read: usize,
        source: usize,
        writer: Node,
    },
    /// Both are active, and neither ends before the other begins.
    Sections {
        lock: usize,
        first: usize,
        second: usize,
    },
    /// The node is inside the block.
    Block {
        block: usize,
        node: Node,
    },
    /// The node is between the stretch's ends, or is an end in the wrong order.
    Stretch {
        stretch: usize,
        node: Node,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Value { symbol } => write!(f, "the value of symbol {symbol} has the wrong sort"),
            Violation::Positions { nodes, positions } => write!(f, "{positions} positions for {nodes} nodes"),
            Violation::SamePosition { first, second } => {
                write!(f, "nodes {} and {} have the same position", first.0, second.0)
            }
            Violation::Assertion { index, family } => write!(f, "assertion {index} ({family}) does not hold"),
            Violation::Chain { first, second } => {
                write!(f, "node {} does not stand before node {} of its chain", first.0, second.0)
            }
            Violation::Choices { read, active, chosen } => {
                write!(f, "read {read} is {}active and has {chosen} sources", if *active { "" } else { "not " })
            }
            Violation::Implied { read, source } => {
                write!(f, "what source {source} of read {read} implies does not hold")
            }
            Violation::Source { read, source } => write!(f, "source {source} of read {read} does not write before it"),
            Violation::Between { read, source, writer } => {
                write!(f, "node {} writes between source {source} and read {read}", writer.0)
            }
            Violation::Sections { lock, first, second } => {
                write!(f, "sections {first} and {second} of lock {lock} overlap")
            }
            Violation::Block { block, node } => write!(f, "node {} stands inside block {block}", node.0),
            Violation::Stretch { stretch, node } => write!(f, "node {} breaks stretch {stretch}", node.0),
        }
    }
}

impl Formula {
    /// All violations; none if the assignment satisfies the formula.
    pub fn violations(&self, assignment: &Assignment) -> Vec<Violation> {
        let mut judge =
            Judge { formula: self, assignment, evaluator: assignment.evaluator(&self.terms), violations: Vec::new() };
        judge.values();
        judge.positions();
        judge.assertions();
        judge.chains();
        for (index, read) in self.order.reads.iter().enumerate() {
            judge.read(index, read);
        }
        for (index, lock) in self.order.locks.iter().enumerate() {
            judge.lock(index, lock);
        }
        judge.blocks();
        for (index, stretch) in self.order.stretches.iter().enumerate() {
            judge.stretch(index, stretch);
        }
        judge.violations
    }
}

struct Judge<'a> {
    formula: &'a Formula,
    assignment: &'a Assignment,
    evaluator: Evaluator<'a>,
    violations: Vec<Violation>,
}

impl Judge<'_> {
    fn position(&self, node: Node) -> u32 {
        self.assignment.position(node)
    }

    fn before(&self, a: Node, b: Node) -> bool {
        self.position(a) < self.position(b)
    }

    fn values(&mut self) {
        for (index, symbol) in self.formula.terms.symbols().iter().enumerate() {
            let Some(&value) = self.assignment.values.get(&symbol.term) else { continue };
            let fits = match (symbol.sort, value) {
                (Sort::Bool, Value::Bool(_)) => true,
                (Sort::Bits(width), Value::Bits { width: other, value }) => {
                    width == other && (width == 128 || value >> width == 0)
                }
                _ => false,
            };
            if !fits {
                self.violations.push(Violation::Value { symbol: index });
            }
        }
    }

    fn positions(&mut self) {
        let (nodes, positions) = (self.formula.order.nodes.len(), self.assignment.positions.len());
        if nodes != positions {
            self.violations.push(Violation::Positions { nodes, positions });
        }
        let mut sorted: Vec<Node> = (0..nodes as u32).map(Node).collect();
        sorted.sort_by_key(|&node| self.position(node));
        for pair in sorted.windows(2) {
            if !self.before(pair[0], pair[1]) {
                self.violations.push(Violation::SamePosition { first: pair[0], second: pair[1] });
            }
        }
    }

    fn assertions(&mut self) {
        for (index, assertion) in self.formula.assertions.iter().enumerate() {
            if !self.evaluator.evaluate_bool(assertion.term) {
                self.violations.push(Violation::Assertion { index, family: assertion.family });
            }
        }
    }

    fn chains(&mut self) {
        for chain in &self.formula.order.chains {
            for pair in chain.windows(2) {
                if !self.before(pair[0], pair[1]) {
                    self.violations.push(Violation::Chain { first: pair[0], second: pair[1] });
                }
            }
        }
    }

    fn read(&mut self, index: usize, read: &Read) {
        let active = self.evaluator.evaluate_bool(read.active);
        let mut chosen = Vec::new();
        for (number, source) in read.sources.iter().enumerate() {
            if self.evaluator.evaluate_bool(source.chosen) {
                chosen.push(number);
            }
        }
        if chosen.len() != usize::from(active) {
            self.violations.push(Violation::Choices { read: index, active, chosen: chosen.len() });
        }
        for number in chosen {
            self.choice(index, read, number);
        }
    }

    fn choice(&mut self, index: usize, read: &Read, number: usize) {
        let source = read.sources[number];
        if !self.evaluator.evaluate_bool(source.implies) {
            self.violations.push(Violation::Implied { read: index, source: number });
        }
        let writers = &self.formula.order.cells[read.cell].writers;
        let chosen = source.writer.map(|writer| writers[writer]);
        if let Some(chosen) = chosen
            && (!self.evaluator.evaluate_bool(chosen.writes) || !self.before(chosen.node, read.node))
        {
            self.violations.push(Violation::Source { read: index, source: number });
        }
        for (other, writer) in writers.iter().enumerate() {
            if Some(other) == source.writer || writer.node == read.node {
                continue;
            }
            let apart = self.before(read.node, writer.node)
                || chosen.is_some_and(|chosen| self.before(writer.node, chosen.node));
            if !apart && self.evaluator.evaluate_bool(writer.writes) {
                self.violations.push(Violation::Between { read: index, source: number, writer: writer.node });
            }
        }
    }

    fn lock(&mut self, lock: usize, sections: &[Section]) {
        let mut active = Vec::new();
        for (index, section) in sections.iter().enumerate() {
            if self.evaluator.evaluate_bool(section.active) {
                let closed = self.evaluator.evaluate_bool(section.closed);
                active.push((index, section.enter, section.leave.filter(|_| closed)));
            }
        }
        for (number, &(first, enter, leave)) in active.iter().enumerate() {
            for &(second, other_enter, other_leave) in &active[number + 1..] {
                let apart = leave.is_some_and(|leave| self.before(leave, other_enter))
                    || other_leave.is_some_and(|leave| self.before(leave, enter));
                if !apart {
                    self.violations.push(Violation::Sections { lock, first, second });
                }
            }
        }
    }

    fn blocks(&mut self) {
        let order = &self.formula.order;
        if order.blocks.is_empty() {
            return;
        }
        let mut happening: Vec<Node> = (0..order.nodes.len() as u32).map(Node).collect();
        happening.retain(|node| self.evaluator.evaluate_bool(order.nodes[node.0 as usize].happens));
        happening.sort_by_key(|&node| self.position(node));
        for (index, block) in order.blocks.iter().enumerate() {
            if self.evaluator.evaluate_bool(block.literal) {
                self.block(index, block, &happening);
            }
        }
    }

    /// `happening` are all nodes that happen, by position.
    fn block(&mut self, index: usize, block: &Block, happening: &[Node]) {
        let first = happening.iter().position(|node| block.nodes.contains(node));
        let last = happening.iter().rposition(|node| block.nodes.contains(node));
        let (Some(first), Some(last)) = (first, last) else { return };
        for &node in &happening[first..=last] {
            if !block.nodes.contains(&node) {
                self.violations.push(Violation::Block { block: index, node });
            }
        }
    }

    fn stretch(&mut self, index: usize, stretch: &Stretch) {
        if stretch.first == stretch.last || !self.evaluator.evaluate_bool(stretch.literal) {
            return;
        }
        if !self.before(stretch.first, stretch.last) {
            self.violations.push(Violation::Stretch { stretch: index, node: stretch.last });
        }
        let order = &self.formula.order;
        let spared = order.chains.iter().find(|chain| stretch.of_chain && chain.contains(&stretch.first));
        for node in (0..order.nodes.len() as u32).map(Node) {
            let between = self.before(stretch.first, node) && self.before(node, stretch.last);
            let minded = !order.bystanders.contains(&node) && !spared.is_some_and(|chain| chain.contains(&node));
            if between && minded && self.evaluator.evaluate_bool(order.nodes[node.0 as usize].happens) {
                self.violations.push(Violation::Stretch { stretch: index, node });
            }
        }
    }
}
