//! Threads that count and move amounts, with and without a mutex: verdicts are compared with brute force, and the
//! minimality of causes is checked against all executions.
//!
//! `HEDDLE_CASES` is the number of graphs, `HEDDLE_FIRST_SEED` the first seed.

#![allow(clippy::print_stdout)]

#[allow(dead_code)]
mod crowded;

use crowded::{Dice, crowded};
use encode::{Encoding, Failure, Goal, Question, candidates, encode};
use events::{Address, Builder, EventGraph, EventId, Extent, Sought, ThreadId, replay};
use formula::Term;
use generate::{Enumeration, Merging};
use run::ThreadName;
use solve::{Budget, CoreVerdict, Engine, Solver, Verdict, minimal_core};

const CASES: u64 = 250;
const STEPS: u64 = 400_000;
const FAILS: Goal = Goal::Failure(Failure::AnyAssertion);

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

struct Bank {
    x: Address,
    y: Address,
    mutex: Address,
}

/// Two threads that change two variables, and a main thread that compares them.
fn counting(seed: u64) -> EventGraph {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x51ed);
    let mut builder = Builder::new();
    let [x, y, mutex] = ["x", "y", "mutex"].map(|name| builder.object(name, 1));
    let bank = Bank { x: builder.address(x, 0), y: builder.address(y, 0), mutex: builder.address(mutex, 0) };
    let main = builder.thread(ThreadName::main());
    let others = [1, 2].map(|number| builder.thread(ThreadName::main().child(number)));
    if dice.below(3) == 0 {
        let start = builder.constant(1, dice.below(3) as u128);
        builder.write(main, bank.x, start);
    }
    others.iter().for_each(|&other| {
        builder.fork(main, other);
    });
    let careful = dice.below(10) < 7;
    for other in others {
        for _ in 0..1 + dice.below(2) {
            transaction(&mut builder, &mut dice, &bank, other, careful);
        }
    }
    let joined = if dice.below(4) == 0 { &others[..1] } else { &others[..] };
    joined.iter().for_each(|&other| {
        builder.join(main, other);
    });
    let locked = careful && dice.below(2) == 0;
    if locked {
        builder.lock(main, bank.mutex, false);
    }
    let (x, y) = (builder.read(main, bank.x, 1), builder.read(main, bank.y, 1));
    if locked {
        builder.unlock(main, bank.mutex, false);
    }
    let limit = builder.constant(1, dice.below(6) as u128);
    let condition = compared(&mut builder, &mut dice, x, y, limit);
    builder.assert(main, condition);
    builder.finish()
}

fn compared(builder: &mut Builder, dice: &mut Dice, x: Term, y: Term, limit: Term) -> Term {
    let terms = builder.terms();
    let sum = terms.add(x, y);
    match dice.below(4) {
        0 => terms.eq(x, limit),
        1 => terms.ne(sum, limit),
        2 => terms.ule(sum, limit),
        _ => terms.eq(sum, limit),
    }
}

fn transaction(builder: &mut Builder, dice: &mut Dice, bank: &Bank, thread: ThreadId, careful: bool) {
    let locked = careful || dice.below(4) == 0;
    if locked {
        builder.lock(thread, bank.mutex, false);
    }
    let (one, other) = if dice.below(3) == 0 { (bank.y, bank.x) } else { (bank.x, bank.y) };
    match dice.below(5) {
        0 => {
            let amount = builder.constant(1, dice.below(3) as u128);
            builder.write(thread, one, amount);
        }
        1 => {
            let (to, from) = (builder.read(thread, other, 1), builder.read(thread, one, 1));
            let sum = builder.terms().add(to, from);
            let nothing = builder.constant(1, 0);
            builder.write(thread, other, sum);
            builder.write(thread, one, nothing);
        }
        _ => {
            let old = builder.read(thread, one, 1);
            let amount = builder.constant(1, 1 + dice.below(2) as u128);
            let new = builder.terms().add(old, amount);
            builder.write(thread, one, new);
        }
    }
    if locked {
        builder.unlock(thread, bank.mutex, false);
    }
}

