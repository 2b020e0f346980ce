//! Small random formulas with order, and all their models.

use formula::{
    Assignment, Block, Cell, Family, Formula, Node, NodeInfo, Read, Section, Sort, Source, Stretch, Term, Value, Writer,
};

pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % sides
    }
}

pub struct Case {
    pub formula: Formula,
    pub symbols: Vec<Term>,
    pub assumptions: Vec<Term>,
}

pub fn random_literal(dice: &mut Dice, formula: &mut Formula, symbols: &[Term]) -> Term {
    let count = formula.order.nodes.len();
    let chosen: Vec<Term> =
        formula.order.reads.iter().flat_map(|read| read.sources.iter().map(|source| source.chosen)).collect();
    let literal = match dice.roll(4) {
        0 => symbols[dice.roll(symbols.len())],
        1 if !chosen.is_empty() => chosen[dice.roll(chosen.len())],
        _ => {
            let (a, b) = (dice.roll(count) as u32, dice.roll(count) as u32);
            formula.terms.before(Node(a), Node(b))
        }
    };
    if dice.roll(2) == 0 { formula.terms.not(literal) } else { literal }
}

pub fn random_case(seed: u64) -> Case {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut formula = Formula::default();
    let symbols: Vec<Term> = (0..3).map(|number| formula.terms.symbol(format!("s{number}"), Sort::Bool)).collect();
    let truth = formula.terms.truth();
    for chain in 0..2 + dice.roll(2) {
        let mut nodes = Vec::new();
        for place in 0..1 + dice.roll(3) {
            let happens = if dice.roll(4) == 0 { symbols[dice.roll(3)] } else { truth };
            nodes.push(Node(formula.order.nodes.len() as u32));
            formula.order.nodes.push(NodeInfo { name: format!("n{chain}.{place}"), happens });
        }
        formula.order.chains.push(nodes);
    }
    let count = formula.order.nodes.len();
    for cell in 0..1 + dice.roll(2) {
        add_cell(&mut dice, &mut formula, &symbols, cell, count);
    }
    if dice.roll(2) == 0 {
        add_lock(&mut dice, &mut formula, &symbols);
    }
    if dice.roll(3) == 0 {
        let nodes: Vec<Node> = (0..count as u32).map(Node).filter(|_| dice.roll(2) == 0).collect();
        formula.order.blocks.push(Block { literal: if dice.roll(2) == 0 { truth } else { symbols[2] }, nodes });
    }
    if dice.roll(2) == 0 {
        add_stretches(&mut dice, &mut formula, &symbols, count);
    }
    for _ in 0..dice.roll(4) {
        let parts: Vec<Term> =
            (0..1 + dice.roll(3)).map(|_| random_literal(&mut dice, &mut formula, &symbols)).collect();
        let clause = formula.terms.or(&parts);
        formula.assert(Family::Path, clause);
    }
    let assumptions = (0..dice.roll(6)).map(|_| random_literal(&mut dice, &mut formula, &symbols)).collect();
    Case { formula, symbols, assumptions }
}

fn add_cell(dice: &mut Dice, formula: &mut Formula, symbols: &[Term], cell: usize, count: usize) {
    let mut writers = Vec::new();
    for node in 0..count {
        if dice.roll(2) == 0 {
            let happens = formula.order.nodes[node].happens;
            let writes = if dice.roll(3) == 0 { formula.terms.and(&[happens, symbols[dice.roll(3)]]) } else { happens };
            writers.push(Writer { node: Node(node as u32), writes });
        }
    }
    formula.order.cells.push(Cell { writers: writers.clone() });
    for node in 0..count {
        if dice.roll(2) != 0 {
            continue;
        }
        let mut sources = Vec::new();
        let possible = (0..writers.len()).map(Some).chain([None]);
        for writer in possible.filter(|writer| writer.is_none_or(|w| writers[w].node != Node(node as u32))) {
            if dice.roll(5) > 0 {
                let chosen = formula.terms.symbol(format!("c{cell}.{node}.{writer:?}"), Sort::Bool);
                let implies = match dice.roll(4) {
                    0 => symbols[dice.roll(3)],
                    1 => formula.terms.not(symbols[dice.roll(3)]),
                    _ => formula.terms.truth(),
                };
                sources.push(Source { writer, chosen, implies });
            }
        }
        let active = formula.order.nodes[node].happens;
        formula.order.reads.push(Read { node: Node(node as u32), cell, active, sources });
    }
}

