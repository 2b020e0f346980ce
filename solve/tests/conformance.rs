//! The conformance suite of all solvers: the engine, the portfolio, and the SMT-LIB processes. Each answer is checked
//! by the formula's definition; solvers are compared with each other, and for small formulas with all assignments. A
//! process that is not installed is skipped with a note on stderr.

#![allow(clippy::print_stderr)]

#[path = "conformance/random.rs"]
mod random;

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use formula::{
    Assignment, Block, Cell, Family, Formula, Naming, Node, NodeInfo, Read, Section, Sort, Source, Stretch, Term,
    Terms, Value, Writer,
};
use random::{BINARY, COMPARISONS, Random};
use solve::{Budget, CoreVerdict, Engine, Mode, Portfolio, Process, Reason, Solver, Verdict, minimal_core};

type Make = fn(Formula) -> Option<Box<dyn Solver>>;

fn ours(formula: Formula) -> Option<Box<dyn Solver>> {
    Some(Box::new(Engine::new(formula)))
}

fn portfolio(formula: Formula) -> Option<Box<dyn Solver>> {
    Some(Box::new(Portfolio::new(formula, &Mode::ALL, 2)))
}

fn z3(formula: Formula) -> Option<Box<dyn Solver>> {
    Some(Box::new(Process::z3(formula).ok()?))
}

fn cvc5(formula: Formula) -> Option<Box<dyn Solver>> {
    Some(Box::new(Process::cvc5(formula).ok()?))
}

macro_rules! suite {
    ($($solver:ident: $($test:ident)*;)*) => {$(
        mod $solver {
            $(#[test]
            fn $test() {
                match super::$solver(formula::Formula::default()) {
                    Some(_) => super::$test(super::$solver),
                    None => eprintln!("{} is not installed: {} was not tried", stringify!($solver), stringify!($test)),
                }
            })*
        }
    )*};
}

macro_rules! suites {
    ($($solver:ident)*) => {
        suite! {$($solver:
            booleans every_operation_at_several_widths wrong_results_are_refuted random_terms_against_all_assignments
            chains before_is_total_and_transitive reads read_modify_writes inactive_reads sections blocks stretches
            random_orders_are_sound assumptions cores odd_assumptions assertions_add_up symbols_and_terms_can_come_later
            a_contradiction_stays time_ends_a_search a_flag_ends_a_search conflicts_end_a_search depth;
        )*}
    };
}

suites!(ours portfolio z3 cvc5);

fn solver(make: Make, formula: &Formula) -> Box<dyn Solver> {
    make(formula.clone()).expect("it could be started before")
}

fn is_ours(solver: &dyn Solver) -> bool {
    solver.name() == "heddle"
}

/// A model that satisfies the formula and the assumptions.
#[track_caller]
fn satisfiable(solver: &mut dyn Solver, formula: &Formula, assumptions: &[Term]) -> Assignment {
    match solver.solve(assumptions, &Budget::default()) {
        Verdict::Satisfiable(assignment) => {
            assert_eq!(formula.violations(&assignment), []);
            let mut evaluator = assignment.evaluator(solver.terms());
            assert!(assumptions.iter().all(|&assumption| evaluator.evaluate_bool(assumption)));
            assignment
        }
        other => panic!("{}: {other:?}", solver.name()),
    }
}

/// A minimal core. The core of the solver need not be minimal, but must be a core of the assumptions, in their order.
#[track_caller]
fn unsatisfiable(solver: &mut dyn Solver, assumptions: &[Term]) -> Vec<Term> {
    let Verdict::Unsatisfiable { core } = solver.solve(assumptions, &Budget::default()) else {
        panic!("{}: not unsatisfiable", solver.name());
    };
    let mut rest = assumptions.iter();
    assert!(core.iter().all(|term| rest.any(|other| other == term)), "{}: a core of the assumptions", solver.name());
    assert!(matches!(solver.solve(&core, &Budget::default()), Verdict::Unsatisfiable { .. }), "{}", solver.name());
    match minimal_core(solver, assumptions, &Budget::default()) {
        CoreVerdict::Core(minimal) => minimal.literals,
        other => panic!("{}: {other:?}", solver.name()),
    }
}

