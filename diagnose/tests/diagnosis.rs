//! Diagnoses of small graphs, compared with all executions: causes are minimal, alternates pass, excluded executions do
//! not exist, and projections have exactly the flows that differ, except those on which the failure does not depend.
//!
//! `HEDDLE_CASES` is the number of graphs, `HEDDLE_FIRST_SEED` the first seed.

#![allow(clippy::print_stdout)]

mod aside;

use std::collections::BTreeSet;

use aside::fails_all_the_same;

use diagnose::{
    Alternate, Causes, Diagnosis, Escape, Long, Method, Projection, Proof, Replayed, Traces, Wishes, Wrong,
    context_switches, diagnose, fewer_switches,
};
use events::{
    Builder, Effect, EventGraph, EventId, Execution, Extent, Kind, Location, Plan, Sought, Step, ThreadId, replay,
};
use generate::{Enumeration, EnumerationError, Merging, random_graph};
use solve::Budget;

const CASES: u64 = 500;
const STEPS: u64 = 400_000;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn wishes(method: Method) -> Wishes {
    Wishes {
        alternate: Some(method),
        all: method == Method::Pair,
        fixed_inputs: true,
        long: Long::default(),
        budget: Budget::default(),
    }
}

fn diagnosed(graph: &EventGraph, failing: &Replayed, method: Method) -> Result<Diagnosis, String> {
    diagnose(&Traces(graph), failing, &wishes(method)).map_err(|error| error.to_string())
}

/// Two threads change two numbers, possibly under a mutex that the failing one may still hold; main or one of them
/// reads them.
fn counting(seed: u64) -> EventGraph {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x77);
    let mut builder = Builder::new();
    let [x, y, mutex] = ["x", "y", "mutex"].map(|name| builder.object(name, 1));
    let [x, y, mutex] = [x, y, mutex].map(|object| builder.address(object, 0));
    let threads = ["0", "0.1", "0.2"].map(|name| builder.thread(name.parse().expect("a thread")));
    threads[1..].iter().for_each(|&other| {
        builder.fork(threads[0], other);
    });
    for &thread in &threads[1..] {
        for _ in 0..1 + dice.below(2) {
            let locked = dice.below(3) == 0;
            if locked {
                builder.lock(thread, mutex, false);
            }
            let variable = if dice.below(3) == 0 { y } else { x };
            let old = builder.read(thread, variable, 1);
            let amount = builder.constant(1, 1 + dice.below(2) as u128);
            let new = if dice.below(4) == 0 { amount } else { builder.terms().add(old, amount) };
            builder.write(thread, variable, new);
            if locked {
                builder.unlock(thread, mutex, false);
            }
        }
    }
    let (judge, holds) = (threads[dice.below(2)], dice.below(3) == 0);
    if judge == threads[0] {
        threads[1..].iter().for_each(|&other| {
            builder.join(threads[0], other);
        });
    } else if holds {
        builder.lock(judge, mutex, false);
    }
    let (x, y) = (builder.read(judge, x, 1), builder.read(judge, y, 1));
    let limit = builder.constant(1, dice.below(5) as u128);
    let terms = builder.terms();
    let sum = terms.add(x, y);
    let condition = if dice.below(2) == 0 { terms.eq(sum, limit) } else { terms.ule(sum, limit) };
    if dice.below(4) == 0 {
        // A branch that only a failing run takes.
        let failing = builder.terms().not(condition);
        builder.assume(judge, failing);
    }
    builder.assert(judge, condition);
    builder.finish()
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Counts of results.
#[derive(Debug, Default)]
struct Tally {
    failures: u64,
    deadlocks: u64,
    causes: u64,
    inevitable: u64,
    chosen: u64,
    alternates: u64,
    pairs: u64,
    /// Orders and alternates of diagnoses without the solver.
    necessary: u64,
    by_replay: u64,
    /// Reads that a projection leaves out, and the number of inconclusive ones.
    aside: u64,
    aside_unknown: u64,
    skipped: u64,
}

/// All executions of a graph with the inputs of one of them.
fn judge(graph: &EventGraph, failing: &Replayed) -> Option<Enumeration> {
    let mut judge = Enumeration::new(graph, Extent::Whole, Merging::States).ok()?;
    judge.domains = failing.execution.inputs.iter().map(|&value| vec![value]).collect();
    judge.step_limit = STEPS;
    Some(judge)
}

