//! SMT-LIB text, for solver processes and for inspection.
//!
//! Each node is an integer. Positions must differ, but that is not asserted: of two nodes with equal integers, the one
//! with the greater id comes first, so any integers are a total order and no quadratic `distinct` is needed.
//! [`total_order`] converts integers to positions. Terms that occur more than once, or that are long, are defined by
//! name: the text is linear in the number of terms and never deeply nested.

use std::collections::HashMap;
use std::fmt::Write;

use crate::formula::Formula;
use crate::term::{Mixing, Node, Op, Sort, Term, TermSet, Terms};

/// How terms are named. Both forms are equivalent; solvers differ in which of the two they handle well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Naming {
    /// `define-fun`. Z3 expands a definition at each use, which is quadratic for deep terms.
    #[default]
    Defined,
    /// `declare-const` and an equation. cvc5 needs long to eliminate these.
    Declared,
}

/// Longer expressions get a name even if they are used once.
const LONGEST_INLINE: usize = 400;

impl Formula {
    /// A complete script: declarations, the formula with its theory section expanded, the query, and the values.
    pub fn smtlib(&self, naming: Naming) -> String {
        let (terms, assertions) = self.expanded();
        let mut text = String::from("(set-option :produce-models true)\n(set-logic ALL)\n");
        let mut printer = Printer::new(naming);
        for (index, node) in self.order.nodes.iter().enumerate() {
            printer.declare_node(Node(index as u32), &node.name, &mut text);
        }
        let roots: Vec<Term> = assertions.iter().map(|assertion| assertion.term).collect();
        let expressions = printer.expressions(&terms, &roots, &mut text);
        let mut counts = HashMap::new();
        for (assertion, expression) in assertions.iter().zip(expressions) {
            let count = counts.entry(assertion.family).or_insert(0usize);
            let _ = writeln!(text, "(assert (! {expression} :named {}.{count}))", assertion.family);
            *count += 1;
        }
        text.push_str("(check-sat)\n(get-model)\n");
        text
    }
}

/// Positions from the integers of the nodes: their ranks, the greater id first among equals.
pub fn total_order(integers: &[i128]) -> Vec<u32> {
    let mut nodes: Vec<usize> = (0..integers.len()).collect();
    nodes.sort_by_key(|&node| (integers[node], std::cmp::Reverse(node)));
    let mut positions = vec![0; integers.len()];
    for (rank, node) in nodes.into_iter().enumerate() {
        positions[node] = rank as u32;
    }
    positions
}

/// Prints terms of one arena incrementally, with each declaration and definition once.
#[derive(Clone, Debug, Default)]
pub struct Printer {
    naming: Naming,
    named: TermSet,
}

impl Printer {
    pub fn new(naming: Naming) -> Printer {
        Printer { naming, named: TermSet::default() }
    }

    /// The name of a symbol in the text.
    pub fn symbol(symbol: Term) -> String {
        format!("s{}", symbol.index())
    }

    /// The name of a node in the text.
    pub fn node(node: Node) -> String {
        format!("n{}", node.0)
    }

    pub fn declare_node(&self, node: Node, name: &str, text: &mut String) {
        let _ = writeln!(text, "(declare-const {} Int) ; {}", Printer::node(node), one_line(name));
    }

    /// Whether the symbol has been declared, which happens at its first use.
    pub fn has_declared(&self, symbol: Term) -> bool {
        self.named.contains(&symbol)
    }

    /// Expressions for the terms; the declarations and definitions that they need are appended to the text.
    pub fn expressions(&mut self, terms: &Terms, roots: &[Term], text: &mut String) -> Vec<String> {
        let new = self.new_terms(terms, roots);
        let mut uses: HashMap<Term, u32, Mixing> = HashMap::default();
        for operand in new.iter().flat_map(|&term| terms.op(term).operands()).chain(roots.iter().copied()) {
            *uses.entry(operand).or_default() += 1;
        }
        let mut inline: HashMap<Term, String, Mixing> = HashMap::default();
        for &term in &new {
            if let Op::Symbol(id) = *terms.op(term) {
                let (name, sort) = (Printer::symbol(term), sort(terms.sort(term)));
                let _ = writeln!(text, "(declare-const {name} {sort}) ; {}", one_line(terms.name(id)));
                self.named.insert(term);
                continue;
            }
            let expression = self.expression(terms, term, &mut inline);
            if is_atom(terms.op(term)) || uses[&term] == 1 && expression.len() <= LONGEST_INLINE {
                inline.insert(term, expression);
            } else {
                let sort = sort(terms.sort(term));
                let name = format!("t{}", term.index());
                let _ = match self.naming {
                    Naming::Defined => writeln!(text, "(define-fun {name} () {sort} {expression})"),
                    Naming::Declared => {
                        writeln!(text, "(declare-const {name} {sort})\n(assert (= {name} {expression}))")
                    }
                };
                self.named.insert(term);
            }
        }
        roots.iter().map(|&root| self.reference(terms, root, &mut inline)).collect()
    }

