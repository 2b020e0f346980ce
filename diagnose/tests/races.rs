//! Generated concurrent C programs: checking finds a data race exactly where exploration with vector clocks does; and
//! both find races with the same second accesses.
//!
//! `HEDDLE_CASES` is the number of programs, `HEDDLE_FIRST_SEED` the first seed.

#![allow(clippy::print_stdout)]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::rc::Rc;

use diagnose::{CutReached, Raced, RacesSought, cut_reachable, races};
use frontend_llvm::Inputs;
use solve::Budget;
use symex::bounded::{Bounds, Encounter, Meeting, Reason, Unrolled, perform_race, unroll};
use vm::explore::{Cut, Hashing, Settings, explore};
use vm::{Code, FailureKind, Options, Outcome, SiteFrame};

const MOST_INTERLEAVINGS: u64 = 3_000;
const CASES: u64 = 200;
/// The programs are dealt to this many tests, which run side by side.
const HANDS: u64 = 2;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn options() -> Options {
    let mut options = Options::default();
    options.properties.push(FailureKind::Race);
    options
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

fn place(frames: &[SiteFrame]) -> String {
    frames.iter().map(|frame| format!("{}.{}", frame.function.0, frame.span.0)).collect::<Vec<_>>().join("<")
}

/// The places of the second accesses of races by exploration. States do not include happens-before, and two atomic
/// reads count as independent although one may synchronise with the other: so neither hashing nor reduction may be
/// used.
fn tried(code: &Rc<Code>) -> Option<BTreeSet<String>> {
    let settings = Settings {
        reduction: false,
        hashing: Hashing::Off,
        executions: Some(50_000),
        all: true,
        ..Settings::default()
    };
    let exploration = explore(code, &options(), &settings, &mut |_| true);
    let complete = exploration.cuts.iter().all(|cut| matches!(cut, Cut::Inputs));
    let raced = exploration.failures.iter().filter(|found| found.failure.kind == FailureKind::Race);
    complete.then(|| raced.map(|found| place(&found.failure.site.frames)).collect())
}

/// Pairs of places are equal in either order.
fn sites(unrolled: &Unrolled, meetings: &[Meeting]) -> Vec<u32> {
    let mut numbers: HashMap<[(String, bool); 2], u32> = HashMap::new();
    let mut site = |meeting: &Meeting| {
        let mut key = unrolled.ends(meeting).map(|(frames, writes)| (place(frames), writes));
        key.sort();
        let next = numbers.len() as u32;
        *numbers.entry(key).or_insert(next)
    };
    meetings.iter().map(&mut site).collect()
}

enum Checked {
    Complete { places: BTreeSet<String>, ends: BTreeSet<String>, behind: usize },
    Left(String),
    Refuted(String),
}

fn checked(code: &Rc<Code>, seed: u64) -> Checked {
    for rounds in [2, 4, 8, 16, 32] {
        let bounds = Bounds { unroll: rounds, ..Bounds::default() };
        let unrolled = match unroll(code, &options(), &bounds) {
            Ok(unrolled) => unrolled,
            Err(error) => return Checked::Left(error.to_string()),
        };
        match cut_reachable(&unrolled.graph, &Budget::default()).unwrap_or_else(|error| panic!("seed {seed}: {error}"))
        {
            CutReached::Never => {}
            CutReached::Cut { cut, .. } => {
                match unrolled.cuts.iter().find(|known| known.event == cut).map(|cut| &cut.reason) {
                    Some(Reason::Unsupported(what)) => return Checked::Left(what.clone()),
                    _ => continue,
                }
            }
            CutReached::Unknown(reason) => return Checked::Left(format!("{reason:?}")),
        }
        let meetings = unrolled.meetings();
        let clashes: Vec<_> = meetings.iter().map(|meeting| meeting.clash).collect();
        let pairs: Vec<_> = meetings.iter().map(|meeting| (meeting.first, meeting.second)).collect();
        let sites = sites(&unrolled, &meetings);
        let budget = Budget::default();
        let sought =
            RacesSought { graph: &unrolled.graph, clashes: &clashes, sites: &sites, pairs: &pairs, all: true, budget };
        let mut places = BTreeSet::new();
        let mut confirm = |clash: usize, execution: &events::Execution| {
            let meeting = &meetings[clash];
            match perform_race(code, &options(), &unrolled, execution, meeting) {
                Ok(Encounter { performed, met }) => match performed.execution.outcome {
                    Outcome::Failed(failure) if failure.kind == FailureKind::Race => {
                        places.insert(place(&failure.site.frames));
                        if met { Raced::Confirmed } else { Raced::Earlier }
                    }
                    other => Raced::Refuted(format!("{other:?}")),
                },
                Err(astray) => Raced::Refuted(astray.to_string()),
            }
        };
        let found = races(&sought, &mut confirm).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        return match (found.refuted, found.open) {
            (Some(why), _) => Checked::Refuted(why),
            (None, Some(reason)) => Checked::Left(format!("{reason:?}")),
            (None, None) => {
                // The two are unordered, so either may come second, unless in one order another race comes first.
                for race in &found.found {
                    let meeting = &meetings[race.clash];
                    let turned = Meeting { first: meeting.second, second: meeting.first, ordered: true, ..*meeting };
                    let execution = &race.racing.execution;
                    for meeting in [Meeting { ordered: true, ..*meeting }, turned] {
                        if let Ok(Encounter { performed, .. }) =
                            perform_race(code, &options(), &unrolled, execution, &meeting)
                            && let Outcome::Failed(failure) = performed.execution.outcome
                            && failure.kind == FailureKind::Race
                        {
                            places.insert(place(&failure.site.frames));
                        }
                    }
                }
                let ends = found.found.iter().flat_map(|race| unrolled.ends(&meetings[race.clash]));
                let ends = ends.map(|(frames, _)| place(frames)).collect();
                Checked::Complete { places, ends, behind: found.behind }
            }
        };
    }
    Checked::Left("loops that never end".to_owned())
}

fn play(hand: u64) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let first = number("HEDDLE_FIRST_SEED", 0);
    let (mut free, mut racy, mut same, mut late, mut too_large) = (0, 0, 0, 0, 0);
    let (mut left, mut wrong, mut differ) = (BTreeMap::<String, u64>::new(), Vec::new(), Vec::new());
    for seed in (first..first + number("HEDDLE_CASES", CASES)).skip(hand as usize).step_by(HANDS as usize) {
        let code = load(folder.path(), seed);
        let Some(expected) = tried(&code) else {
            too_large += 1;
            continue;
        };
        match checked(&code, seed) {
            Checked::Complete { places, .. } if places.is_empty() && expected.is_empty() => free += 1,
            Checked::Complete { places, ends, behind } if !places.is_empty() && !expected.is_empty() => {
                racy += 1;
                late += behind;
                // The machine continues after a race, and reports accesses that race with one that it did not execute.
                let known: BTreeSet<String> = places.union(&ends).cloned().collect();
                if places.is_subset(&expected) && expected.is_subset(&known) {
                    same += 1;
                } else {
                    differ.push((seed, expected, places));
                }
            }
            Checked::Complete { places, .. } => {
                wrong.push(format!("{}seed {seed}:\n  tried {expected:#?}\n  found {places:#?}", source(seed)));
            }
            Checked::Refuted(why) => wrong.push(format!("{}seed {seed}: {why}", source(seed))),
            Checked::Left(what) => *left.entry(what).or_default() += 1,
        }
    }
    println!(
        "hand {hand}: {free} without a race, {racy} with one, {same} of them at the same places, {late} pairs only after \
         others; {too_large} too large to try every schedule, left out: {left:#?}, places differ: {differ:#?}"
    );
    assert!(wrong.is_empty(), "{} disagree:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn races_agree_1() {
    play(0);
}

#[test]
fn races_agree_2() {
    play(1);
}