/// `Ok(false)`: too large.
fn examine(graph: &EventGraph, sought: Sought, extent: Extent, tally: &mut Tally) -> Result<bool, String> {
    let Ok(mut search) = Enumeration::new(graph, extent, Merging::States) else { return Ok(false) };
    search.step_limit = STEPS;
    let Ok(found) = search.find(graph, sought, &[]) else { return Ok(false) };
    let Some(execution) = found else { return Ok(true) };
    let outcome = replay(graph, &execution, extent).map_err(|violation| violation.to_string())?;
    let failing = reduced(graph, Replayed { execution, outcome }, extent)?;
    tally.failures += 1;
    tally.deadlocks += u64::from(sought == Sought::Deadlock);
    let diagnosis = diagnosed(graph, &failing, Method::Pair)?;
    let twin = &diagnosis.passing.graph;
    let Some(judge) = judge(twin, &failing) else { return Ok(false) };
    let passes = |orders: &[(EventId, EventId)]| judge.find(twin, Sought::Passes, orders);
    let Ok(any) = passes(&[]) else { return Ok(false) };
    match &diagnosis.causes {
        Causes::Found(cause) => {
            tally.causes += 1;
            tally.inevitable += u64::from(cause.orders.is_empty());
            if !cause.is_minimal() {
                return Err("the cause is not minimal".to_owned());
            }
            match passes(&cause.orders) {
                Ok(None) => {}
                Ok(Some(_)) => return Err(format!("{:?} do not exclude passing", cause.orders)),
                Err(_) => return Ok(false),
            }
            for left_out in 0..cause.orders.len() {
                let mut rest = cause.orders.clone();
                let order = rest.remove(left_out);
                match passes(&rest) {
                    Ok(Some(_)) => {}
                    Ok(None) => return Err(format!("{order:?} is not needed in {:?}", cause.orders)),
                    Err(_) => return Ok(false),
                }
            }
        }
        Causes::Chosen(_) => tally.chosen += 1,
        Causes::Unknown(reason) => return Err(format!("no cause: {reason:?}")),
    }
    let expected = if any.is_some() { Escape::Possible } else { Escape::Excluded };
    if diagnosis.escape != expected {
        return Err(format!("passing is {expected:?}, not {:?}", diagnosis.escape));
    }
    if diagnosis.alternates.is_empty() == any.is_some() {
        return Err(format!("{} alternates, passing is {expected:?}", diagnosis.alternates.len()));
    }
    by_replay_is_right(graph, &failing, &passes, tally)?;
    for (alternate, projection) in &diagnosis.alternates {
        tally.alternates += 1;
        tally.pairs += u64::from(alternate.method == Method::Pair);
        alternate_passes(twin, &failing, alternate)?;
        projection_is_right(twin, &failing, alternate, projection)?;
        for &read in &projection.aside {
            match fails_all_the_same(graph, &failing, extent, read) {
                Some(true) => tally.aside += 1,
                Some(false) => return Err(format!("the failure depends on {read:?}, which was left out")),
                None => tally.aside_unknown += 1,
            }
        }
    }
    Ok(true)
}

/// A passing execution with these orders, by enumeration.
type Passes<'a> = dyn Fn(&[(EventId, EventId)]) -> Result<Option<Execution>, EnumerationError> + 'a;

/// The same failure, diagnosed as if the run was long: its orders are necessary, and its alternates pass.
fn by_replay_is_right(
    graph: &EventGraph,
    failing: &Replayed,
    passes: &Passes<'_>,
    tally: &mut Tally,
) -> Result<(), String> {
    let long = Long { events: 0, sources: 0 };
    let wishes = Wishes { long, ..wishes(Method::Pair) };
    let diagnosis = diagnose(&Traces(graph), failing, &wishes).map_err(|error| error.to_string())?;
    if diagnosis.escape == Escape::Excluded {
        return Err("replay alone proves nothing".to_owned());
    }
    if let Causes::Found(cause) = &diagnosis.causes {
        if cause.proof != Proof::Necessary || cause.orders.is_empty() {
            return Err(format!("{:?} are {:?}", cause.orders, cause.proof));
        }
        for left_out in 0..cause.orders.len() {
            let mut rest = cause.orders.clone();
            let order = rest.remove(left_out);
            if let Ok(None) = passes(&rest) {
                return Err(format!("{order:?} is not necessary in {:?}", cause.orders));
            }
            tally.necessary += 1;
        }
    }
    for (alternate, projection) in &diagnosis.alternates {
        tally.by_replay += 1;
        alternate_passes(&diagnosis.passing.graph, failing, alternate)?;
        projection_is_right(&diagnosis.passing.graph, failing, alternate, projection)?;
    }
    Ok(())
}

