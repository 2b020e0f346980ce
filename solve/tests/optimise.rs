//! Random small formulas with soft constraints: the search finds the minimal cost among all models, and z3's optimiser
//! agrees. With a small budget, its bounds are still correct.
//!
//! `HEDDLE_CASES` is the number of formulas, `HEDDLE_FIRST_SEED` the first seed.

#![allow(clippy::print_stderr)]

mod ordered;

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use formula::{Assignment, Formula, Naming, Node, Printer, Term};
use ordered::{Case, Dice, models, random_case, random_literal};
use solve::{Budget, End, Engine, Mode, Optimum, Portfolio, Reason, Soft, Solver, optimise};

const CASES: u64 = 600;
/// One in this many formulas is also given to z3.
const OTHERS: u64 = 12;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn random_softs(dice: &mut Dice, case: &mut Case) -> Vec<Soft> {
    let levels = 1 + dice.roll(3);
    let greatest = [1, 1, 3, 9][dice.roll(4)];
    let wishes = case.assumptions.iter().map(|&term| Soft { term, weight: 1, level: levels - 1 });
    let mut softs: Vec<Soft> = wishes.collect();
    for _ in 0..dice.roll(14) {
        let parts: Vec<Term> =
            (0..1 + dice.roll(2)).map(|_| random_literal(dice, &mut case.formula, &case.symbols)).collect();
        let term = if dice.roll(2) == 0 { case.formula.terms.or(&parts) } else { case.formula.terms.and(&parts) };
        softs.push(Soft { term, weight: 1 + dice.roll(greatest) as u64, level: dice.roll(levels) });
    }
    let stretches: Vec<Term> = case.formula.order.stretches.iter().map(|stretch| stretch.literal).collect();
    softs.extend(stretches.into_iter().map(|term| Soft { term, weight: 1 + dice.roll(greatest) as u64, level: 0 }));
    softs
}

fn cost(formula: &Formula, softs: &[Soft], assignment: &Assignment) -> Vec<u64> {
    let mut cost = vec![0; softs.iter().map(|soft| soft.level + 1).max().unwrap_or(0)];
    for soft in softs {
        if !assignment.evaluate_bool(&formula.terms, soft.term) {
            cost[soft.level] += soft.weight;
        }
    }
    cost
}

/// Larger than the cost of any level.
const BASE: u64 = 1_000;

/// The costs of all levels as one number.
fn total(cost: &[u64]) -> u64 {
    cost.iter().fold(0, |total, cost| total * BASE + cost)
}