/// Nodes that all happen, in chains of the given lengths.
fn chained(lengths: &[u32]) -> Formula {
    let mut formula = Formula::default();
    for &length in lengths {
        let happens = formula.terms.truth();
        let first = formula.order.nodes.len() as u32;
        let chain: Vec<Node> = (first..first + length).map(Node).collect();
        formula.order.nodes.extend(chain.iter().map(|node| NodeInfo { name: format!("node {}", node.0), happens }));
        formula.order.chains.push(chain);
    }
    formula
}

fn booleans(make: Make) {
    let mut formula = Formula::default();
    let terms = &mut formula.terms;
    let [p, q, r] = ["p", "q", "r"].map(|name| terms.symbol(name, Sort::Bool));
    let made = [
        terms.not(p),
        terms.and(&[p, q, r]),
        terms.or(&[p, q, r]),
        terms.implies(p, q),
        terms.iff(q, r),
        terms.xor(p, r),
        terms.ite(p, q, r),
    ];
    let results = made.map(|term| {
        let result = terms.symbol("result", Sort::Bool);
        (result, terms.iff(result, term))
    });
    for (_, defined) in results {
        formula.assert(Family::Path, defined);
    }
    let mut solver = solver(make, &formula);
    for row in 0..8 {
        let mut given = Vec::new();
        for (bit, symbol) in [p, q, r].into_iter().enumerate() {
            given.push(if row >> bit & 1 == 1 { symbol } else { solver.terms().not(symbol) });
        }
        let model = satisfiable(&mut *solver, &formula, &given);
        for (result, _) in results {
            let mut wrong = given.clone();
            let value = model.evaluate_bool(solver.terms(), result);
            wrong.push(if value { solver.terms().not(result) } else { result });
            unsatisfiable(&mut *solver, &wrong);
        }
    }
}

/// A formula with one symbol for the result of each operation on two words.
fn operations(width: u32, without: &[usize]) -> (Formula, Term, Term, Vec<Term>) {
    let mut formula = Formula::default();
    let terms = &mut formula.terms;
    let (x, y) = (terms.symbol("x", Sort::Bits(width)), terms.symbol("y", Sort::Bits(width)));
    let kept = (0..BINARY.len()).filter(|index| !without.contains(index));
    let mut made: Vec<Term> = kept.map(|index| BINARY[index](terms, x, y)).collect();
    made.extend(COMPARISONS.iter().map(|comparison| comparison(terms, x, y)));
    made.extend([terms.neg(x), terms.bit_not(x)]);
    let less = terms.ult(x, y);
    made.push(terms.ite(less, x, y));
    made.push(terms.extract(x, width - 1, width / 2));
    made.push(terms.extract(x, width / 2, 0));
    if width < 64 {
        made.extend([terms.concat(x, y), terms.zero_extend(x, width + 7), terms.sign_extend(x, width + 7)]);
    }
    let mut results = Vec::new();
    for term in made {
        let result = formula.terms.symbol("result", formula.terms.sort(term));
        let defined = formula.terms.eq(result, term);
        formula.assert(Family::Path, defined);
        results.push(result);
    }
    (formula, x, y, results)
}

/// The operands are fixed by assumptions, so that a solver has to compute the results, which the evaluator checks.
fn every_operation_at_several_widths(make: Make) {
    for width in [1, 2, 5, 8, 16, 33, 128] {
        let mut random = Random(u64::from(width));
        // Circuits for multiplication and division of long words are large.
        let without: &[usize] = if width > 16 { &[2, 3, 4, 5, 6] } else { &[] };
        let (formula, x, y, _) = operations(width, without);
        let mut solver = solver(make, &formula);
        for _ in 0..10 {
            let given = [x, y].map(|symbol| {
                let value = solver.terms().bits(width, random.word(width));
                solver.terms().eq(symbol, value)
            });
            satisfiable(&mut *solver, &formula, &given);
        }
    }
}