/// Fewer switches, the same failure.
fn reduced(graph: &EventGraph, found: Replayed, extent: Extent) -> Result<Replayed, String> {
    let plan = Plan::new(graph).map_err(|_| "ill-formed".to_owned())?;
    let (wrong, switches) = (Wrong::of(&found.outcome), context_switches(graph, &found.execution));
    let reduced = fewer_switches(&plan, found, extent, &Budget::default());
    let again = plan.replay(&reduced.execution, extent).map_err(|violation| violation.to_string())?;
    if again != reduced.outcome || Wrong::of(&again) != wrong {
        return Err("what was reduced fails otherwise".to_owned());
    }
    if context_switches(graph, &reduced.execution) > switches {
        return Err("there are more context switches than before".to_owned());
    }
    Ok(reduced)
}

fn alternate_passes(twin: &EventGraph, failing: &Replayed, alternate: &Alternate) -> Result<(), String> {
    let outcome = replay(twin, &alternate.execution, Extent::Whole).map_err(|violation| violation.to_string())?;
    if !outcome.passes() || outcome != alternate.outcome || alternate.execution.inputs != failing.execution.inputs {
        return Err("the alternate does not pass".to_owned());
    }
    Ok(())
}

/// The sources of a read's bytes, by searching backwards.
fn sources(graph: &EventGraph, run: &Replayed, read: EventId) -> Option<Vec<Option<EventId>>> {
    let steps = &run.execution.steps;
    let position = steps.iter().position(|step| step.event == read)?;
    let bytes =
        |position: usize| match (&graph.events[steps[position].event.index()].kind, &run.outcome.effects[position]) {
            (Kind::Access(access), &Effect::Accessed { location, read, written }) => {
                let bytes = (0..access.bytes).map(|byte| Location { offset: location.offset + byte, ..location });
                Some((bytes.collect::<Vec<Location>>(), read.is_some(), written.is_some()))
            }
            _ => None,
        };
    let (own, reads, _) = bytes(position)?;
    let source = |byte: &Location| {
        let writes = |&earlier: &usize| bytes(earlier).is_some_and(|(all, _, writes)| writes && all.contains(byte));
        (0..position).rev().find(writes).map(|earlier| steps[earlier].event)
    };
    reads.then(|| own.iter().map(source).collect())
}

fn projection_is_right(
    twin: &EventGraph,
    failing: &Replayed,
    alternate: &Alternate,
    projection: &Projection,
) -> Result<(), String> {
    let other = alternate.replayed();
    let mut expected: [BTreeSet<(EventId, Option<EventId>)>; 2] = Default::default();
    for step in &failing.execution.steps {
        let (old, new) = (sources(twin, failing, step.event), sources(twin, &other, step.event));
        let (Some(old), Some(new)) = (old, new) else { continue };
        // Addresses may differ too: then all of it is new.
        if old == new && location(failing, step.event) == location(&other, step.event) {
            continue;
        }
        let listed = |bytes: &[Option<EventId>]| bytes.iter().map(|&write| (step.event, write)).collect::<Vec<_>>();
        expected[0].extend(listed(&old));
        expected[1].extend(listed(&new));
    }
    let shown = [&projection.lost, &projection.gained]
        .map(|flows| flows.iter().map(|flow| (flow.read, flow.write)).collect::<BTreeSet<_>>());
    for (shown, expected) in shown.iter().zip(&expected) {
        // A read of several bytes may keep some of its flows.
        if !shown.is_subset(expected) {
            return Err(format!("the flows are {shown:?}, by hand {expected:?}"));
        }
    }
    let varied =
        |flows: &[BTreeSet<_>; 2]| flows.iter().flatten().map(|&(read, _)| read).collect::<BTreeSet<EventId>>();
    let listed: BTreeSet<EventId> = varied(&shown).into_iter().chain(projection.aside.iter().copied()).collect();
    if listed != varied(&expected) || projection.aside.iter().any(|read| varied(&shown).contains(read)) {
        return Err(format!("other reads differ: {shown:?}, by hand {expected:?}"));
    }
    let ends: BTreeSet<EventId> =
        shown.iter().flatten().flat_map(|&(read, write)| [Some(read), write]).flatten().collect();
    if ends.len() != projection.metrics.operations_to_understand {
        return Err("the ends of variations are counted wrongly".to_owned());
    }
    let all: BTreeSet<EventId> = projection.operations.iter().copied().collect();
    if !ends.is_subset(&all) || all.len() != projection.operations.len() {
        return Err("operations are missing or listed twice".to_owned());
    }
    for &(one, two) in &projection.reordered {
        let at = |steps: &[Step], event| steps.iter().position(|step| step.event == event);
        let (old, new) = (&failing.execution.steps, &other.execution.steps);
        if at(old, one) > at(old, two) || at(new, one) < at(new, two) {
            return Err(format!("{:?} are not reordered", (one, two)));
        }
    }
    Ok(())
}

