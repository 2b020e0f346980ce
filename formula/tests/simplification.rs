//! Simplification preserves values: terms are built at random from symbols and constants; the value of each under
//! several assignments is computed independently from the operands' values.

use std::collections::HashMap;

use formula::{Assignment, Node, Sort, Term, Terms, Value};

/// A small pseudo-random generator with a seed: the same terms on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Often near the boundaries, where errors are likely.
    fn word(&mut self, width: u32) -> u128 {
        let ones = u128::MAX >> (128 - width);
        let any = (u128::from(self.next()) << 64) | u128::from(self.next());
        let value = match self.below(8) {
            0 => 0,
            1 => 1,
            2 => ones,
            3 => 1 << (width - 1),
            4 => (1 << (width - 1)) - 1,
            5 => 1 << self.below(width as usize),
            _ => any,
        };
        value & ones
    }
}

const ASSIGNMENTS: usize = 6;
type Values = [u128; ASSIGNMENTS];

/// Terms with their values: booleans as 0 and 1.
struct Grown {
    terms: Terms,
    assignments: Vec<Assignment>,
    booleans: Vec<(Term, Values)>,
    vectors: Vec<(u32, Term, Values)>,
}

fn signed(width: u32, value: u128) -> i128 {
    if value >> (width - 1) == 1 {
        (value as i128).wrapping_sub(if width == 128 { 0 } else { 1 << width })
    } else {
        value as i128
    }
}

/// The definitions of SMT-LIB.
fn reference(operation: usize, width: u32, a: u128, b: u128) -> u128 {
    let (sa, sb) = (signed(width, a), signed(width, b));
    let (negative_a, negative_b) = (sa < 0, sb < 0);
    let result = match operation {
        0 => a.wrapping_add(b),
        1 => a.wrapping_sub(b),
        2 => a.wrapping_mul(b),
        3 if b == 0 => u128::MAX,
        3 => a / b,
        4 if b == 0 => a,
        4 => a % b,
        5 => {
            let quotient = if sb == 0 { u128::MAX } else { sa.unsigned_abs() / sb.unsigned_abs() };
            if negative_a != negative_b { quotient.wrapping_neg() } else { quotient }
        }
        6 => {
            let remainder = if sb == 0 { sa.unsigned_abs() } else { sa.unsigned_abs() % sb.unsigned_abs() };
            if negative_a { remainder.wrapping_neg() } else { remainder }
        }
        7 => a & b,
        8 => a | b,
        9 => a ^ b,
        10 => (0..width)
            .filter(|&bit| u128::from(bit) >= b && (a >> (u128::from(bit) - b)) & 1 == 1)
            .map(|bit| 1 << bit)
            .sum(),
        11 => (0..width)
            .filter(|&bit| b < 128 && bit + (b as u32) < width && (a >> (bit + b as u32)) & 1 == 1)
            .map(|bit| 1 << bit)
            .sum(),
        12 => (0..width)
            .filter(|&bit| {
                let from = u128::from(bit).saturating_add(b).min(u128::from(width) - 1);
                (a >> from) & 1 == 1
            })
            .map(|bit| 1 << bit)
            .sum(),
        13 => u128::from(a < b),
        14 => u128::from(a <= b),
        15 => u128::from(sa < sb),
        16 => u128::from(sa <= sb),
        17 => u128::from(a == b),
        _ => u128::from(a != b),
    };
    if operation >= 13 { result } else { result & (u128::MAX >> (128 - width)) }
}

fn construct(terms: &mut Terms, operation: usize, a: Term, b: Term) -> Term {
    match operation {
        0 => terms.add(a, b),
        1 => terms.sub(a, b),
        2 => terms.mul(a, b),
        3 => terms.udiv(a, b),
        4 => terms.urem(a, b),
        5 => terms.sdiv(a, b),
        6 => terms.srem(a, b),
        7 => terms.bit_and(a, b),
        8 => terms.bit_or(a, b),
        9 => terms.bit_xor(a, b),
        10 => terms.shl(a, b),
        11 => terms.lshr(a, b),
        12 => terms.ashr(a, b),
        13 => terms.ult(a, b),
        14 => terms.ule(a, b),
        15 => terms.slt(a, b),
        16 => terms.sle(a, b),
        17 => terms.eq(a, b),
        _ => terms.ne(a, b),
    }
}

fn zip(a: Values, b: Values, f: impl Fn(u128, u128) -> u128) -> Values {
    std::array::from_fn(|i| f(a[i], b[i]))
}