fn wrong_results_are_refuted(make: Make) {
    let mut random = Random(7);
    let (formula, x, y, results) = operations(6, &[]);
    let mut solver = solver(make, &formula);
    for result in results {
        let given = [x, y].map(|symbol| {
            let value = solver.terms().bits(6, random.word(6));
            solver.terms().eq(symbol, value)
        });
        let model = satisfiable(&mut *solver, &formula, &given);
        let right = match model.evaluate(solver.terms(), result) {
            Value::Bool(value) => solver.terms().bool(value),
            Value::Bits { width, value } => solver.terms().bits(width, value),
        };
        let wrong = solver.terms().ne(result, right);
        let core = unsatisfiable(&mut *solver, &[given[0], given[1], wrong]);
        assert!(core.contains(&wrong), "the operands alone are possible");
    }
}

fn random_terms_against_all_assignments(make: Make) {
    let (mut yes, mut no) = (0, 0);
    for seed in 0..60 {
        let (formula, symbols) = random::small_formula(&mut Random(seed));
        let mut solver = solver(make, &formula);
        if random::satisfiable(&formula, &symbols) {
            satisfiable(&mut *solver, &formula, &[]);
            yes += 1;
        } else {
            assert_eq!(unsatisfiable(&mut *solver, &[]), []);
            no += 1;
        }
    }
    assert!(yes > 10 && no > 5, "{yes} and {no}: both kinds should be frequent");
}

fn chains(make: Make) {
    let mut formula = chained(&[3, 2]);
    let backward = formula.terms.before(Node(2), Node(0));
    let between = [formula.terms.before(Node(0), Node(3)), formula.terms.before(Node(4), Node(2))];
    let mut solver = solver(make, &formula);
    satisfiable(&mut *solver, &formula, &between);
    assert_eq!(unsatisfiable(&mut *solver, &[between[0], backward]), [backward]);
    let around = [solver.terms().before(Node(2), Node(3)), solver.terms().before(Node(4), Node(0))];
    assert_eq!(unsatisfiable(&mut *solver, &around), around);
}

fn before_is_total_and_transitive(make: Make) {
    let mut formula = chained(&[1; 6]);
    let cycle: Vec<Term> = (0..6).map(|i| formula.terms.before(Node(i), Node((i + 1) % 6))).collect();
    let mut solver = solver(make, &formula);
    assert_eq!(unsatisfiable(&mut *solver, &cycle), cycle);
    for left_out in 0..6 {
        let path: Vec<Term> =
            cycle.iter().copied().enumerate().filter(|(i, _)| *i != left_out).map(|(_, t)| t).collect();
        let model = satisfiable(&mut *solver, &formula, &path);
        assert!(!model.evaluate_bool(solver.terms(), cycle[left_out]));
    }
    let backward: Vec<Term> = cycle.iter().map(|&literal| solver.terms().not(literal)).collect();
    assert_eq!(unsatisfiable(&mut *solver, &backward), backward, "of two nodes one stands first");
}

/// Writers of 1, 2, … in chains of their own, then readers in chains of their own; returns the symbols of the values
/// read.
fn written_and_read(writers: u32, readers: u32) -> (Formula, Vec<Term>) {
    let mut formula = chained(&vec![1; (writers + readers) as usize]);
    let terms = &mut formula.terms;
    let truth = terms.truth();
    let cell = Cell { writers: (0..writers).map(|node| Writer { node: Node(node), writes: truth }).collect() };
    let mut olds = Vec::new();
    for reader in writers..writers + readers {
        let old = terms.symbol("old", Sort::Bits(8));
        let mut sources = Vec::new();
        for writer in (0..writers as usize).map(Some).chain([None]) {
            let value = terms.bits(8, writer.map_or(0, |writer| writer as u128 + 1));
            let (chosen, implies) = (terms.symbol("chosen", Sort::Bool), terms.eq(old, value));
            sources.push(Source { writer, chosen, implies });
        }
        formula.order.reads.push(Read { node: Node(reader), cell: 0, active: truth, sources });
        olds.push(old);
    }
    formula.order.cells.push(cell);
    (formula, olds)
}

fn is(terms: &mut Terms, term: Term, value: u128) -> Term {
    let value = terms.bits(terms.width(term), value);
    terms.eq(term, value)
}