/// Describes a wrong verdict or cause, if there is one; none if the graph is too large.
fn judge(graph: &EventGraph) -> Option<Result<bool, String>> {
    let mut judge = Enumeration::new(graph, Extent::Whole, Merging::States).ok()?;
    judge.step_limit = STEPS;
    let answers = judge.answers(graph).ok()?;
    let passes = ask(graph, Goal::Passes, answers.passes);
    let fails = ask(graph, FAILS, !answers.failures.is_empty());
    let failing = match (passes, fails) {
        (Ok(_), Ok(failing)) => failing,
        (Err(problem), _) | (_, Err(problem)) => return Some(Err(problem)),
    };
    let Some((execution, _)) = failing else { return Some(Ok(false)) };
    let outcome = replay(graph, &execution, Extent::Whole).ok()?;
    let pairs = candidates(graph, &execution, &outcome.effects);
    let question = Question::new(Goal::Passes, Extent::Whole);
    let Encoding { formula, legend } = encode(graph, &question).ok()?;
    let mut engine = Engine::new(formula);
    let orders: Vec<Term> = pairs.iter().map(|&(a, b)| legend.order_literal(engine.terms(), a, b)).collect();
    let CoreVerdict::Core(core) = minimal_core(&mut engine, &orders, &Budget::default()) else {
        // The orders of conflicts do not determine the outcome: a failing execution may have a passing twin with equal
        // orders.
        let found = judge.find(graph, Sought::Passes, &pairs).ok()?;
        return Some(if found.is_some() { Ok(false) } else { Err("the orders leave no passing run".to_owned()) });
    };
    let chosen: Vec<(EventId, EventId)> =
        orders.iter().zip(&pairs).filter(|(order, _)| core.literals.contains(order)).map(|(_, &pair)| pair).collect();
    if judge.find(graph, Sought::Passes, &chosen).ok()?.is_some() {
        return Some(Err(format!("{chosen:?} does not exclude passing")));
    }
    for left_out in 0..chosen.len() {
        let mut rest = chosen.clone();
        rest.remove(left_out);
        if judge.find(graph, Sought::Passes, &rest).ok()?.is_none() {
            return Some(Err(format!("{:?} is not needed in {chosen:?}", chosen[left_out])));
        }
    }
    Some(if core.is_minimal() { Ok(true) } else { Err("the core is not minimal".to_owned()) })
}

type Found = Option<(events::Execution, formula::Assignment)>;

fn ask(graph: &EventGraph, goal: Goal, expected: bool) -> Result<Found, String> {
    let encoding = encode(graph, &Question::new(goal, Extent::Whole)).map_err(|error| error.to_string())?;
    match Engine::new(encoding.formula.clone()).solve(&[], &Budget::default()) {
        Verdict::Satisfiable(assignment) if expected => {
            let execution = encoding.decode(&assignment);
            let outcome = replay(graph, &execution, Extent::Whole).map_err(|violation| violation.to_string())?;
            if outcome.passes() != (goal == Goal::Passes) {
                return Err(format!("{goal:?}: the model is no answer"));
            }
            Ok(Some((execution, assignment)))
        }
        Verdict::Unsatisfiable { .. } if !expected => Ok(None),
        verdict => Err(format!("{goal:?}: expected {expected}, not {verdict:?}")),
    }
}

fn compare(name: &str, graph: impl Fn(u64) -> EventGraph) {
    let (cases, first) = (number("HEDDLE_CASES", CASES), number("HEDDLE_FIRST_SEED", 0));
    let (mut causes, mut skipped) = (0, 0);
    let mut problems = Vec::new();
    for seed in first..first + cases {
        match judge(&graph(seed)) {
            None => skipped += 1,
            Some(Ok(caused)) => causes += u64::from(caused),
            Some(Err(problem)) => problems.push(format!("seed {seed}: {problem}")),
        }
    }
    println!("{cases} {name} from seed {first}: {causes} minimal causes, {skipped} too large to be judged");
    assert!(problems.is_empty(), "{} disagreements:\n{}", problems.len(), problems.join("\n"));
    assert!(skipped * 20 <= cases, "{skipped} graphs were not judged");
}

#[test]
fn of_counting_threads() {
    compare("counting graphs", counting);
}

#[test]
fn of_crowded_graphs() {
    compare("crowded graphs", |seed| crowded(seed, 2 + (seed % 7) as usize));
}