impl Grown {
    fn new(random: &mut Random) -> Grown {
        let mut terms = Terms::new();
        let mut assignments = vec![Assignment::default(); ASSIGNMENTS];
        let (mut booleans, mut vectors) = (Vec::new(), Vec::new());
        for name in ["p", "q", "r"] {
            let term = terms.symbol(name, Sort::Bool);
            let values = std::array::from_fn(|i| {
                let value = random.below(2) == 1;
                assignments[i].values.insert(term, Value::Bool(value));
                u128::from(value)
            });
            booleans.push((term, values));
        }
        for width in [1, 3, 8, 16, 64, 128] {
            for name in ["x", "y"] {
                let term = terms.symbol(name, Sort::Bits(width));
                let values = std::array::from_fn(|i| {
                    let value = random.word(width);
                    assignments[i].values.insert(term, Value::Bits { width, value });
                    value
                });
                vectors.push((width, term, values));
            }
        }
        for assignment in &mut assignments {
            // All different, since the order of two nodes at one position is undefined.
            assignment.positions = (0..4).map(|node| random.below(1000) as u32 * 4 + node).collect();
        }
        Grown { terms, assignments, booleans, vectors }
    }

    /// Of the given width.
    fn vector(&mut self, random: &mut Random, width: u32) -> (Term, Values) {
        let fitting: Vec<_> =
            self.vectors.iter().filter(|known| known.0 == width).map(|known| (known.1, known.2)).collect();
        if fitting.is_empty() || random.below(4) == 0 {
            let value = random.word(width);
            return (self.terms.bits(width, value), [value; ASSIGNMENTS]);
        }
        // Recent terms more often, so that terms become deep.
        let recent = fitting.len().saturating_sub(8);
        if random.below(2) == 0 {
            fitting[recent + random.below(fitting.len() - recent)]
        } else {
            random.pick(&fitting)
        }
    }

    fn step(&mut self, random: &mut Random) {
        let width = random.pick(&self.vectors).0;
        match random.below(12) {
            0..=5 => {
                let operation = random.below(19);
                let (a, b) = (self.vector(random, width), self.vector(random, width));
                let term = construct(&mut self.terms, operation, a.0, b.0);
                let values = zip(a.1, b.1, |a, b| reference(operation, width, a, b));
                if operation >= 13 {
                    self.booleans.push((term, values))
                } else {
                    self.vectors.push((width, term, values))
                }
            }
            6 => {
                let a = self.vector(random, width);
                let ones = u128::MAX >> (128 - width);
                let (term, values) = if random.below(2) == 0 {
                    (self.terms.neg(a.0), a.1.map(|a| a.wrapping_neg() & ones))
                } else {
                    (self.terms.bit_not(a.0), a.1.map(|a| !a & ones))
                };
                self.vectors.push((width, term, values));
            }
            7 => self.move_bits(random, width),
            8 => {
                let c = random.pick(&self.booleans);
                let (a, b) = (self.vector(random, width), self.vector(random, width));
                let term = self.terms.ite(c.0, a.0, b.0);
                let values = std::array::from_fn(|i| if c.1[i] == 1 { a.1[i] } else { b.1[i] });
                self.vectors.push((width, term, values));
            }
            _ => self.join_booleans(random),
        }
    }

    fn move_bits(&mut self, random: &mut Random, width: u32) {
        let a = self.vector(random, width);
        let wider = width + random.below((129 - width) as usize) as u32;
        let (width, term, values) = match random.below(5) {
            0 => (wider, self.terms.zero_extend(a.0, wider), a.1),
            1 => {
                let ones = u128::MAX >> (128 - wider);
                (wider, self.terms.sign_extend(a.0, wider), a.1.map(|a| signed(width, a) as u128 & ones))
            }
            2 if width < 128 => {
                let low = random.pick(
                    &self.vectors.iter().map(|known| known.0).filter(|low| width + low <= 128).collect::<Vec<_>>(),
                );
                let b = self.vector(random, low);
                (width + low, self.terms.concat(a.0, b.0), zip(a.1, b.1, |a, b| (a << low) | b))
            }
            _ => {
                let low = random.below(width as usize) as u32;
                let high = low + random.below((width - low) as usize) as u32;
                let ones = u128::MAX >> (127 - (high - low));
                (high - low + 1, self.terms.extract(a.0, high, low), a.1.map(|a| (a >> low) & ones))
            }
        };
        self.vectors.push((width, term, values));
    }