fn reads(make: Make) {
    let (mut formula, olds) = written_and_read(2, 2);
    formula.order.chains = vec![vec![Node(0)], vec![Node(1)], vec![Node(2), Node(3)]];
    let mut solver = solver(make, &formula);
    for (first, second) in [(0, 0), (0, 1), (1, 2), (2, 1), (0, 2), (2, 2)] {
        let values = [is(solver.terms(), olds[0], first), is(solver.terms(), olds[1], second)];
        satisfiable(&mut *solver, &formula, &values);
    }
    let back = [is(solver.terms(), olds[0], 1), is(solver.terms(), olds[1], 0)];
    assert_eq!(unsatisfiable(&mut *solver, &back), back, "the initial value does not come back");
    let nobody = is(solver.terms(), olds[0], 3);
    assert_eq!(unsatisfiable(&mut *solver, &[nobody]), [nobody]);
    let hidden = [
        is(solver.terms(), olds[0], 1),
        solver.terms().before(Node(0), Node(1)),
        solver.terms().before(Node(1), Node(2)),
    ];
    assert_eq!(unsatisfiable(&mut *solver, &hidden), hidden);
    // Four readers in two chains that observe two writes in opposite orders.
    let (mut formula, olds) = written_and_read(2, 4);
    formula.order.chains = vec![vec![Node(0)], vec![Node(1)], vec![Node(2), Node(3)], vec![Node(4), Node(5)]];
    let mut solver = self::solver(make, &formula);
    let opposite: Vec<Term> = [1, 2, 2, 1].into_iter().zip(olds).map(|(v, old)| is(solver.terms(), old, v)).collect();
    assert_eq!(unsatisfiable(&mut *solver, &opposite), opposite);
}

/// Three increments in three threads add up to three in any order; with one that does not happen, to less.
fn read_modify_writes(make: Make) {
    let mut formula = chained(&[1, 1, 1, 1]);
    let terms = &mut formula.terms;
    let optional = terms.symbol("happens", Sort::Bool);
    formula.order.nodes[2].happens = optional;
    let happens: Vec<Term> = formula.order.nodes.iter().map(|node| node.happens).collect();
    let olds: Vec<Term> = (0..4).map(|_| terms.symbol("old", Sort::Bits(4))).collect();
    let writers = (0..3).map(|node| Writer { node: Node(node), writes: happens[node as usize] }).collect();
    formula.order.cells.push(Cell { writers });
    let one = terms.bits(4, 1);
    for reader in 0..4 {
        let mut sources = Vec::new();
        for writer in (0..3).filter(|&writer| writer != reader).map(Some).chain([None]) {
            let value = match writer {
                Some(writer) => terms.add(olds[writer], one),
                None => terms.bits(4, 0),
            };
            let (chosen, implies) = (terms.symbol("chosen", Sort::Bool), terms.eq(olds[reader], value));
            sources.push(Source { writer, chosen, implies });
        }
        formula.order.reads.push(Read { node: Node(reader as u32), cell: 0, active: happens[reader], sources });
    }
    for writer in 0..3 {
        let last = formula.terms.before(Node(writer), Node(3));
        formula.assert(Family::MemoryOrder, last);
    }
    let mut solver = solver(make, &formula);
    let not_optional = solver.terms().not(optional);
    let [two, three] = [2, 3].map(|sum| is(solver.terms(), olds[3], sum));
    satisfiable(&mut *solver, &formula, &[optional, three]);
    satisfiable(&mut *solver, &formula, &[not_optional, two]);
    assert_eq!(unsatisfiable(&mut *solver, &[optional, two]), [optional, two]);
    assert_eq!(unsatisfiable(&mut *solver, &[not_optional, three]), [not_optional, three]);
    let same = solver.terms().eq(olds[0], olds[1]);
    assert_eq!(unsatisfiable(&mut *solver, &[same]), [same], "two increments of one value");
}

