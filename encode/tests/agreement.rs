//! Random small graphs and all questions about them: the solver's verdict on the formula must agree with brute-force
//! enumeration, and every model must decode to an execution that reaches the goal.
//!
//! `HEDDLE_CASES` is the number of graphs, `HEDDLE_FIRST_SEED` the first seed.

mod crowded;
mod rings;

use crowded::{Dice, crowded};
use encode::{Failure, Goal, Question, encode};
use events::{EventGraph, EventId, Extent, Kind, Sought, replay};
use generate::{Enumeration, Merging, random_graph, random_handed, with_beginning};
use rings::ring;
use solve::{Budget, Engine, Process, Solver, Verdict};

const CASES: u64 = 500;
/// One in this many graphs is also given to z3 and cvc5.
const OTHERS: u64 = 25;
/// The few graphs with more states are skipped.
const STEPS: u64 = 400_000;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn sought(goal: Goal) -> Sought {
    match goal {
        Goal::Passes => Sought::Passes,
        Goal::Failure(Failure::Deadlock) => Sought::Deadlock,
        Goal::Failure(Failure::AnyAssertion) => Sought::AnyAssertion,
        Goal::Failure(Failure::Assertion(event)) => Sought::Assertion(event),
        Goal::Failure(Failure::Race) => unreachable!("races have a test of their own"),
    }
}

/// In a prefix the end of the process counts as passing although threads are unfinished; the goal `Passes` is about
/// whole executions.
fn judged_as(goal: Goal, extent: Extent) -> Extent {
    if goal == Goal::Passes { Extent::Whole } else { extent }
}

fn goals(graph: &EventGraph) -> Vec<Goal> {
    let mut goals = vec![Goal::Passes, Goal::Failure(Failure::AnyAssertion), Goal::Failure(Failure::Deadlock)];
    for (index, event) in graph.events.iter().enumerate() {
        if let Kind::Assert { .. } = event.kind {
            goals.push(Goal::Failure(Failure::Assertion(EventId(index as u32))));
        }
    }
    goals
}

/// Describes a wrong answer to a question, if it is wrong.
fn disagreement(graph: &EventGraph, question: &Question, expected: bool) -> Option<String> {
    let encoding = encode(graph, question).unwrap_or_else(|error| panic!("{error}"));
    let mut engine = Engine::new(encoding.formula.clone());
    match engine.solve(&[], &Budget::default()) {
        Verdict::Satisfiable(assignment) => {
            let violations = encoding.formula.violations(&assignment);
            if let Some(violation) = violations.first() {
                return Some(format!("the solver's model violates the formula: {violation:?}"));
            }
            let execution = encoding.decode(&assignment);
            let extent = judged_as(question.goal, question.extent);
            match replay(graph, &execution, extent) {
                Ok(outcome) if !sought(question.goal).met_by(&outcome, extent) => {
                    return Some(format!("the model is no answer: {execution:?} comes to {outcome:?}"));
                }
                Ok(_) => {}
                Err(violation) => return Some(format!("the model is no execution: {execution:?}: {violation}")),
            }
            let position = |event| execution.steps.iter().position(|step| step.event == event);
            for &(first, second) in question.orders.iter().chain(&question.held) {
                if !matches!((position(first), position(second)), (Some(first), Some(second)) if first < second) {
                    return Some(format!("{first:?} is not before {second:?} in {execution:?}"));
                }
            }
            (!expected).then(|| format!("brute force does not find what replay confirms: {execution:?}"))
        }
        Verdict::Unsatisfiable { .. } => expected.then(|| "the formula has no model".to_owned()),
        Verdict::Unknown(reason) => Some(format!("no verdict: {reason:?}")),
    }
}

/// Whether the event happens in every passing execution; false if that is not syntactically clear.
fn is_certain(graph: &EventGraph, event: EventId) -> bool {
    let unconditional = |event: &events::Event| graph.terms.as_bool(event.guard) == Some(true);
    let thread = graph.events[event.index()].thread;
    let forks = graph.events.iter().any(|event| {
        matches!(event.kind, events::Kind::Fork { child } if child == thread)
            && event.thread.index() == 0
            && unconditional(event)
    });
    unconditional(&graph.events[event.index()]) && (thread.index() == 0 || forks)
}

