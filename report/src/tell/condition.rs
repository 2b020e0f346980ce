//! Conditions of an event graph in source notation: `balance >= 100`, with variables for the values read.

use std::collections::HashMap;

use events::{EventGraph, Kind};
use formula::{Op, Term};

/// Deeper nesting is not readable.
const DEPTH: u32 = 24;

/// The names of one graph's terms.
pub struct Names<'a> {
    graph: &'a EventGraph,
    /// By symbol: the name of the variable read.
    read: HashMap<Term, &'a str>,
    /// Numbers that stand for strings.
    texts: &'a HashMap<u128, String>,
}

impl<'a> Names<'a> {
    pub fn new(graph: &'a EventGraph, texts: &'a HashMap<u128, String>) -> Names<'a> {
        let mut read = HashMap::new();
        for event in &graph.events {
            let Kind::Access(access) = &event.kind else { continue };
            let object = graph.terms.as_bits(access.address.object).and_then(|index| graph.objects.get(index as usize));
            if let (Some(old), Some(object)) = (access.old, object) {
                read.insert(old, object.name.as_str());
            }
        }
        Names { graph, read, texts }
    }

    /// A value of an access, signed as in the language that most traces come from.
    pub fn value(&self, bytes: u32, word: u128) -> String {
        if let Some(text) = self.texts.get(&word) {
            return format!("\"{text}\"");
        }
        signed(8 * bytes, word)
    }

    pub fn condition(&self, term: Term) -> String {
        self.written(term, DEPTH, Strength::Nothing)
    }

    /// In brackets, if the context binds as strongly as the term itself.
    fn written(&self, term: Term, depth: u32, around: Strength) -> String {
        let Some(depth) = depth.checked_sub(1) else { return "…".to_owned() };
        let terms = &self.graph.terms;
        let own = Strength::of(terms.op(term));
        let part = |part: Term, around: Strength| self.written(part, depth, around);
        let infix = |left: Term, sign: &str, right: Term| {
            // The left operand of a left-associative operator needs no brackets.
            let left = part(left, own.weaker());
            format!("{left} {sign} {}", part(right, own))
        };
        let is_constant = |term| terms.as_bits(term).is_some();
        // Constants go to the right, whatever the simplifier prefers.
        let compared = |left: Term, sign: &str, mirrored: &str, right: Term| match is_constant(left) {
            true => infix(right, mirrored, left),
            false => infix(left, sign, right),
        };
        let text = match terms.op(term) {
            Op::Bool(value) => value.to_string(),
            Op::Bits { width, value } => self.value(width.div_ceil(8), *value),
            Op::Symbol(symbol) => match self.read.get(&term) {
                Some(name) => (*name).to_owned(),
                None => terms.name(*symbol).to_owned(),
            },
            Op::Eq(left, right) | Op::Iff(left, right) => compared(*left, "==", "==", *right),
            Op::Slt(left, right) | Op::Ult(left, right) => compared(*left, "<", ">", *right),
            Op::Not(of) => match terms.op(*of) {
                Op::Eq(left, right) | Op::Iff(left, right) => compared(*left, "!=", "!=", *right),
                Op::Slt(left, right) | Op::Ult(left, right) => compared(*left, ">=", "<=", *right),
                _ => format!("!{}", part(*of, Strength::Product)),
            },
            Op::And(parts) => self.joined(parts, " && ", depth, own),
            Op::Or(parts) => self.joined(parts, " || ", depth, own),
            Op::Add(..) => self.sum(term, depth),
            Op::Sub(left, right) => infix(*left, "-", *right),
            Op::Mul(left, right) => infix(*left, "*", *right),
            Op::Udiv(left, right) | Op::Sdiv(left, right) => infix(*left, "/", *right),
            Op::Urem(left, right) | Op::Srem(left, right) => infix(*left, "%", *right),
            Op::Neg(of) => format!("-{}", part(*of, Strength::Product)),
            Op::Ite(condition, yes, no) => {
                format!("{} ? {} : {}", part(*condition, own), part(*yes, own), part(*no, own))
            }
            other => {
                let operands: Vec<String> = other.operands().map(|operand| part(operand, Strength::Nothing)).collect();
                format!("f({})", operands.join(", "))
            }
        };
        if own <= around { format!("({text})") } else { text }
    }

    fn joined(&self, parts: &[Term], sign: &str, depth: u32, own: Strength) -> String {
        let parts: Vec<String> = parts.iter().map(|&part| self.written(part, depth, own)).collect();
        parts.join(sign)
    }

    /// A sum without brackets, the constant last.
    fn sum(&self, term: Term, depth: u32) -> String {
        let terms = &self.graph.terms;
        let mut summands = Vec::new();
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            match terms.op(term) {
                Op::Add(left, right) if summands.len() + open.len() < DEPTH as usize => open.extend([*right, *left]),
                _ => summands.push(term),
            }
        }
        // A stable sort keeps the order of the others.
        summands.sort_by_key(|&summand| terms.as_bits(summand).is_some());
        let mut text = String::new();
        for summand in summands {
            match (text.is_empty(), self.negative(summand)) {
                (true, _) => text.push_str(&self.written(summand, depth, Strength::Sum)),
                (false, Some(number)) => text.push_str(&format!(" - {number}")),
                (false, None) => text.push_str(&format!(" + {}", self.written(summand, depth, Strength::Sum))),
            }
        }
        text
    }

    /// The absolute value of a negative constant that stands for no string.
    fn negative(&self, term: Term) -> Option<u128> {
        let word = self.graph.terms.as_bits(term).filter(|word| !self.texts.contains_key(word))?;
        let width = self.graph.terms.width(term);
        (width < 128 && word >> (width - 1) == 1).then(|| (1u128 << width) - word)
    }
}