fn inactive_reads(make: Make) {
    let (mut formula, olds) = written_and_read(1, 1);
    let active = formula.terms.symbol("active", Sort::Bool);
    formula.order.nodes[1].happens = active;
    formula.order.reads[0].active = active;
    let chosen: Vec<Term> = formula.order.reads[0].sources.iter().map(|source| source.chosen).collect();
    let mut solver = solver(make, &formula);
    let (seven, inactive) = (is(solver.terms(), olds[0], 7), solver.terms().not(active));
    satisfiable(&mut *solver, &formula, &[inactive, seven]);
    assert_eq!(unsatisfiable(&mut *solver, &[active, seven]), [active, seven]);
    assert_eq!(unsatisfiable(&mut *solver, &[inactive, chosen[0]]), [inactive, chosen[0]]);
    assert_eq!(unsatisfiable(&mut *solver, &[chosen[0], chosen[1]]), chosen);
}

fn sections(make: Make) {
    let mut formula = chained(&[2, 2, 2]);
    let terms = &mut formula.terms;
    let truth = terms.truth();
    let (active, closed) = (terms.symbol("active", Sort::Bool), terms.symbol("closed", Sort::Bool));
    let follows = terms.implies(closed, active);
    let section =
        |first: u32, active, closed| Section { enter: Node(first), leave: Some(Node(first + 1)), active, closed };
    formula.order.locks.push(vec![section(0, truth, truth), section(2, truth, truth), section(4, active, closed)]);
    formula.assert(Family::Sync, follows);
    let mut solver = solver(make, &formula);
    let [inside, other] = [(0, 2), (2, 1)].map(|(a, b)| solver.terms().before(Node(a), Node(b)));
    assert_eq!(unsatisfiable(&mut *solver, &[inside, other]), [inside, other], "the second enters in between");
    let (open, inactive) = (solver.terms().not(closed), solver.terms().not(active));
    let early = solver.terms().before(Node(4), Node(1));
    let late = solver.terms().before(Node(0), Node(4));
    satisfiable(&mut *solver, &formula, &[early, late, inactive]);
    satisfiable(&mut *solver, &formula, &[closed, early]);
    assert_eq!(unsatisfiable(&mut *solver, &[active, late, early]), [active, late, early]);
    assert_eq!(
        unsatisfiable(&mut *solver, &[active, open, early]),
        [active, open, early],
        "nobody follows an open one"
    );
    satisfiable(&mut *solver, &formula, &[active, open, late]);
}

fn blocks(make: Make) {
    let mut formula = chained(&[3, 1]);
    let terms = &mut formula.terms;
    let [literal, outside] = ["block", "outside"].map(|name| terms.symbol(name, Sort::Bool));
    formula.order.nodes[3].happens = outside;
    formula.order.blocks.push(Block { literal, nodes: vec![Node(0), Node(1), Node(2)] });
    let mut solver = solver(make, &formula);
    let after = solver.terms().before(Node(0), Node(3));
    let before = solver.terms().before(Node(3), Node(2));
    satisfiable(&mut *solver, &formula, &[after, before, literal]);
    satisfiable(&mut *solver, &formula, &[after, before, outside]);
    satisfiable(&mut *solver, &formula, &[after, literal, outside]);
    let all = [after, before, literal, outside];
    assert_eq!(unsatisfiable(&mut *solver, &all), all);
}

fn stretches(make: Make) {
    let mut formula = chained(&[2, 1, 1]);
    let [literal, outside] = ["stretch", "outside"].map(|name| formula.terms.symbol(name, Sort::Bool));
    formula.order.nodes[3].happens = outside;
    formula.order.stretches.push(Stretch { literal, first: Node(0), last: Node(2), of_chain: true });
    let mut solver = solver(make, &formula);
    let after = solver.terms().before(Node(0), Node(3));
    let before = solver.terms().before(Node(3), Node(2));
    let own = solver.terms().before(Node(1), Node(2));
    let reversed = solver.terms().before(Node(2), Node(0));
    satisfiable(&mut *solver, &formula, &[after, before, own, literal]);
    satisfiable(&mut *solver, &formula, &[after, before, own, outside]);
    satisfiable(&mut *solver, &formula, &[after, own, literal, outside]);
    let all = [after, before, literal, outside];
    assert_eq!(unsatisfiable(&mut *solver, &all), all);
    assert_eq!(unsatisfiable(&mut *solver, &[literal, reversed]), [literal, reversed]);
}

