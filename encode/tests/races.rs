//! Data races on random small graphs: for every two accesses of different threads, one of which writes, the solver's
//! verdict on whether they race must agree with brute-force enumeration, and every model must end where they do.
//!
//! `HEDDLE_CASES` is the number of graphs, `HEDDLE_FIRST_SEED` the first seed.

#[allow(dead_code)]
mod crowded;

use crowded::crowded;
use encode::{Question, encode};
use events::{Clash, EventGraph, EventId, Extent, Kind, Plan, Touch};
use generate::{Enumeration, Merging, random_graph};
use solve::{Budget, Engine, Solver, Verdict};

const CASES: u64 = 500;
/// The few graphs with more states are skipped.
const STEPS: u64 = 400_000;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// All pairs of accesses of different threads, at least one of which writes.
fn clashes(graph: &EventGraph) -> Vec<Clash> {
    let mut touches = Vec::new();
    for (index, event) in graph.events.iter().enumerate() {
        if let Kind::Access(access) = &event.kind {
            let (address, bytes) = (access.address, access.bytes);
            let touch = Touch { event: EventId(index as u32), guard: event.guard, address, bytes };
            touches.push((event.thread, access.new.is_some(), touch));
        }
    }
    let mut clashes = Vec::new();
    for (position, &(thread, writes, one)) in touches.iter().enumerate() {
        for &(theirs, overwrites, other) in &touches[position + 1..] {
            if thread != theirs && (writes || overwrites) {
                clashes.push(Clash { one, other });
            }
        }
    }
    clashes
}

/// The number of pairs that do and do not race, or a disagreement. None if the graph is too large for brute force.
fn ask(graph: &EventGraph) -> Option<Result<(u64, u64), String>> {
    let clashes = clashes(graph);
    let judge = Enumeration::new(graph, Extent::Prefix, Merging::States).expect("inputs are small");
    let expected = Enumeration { step_limit: STEPS, ..judge }.races(graph, &clashes).ok()?;
    let plan = Plan::new(graph).expect("well-formed");
    let encoding = encode(graph, &Question::race(clashes.clone())).unwrap_or_else(|error| panic!("{error}"));
    let mut engine = Engine::new(encoding.formula.clone());
    let (mut met, mut never) = (0, 0);
    for ((clash, &race), expected) in clashes.iter().zip(encoding.legend.races()).zip(expected) {
        match engine.solve(&[race], &Budget::default()) {
            Verdict::Satisfiable(assignment) => {
                let execution = encoding.decode(&assignment);
                match plan.races(&execution, clash) {
                    Ok(true) if expected => met += 1,
                    Ok(true) => return Some(Err(format!("brute force does not find {clash:?} in {execution:?}"))),
                    Ok(false) => return Some(Err(format!("{clash:?} does not come about in {execution:?}"))),
                    Err(violation) => return Some(Err(format!("no execution: {execution:?}: {violation}"))),
                }
            }
            Verdict::Unsatisfiable { .. } if !expected => never += 1,
            Verdict::Unsatisfiable { .. } => return Some(Err(format!("{clash:?} is not found"))),
            Verdict::Unknown(reason) => return Some(Err(format!("no verdict: {reason:?}"))),
        }
    }
    Some(Ok((met, never)))
}

#[expect(clippy::print_stdout, reason = "a campaign says how much was compared")]
fn compare(name: &str, graph: impl Fn(u64) -> EventGraph) {
    let (cases, first) = (number("HEDDLE_CASES", CASES), number("HEDDLE_FIRST_SEED", 0));
    let (mut met, mut never, mut skipped) = (0, 0, 0);
    let mut problems = Vec::new();
    for seed in first..first + cases {
        match ask(&graph(seed)) {
            None => skipped += 1,
            Some(Ok((some, none))) => {
                met += some;
                never += none;
            }
            Some(Err(problem)) => problems.push(format!("seed {seed}: {problem}")),
        }
    }
    println!("{cases} {name} from seed {first}: {met} clashes meet, {never} do not, {skipped} too large to be judged");
    let shown = problems[..problems.len().min(10)].join("\n");
    assert!(problems.is_empty(), "{} disagreements:\n{shown}", problems.len());
    assert!(skipped * 20 <= cases, "{skipped} graphs were not judged");
    assert!(met > 0 && never > 0);
}

#[test]
fn races_are_those_of_brute_force() {
    compare("random graphs", |seed| random_graph(seed, 3 + (seed % 12) as usize));
}

#[test]
fn in_crowded_graphs_too() {
    compare("crowded graphs", |seed| crowded(seed, 2 + (seed % 9) as usize));
}