/// Asks all questions about one graph. Returns the number of questions, or none if the graph is too large for brute
/// force.
fn ask(graph: &EventGraph, seed: u64) -> Option<Result<u64, String>> {
    let mut asked = 0;
    let mut dice = Dice(seed);
    let judge_of = |extent| {
        let judge = Enumeration::new(graph, extent, Merging::States).expect("inputs are small");
        Enumeration { step_limit: STEPS, ..judge }
    };
    let passes = judge_of(Extent::Whole).answers(graph).ok()?.passes;
    for extent in [Extent::Prefix, Extent::Whole] {
        let answers = judge_of(extent).answers(graph).ok()?;
        for goal in goals(graph) {
            let expected = match goal {
                Goal::Passes => passes,
                Goal::Failure(Failure::Deadlock) => answers.deadlock,
                Goal::Failure(Failure::AnyAssertion) => !answers.failures.is_empty(),
                Goal::Failure(Failure::Assertion(event)) => answers.failures.contains(&event),
                Goal::Failure(Failure::Race) => continue,
            };
            let mut questions = vec![(Question::new(goal, extent), expected)];
            let mut orders = Vec::new();
            for _ in 0..1 + dice.below(2) {
                let mut any = || EventId(dice.below(graph.events.len()) as u32);
                orders.push((any(), any()));
            }
            // If the goal is unreachable, it is unreachable with these orders too.
            let judge = judge_of(judged_as(goal, extent));
            let ordered = expected && judge.find(graph, sought(goal), &orders).ok()?.is_some();
            if goal == Goal::Passes
                && orders.iter().all(|&(one, other)| is_certain(graph, one) && is_certain(graph, other))
            {
                questions.push((Question { held: orders.clone(), ..Question::new(goal, extent) }, ordered));
            }
            questions.push((Question { orders, ..Question::new(goal, extent) }, ordered));
            for (question, expected) in questions {
                asked += 1;
                if let Some(problem) = disagreement(graph, &question, expected) {
                    return Some(Err(format!("{question:?}: expected {expected}: {problem}")));
                }
            }
        }
    }
    Some(Ok(asked))
}

/// Whether z3 and cvc5, where installed, agree on one question about the graph.
fn others_agree(graph: &EventGraph, seed: u64) -> Result<u64, String> {
    let extent = if seed.is_multiple_of(2) { Extent::Prefix } else { Extent::Whole };
    let goals = goals(graph);
    let question = Question::new(goals[seed as usize / 2 % goals.len()], extent);
    let formula = encode(graph, &question).map_err(|error| error.to_string())?.formula;
    let ours = matches!(Engine::new(formula.clone()).solve(&[], &Budget::default()), Verdict::Satisfiable(_));
    let mut asked = 0;
    for other in [Process::z3(formula.clone()), Process::cvc5(formula)].into_iter().flatten() {
        let mut other = other;
        let theirs = match other.solve(&[], &Budget::default()) {
            Verdict::Satisfiable(_) => true,
            Verdict::Unsatisfiable { .. } => false,
            Verdict::Unknown(reason) => return Err(format!("{}: {reason:?}", other.name())),
        };
        asked += 1;
        if ours != theirs {
            return Err(format!("{question:?}: we say {ours}, {} says {theirs}", other.name()));
        }
    }
    Ok(asked)
}

/// Asks all questions about the configured number of graphs.
#[expect(clippy::print_stdout, reason = "a campaign says how much was compared")]
fn compare(name: &str, graph: impl Fn(u64) -> EventGraph) {
    let (cases, first) = (number("HEDDLE_CASES", CASES), number("HEDDLE_FIRST_SEED", 0));
    let (mut questions, mut skipped, mut theirs) = (0, 0, 0);
    let mut problems = Vec::new();
    for seed in first..first + cases {
        if seed.is_multiple_of(OTHERS) {
            match others_agree(&graph(seed), seed / OTHERS) {
                Ok(asked) => theirs += asked,
                Err(problem) => problems.push(format!("seed {seed}: {problem}")),
            }
        }
        match ask(&graph(seed), seed) {
            None => skipped += 1,
            Some(Ok(asked)) => questions += asked,
            Some(Err(problem)) => problems.push(format!("seed {seed}: {problem}")),
        }
    }
    println!(
        "{cases} {name} from seed {first}: {questions} questions, {theirs} of them also to z3 or cvc5, {skipped} too \
         large to be judged"
    );
    assert!(
        problems.is_empty(),
        "{} disagreements:\n{}",
        problems.len(),
        problems[..problems.len().min(10)].join("\n")
    );
    assert!(skipped * 20 <= cases, "{skipped} graphs were not judged");
}

#[test]
fn verdicts_are_those_of_brute_force() {
    compare("random graphs", |seed| random_graph(seed, 3 + (seed % 12) as usize));
}

#[test]
fn crowded_graphs_too() {
    compare("crowded graphs", |seed| crowded(seed, 2 + (seed % 9) as usize));
}

#[test]
fn graphs_that_begin_with_writes_too() {
    compare("graphs with a beginning", |seed| with_beginning(random_graph(seed, 3 + (seed % 9) as usize), seed));
}

#[test]
fn graphs_with_mutexes_that_others_release_too() {
    compare("graphs with foreign unlocks", |seed| random_handed(seed, 3 + (seed % 10) as usize));
}

#[test]
fn rings_too() {
    compare("rings", ring);
}
