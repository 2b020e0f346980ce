//! The theory section by example: for each rule of the order an assignment that satisfies it and one that violates it,
//! checked by definition and by the expansion into terms; and the printed text.

use std::collections::HashMap;

use formula::{
    Assignment, Block, Cell, Family, Formula, Naming, Node, NodeInfo, Read, Section, Sort, Source, Stretch, Term,
    Value, Violation, Writer, total_order,
};

/// Nodes that all happen, each in a chain of its own.
fn formula_of(nodes: u32) -> Formula {
    let mut formula = Formula::default();
    for node in 0..nodes {
        let happens = formula.terms.truth();
        formula.order.nodes.push(NodeInfo { name: format!("node {node}"), happens });
        formula.order.chains.push(vec![Node(node)]);
    }
    formula
}

fn at(positions: &[u32], truths: &[Term]) -> Assignment {
    let values = truths.iter().map(|&term| (term, Value::Bool(true))).collect();
    Assignment { values, positions: positions.to_vec() }
}

/// Whether the expansion is satisfiable by its own symbols, given the rest.
fn expansion_holds(formula: &Formula, assignment: &Assignment) -> bool {
    let (terms, assertions) = formula.expanded();
    let own: Vec<Term> = terms.symbols()[formula.terms.symbols().len()..].iter().map(|symbol| symbol.term).collect();
    assert!(own.len() < 8, "tried one by one");
    (0..1u32 << own.len()).any(|choice| {
        let mut extended = assignment.clone();
        extended.values.extend(own.iter().enumerate().map(|(i, &term)| (term, Value::Bool(choice >> i & 1 == 1))));
        let mut evaluator = extended.evaluator(&terms);
        assertions.iter().all(|assertion| evaluator.evaluate_bool(assertion.term))
    })
}

#[track_caller]
fn expect(formula: &Formula, assignment: &Assignment, expected: &[Violation]) {
    assert_eq!(formula.violations(assignment), expected);
    assert_eq!(expansion_holds(formula, assignment), expected.is_empty());
}

#[test]
fn chains_are_kept() {
    let mut formula = formula_of(0);
    let happens = formula.terms.falsehood();
    formula.order.nodes = vec![NodeInfo { name: "n".into(), happens }; 3];
    formula.order.chains = vec![vec![Node(2), Node(0)], vec![Node(1)]];
    expect(&formula, &at(&[5, 9, 1], &[]), &[]);
    expect(&formula, &at(&[1, 9, 5], &[]), &[Violation::Chain { first: Node(2), second: Node(0) }]);
}

#[test]
fn positions_are_one_per_node_and_differ() {
    let formula = formula_of(2);
    let same = Violation::SamePosition { first: Node(0), second: Node(1) };
    assert_eq!(formula.violations(&at(&[3, 3], &[])), [same]);
    assert_eq!(formula.violations(&at(&[3, 1, 2], &[])), [Violation::Positions { nodes: 2, positions: 3 }]);
    assert_eq!(total_order(&[7, 7, -1, 7]), [3, 2, 0, 1]);
}

#[test]
fn values_have_the_sort_of_their_symbols() {
    let mut formula = formula_of(0);
    let x = formula.terms.symbol("x", Sort::Bits(4));
    for value in [Value::Bool(true), Value::Bits { width: 5, value: 1 }, Value::Bits { width: 4, value: 16 }] {
        let assignment = Assignment { values: [(x, value)].into(), positions: Vec::new() };
        assert_eq!(formula.violations(&assignment), [Violation::Value { symbol: 0 }]);
    }
}

#[test]
fn assertions_hold() {
    let mut formula = formula_of(2);
    let (forward, backward) = (formula.terms.before(Node(0), Node(1)), formula.terms.before(Node(1), Node(0)));
    formula.assert(Family::Bug, forward);
    expect(&formula, &at(&[0, 1], &[]), &[]);
    expect(&formula, &at(&[1, 0], &[]), &[Violation::Assertion { index: 0, family: Family::Bug }]);
    assert_eq!(formula.terms.not(forward), backward);
}

/// Nodes 0 and 1 write, node 2 reads either or the initial value; node 2 writes too, which does not affect its own
/// read.
fn reading() -> (Formula, [Term; 3], Term, Term) {
    let mut formula = formula_of(3);
    let terms = &mut formula.terms;
    let chosen = ["from 0", "from 1", "initial"].map(|name| terms.symbol(name, Sort::Bool));
    let (active, writes) = (terms.symbol("active", Sort::Bool), terms.symbol("1 writes", Sort::Bool));
    let truth = terms.truth();
    let writer = |node, writes| Writer { node: Node(node), writes };
    formula.order.cells.push(Cell { writers: vec![writer(0, truth), writer(1, writes), writer(2, truth)] });
    let source = |writer, chosen| Source { writer, chosen, implies: truth };
    let sources = vec![source(Some(0), chosen[0]), source(Some(1), chosen[1]), source(None, chosen[2])];
    formula.order.reads.push(Read { node: Node(2), cell: 0, active, sources });
    (formula, chosen, active, writes)
}