/// The precedence of operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Nothing,
    Choice,
    Or,
    And,
    Comparison,
    Sum,
    Product,
    Word,
}

impl Strength {
    fn of(op: &Op) -> Strength {
        match op {
            Op::Ite(..) => Strength::Choice,
            Op::Or(_) => Strength::Or,
            Op::And(_) => Strength::And,
            Op::Eq(..) | Op::Iff(..) | Op::Slt(..) | Op::Ult(..) | Op::Not(_) => Strength::Comparison,
            Op::Add(..) | Op::Sub(..) => Strength::Sum,
            Op::Mul(..) | Op::Udiv(..) | Op::Sdiv(..) | Op::Urem(..) | Op::Srem(..) => Strength::Product,
            _ => Strength::Word,
        }
    }

    fn weaker(self) -> Strength {
        match self {
            Strength::Sum => Strength::Comparison,
            Strength::Product => Strength::Sum,
            other => other,
        }
    }
}

fn signed(width: u32, word: u128) -> String {
    // A word may be wider than the value shown: only a part of a larger access is meant.
    let word = if width < 128 { word & ((1 << width) - 1) } else { word };
    match width {
        8.. if width < 128 && word >> (width - 1) & 1 == 1 => format!("-{}", (1u128 << width) - word),
        _ => word.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::Builder;
    use run::ThreadName;

    #[test]
    fn comparisons_read_from_the_variable_to_the_constant() {
        let mut builder = Builder::new();
        let thread = builder.thread(ThreadName::main());
        let object = builder.object("seats".to_owned(), 4);
        let address = builder.address(object, 0);
        let seats = builder.read(thread, address, 4);
        let terms = builder.terms();
        let (three, minus) = (terms.bits(32, 3), terms.bits(32, u128::from(u32::MAX)));
        let below = terms.slt(three, seats);
        let at_least = terms.not(below);
        let less = terms.add(seats, minus);
        let equal = terms.eq(less, three);
        let unequal = terms.not(equal);
        let graph = builder.finish();
        let texts = HashMap::new();
        let names = Names::new(&graph, &texts);
        assert_eq!(names.condition(below), "seats > 3");
        assert_eq!(names.condition(at_least), "seats <= 3");
        assert_eq!(names.condition(less), "seats - 1");
        assert!(["seats - 1 != 3", "seats != 4"].contains(&names.condition(unequal).as_str()));
        let texts = HashMap::from([(3, "Sold".to_owned())]);
        assert_eq!(Names::new(&graph, &texts).condition(below), "seats > \"Sold\"");
    }
}