/// Models are checked by definition; another test compares verdicts.
fn random_orders_are_sound(make: Make) {
    for seed in 0..40 {
        let (formula, assumptions) = random::ordered_formula(&mut Random(seed));
        let mut solver = solver(make, &formula);
        match solver.solve(&assumptions, &Budget::default()) {
            Verdict::Satisfiable(_) => {
                satisfiable(&mut *solver, &formula, &assumptions);
            }
            Verdict::Unsatisfiable { .. } => {
                unsatisfiable(&mut *solver, &assumptions);
            }
            Verdict::Unknown(reason) => panic!("seed {seed}: {reason:?}"),
        }
    }
}

#[test]
fn solvers_agree() {
    let mut both = [0, 0];
    for seed in 1000..1100 {
        let (formula, assumptions) = random::ordered_formula(&mut Random(seed));
        let mut verdicts = Vec::new();
        for make in [ours, z3, cvc5] {
            let Some(mut solver) = make(formula.clone()) else { continue };
            for asked in [&[][..], &assumptions] {
                let verdict = solver.solve(asked, &Budget::default());
                if let Verdict::Satisfiable(model) = &verdict {
                    assert_eq!(formula.violations(model), [], "seed {seed}: {}", solver.name());
                }
                let yes = match verdict {
                    Verdict::Satisfiable(_) => true,
                    Verdict::Unsatisfiable { .. } => false,
                    Verdict::Unknown(reason) => panic!("seed {seed}: {}: {reason:?}", solver.name()),
                };
                both[usize::from(yes)] += 1;
                verdicts.push((solver.name().to_string(), asked.len(), yes));
            }
        }
        for pair in verdicts.chunks(2).collect::<Vec<_>>().windows(2) {
            assert!(pair[0].iter().zip(pair[1]).all(|(a, b)| a.2 == b.2), "seed {seed}: {verdicts:?}");
        }
    }
    assert!(both.iter().all(|&count| count > 50), "{both:?}: both verdicts should be frequent");
}

/// Complete scripts with comments, in both forms of naming.
#[test]
fn printed_scripts_are_accepted() {
    for (program, arguments) in [("z3", ["-smt2", "-in"]), ("cvc5", ["--lang=smt2", "--quiet"])] {
        for seed in 0..12 {
            let (formula, _) = random::ordered_formula(&mut Random(seed));
            let naming = if seed % 2 == 0 { Naming::Defined } else { Naming::Declared };
            let started = Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
            let Ok(mut child) = started else {
                eprintln!("{program} is not installed: no script was tried");
                break;
            };
            let mut stdin = child.stdin.take().expect("it is piped");
            stdin.write_all(formula.smtlib(naming).as_bytes()).expect("it listens");
            drop(stdin);
            let output = child.wait_with_output().expect("it ends");
            let text = String::from_utf8_lossy(&output.stdout);
            let verdict = ours(formula).map(|mut solver| solver.solve(&[], &Budget::default()));
            let expected = if matches!(verdict, Some(Verdict::Satisfiable(_))) { "sat" } else { "unsat" };
            assert_eq!(text.lines().next(), Some(expected), "seed {seed}: {program}");
        }
    }
}

fn assumptions(make: Make) {
    let mut formula = Formula::default();
    let [p, q, r] = ["p", "q", "r"].map(|name| formula.terms.symbol(name, Sort::Bool));
    let (some, not_p, not_q) = (formula.terms.or2(p, q), formula.terms.not(p), formula.terms.not(q));
    formula.assert(Family::Path, some);
    let mut solver = solver(make, &formula);
    let model = satisfiable(&mut *solver, &formula, &[not_p]);
    assert!(model.evaluate_bool(&formula.terms, q));
    assert_eq!(unsatisfiable(&mut *solver, &[r, not_q, not_p]).len(), 2);
    satisfiable(&mut *solver, &formula, &[not_q]);
    let conjunction = solver.terms().and2(not_p, not_q);
    assert_eq!(unsatisfiable(&mut *solver, &[r, conjunction]), [conjunction]);
    satisfiable(&mut *solver, &formula, &[]);
}

