//! Generated concurrent C programs: what checking finds on the graph of the whole program is what the machine finds by
//! trying every schedule, failure by failure.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::rc::Rc;

use diagnose::{CutReached, Heard, Sought, cut_reachable, every};
use events::{EventId, Extent};
use frontend_llvm::Inputs;
use solve::Budget;
use symex::bounded::{Bounds, Reason, Unrolled, perform, unroll};
use vm::explore::{Hashing, Settings, explore};
use vm::{Code, Failure, FailureKind, Options, Outcome, Site};

/// Programs with more interleavings than this would make trying every schedule slow.
const MOST_INTERLEAVINGS: u64 = 3_000;

/// The programs are dealt to this many tests, which run side by side.
const HANDS: u64 = 4;

fn cases() -> u64 {
    std::env::var("HEDDLE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(500)
}

fn first_seed() -> u64 {
    std::env::var("HEDDLE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0)
}

fn source(seed: u64) -> String {
    generate::concurrent_c_within(seed, MOST_INTERLEAVINGS).source
}

fn load(folder: &Path, seed: u64) -> Rc<Code> {
    let file = folder.join(format!("generated-{seed}.c"));
    fs::write(&file, source(seed)).expect("a file can be written");
    let inputs = Inputs { files: vec![file], flags: vec!["-w".into()], color: false };
    let loaded = frontend_llvm::load(&inputs).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    Rc::new(Code::new(&loaded.program))
}

fn place(site: &Site) -> String {
    site.frames.iter().map(|frame| format!("{}.{}", frame.function.0, frame.span.0)).collect::<Vec<_>>().join("<")
}

/// A failure as both sides call it: of a deadlock, who waits where.
fn name(failure: &Failure) -> String {
    match failure.kind {
        FailureKind::Deadlock | FailureKind::Hang => {
            let circle = match failure.condition.split_once(' ') {
                Some(("a", "thread waits for itself")) => 1,
                Some((count, "threads wait for each other")) => count.parse().unwrap_or(usize::MAX),
                _ => usize::MAX,
            };
            let mut waits: Vec<String> = failure
                .waiting
                .iter()
                .take(circle)
                .map(|waiting| format!("{} {}", waiting.on, place(&waiting.site)))
                .collect();
            waits.sort();
            format!("{} {}", failure.kind.name(), waits.join(" | "))
        }
        kind => format!("{} at {}", kind.name(), place(&failure.site)),
    }
}

/// Everything that the machine finds, if it can try everything.
fn tried(code: &Rc<Code>) -> Option<BTreeSet<String>> {
    let settings = Settings { hashing: Hashing::On, executions: Some(50_000), all: true, ..Settings::default() };
    let exploration = explore(code, &Options::default(), &settings, &mut |_| true);
    exploration.is_complete().then(|| exploration.failures.iter().map(|found| name(&found.failure)).collect())
}

enum Checked {
    Complete(BTreeSet<String>),
    /// Something that is not followed was reached.
    Unsupported(String),
    Unsettled(String),
    /// The program does not do what its graph says.
    Refuted(String),
}

fn sites(unrolled: &Unrolled) -> BTreeMap<EventId, u32> {
    let mut numbers: BTreeMap<(FailureKind, String), u32> = BTreeMap::new();
    let mut sites = BTreeMap::new();
    for (&event, wrong) in &unrolled.wrongs {
        let frames = format!("{:?}", unrolled.frames(event));
        let next = numbers.len() as u32;
        sites.insert(event, *numbers.entry((wrong.kind, frames)).or_insert(next));
    }
    sites
}

/// Everything that is found on the graph, each confirmed by running the program.
fn checked(code: &Rc<Code>, seed: u64) -> Checked {
    let options = Options::default();
    for rounds in [2, 4, 8, 16, 32] {
        let bounds = Bounds { unroll: rounds, ..Bounds::default() };
        let unrolled = match unroll(code, &options, &bounds) {
            Ok(unrolled) => unrolled,
            Err(error) => return Checked::Unsettled(error.to_string()),
        };
        match cut_reachable(&unrolled.graph, &Budget::default()).unwrap_or_else(|error| panic!("seed {seed}: {error}"))
        {
            CutReached::Never => {}
            CutReached::Cut { cut, .. } => {
                let cut = unrolled.cuts.iter().find(|known| known.event == cut);
                match cut.map(|cut| &cut.reason) {
                    Some(Reason::Unsupported(what)) => return Checked::Unsupported(what.clone()),
                    _ => continue,
                }
            }
            other => return Checked::Unsettled(format!("{other:?}")),
        }
        let sites = sites(&unrolled);
        let mut found = BTreeSet::new();
        let sought = Sought {
            graph: &unrolled.graph,
            site: &|event| sites.get(&event).copied(),
            assertions: true,
            deadlocks: true,
            all: true,
            budget: Budget::default(),
        };
        let mut confirm = |execution: &events::Execution, _: &diagnose::Wrong| {
            let outcome = match events::replay(&unrolled.graph, execution, Extent::Prefix) {
                Ok(outcome) => outcome,
                Err(violation) => return Heard::Refuted(violation.to_string()),
            };
            match perform(code, &options, &unrolled, execution, &outcome) {
                Ok(performed) => match performed.execution.outcome {
                    Outcome::Failed(failure) => {
                        found.insert(name(&failure));
                        Heard::Confirmed
                    }
                    other => Heard::Refuted(format!("{other:?}")),
                },
                Err(astray) => Heard::Refuted(astray.to_string()),
            }
        };
        let everything =
            every(&sought, &mut confirm, &mut |_| {}).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        return match everything.end {
            diagnose::End::Exhausted => Checked::Complete(found),
            end => Checked::Refuted(format!("{end:?}")),
        };
    }
    Checked::Unsettled("loops that never end".to_owned())
}

fn play(hand: u64) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (mut agreed, mut too_large, mut left) = (0, 0, BTreeMap::<String, u64>::new());
    let seeds = first_seed()..first_seed() + cases();
    let mut wrong = Vec::new();
    for seed in seeds.skip(hand as usize).step_by(HANDS as usize) {
        let code = load(folder.path(), seed);
        let Some(expected) = tried(&code) else {
            too_large += 1;
            continue;
        };
        match checked(&code, seed) {
            Checked::Complete(found) if found == expected => agreed += 1,
            Checked::Complete(found) => {
                wrong.push(source(seed) + &format!("seed {seed}:\n  tried {expected:#?}\n  found {found:#?}"))
            }
            Checked::Refuted(why) => wrong.push(source(seed) + &format!("seed {seed}: {why}")),
            Checked::Unsupported(what) | Checked::Unsettled(what) => {
                *left.entry(format!("{what} (seed {seed})")).or_default() += 1
            }
        }
    }
    println!("{agreed} agree, {too_large} are too large to try every schedule, left out: {left:#?}");
    assert!(wrong.is_empty(), "{} disagree:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn checking_agrees_1() {
    play(0);
}

#[test]
fn checking_agrees_2() {
    play(1);
}

#[test]
fn checking_agrees_3() {
    play(2);
}

#[test]
fn checking_agrees_4() {
    play(3);
}
