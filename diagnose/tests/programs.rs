//! Generated concurrent C programs: checking the graph of the whole program agrees with exploration, failure by
//! failure; and where all executions of the graph can be enumerated, every cause is correct and minimal, and every
//! failing execution has a cause.
//!
//! `HEDDLE_CASES` is the number of programs, `HEDDLE_FIRST_SEED` the first seed, `HEDDLE_STEPS` the limit of steps for
//! one answer about a graph.

#![allow(clippy::print_stdout)]

mod all_executions;
mod checking;
mod disagreed;
mod followed;
mod table;

use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;

use all_executions::{Tally, TooMuch, asked, cause_problem, failures};
use checking::{Checked, checked, load, name, sites};
use diagnose::{Everything, Standstill};
use events::EventId;
use run::{Header, Schedule};
use solve::Budget;
use symex::bounded::{Unrolled, Until, follow};
use table::Row;
use vm::explore::{Cut, Hashing, Settings, explore};
use vm::{Code, Options};

/// Programs with more interleavings than this would make trying every schedule slow. Those of the richer ones are often
/// the same, and count every value of their inputs.
const MOST_INTERLEAVINGS: [u64; 2] = [3_000, 300_000];

const CASES: u64 = 500;
/// How many executions of a program are tried.
const EXECUTIONS: u64 = 20_000;
/// How many steps may be tried for one answer about a graph.
const STEPS: u64 = 20_000;

/// The programs are dealt to this many tests, which run side by side.
const HANDS: u64 = 6;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The kind of program for a seed.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Small,
    Richer,
    /// They destroy objects that others may still synchronise on.
    Destroying,
}

impl Kind {
    fn of(seed: u64) -> Kind {
        match seed % 3 {
            0 => Kind::Small,
            1 => Kind::Richer,
            _ => Kind::Destroying,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Small => "small",
            Kind::Richer => "richer",
            Kind::Destroying => "destroying",
        }
    }
}

fn source(seed: u64) -> String {
    let program = match Kind::of(seed) {
        Kind::Small => generate::concurrent_c_within(seed, MOST_INTERLEAVINGS[0]),
        Kind::Richer => generate::concurrent_c_richer(seed, MOST_INTERLEAVINGS[1]),
        Kind::Destroying => generate::concurrent_c_destroying(seed, MOST_INTERLEAVINGS[1]),
    };
    program.source
}

/// All outcomes of exploration, if it completes. Inputs of these programs are 0 or 1, which it tries. States are hashed
/// only if there are too many executions.
fn tried(code: &Rc<Code>) -> Option<BTreeSet<String>> {
    [Hashing::WhenLong, Hashing::On].into_iter().find_map(|hashing| {
        let settings = Settings { hashing, executions: Some(EXECUTIONS), all: true, ..Settings::default() };
        let exploration = explore(code, &Options::default(), &settings, &mut |_| true);
        let complete = exploration.cuts.iter().all(|cut| *cut == Cut::Inputs);
        complete.then(|| exploration.failures.iter().map(|found| name(&found.failure)).collect())
    })
}

/// Describes wrong causes, or failing executions without one.
fn judged(unrolled: &Unrolled, everything: &Everything, tally: &mut Tally) -> Result<Option<String>, TooMuch> {
    let sites = sites(unrolled);
    let site = |event: EventId| sites.get(&event).copied();
    let graph = asked(&unrolled.graph, &site);
    let limit = number("HEDDLE_STEPS", STEPS);
    let all = failures(&graph, &everything.failures, limit)?;
    if let Some(uncovered) = all.uncovered.first() {
        return Ok(Some(format!("nothing covers {uncovered:?}")));
    }
    tally.cuts += u64::from(!all.cuts.is_empty());
    if !all.cuts.is_empty() {
        return Ok(Some(format!("the cuts {:?} are reached", all.cuts)));
    }
    let ours: BTreeSet<Standstill> =
        everything.failures.iter().filter_map(|failure| failure.standstill.clone()).collect();
    if all.standstills != ours {
        return Ok(Some(format!("standstills {:?}, we say {ours:?}", all.standstills)));
    }
    for failure in &everything.failures {
        if let Some(problem) = cause_problem(&graph, failure, limit, tally)? {
            return Ok(Some(problem));
        }
    }
    tally.iterations += u64::from(everything.iterations);
    tally.most = tally.most.max(everything.iterations);
    Ok(None)
}

#[derive(Default)]
struct Seen {
    programs: u64,
    agreed: u64,
    failing: u64,
    judged: u64,
    too_large: u64,
    causes: Tally,
    left: Vec<String>,
    wrong: Vec<String>,
}

fn look(source: &str, seed: u64, folder: &Path, seen: &mut Seen) {
    let code = load(folder, source, seed);
    let Some(expected) = tried(&code) else {
        seen.too_large += 1;
        return;
    };
    let mut wrong = |what: String| seen.wrong.push(format!("{source}\nseed {seed}: {what}"));
    match checked(&code, &Budget::default()) {
        Checked::Complete(complete) if complete.found == expected => {
            seen.agreed += 1;
            seen.failing += u64::from(!complete.found.is_empty());
            match judged(&complete.unrolled, &complete.everything, &mut seen.causes) {
                Ok(None) => seen.judged += 1,
                Ok(Some(problem)) => wrong(problem),
                Err(TooMuch) => seen.causes.skipped += 1,
            }
        }
        Checked::Complete(complete) => wrong(format!("tried {expected:?}, found {:?}", complete.found)),
        Checked::Refuted(why) | Checked::Broken(why) => wrong(why),
        Checked::Unsupported(what) | Checked::Unsettled(what) => seen.left.push(format!("{what} (seed {seed})")),
    }
}