    /// Terms without a name, operands first.
    fn new_terms(&self, terms: &Terms, roots: &[Term]) -> Vec<Term> {
        let mut seen = TermSet::default();
        let mut stack = roots.to_vec();
        let mut found = Vec::new();
        while let Some(term) = stack.pop() {
            if !self.named.contains(&term) && seen.insert(term) {
                found.push(term);
                stack.extend(terms.op(term).operands());
            }
        }
        found.sort_unstable();
        found
    }

    /// The text of a term at a use. Expressions that are used once are moved, so that no text is copied twice.
    fn reference(&self, terms: &Terms, term: Term, inline: &mut HashMap<Term, String, Mixing>) -> String {
        if self.named.contains(&term) {
            return match terms.op(term) {
                Op::Symbol(_) => Printer::symbol(term),
                _ => format!("t{}", term.index()),
            };
        }
        if is_atom(terms.op(term)) { inline.get(&term).cloned() } else { inline.remove(&term) }.unwrap_or_default()
    }

    fn expression(&self, terms: &Terms, term: Term, inline: &mut HashMap<Term, String, Mixing>) -> String {
        let op = terms.op(term);
        let head = match *op {
            Op::Bool(value) => return value.to_string(),
            Op::Bits { width, value } => return literal(width, value),
            Op::Symbol(_) => return Printer::symbol(term),
            Op::Before(a, b) => return format!("(< {} {})", Printer::node(a), Printer::node(b)),
            Op::Extract { high, low, .. } => format!("(_ extract {high} {low})"),
            Op::ZeroExtend { of, width } => format!("(_ zero_extend {})", width - terms.width(of)),
            Op::SignExtend { of, width } => format!("(_ sign_extend {})", width - terms.width(of)),
            _ => head(op).to_string(),
        };
        let mut expression = format!("({head}");
        for operand in op.operands() {
            expression.push(' ');
            expression.push_str(&self.reference(terms, operand, inline));
        }
        expression.push(')');
        expression
    }
}

/// Short expressions that never need a definition.
fn is_atom(op: &Op) -> bool {
    matches!(op, Op::Bool(_) | Op::Bits { .. } | Op::Symbol(_) | Op::Before(..))
}

fn head(op: &Op) -> &'static str {
    match op {
        Op::Not(_) => "not",
        Op::And(_) => "and",
        Op::Or(_) => "or",
        Op::Iff(..) | Op::Eq(..) => "=",
        Op::Ite(..) => "ite",
        Op::Ult(..) => "bvult",
        Op::Slt(..) => "bvslt",
        Op::Add(..) => "bvadd",
        Op::Sub(..) => "bvsub",
        Op::Mul(..) => "bvmul",
        Op::Udiv(..) => "bvudiv",
        Op::Urem(..) => "bvurem",
        Op::Sdiv(..) => "bvsdiv",
        Op::Srem(..) => "bvsrem",
        Op::BitAnd(..) => "bvand",
        Op::BitOr(..) => "bvor",
        Op::BitXor(..) => "bvxor",
        Op::BitNot(_) => "bvnot",
        Op::Neg(_) => "bvneg",
        Op::Shl(..) => "bvshl",
        Op::Lshr(..) => "bvlshr",
        Op::Ashr(..) => "bvashr",
        Op::Concat(..) => "concat",
        Op::Bool(_) | Op::Bits { .. } | Op::Symbol(_) | Op::Before(..) => "",
        Op::Extract { .. } | Op::ZeroExtend { .. } | Op::SignExtend { .. } => "",
    }
}

fn sort(sort: Sort) -> String {
    match sort {
        Sort::Bool => "Bool".to_string(),
        Sort::Bits(width) => format!("(_ BitVec {width})"),
    }
}

fn literal(width: u32, value: u128) -> String {
    if width.is_multiple_of(4) {
        format!("#x{value:0digits$x}", digits = width as usize / 4)
    } else {
        format!("#b{value:0digits$b}", digits = width as usize)
    }
}

/// A name without control characters, so that it cannot end its comment.
fn one_line(name: &str) -> String {
    name.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}