/// One of many assumptions contradicts two others.
fn cores(make: Make) {
    let mut formula = Formula::default();
    let x = formula.terms.symbol("x", Sort::Bits(16));
    let limits: Vec<Term> = (0..20)
        .map(|limit| {
            let limit = formula.terms.bits(16, 1000 + limit);
            formula.terms.ult(x, limit)
        })
        .collect();
    let limit = formula.terms.bits(16, 1003);
    let small = formula.terms.ult(x, limit);
    let large = formula.terms.not(small);
    let mut solver = solver(make, &formula);
    let mut asked = limits.clone();
    asked.insert(10, large);
    let core = unsatisfiable(&mut *solver, &asked);
    assert!(core.len() == 2 && core.contains(&large), "{core:?}");
    asked.remove(10);
    satisfiable(&mut *solver, &formula, &asked);
}

/// Constants, duplicates, a literal and its negation.
fn odd_assumptions(make: Make) {
    let mut formula = chained(&[1, 1]);
    let p = formula.terms.symbol("p", Sort::Bool);
    let (truth, falsehood, not_p) = (formula.terms.truth(), formula.terms.falsehood(), formula.terms.not(p));
    let mut solver = solver(make, &formula);
    satisfiable(&mut *solver, &formula, &[truth, p, truth, p]);
    assert_eq!(unsatisfiable(&mut *solver, &[p, falsehood, truth]), [falsehood]);
    let core = unsatisfiable(&mut *solver, &[p, truth, not_p, p]);
    assert!(core.contains(&p) && core.contains(&not_p) && !core.contains(&truth));
    let (ab, ba) = (solver.terms().before(Node(0), Node(1)), solver.terms().before(Node(1), Node(0)));
    assert_eq!(unsatisfiable(&mut *solver, &[ab, ba]), [ab, ba]);
}

fn assertions_add_up(make: Make) {
    let mut formula = chained(&[1, 1, 1]);
    let x = formula.terms.symbol("x", Sort::Bits(4));
    let order: Vec<Term> = (0..3).map(|i| formula.terms.before(Node(i), Node((i + 1) % 3))).collect();
    let mut solver = solver(make, &formula);
    for excluded in 0..15 {
        satisfiable(&mut *solver, &formula, &[]);
        let excluded = solver.terms().bits(4, excluded);
        let other = solver.terms().ne(x, excluded);
        solver.assert(other);
    }
    let model = satisfiable(&mut *solver, &formula, &[]);
    assert_eq!(model.evaluate_bits(&formula.terms, x), 15);
    solver.assert(order[0]);
    satisfiable(&mut *solver, &formula, &[order[1]]);
    solver.assert(order[1]);
    assert_eq!(unsatisfiable(&mut *solver, &[order[2]]), [order[2]]);
    let model = satisfiable(&mut *solver, &formula, &[]);
    assert!(model.positions[0] < model.positions[2]);
}

fn symbols_and_terms_can_come_later(make: Make) {
    let formula = chained(&[2]);
    let mut solver = solver(make, &formula);
    satisfiable(&mut *solver, &formula, &[]);
    let terms = solver.terms();
    let (x, y) = (terms.symbol("x", Sort::Bits(12)), terms.symbol("y", Sort::Bits(12)));
    let (sum, hundred) = (terms.add(x, y), terms.bits(12, 100));
    let (total, more) = (terms.eq(sum, hundred), terms.ult(hundred, x));
    let model = satisfiable(&mut *solver, &formula, &[total, more]);
    assert_eq!(model.evaluate_bits(solver.terms(), sum), 100);
    solver.assert(total);
    let zero = is(solver.terms(), y, 0);
    assert_eq!(unsatisfiable(&mut *solver, &[more, zero]), [more, zero]);
}

fn a_contradiction_stays(make: Make) {
    let mut formula = Formula::default();
    let p = formula.terms.symbol("p", Sort::Bool);
    let mut solver = solver(make, &formula);
    satisfiable(&mut *solver, &formula, &[p]);
    let not_p = solver.terms().not(p);
    solver.assert(p);
    assert_eq!(unsatisfiable(&mut *solver, &[not_p]), [not_p]);
    solver.assert(not_p);
    assert_eq!(unsatisfiable(&mut *solver, &[]), []);
    assert_eq!(unsatisfiable(&mut *solver, &[p]), []);
    let mut formula = Formula::default();
    let falsehood = formula.terms.falsehood();
    formula.assert(Family::Bug, falsehood);
    assert_eq!(unsatisfiable(&mut *self::solver(make, &formula), &[]), []);
}

