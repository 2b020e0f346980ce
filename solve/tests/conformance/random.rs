//! Random formulas, reproducible from a seed: terms over a few small symbols, whose models can be enumerated, and
//! orders with all constructs of the theory.

use formula::Writer;
use formula::{
    Assignment, Block, Cell, Family, Formula, Node, NodeInfo, Read, Section, Sort, Source, Stretch, Term, Terms, Value,
};

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    pub fn word(&mut self, width: u32) -> u128 {
        let ones = u128::MAX >> (128 - width);
        let any = (u128::from(self.next()) << 64) | u128::from(self.next());
        self.pick(&[0, 1, ones, 1 << (width - 1), any, any, any]) & ones
    }
}

/// Operations of two words of one width with a result of that width.
pub const BINARY: [fn(&mut Terms, Term, Term) -> Term; 13] = [
    Terms::add,
    Terms::sub,
    Terms::mul,
    Terms::udiv,
    Terms::urem,
    Terms::sdiv,
    Terms::srem,
    Terms::bit_and,
    Terms::bit_or,
    Terms::bit_xor,
    Terms::shl,
    Terms::lshr,
    Terms::ashr,
];

/// Operations with a boolean result.
pub const COMPARISONS: [fn(&mut Terms, Term, Term) -> Term; 6] =
    [Terms::ult, Terms::ule, Terms::slt, Terms::sle, Terms::eq, Terms::ne];

/// A formula without order and its symbols, of seven bits in total.
pub fn small_formula(random: &mut Random) -> (Formula, Vec<Term>) {
    let mut formula = Formula::default();
    let terms = &mut formula.terms;
    let p = terms.symbol("p", Sort::Bool);
    let x = terms.symbol("x", Sort::Bits(3));
    let y = terms.symbol("y", Sort::Bits(3));
    let (mut booleans, mut words) = (vec![p], vec![x, y]);
    for _ in 0..12 + random.below(20) {
        let (a, b, c) = (random.pick(&words), random.pick(&words), random.pick(&booleans));
        let d = random.pick(&booleans);
        match random.below(10) {
            0..=3 => words.push(random.pick(&BINARY)(terms, a, b)),
            4 => words.push(terms.ite(c, a, b)),
            5 => words.push(slice(terms, random, a)),
            6 => booleans.push(random.pick(&COMPARISONS)(terms, a, b)),
            7 => words.push(terms.bits(3, random.word(3))),
            8 => booleans.push(terms.not(c)),
            _ => booleans.push(random.pick(&[Terms::and2, Terms::or2, Terms::iff])(terms, c, d)),
        }
    }
    for _ in 0..1 + random.below(3) {
        let (a, b) = (random.pick(&words), random.pick(&words));
        let compared = random.pick(&COMPARISONS)(terms, a, b);
        let joined = random.pick(&[Terms::and2, Terms::or2])(terms, compared, random.pick(&booleans));
        formula.assertions.push(formula::Assertion { term: joined, family: Family::Path });
    }
    (formula, vec![p, x, y])
}

/// Extended and cut back to three bits.
fn slice(terms: &mut Terms, random: &mut Random, a: Term) -> Term {
    let wide = match random.below(3) {
        0 => terms.zero_extend(a, 8),
        1 => terms.sign_extend(a, 8),
        _ => {
            let pair = terms.concat(a, a);
            terms.concat(pair, a)
        }
    };
    let low = random.below(6) as u32;
    terms.extract(wide, low + 2, low)
}

/// Whether some assignment to the symbols satisfies the formula, by enumeration.
pub fn satisfiable(formula: &Formula, symbols: &[Term]) -> bool {
    let widths: Vec<u32> = symbols
        .iter()
        .map(|&symbol| match formula.terms.sort(symbol) {
            Sort::Bool => 0,
            Sort::Bits(width) => width,
        })
        .collect();
    let bits: u32 = widths.iter().map(|&width| width.max(1)).sum();
    (0..1u128 << bits).any(|mut choice| {
        let mut assignment = Assignment::default();
        for (&symbol, &width) in symbols.iter().zip(&widths) {
            let value = choice & ((1 << width.max(1)) - 1);
            choice >>= width.max(1);
            let value = if width == 0 { Value::Bool(value == 1) } else { Value::Bits { width, value } };
            assignment.values.insert(symbol, value);
        }
        formula.violations(&assignment).is_empty()
    })
}