fn add_lock(dice: &mut Dice, formula: &mut Formula, symbols: &[Term]) {
    let mut sections = Vec::new();
    for chain in formula.order.chains.clone() {
        let mut rest = &chain[..];
        while rest.len() >= 2 && dice.roll(4) > 0 {
            let active = if dice.roll(3) == 0 { symbols[dice.roll(3)] } else { formula.terms.truth() };
            let leave = (dice.roll(6) > 0).then_some(rest[1]);
            let closed = match leave {
                None => formula.terms.falsehood(),
                Some(_) if dice.roll(3) == 0 => formula.terms.and(&[active, symbols[dice.roll(3)]]),
                Some(_) => active,
            };
            sections.push(Section { enter: rest[0], leave, active, closed });
            rest = &rest[2..];
        }
    }
    formula.order.locks.push(sections);
}

fn add_stretches(dice: &mut Dice, formula: &mut Formula, symbols: &[Term], count: usize) {
    for _ in 0..1 + dice.roll(3) {
        let [first, last] = [0, 0].map(|_: i32| Node(dice.roll(count) as u32));
        let literal = if dice.roll(4) == 0 { formula.terms.truth() } else { symbols[dice.roll(3)] };
        formula.order.stretches.push(Stretch { literal, first, last, of_chain: dice.roll(2) == 0 });
    }
    formula.order.bystanders = (0..count as u32).map(Node).filter(|_| dice.roll(4) == 0).collect();
}

/// All interleavings of the chains.
fn orders(chains: &[Vec<Node>]) -> Vec<Vec<Node>> {
    fn extend(chains: &[Vec<Node>], done: &mut Vec<usize>, order: &mut Vec<Node>, all: &mut Vec<Vec<Node>>) {
        let mut finished = true;
        for chain in 0..chains.len() {
            if let Some(&node) = chains[chain].get(done[chain]) {
                finished = false;
                done[chain] += 1;
                order.push(node);
                extend(chains, done, order, all);
                order.pop();
                done[chain] -= 1;
            }
        }
        if finished {
            all.push(order.clone());
        }
    }
    let mut all = Vec::new();
    extend(chains, &mut vec![0; chains.len()], &mut Vec::new(), &mut all);
    all
}

/// All assignments to symbols and orders that satisfy the formula.
pub fn models(case: &Case) -> Vec<Assignment> {
    let mut found = Vec::new();
    for order in orders(&case.formula.order.chains) {
        let mut positions = vec![0; order.len()];
        order.iter().enumerate().for_each(|(position, node)| positions[node.0 as usize] = position as u32);
        for bits in 0..1 << case.symbols.len() {
            let mut assignment = Assignment { positions: positions.clone(), ..Assignment::default() };
            for (number, &symbol) in case.symbols.iter().enumerate() {
                assignment.values.insert(symbol, Value::Bool(bits >> number & 1 == 1));
            }
            choose(&case.formula, &mut assignment);
            if case.formula.violations(&assignment).is_empty() {
                found.push(assignment);
            }
        }
    }
    found
}

/// Lets each active read choose the last write before it.
fn choose(formula: &Formula, assignment: &mut Assignment) {
    for read in &formula.order.reads {
        let active = assignment.evaluate_bool(&formula.terms, read.active);
        let here = assignment.positions[read.node.0 as usize];
        let writers = formula.order.cells[read.cell].writers.iter().enumerate();
        let last = writers
            .filter(|(_, writer)| assignment.evaluate_bool(&formula.terms, writer.writes))
            .map(|(number, writer)| (assignment.positions[writer.node.0 as usize], number))
            .filter(|&(position, _)| position < here)
            .max()
            .map(|(_, number)| number);
        for source in &read.sources {
            assignment.values.insert(source.chosen, Value::Bool(active && source.writer == last));
        }
    }
}