/// The factorisation of a product of two primes of more than thirty bits, and a literal that makes it trivial.
fn hard() -> (Formula, Term) {
    let mut formula = Formula::default();
    let terms = &mut formula.terms;
    let factors = ["x", "y"].map(|name| terms.symbol(name, Sort::Bits(32)));
    let [x, y] = factors.map(|factor| terms.zero_extend(factor, 64));
    let product = terms.mul(x, y);
    let target = terms.bits(64, 3_961_355_681 * 3_935_673_377);
    let found = terms.eq(product, target);
    let one = terms.bits(64, 1);
    let proper = [terms.ult(one, x), terms.ult(one, y)];
    let easy = terms.symbol("easy", Sort::Bool);
    let all = terms.and(&[found, proper[0], proper[1]]);
    let either = terms.or2(easy, all);
    formula.assert(Family::Path, either);
    (formula, easy)
}

fn time_ends_a_search(make: Make) {
    let (mut formula, easy) = hard();
    let not_easy = formula.terms.not(easy);
    let mut solver = solver(make, &formula);
    for time in [Duration::ZERO, Duration::from_millis(100)] {
        let budget = Budget { time: Some(time), ..Budget::default() };
        let verdict = solver.solve(&[not_easy], &budget);
        assert!(matches!(verdict, Verdict::Unknown(Reason::Time)), "{}: {verdict:?}", solver.name());
    }
    satisfiable(&mut *solver, &formula, &[easy]);
}

fn a_flag_ends_a_search(make: Make) {
    let (mut formula, easy) = hard();
    let not_easy = formula.terms.not(easy);
    let mut solver = solver(make, &formula);
    let stop = Arc::new(AtomicBool::new(false));
    let budget = Budget { stop: Some(Arc::clone(&stop)), ..Budget::default() };
    let other = std::thread::spawn(move || stop.store(true, Ordering::Relaxed));
    let verdict = solver.solve(&[not_easy], &budget);
    assert!(matches!(verdict, Verdict::Unknown(Reason::Interrupted)), "{}: {verdict:?}", solver.name());
    other.join().expect("it only stores");
    satisfiable(&mut *solver, &formula, &[easy]);
}

/// Solvers that do not count conflicts go on until time ends the search.
fn conflicts_end_a_search(make: Make) {
    let (mut formula, easy) = hard();
    let not_easy = formula.terms.not(easy);
    let mut solver = solver(make, &formula);
    let time = if is_ours(&*solver) { None } else { Some(Duration::from_millis(100)) };
    let verdict = solver.solve(&[not_easy], &Budget { conflicts: Some(50), time, ..Budget::default() });
    match verdict {
        Verdict::Unknown(Reason::Conflicts) => {}
        Verdict::Unknown(Reason::Time) if time.is_some() => {}
        other => panic!("{}: {other:?}", solver.name()),
    }
    satisfiable(&mut *solver, &formula, &[easy]);
}

/// Terms far deeper than a call stack. Z3 takes quadratic time for them.
fn depth(make: Make) {
    let mut formula = chained(&[1; 20]);
    let levels = if is_ours(&*solver(make, &formula)) { 20_000 } else { 1000 };
    let terms = &mut formula.terms;
    let mut deep = terms.symbol("x", Sort::Bool);
    for level in 0..levels {
        let other = terms.symbol("y", Sort::Bool);
        let ordered = terms.before(Node(level % 20), Node((level * 7 + 1) % 20));
        let kept = terms.and2(deep, ordered);
        deep = terms.ite(other, kept, deep);
    }
    let negated = terms.not(deep);
    let mut solver = solver(make, &formula);
    satisfiable(&mut *solver, &formula, &[deep]);
    satisfiable(&mut *solver, &formula, &[negated]);
}
