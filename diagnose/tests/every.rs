//! All failures of small graphs with guards, inputs, cuts and ends, and their causes, compared with brute force: the
//! same assertions fail, the same threads are in a deadlock, no execution with a cause passes, without any one ordering
//! of a cause one does, and every failing execution has a cause.
//!
//! `HEDDLE_CASES` is the number of graphs, `HEDDLE_FIRST_SEED` the first seed.

#![allow(clippy::print_stdout)]

mod all_executions;

use std::collections::BTreeSet;

use all_executions::{Tally, TooMuch, asked, cause_problem, failures};
use diagnose::{CutReached, End, Everything, Heard, Sought, Standstill, Wrong, cut_reachable, every};
use events::{EventGraph, EventId};
use generate::random_graph;
use solve::Budget;

const CASES: u64 = 500;
/// How many steps may be tried for one answer.
const LIMIT: u64 = 300_000;
/// Threads that are blocked at the same events, each alone, in a cycle, or because of others; and decisive choices.
const RARE: [u64; 12] = [1025, 1118, 1519, 1548, 2188, 3408, 3608, 4378, 12443, 12615, 12827, 15698];

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Some assertions are in one group, and in some graphs some are not of interest.
fn site_of(seed: u64) -> impl Fn(EventId) -> Option<u32> {
    move |event| (!seed.is_multiple_of(4) || event.0 % 3 != 0).then_some(event.0 / 2)
}

fn everything(graph: &EventGraph, site: &dyn Fn(EventId) -> Option<u32>, all: bool) -> Everything {
    let budget = Budget::default();
    let sought = Sought { graph, site, assertions: true, deadlocks: true, all, budget };
    every(&sought, &mut |_, _| Heard::Confirmed, &mut |_| {}).unwrap_or_else(|error| panic!("{error}\n{graph}"))
}

fn problem(seed: u64, tally: &mut Tally) -> Result<Option<String>, TooMuch> {
    let original = random_graph(seed, 4 + (seed % 10) as usize);
    let site = site_of(seed);
    let graph = asked(&original, &site);
    let found = everything(&original, &site, true);
    tally.iterations += u64::from(found.iterations);
    tally.most = tally.most.max(found.iterations);
    if found.end != End::Exhausted || !found.open.is_empty() {
        return Ok(Some(format!("it ended with {:?}", found.end)));
    }
    let judged = failures(&graph, &found.failures, LIMIT)?;
    let sites: BTreeSet<Option<u32>> = judged.assertions.iter().map(|&event| site(event)).collect();
    let ours = found.failures.iter().filter_map(|failure| match failure.wrong {
        Wrong::Assertion(event) => Some(site(event)),
        Wrong::Deadlock(_) => None,
    });
    let ours: BTreeSet<Option<u32>> = ours.collect();
    if sites != ours {
        return Ok(Some(format!("{sites:?} fail, we say {ours:?}")));
    }
    let ours: BTreeSet<Standstill> = found.failures.iter().filter_map(|failure| failure.standstill.clone()).collect();
    if judged.standstills != ours {
        return Ok(Some(format!("standstills {:?}, we say {ours:?}", judged.standstills)));
    }
    if let Some(uncovered) = judged.uncovered.first() {
        return Ok(Some(format!("nothing covers {uncovered:?}")));
    }
    for failure in &found.failures {
        if let Some(problem) = cause_problem(&graph, failure, LIMIT, tally)? {
            return Ok(Some(problem));
        }
    }
    let first = everything(&original, &site, false);
    let expected = if found.failures.is_empty() { (End::Exhausted, 0) } else { (End::First, 1) };
    if (first.end.clone(), first.failures.len()) != expected {
        return Ok(Some(format!("the first of them: {:?}, {}", first.end, first.failures.len())));
    }
    cut_problem(&original, tally)
}

fn cut_problem(graph: &EventGraph, tally: &mut Tally) -> Result<Option<String>, TooMuch> {
    let cuts = failures(graph, &[], LIMIT)?.cuts;
    tally.cuts += u64::from(!cuts.is_empty());
    Ok(match cut_reachable(graph, &Budget::default()) {
        Ok(CutReached::Cut { cut, .. }) if cuts.contains(&cut) => None,
        Ok(CutReached::Never) if cuts.is_empty() => None,
        other => Some(format!("cuts {cuts:?}, we say {other:?}")),
    })
}

#[test]
fn all_failures_and_their_causes_are_those_of_brute_force() {
    let (cases, first) = (number("HEDDLE_CASES", CASES), number("HEDDLE_FIRST_SEED", 0));
    let mut tally = Tally::default();
    let mut problems = Vec::new();
    for seed in (first..first + cases).chain(RARE) {
        match problem(seed, &mut tally) {
            Ok(None) => {}
            Ok(Some(problem)) => problems.push(format!("seed {seed}: {problem}")),
            Err(TooMuch) => tally.skipped += 1,
        }
    }
    println!(
        "{cases} graphs from seed {first}: {} failures in {} iterations (at most {} of one graph), {} of them deadlocks, \
         {} orders; {} inevitable, {} with inputs, {} with choices, {} chosen otherwise; {} reach a cut; {} too large",
        tally.failures,
        tally.iterations,
        tally.most,
        tally.deadlocks,
        tally.orders,
        tally.inevitable,
        tally.with_inputs,
        tally.with_choices,
        tally.chosen,
        tally.cuts,
        tally.skipped,
    );
    let shown = &problems[..problems.len().min(10)];
    assert!(problems.is_empty(), "{} disagreements:\n{}", problems.len(), shown.join("\n"));
    assert!(tally.skipped * 20 <= cases, "{} graphs were not judged", tally.skipped);
}
