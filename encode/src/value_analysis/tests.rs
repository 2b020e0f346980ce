//! The values read in executions are in the value sets: for small graphs, for sums that several threads add to, and for
//! random graphs under random orders. `HEDDLE_CASES` is the number of graphs, `HEDDLE_FIRST_SEED` the first seed.

#![allow(clippy::print_stdout)]

use events::{Builder, Effect, EventGraph, Extent, Simulation, Sought, replay};
use generate::random_graph;
use run::ThreadName;

use super::*;
use crate::static_order::StaticOrder;

const CASES: u64 = 500;
/// Orders of each graph.
const ORDERS: u64 = 12;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Two threads, each of which adds its number this many times, and a read of the main thread.
fn counted(steps: [u128; 2], times: u32) -> (EventGraph, Term) {
    let mut builder = Builder::new();
    let main = builder.thread(ThreadName::main());
    let object = builder.object("sum", 4);
    let at = builder.address(object, 0);
    for (number, step) in (1..).zip(steps) {
        let other = builder.thread(ThreadName::main().child(number));
        builder.fork(main, other);
        for _ in 0..times {
            let old = builder.read(other, at, 4);
            let step = builder.constant(4, step);
            let new = builder.terms().add(old, step);
            builder.write(other, at, new);
        }
    }
    let last = builder.read(main, at, 4);
    (builder.finish(), last)
}

/// Threads that compute with values read from two variables, in two steps or atomically.
fn computing(seed: u64) -> EventGraph {
    let mut state = seed;
    let mut below = |bound: u64| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    };
    let mut builder = Builder::new();
    let main = builder.thread(ThreadName::main());
    let objects = ["x", "y"].map(|name| builder.object(name, 4));
    let places = objects.map(|object| builder.address(object, 0));
    let mut threads = vec![main];
    for child in 1..2 + below(2) {
        let thread = builder.thread(ThreadName::main().child(child as u32));
        builder.fork(main, thread);
        threads.push(thread);
    }
    for thread in threads {
        for _ in 0..1 + below(4) {
            let (from, to) = (places[below(2) as usize], places[below(2) as usize]);
            let constant = builder.constant(4, 1 + u128::from(below(9)));
            match below(4) {
                0 => {
                    builder.write(thread, to, constant);
                }
                1 => {
                    builder.rmw(thread, to, 4, |terms, old| terms.add(old, constant));
                }
                2 => {
                    let old = builder.read(thread, from, 4);
                    let new = builder.terms().mul(old, constant);
                    builder.write(thread, to, new);
                }
                _ => {
                    let (one, other) = (builder.read(thread, from, 4), builder.read(thread, to, 4));
                    let sum = builder.terms().add(one, other);
                    let new = builder.terms().add(sum, constant);
                    builder.write(thread, to, new);
                }
            }
        }
    }
    builder.finish()
}

fn searched(graph: &EventGraph, ordered: bool) -> ValueSets {
    let initial_writes = InitialWrites::new(graph, &StaticOrder::new(graph));
    let mut terms = graph.terms.clone();
    let search = Search::new(graph, &mut terms, &initial_writes);
    let mut search = if ordered { search.ordered() } else { search };
    if search.run() { search.found() } else { ValueSets::default() }
}

fn values(graph: &EventGraph, symbol: Term) -> Option<Vec<u128>> {
    let sets = value_sets(graph, &InitialWrites::new(graph, &StaticOrder::new(graph)));
    sets.of(symbol).map(|values| values.iter().copied().collect())
}

#[test]
fn what_is_added_is_added_once() {
    let (graph, last) = counted([1, 1], 2);
    assert_eq!(values(&graph, last), Some(vec![0, 1, 2, 3, 4]));
    let (graph, last) = counted([1, 10], 2);
    assert_eq!(values(&graph, last), Some(vec![0, 1, 2, 10, 11, 12, 20, 21, 22]));
    let (graph, last) = counted([1, 100], 9);
    assert_eq!(values(&graph, last), None);
}

/// Returns the number of reads with small value sets.
fn judge(graph: &EventGraph, seed: u64) -> u64 {
    let both = [false, true].map(|ordered| searched(graph, ordered));
    let mut judged = 0;
    for order in 0..ORDERS {
        let simulation = Simulation { sought: Sought::Passes, extent: Extent::Whole, seed: order, rounds: 5 };
        let Ok(Some(found)) = simulation.run(graph) else { continue };
        let outcome = replay(graph, &found.execution, Extent::Whole).expect("it is an execution");
        for (step, effect) in found.execution.steps.iter().zip(&outcome.effects) {
            let Kind::Access(access) = &graph.events[step.event.index()].kind else { continue };
            let (Some(old), Effect::Accessed { read: Some(read), .. }) = (access.old, effect) else { continue };
            for values in both.iter().filter_map(|sets| sets.of(old)) {
                judged += 1;
                assert!(values.contains(read), "seed {seed}: {:?} reads {read}, not of {values:?}", step.event);
            }
        }
    }
    judged
}

#[test]
fn what_is_read_is_possible() {
    let (cases, first) = (number("HEDDLE_CASES", CASES), number("HEDDLE_FIRST_SEED", 0));
    let (mut random, mut computed) = (0, 0);
    for seed in first..first + cases {
        random += judge(&random_graph(seed, 14), seed);
        computed += judge(&computing(seed), seed);
    }
    println!("{cases} graphs from seed {first}: {random} reads, and {computed} of graphs that compute");
    assert!(computed > cases, "{computed} reads with few values");
}