fn location(run: &Replayed, event: EventId) -> Option<Location> {
    let position = run.execution.steps.iter().position(|step| step.event == event)?;
    match run.outcome.effects[position] {
        Effect::Accessed { location, .. } => Some(location),
        _ => None,
    }
}

fn compare(name: &str, fewest: u64, graph: impl Fn(u64) -> EventGraph) {
    let (cases, first) = (number("HEDDLE_CASES", CASES), number("HEDDLE_FIRST_SEED", 0));
    let mut tally = Tally::default();
    let mut problems = Vec::new();
    for seed in first..first + cases {
        let graph = graph(seed);
        for (sought, extent) in [
            (Sought::AnyAssertion, Extent::Whole),
            (Sought::AnyAssertion, Extent::Prefix),
            (Sought::Deadlock, Extent::Prefix),
        ] {
            match examine(&graph, sought, extent, &mut tally) {
                Ok(true) => {}
                Ok(false) => tally.skipped += 1,
                Err(problem) => problems.push(format!("seed {seed}, {sought:?}, {extent:?}: {problem}")),
            }
        }
    }
    println!("{cases} {name} from seed {first}: {tally:?}");
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
    assert!(tally.skipped * 10 <= cases * 3, "{} graphs were not judged", tally.skipped);
    assert!(tally.alternates * 100 >= fewest * cases, "only {} alternates", tally.alternates);
}

#[test]
fn of_random_graphs() {
    compare("random graphs", 5, |seed| random_graph(seed, 5 + (seed % 6) as usize));
}

#[test]
fn of_counting_threads() {
    compare("counting graphs", 50, counting);
}

/// Two philosophers.
fn table(builder: &mut Builder) -> [ThreadId; 3] {
    let threads = ["0", "0.1", "0.2"].map(|name| builder.thread(name.parse().expect("a thread")));
    let forks = ["left", "right"].map(|name| builder.object(name, 1));
    let forks = forks.map(|fork| builder.address(fork, 0));
    threads[1..].iter().for_each(|&thread| {
        builder.fork(threads[0], thread);
    });
    for (thread, [first, second]) in [(threads[1], forks), (threads[2], [forks[1], forks[0]])] {
        builder.lock(thread, first, false);
        builder.lock(thread, second, false);
        builder.unlock(thread, second, false);
        builder.unlock(thread, first, false);
    }
    threads
}

#[test]
fn a_deadlock_is_caused_by_who_took_what_first() {
    let mut builder = Builder::new();
    table(&mut builder);
    let graph = builder.finish();
    let search = Enumeration::new(&graph, Extent::Prefix, Merging::States).expect("it is small");
    let execution = search.find(&graph, Sought::Deadlock, &[]).expect("it is small").expect("there is one");
    let outcome = replay(&graph, &execution, Extent::Prefix).expect("it is an execution");
    let failing = Replayed { execution, outcome };
    let diagnosis = diagnosed(&graph, &failing, Method::Pair).expect("it can be diagnosed");
    let thread = |event: EventId| graph.events[event.index()].thread;
    let orders: Vec<(ThreadId, ThreadId)> =
        diagnosis.orders().iter().map(|&(one, other)| (thread(one), thread(other))).collect();
    assert_eq!(orders.len(), 2, "{orders:?}");
    assert_eq!(orders[0], (orders[1].1, orders[1].0), "each was before the other");
    assert!(matches!(diagnosis.alternates.first(), Some((alternate, _)) if alternate.outcome.passes()));
}