    fn join_booleans(&mut self, random: &mut Random) {
        let recent = self.booleans.len().saturating_sub(10);
        let some = |random: &mut Random| {
            if random.below(2) == 0 { random.pick(&self.booleans) } else { random.pick(&self.booleans[recent..]) }
        };
        let (a, b, c) = (some(random), some(random), some(random));
        let many: Vec<_> = (0..random.below(6)).map(|_| some(random)).collect();
        let operands: Vec<Term> = many.iter().map(|known| known.0).collect();
        let not = |a: u128| 1 - a;
        let made = match random.below(10) {
            0 | 1 => (self.terms.not(a.0), a.1.map(not)),
            2 => (
                self.terms.and(&operands),
                std::array::from_fn(|i| many.iter().map(|known| known.1[i]).min().unwrap_or(1)),
            ),
            3 => (
                self.terms.or(&operands),
                std::array::from_fn(|i| many.iter().map(|known| known.1[i]).max().unwrap_or(0)),
            ),
            4 => (self.terms.and2(a.0, b.0), zip(a.1, b.1, |a, b| a & b)),
            5 => (self.terms.or2(a.0, b.0), zip(a.1, b.1, |a, b| a | b)),
            6 => (self.terms.implies(a.0, b.0), zip(a.1, b.1, |a, b| not(a) | b)),
            7 => (self.terms.eq(a.0, b.0), zip(a.1, b.1, |a, b| not(a ^ b))),
            8 => (self.terms.ite(c.0, a.0, b.0), std::array::from_fn(|i| if c.1[i] == 1 { a.1[i] } else { b.1[i] })),
            _ => {
                let (m, n) = (Node(random.below(4) as u32), Node(random.below(4) as u32));
                let values = std::array::from_fn(|i| {
                    u128::from(self.assignments[i].position(m) < self.assignments[i].position(n))
                });
                (self.terms.before(m, n), values)
            }
        };
        self.booleans.push(made);
    }

    fn check(&self, seed: u64) {
        for (i, assignment) in self.assignments.iter().enumerate() {
            let mut evaluator = assignment.evaluator(&self.terms);
            for (term, values) in &self.booleans {
                assert_eq!(
                    evaluator.evaluate(*term),
                    Value::Bool(values[i] == 1),
                    "seed {seed}: {:?}",
                    self.terms.op(*term)
                );
            }
            for (width, term, values) in &self.vectors {
                let expected = Value::Bits { width: *width, value: values[i] };
                assert_eq!(evaluator.evaluate(*term), expected, "seed {seed}: {:?}", self.terms.op(*term));
            }
        }
    }
}

#[test]
fn simplified_terms_have_the_value_of_what_was_asked_for() {
    for seed in 0..400 {
        let mut random = Random(seed);
        let mut grown = Grown::new(&mut random);
        for _ in 0..300 {
            grown.step(&mut random);
        }
        grown.check(seed);
    }
}

/// Evaluating a substituted term equals evaluating under the changed assignment.
#[test]
fn substituted_terms_have_the_value_under_the_changed_assignment() {
    for seed in 0..100 {
        let mut random = Random(seed);
        let mut grown = Grown::new(&mut random);
        let symbols: Vec<Term> = grown.terms.symbols().iter().map(|symbol| symbol.term).collect();
        for _ in 0..200 {
            grown.step(&mut random);
        }
        let mut roots: Vec<Term> = grown.booleans.iter().map(|known| known.0).collect();
        roots.extend(grown.vectors.iter().map(|known| known.1));
        // Each symbol is replaced by a term of its sort, or stays.
        let mut map = HashMap::new();
        for &symbol in &symbols {
            if random.below(2) == 0 {
                continue;
            }
            let replacement = match grown.terms.sort(symbol) {
                Sort::Bool => random.pick(&grown.booleans).0,
                Sort::Bits(width) => grown.vector(&mut random, width).0,
            };
            map.insert(symbol, replacement);
        }
        let substituted = grown.terms.substitute_all(&roots, &map);
        for assignment in &grown.assignments {
            let mut changed = assignment.clone();
            let mut evaluator = assignment.evaluator(&grown.terms);
            for (&symbol, &replacement) in &map {
                changed.values.insert(symbol, evaluator.evaluate(replacement));
            }
            let mut other = changed.evaluator(&grown.terms);
            for (&root, &new) in roots.iter().zip(&substituted) {
                assert_eq!(evaluator.evaluate(new), other.evaluate(root), "seed {seed}: {:?}", grown.terms.op(root));
            }
        }
    }
}