/// The least total that z3 finds; `None` if there is no model. z3's own lexicographic optimisation (4.8.12) fixes the
/// soft constraints that it satisfied on one level for the next one, although others of the same weight would be
/// better.
fn z3(formula: &Formula, softs: &[Soft]) -> Option<u64> {
    let (terms, assertions) = formula.expanded();
    let mut printer = Printer::new(Naming::Declared);
    let mut text = String::new();
    for (index, node) in formula.order.nodes.iter().enumerate() {
        printer.declare_node(Node(index as u32), &node.name, &mut text);
    }
    let roots: Vec<Term> = assertions.iter().map(|assertion| assertion.term).collect();
    for expression in printer.expressions(&terms, &roots, &mut text) {
        writeln!(text, "(assert {expression})").expect("strings take everything");
    }
    let levels = softs.iter().map(|soft| soft.level + 1).max().unwrap_or(0);
    for soft in softs {
        let expression = printer.expressions(&terms, &[soft.term], &mut text).remove(0);
        let weight = soft.weight * BASE.pow((levels - 1 - soft.level) as u32);
        writeln!(text, "(assert-soft {expression} :weight {weight} :id all)").expect("as above");
    }
    text.push_str("(check-sat)\n(get-objectives)\n");
    let mut child = Command::new("z3")
        .args(["-smt2", "-in"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it could be started before");
    child.stdin.take().expect("it is piped").write_all(text.as_bytes()).expect("z3 reads");
    let output = child.wait_with_output().expect("z3 ends");
    let answer = String::from_utf8(output.stdout).expect("z3 writes text");
    assert!(!answer.contains("error"), "{answer}\n{text}");
    if answer.starts_with("unsat") {
        return None;
    }
    let found = answer.split_once("(all ").and_then(|(_, rest)| rest.split(')').next()?.trim().parse().ok());
    Some(found.unwrap_or(0))
}

fn solver(formula: &Formula, seed: u64) -> Box<dyn Solver> {
    match seed % 5 {
        4 => Box::new(Portfolio::new(formula.clone(), &Mode::ALL, 2)),
        other => Box::new(Engine::with_mode(formula.clone(), Mode::ALL[other as usize])),
    }
}

/// Checks the result, whether the search was finished or not.
fn check(case: &Case, softs: &[Soft], optimum: &Optimum, expected: Option<&Vec<u64>>, context: &str) {
    if let Some(best) = &optimum.best {
        assert_eq!(case.formula.violations(best), [], "{context}");
        assert_eq!(cost(&case.formula, softs, best), optimum.cost, "{context}");
        let expected = expected.unwrap_or_else(|| panic!("{context}: there is no model"));
        assert!(*expected <= optimum.cost, "{context}: better than the best");
        let open = (0..expected.len()).find(|&level| optimum.lower[level] < optimum.cost[level]);
        for level in 0..=open.unwrap_or(0).min(expected.len().saturating_sub(1)) {
            if level < expected.len() {
                assert!(optimum.lower[level] <= expected[level], "{context}: a bound that is too high");
            }
        }
    }
    match optimum.end {
        End::Optimal => assert_eq!(Some(&optimum.cost), expected, "{context}"),
        End::Unsatisfiable => assert!(expected.is_none(), "{context}: there is a model"),
        End::Stopped(_) => {}
    }
}

#[test]
fn the_best_is_the_best_of_all_models() {
    let (cases, first) = (number("HEDDLE_CASES", CASES), number("HEDDLE_FIRST_SEED", 0));
    let installed = Command::new("z3").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !installed {
        eprintln!("z3 is not installed: its optimiser was not asked");
    }
    let (mut possible, mut asked, mut paid) = (0, 0, 0);
    for seed in first..first + cases {
        let mut case = random_case(seed);
        let mut dice = Dice(seed.wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add(7));
        let softs = random_softs(&mut dice, &mut case);
        let all = models(&case);
        let expected = all.iter().map(|model| cost(&case.formula, &softs, model)).min();
        possible += u64::from(expected.is_some());
        paid += u64::from(expected.iter().flatten().any(|&cost| cost > 0));
        let optimum = optimise(&mut *solver(&case.formula, seed), &softs, &Budget::default());
        assert!(!matches!(optimum.end, End::Stopped(_)), "seed {seed}: {:?}", optimum.end);
        check(&case, &softs, &optimum, expected.as_ref(), &format!("seed {seed}"));
        let conflicts = seed % 7;
        let budget = Budget { conflicts: Some(conflicts), ..Budget::default() };
        let stopped = optimise(&mut *solver(&case.formula, seed), &softs, &budget);
        assert!(!matches!(stopped.end, End::Stopped(Reason::Failed(_))), "seed {seed}: {:?}", stopped.end);
        check(&case, &softs, &stopped, expected.as_ref(), &format!("seed {seed}, {conflicts} conflicts"));
        if installed && seed % OTHERS == 0 {
            asked += 1;
            assert_eq!(z3(&case.formula, &softs), expected.as_deref().map(total), "seed {seed}: z3");
        }
    }
    eprintln!(
        "{cases} formulas from seed {first}: {possible} have models, {paid} at a cost; z3 was asked {asked} times"
    );
}

/// A pigeonhole problem of soft constraints, one of which can hold in each row: many cores, sums of sums, and a bound
/// that must be counted up.
#[test]
fn pigeons_are_counted() {
    for (rows, columns) in [(6, 4), (9, 3), (5, 7)] {
        let mut formula = Formula::default();
        let mut grid = Vec::new();
        for row in 0..rows {
            let name = |column| format!("{row}.{column}");
            let cells: Vec<Term> =
                (0..columns).map(|column| formula.terms.symbol(name(column), formula::Sort::Bool)).collect();
            grid.push(cells);
        }
        for (one, cells) in grid.iter().enumerate() {
            for others in &grid[one + 1..] {
                for (&cell, &other) in cells.iter().zip(others) {
                    let both = formula.terms.and2(cell, other);
                    let never = formula.terms.not(both);
                    formula.assert(formula::Family::Path, never);
                }
            }
        }
        let mut softs = Vec::new();
        for cells in &grid {
            let somewhere = formula.terms.or(cells);
            softs.push(Soft { term: somewhere, weight: 2, level: 0 });
            softs.extend(cells.iter().map(|&term| Soft { term, weight: 1, level: 1 }));
        }
        let optimum = optimise(&mut Engine::new(formula), &softs, &Budget::default());
        assert_eq!(optimum.end, End::Optimal);
        let (rows, columns) = (rows as u64, columns as u64);
        assert_eq!(optimum.cost, [2 * rows.saturating_sub(columns), rows * columns - columns]);
        assert_eq!(optimum.lower, optimum.cost);
    }
}