#[test]
fn an_active_read_has_one_source() {
    let (formula, [first, _, initial], active, _) = reading();
    let choices = |active, chosen| Violation::Choices { read: 0, active, chosen };
    expect(&formula, &at(&[0, 1, 2], &[]), &[]);
    expect(&formula, &at(&[0, 1, 2], &[active]), &[choices(true, 0)]);
    expect(&formula, &at(&[0, 1, 2], &[first]), &[choices(false, 1)]);
    expect(
        &formula,
        &at(&[0, 1, 2], &[active, first, initial]),
        &[choices(true, 2), Violation::Between { read: 0, source: 2, writer: Node(0) }],
    );
}

#[test]
fn nobody_writes_between_source_and_read() {
    let (formula, [first, second, initial], active, writes) = reading();
    let between = |source, writer| Violation::Between { read: 0, source, writer: Node(writer) };
    let late = |source| Violation::Source { read: 0, source };
    expect(&formula, &at(&[0, 1, 2], &[active, first]), &[]);
    expect(&formula, &at(&[0, 1, 2], &[active, first, writes]), &[between(0, 1)]);
    expect(&formula, &at(&[1, 0, 2], &[active, first, writes]), &[]);
    expect(&formula, &at(&[0, 2, 1], &[active, first, writes]), &[]);
    expect(&formula, &at(&[0, 1, 2], &[active, second, writes]), &[]);
    expect(&formula, &at(&[0, 1, 2], &[active, second]), &[late(1)]);
    expect(&formula, &at(&[2, 0, 1], &[active, first]), &[late(0)]);
    expect(&formula, &at(&[0, 1, 2], &[active, initial]), &[between(2, 0)]);
    expect(&formula, &at(&[1, 0, 2], &[active, initial, writes]), &[between(2, 0), between(2, 1)]);
    expect(&formula, &at(&[2, 1, 0], &[active, initial, writes]), &[]);
}

#[test]
fn a_choice_implies_its_term() {
    let (mut formula, [first, ..], active, writes) = reading();
    formula.order.reads[0].sources[0].implies = writes;
    expect(&formula, &at(&[0, 1, 2], &[active, first]), &[Violation::Implied { read: 0, source: 0 }]);
    expect(&formula, &at(&[1, 0, 2], &[active, first, writes]), &[]);
}

#[test]
fn sections_do_not_overlap() {
    let mut formula = formula_of(4);
    let names = ["first active", "first closed", "second active", "second closed"];
    let [active, closed, other, other_closed] = names.map(|name| formula.terms.symbol(name, Sort::Bool));
    formula.order.locks.push(vec![
        Section { enter: Node(0), leave: Some(Node(1)), active, closed },
        Section { enter: Node(2), leave: Some(Node(3)), active: other, closed: other_closed },
    ]);
    let overlap = [Violation::Sections { lock: 0, first: 0, second: 1 }];
    let all = [active, closed, other, other_closed];
    expect(&formula, &at(&[0, 1, 2, 3], &all), &[]);
    expect(&formula, &at(&[2, 3, 0, 1], &all), &[]);
    expect(&formula, &at(&[0, 2, 1, 3], &all), &overlap);
    expect(&formula, &at(&[1, 2, 0, 3], &all), &overlap);
    expect(&formula, &at(&[0, 2, 1, 3], &[active, closed]), &[]);
    expect(&formula, &at(&[0, 1, 2, 3], &[active, other, other_closed]), &overlap);
    expect(&formula, &at(&[2, 3, 0, 1], &[active, other, other_closed]), &[]);
    formula.order.locks[0][0].leave = None;
    expect(&formula, &at(&[0, 1, 2, 3], &all), &overlap);
    expect(&formula, &at(&[2, 3, 0, 1], &all), &[]);
}

#[test]
fn nothing_happens_inside_a_block() {
    let mut formula = formula_of(4);
    let [literal, outside, inside] = ["block", "outside", "inside"].map(|name| formula.terms.symbol(name, Sort::Bool));
    formula.order.blocks.push(Block { literal, nodes: vec![Node(0), Node(1), Node(2)] });
    formula.order.nodes[3].happens = outside;
    formula.order.nodes[2].happens = inside;
    let broken = [Violation::Block { block: 0, node: Node(3) }];
    expect(&formula, &at(&[0, 1, 2, 3], &[literal, outside, inside]), &[]);
    expect(&formula, &at(&[1, 2, 3, 0], &[literal, outside, inside]), &[]);
    expect(&formula, &at(&[0, 2, 3, 1], &[literal, outside, inside]), &broken);
    expect(&formula, &at(&[0, 2, 3, 1], &[outside, inside]), &[]);
    expect(&formula, &at(&[0, 2, 3, 1], &[literal, inside]), &[]);
    expect(&formula, &at(&[0, 1, 3, 2], &[literal, outside, inside]), &broken);
    expect(&formula, &at(&[0, 1, 3, 2], &[literal, outside]), &[]);
}