fn play(hand: u64) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (cases, first) = (number("HEDDLE_CASES", CASES), number("HEDDLE_FIRST_SEED", 0));
    let mut seen = Seen::default();
    for seed in (first..first + cases).filter(|seed| seed % HANDS == hand) {
        seen.programs += 1;
        look(&source(seed), seed, folder.path(), &mut seen);
    }
    told(Kind::of(hand).name(), first, seen);
}

/// Programs with one theme; there are half as many of them.
fn play_only(kind: &str, draw: fn(u64, u64) -> generate::Concurrent) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (cases, first) = (number("HEDDLE_CASES", CASES), number("HEDDLE_FIRST_SEED", 0));
    let mut seen = Seen::default();
    for seed in first..first + cases / 2 {
        seen.programs += 1;
        let source = draw(seed, MOST_INTERLEAVINGS[1]).source;
        look(&source, seed, folder.path(), &mut seen);
    }
    told(kind, first, seen);
}

/// Programs that share texts and leave them to the library.
fn play_texts() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (cases, first) = (number("HEDDLE_CASES", CASES), number("HEDDLE_FIRST_SEED", 0));
    let mut seen = Seen::default();
    for seed in first..first + cases {
        seen.programs += 1;
        look(&generate::concurrent_c_with_texts(seed), seed, folder.path(), &mut seen);
    }
    told("textual", first, seen);
}

fn told(kind: &str, first: u64, seen: Seen) {
    let Seen { programs, agreed, failing, judged, too_large, causes, left, wrong } = seen;
    println!(
        "{programs} {kind} programs from seed {first}: {agreed} agree, {failing} of them fail; {too_large} are too large to try \
         every schedule, {} are not followed; of {judged} graphs all executions were tried, {} are too large; {} causes, {} of \
         them of deadlocks, {} orders, {} inevitable, {} with inputs, {} with choices, {} chosen otherwise; at most {} \
         failing executions of one graph",
        left.len(),
        causes.skipped,
        causes.failures,
        causes.deadlocks,
        causes.orders,
        causes.inevitable,
        causes.with_inputs,
        causes.with_choices,
        causes.chosen,
        causes.most,
    );
    assert!(wrong.is_empty(), "{} disagree:\n{}", wrong.len(), wrong.join("\n"));
    assert!(left.len() as u64 * 20 <= programs, "not followed: {left:#?}");
    assert!((too_large + causes.skipped) * 20 <= programs, "{too_large} and {} were not judged", causes.skipped);
}

#[test]
fn small_programs_1() {
    play(0);
}

#[test]
fn richer_programs_1() {
    play(1);
}

#[test]
fn destroying_programs_1() {
    play(2);
}

#[test]
fn small_programs_2() {
    play(3);
}

#[test]
fn programs_with_floats() {
    play_only("floating-point", generate::concurrent_c_with_floats);
}

#[test]
fn programs_with_sizes() {
    play_only("size-deciding", generate::concurrent_c_with_sizes);
}

#[test]
fn programs_with_texts() {
    play_texts();
}

#[test]
fn richer_programs_2() {
    play(4);
}

#[test]
fn destroying_programs_2() {
    play(5);
}

/// All of them agree, and are followed to the end.
fn all_agree(sources: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut seen = Seen::default();
    for (number, source) in sources.iter().enumerate() {
        look(source, number as u64, folder.path(), &mut seen);
    }
    assert!(seen.wrong.is_empty(), "{}", seen.wrong.join("\n"));
    assert_eq!(seen.agreed, sources.len() as u64, "{:?}", seen.left);
}

#[test]
fn what_once_disagreed() {
    all_agree(&disagreed::ALL);
}

#[test]
fn what_once_disagreed_about_joins() {
    all_agree(&disagreed::joins::ALL);
}

#[test]
fn what_once_disagreed_about_circles() {
    all_agree(&disagreed::circles::ALL);
}

#[test]
fn what_is_hard_to_follow() {
    all_agree(&followed::ALL);
}

/// The verdict of every row is the same by trying and by checking, and every failing schedule can be followed.
fn verdicts_agree(rows: &[Row]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut wrong = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let mut seen = Seen::default();
        let source = row.source();
        look(&source, number as u64, folder.path(), &mut seen);
        wrong.extend(seen.wrong.iter().map(|why| format!("{}: {why}", row.about)));
        let verdict = (seen.agreed, seen.failing);
        if verdict != (1, u64::from(row.fails)) {
            wrong.push(format!("{}: {verdict:?}, not followed: {:?}", row.about, seen.left));
        }
        let code = load(folder.path(), &source, number as u64);
        wrong.extend(unfollowed(&code).into_iter().map(|why| format!("{}: {why}", row.about)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Why failing schedules cannot be expressed as graphs of their runs.
fn unfollowed(code: &Rc<Code>) -> Vec<String> {
    let settings = Settings { executions: Some(EXECUTIONS), all: true, ..Settings::default() };
    let options = Options::default();
    let mut wrong = Vec::new();
    for found in explore(code, &options, &settings, &mut |_| true).failures {
        let schedule = Schedule { header: Header::default(), segments: found.segments, choices: found.choices };
        for until in [Until::Failure, Until::End] {
            if let Err(error) = follow(code, &options, &schedule, until) {
                wrong.push(format!("{}: {error}", name(&found.failure)));
            }
        }
    }
    wrong
}

#[test]
fn waits_with_a_time_limit() {
    verdicts_agree(&table::TIMED);
}

#[test]
fn atomic_sections() {
    verdicts_agree(&table::SECTIONS);
}

#[test]
fn limits_and_exchanged_locks() {
    verdicts_agree(&table::LOCKS);
}