/// A formula with an order, and assumptions about it.
pub fn ordered_formula(random: &mut Random) -> (Formula, Vec<Term>) {
    let mut formula = Formula::default();
    let flags: Vec<Term> = (0..3).map(|flag| formula.terms.symbol(format!("flag {flag}"), Sort::Bool)).collect();
    for chain in 0..2 + random.below(3) {
        let mut nodes = Vec::new();
        let mut happens = formula.terms.truth();
        for place in 0..2 + random.below(3) {
            // A later node of a chain happens only if the earlier ones do.
            if random.below(4) == 0 {
                happens = formula.terms.and2(happens, random.pick(&flags));
            }
            nodes.push(Node(formula.order.nodes.len() as u32));
            formula.order.nodes.push(NodeInfo { name: format!("T{chain}.{place}"), happens });
        }
        formula.order.chains.push(nodes);
    }
    let olds = add_cell(&mut formula, random, &flags);
    add_lock(&mut formula, random);
    if random.below(2) == 0 {
        let chain = formula.order.chains[0].clone();
        formula.order.blocks.push(Block { literal: random.pick(&flags), nodes: chain });
    }
    for _ in 0..random.below(3) {
        let [first, last] = [0, 0].map(|_: u8| Node(random.below(formula.order.nodes.len()) as u32));
        let stretch = Stretch { literal: random.pick(&flags), first, last, of_chain: random.below(2) == 0 };
        formula.order.stretches.push(stretch);
        formula.order.bystanders.push(Node(random.below(formula.order.nodes.len()) as u32));
    }
    for _ in 0..1 + random.below(3) {
        let parts: Vec<Term> = (0..1 + random.below(3)).map(|_| fact(&mut formula, random, &flags, &olds)).collect();
        let some = formula.terms.or(&parts);
        formula.assert(Family::Bug, some);
    }
    let assumptions = (0..random.below(7)).map(|_| fact(&mut formula, random, &flags, &olds)).collect();
    (formula, assumptions)
}

/// A random assumption.
fn fact(formula: &mut Formula, random: &mut Random, flags: &[Term], olds: &[Term]) -> Term {
    let terms = &mut formula.terms;
    let nodes = formula.order.nodes.len();
    let fact = match random.below(5) {
        0 => random.pick(flags),
        1 | 2 if !olds.is_empty() => {
            let value = terms.bits(4, random.below(4) as u128);
            terms.eq(random.pick(olds), value)
        }
        _ => terms.before(Node(random.below(nodes) as u32), Node(random.below(nodes) as u32)),
    };
    if random.below(2) == 0 { terms.not(fact) } else { fact }
}

/// Reads, writes and read-modify-writes of one cell; returns the symbols of the values read.
fn add_cell(formula: &mut Formula, random: &mut Random, flags: &[Term]) -> Vec<Term> {
    let terms = &mut formula.terms;
    let (mut writers, mut news, mut readers) = (Vec::new(), Vec::new(), Vec::new());
    for (index, node) in formula.order.nodes.iter().enumerate() {
        let kind = random.below(4);
        let old = terms.symbol(format!("old {index}"), Sort::Bits(4));
        if kind == 1 || kind == 2 {
            readers.push((Node(index as u32), old, node.happens));
        }
        if kind == 2 || kind == 3 {
            let constant = terms.bits(4, 1 + random.below(3) as u128);
            news.push(if kind == 2 { terms.add(old, constant) } else { constant });
            let condition = if random.below(3) == 0 { random.pick(flags) } else { terms.truth() };
            let writes = terms.and2(node.happens, condition);
            writers.push(Writer { node: Node(index as u32), writes });
        }
    }
    let zero = terms.bits(4, 0);
    for &(node, old, active) in &readers {
        let mut sources = Vec::new();
        for writer in (0..writers.len()).map(Some).chain([None]) {
            if writer.is_some_and(|writer| writers[writer].node == node) || random.below(8) == 0 {
                continue;
            }
            let chosen = terms.symbol(format!("source {} of {}", sources.len(), node.0), Sort::Bool);
            let implies = terms.eq(old, writer.map_or(zero, |writer| news[writer]));
            sources.push(Source { writer, chosen, implies });
        }
        formula.order.reads.push(Read { node, cell: 0, active, sources });
    }
    formula.order.cells.push(Cell { writers });
    readers.iter().map(|reader| reader.1).collect()
}

/// The first two nodes of each chain, and sometimes the next two, are a section.
fn add_lock(formula: &mut Formula, random: &mut Random) {
    let mut sections = Vec::new();
    for chain in &formula.order.chains {
        for pair in chain.chunks(2).filter(|pair| pair.len() == 2) {
            if random.below(3) == 0 {
                continue;
            }
            let happens = |node: Node| formula.order.nodes[node.0 as usize].happens;
            let leave = (random.below(5) > 0).then_some(pair[1]);
            let closed = leave.map_or(formula.terms.falsehood(), happens);
            sections.push(Section { enter: pair[0], leave, active: happens(pair[0]), closed });
        }
    }
    formula.order.locks.push(sections);
}