#[test]
fn nothing_that_matters_stands_inside_a_stretch() {
    let mut formula = formula_of(5);
    let [literal, outside] = ["stretch", "outside"].map(|name| formula.terms.symbol(name, Sort::Bool));
    formula.order.chains = vec![vec![Node(0), Node(1), Node(2)], vec![Node(3)], vec![Node(4)]];
    formula.order.nodes[3].happens = outside;
    formula.order.bystanders = vec![Node(4)];
    formula.order.stretches.push(Stretch { literal, first: Node(0), last: Node(2), of_chain: true });
    let by = |node| [Violation::Stretch { stretch: 0, node: Node(node) }];
    expect(&formula, &at(&[0, 1, 2, 3, 4], &[literal, outside]), &[]);
    expect(&formula, &at(&[0, 2, 3, 4, 1], &[literal, outside]), &[]);
    expect(&formula, &at(&[0, 1, 3, 2, 4], &[literal, outside]), &by(3));
    expect(&formula, &at(&[0, 1, 3, 2, 4], &[literal]), &[]);
    expect(&formula, &at(&[0, 1, 3, 2, 4], &[outside]), &[]);
    formula.order.stretches[0].of_chain = false;
    expect(&formula, &at(&[0, 1, 2, 3, 4], &[literal, outside]), &by(1));
    formula.order.stretches[0].last = Node(3);
    expect(&formula, &at(&[1, 3, 4, 2, 0], &[literal]), &[]);
    expect(&formula, &at(&[1, 3, 4, 0, 2], &[literal]), &by(3));
}

#[test]
fn substitution_goes_everywhere_at_once() {
    let mut formula = formula_of(0);
    let terms = &mut formula.terms;
    let [x, y] = ["x", "y"].map(|name| terms.symbol(name, Sort::Bits(8)));
    let (sum, product) = (terms.add(x, y), terms.mul(x, y));
    let both = terms.ult(sum, product);
    let swapped = terms.substitute(both, &HashMap::from([(x, y), (y, x)]));
    assert_eq!(swapped, both, "both operations commute");
    let three = terms.bits(8, 3);
    let closed = terms.substitute(both, &HashMap::from([(x, three), (y, three)]));
    assert_eq!(terms.as_bool(closed), Some(true));
    assert_eq!(terms.free_symbols(both), [x, y]);
}

/// Far deeper than a call stack allows.
#[test]
fn depth_is_no_danger() {
    let mut formula = formula_of(1);
    let terms = &mut formula.terms;
    let [x, y] = ["x", "y"].map(|name| terms.symbol(name, Sort::Bits(32)));
    let one = terms.bits(32, 1);
    let (mut deep, mut guard) = (x, terms.truth());
    for _ in 0..100_000 {
        let condition = terms.ult(deep, y);
        guard = terms.and2(guard, condition);
        let more = terms.add(deep, y);
        let changed = terms.bit_xor(more, one);
        deep = terms.ite(condition, changed, deep);
    }
    formula.assert(Family::Path, guard);
    let value = Value::Bits { width: 32, value: 5 };
    let assignment = Assignment { values: [(y, value)].into(), positions: vec![0] };
    assert_eq!(formula.violations(&assignment).len(), 1);
    assert!(formula.smtlib(Naming::Declared).len() > 1_000_000);
    let replaced = formula.terms.substitute(guard, &HashMap::from([(x, y)]));
    assert_eq!(formula.terms.as_bool(replaced), Some(false));
    assert_eq!(formula.terms.free_symbols(deep), [x, y]);
}

#[test]
fn the_text_declares_defines_and_names() {
    let mut formula = formula_of(2);
    formula.order.nodes[1].name = "two\nlines".into();
    let terms = &mut formula.terms;
    let x = terms.symbol("x", Sort::Bits(8));
    let limit = terms.bits(8, 0x20);
    let seven = terms.bits(7, 0x7f);
    let low = terms.extract(x, 6, 0);
    let ordered = terms.before(Node(1), Node(0));
    let small = terms.ult(x, limit);
    let one = terms.or2(small, ordered);
    let other = terms.ne(low, seven);
    let other = terms.iff(small, other);
    formula.assert(Family::Path, one);
    formula.assert(Family::Path, other);
    formula.assert(Family::MemoryOrder, ordered);
    let expected = "\
(set-option :produce-models true)
(set-logic ALL)
(declare-const n0 Int) ; node 0
(declare-const n1 Int) ; two lines
(declare-const s2 (_ BitVec 8)) ; x
(define-fun t7 () Bool (not (< n0 n1)))
(define-fun t8 () Bool (bvult s2 #x20))
(assert (! (or t7 t8) :named path.0))
(assert (! (not (= t8 (= ((_ extract 6 0) s2) #b1111111))) :named path.1))
(assert (! t7 :named mo.0))
(check-sat)
(get-model)
";
    assert_eq!(formula.smtlib(Naming::Defined), expected);
}
