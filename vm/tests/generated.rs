//! Generated concurrent C programs are explored in all four settings, which must find the same outcomes.

#![allow(clippy::print_stdout)]

use std::collections::BTreeSet;
use std::fs;
use std::rc::Rc;

use frontend_llvm::Inputs;
use vm::explore::{Cut, Exploration, Hashing, Settings, explore};
use vm::{Code, Options};

/// Programs with more interleavings than this would make plain enumeration slow.
const MOST_INTERLEAVINGS: u64 = 3_000;

/// The programs are dealt to this many tests, which run side by side.
const HANDS: u64 = 4;
const CASES: u64 = 96;

fn load(folder: &std::path::Path, seed: u64, source: &str) -> Rc<Code> {
    let file = folder.join(format!("generated-{seed}.c"));
    fs::write(&file, source).expect("a file can be written");
    let inputs = Inputs { files: vec![file], flags: vec!["-w".into()], color: false };
    let loaded = frontend_llvm::load(&inputs).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    Rc::new(Code::new(&loaded.program))
}

/// All outputs with their statuses, and all failures with their places.
fn outcomes(exploration: &Exploration) -> BTreeSet<String> {
    let ends = exploration.finals.keys().map(|end| format!("status {} output {:?}", end.status, end.output));
    let failures = exploration.failures.iter().map(|found| {
        let failure = &found.failure;
        let place = failure.site.frames.first().map(|frame| (frame.function.0, frame.span));
        format!("{} {} at {place:?}", failure.kind.name(), failure.condition)
    });
    ends.chain(failures).collect()
}

fn play(hand: u64) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut complete = 0;
    for seed in (0..CASES).skip(hand as usize).step_by(HANDS as usize) {
        let code = load(folder.path(), seed, &generate::concurrent_c_within(seed, MOST_INTERLEAVINGS).source);
        let run = |reduction, hashing| {
            let settings = Settings {
                reduction,
                hashing,
                executions: Some(20_000),
                all: true,
                printed: true,
                ..Settings::default()
            };
            explore(&code, &Options::default(), &settings, &mut |_| true)
        };
        let judge = run(false, Hashing::On);
        assert!(judge.is_complete(), "seed {seed}: {:?}", judge.cuts);
        let expected = outcomes(&judge);
        for (reduction, hashing) in [(true, Hashing::Off), (true, Hashing::On), (false, Hashing::Off)] {
            let found = run(reduction, hashing);
            assert!(found.is_complete() || !reduction, "seed {seed}: {:?}", found.cuts);
            if found.is_complete() {
                assert_eq!(outcomes(&found), expected, "seed {seed}, reduction {reduction}, hashing {hashing:?}");
                complete += 1;
            } else {
                assert!(outcomes(&found).is_subset(&expected), "seed {seed}: an outcome that hashing did not see");
            }
        }
    }
    // Reduction is always complete; plain enumeration often is.
    assert!(complete > 2 * CASES / HANDS, "plain enumeration never ended");
}

#[test]
fn settings_agree_1() {
    play(0);
}

#[test]
fn settings_agree_2() {
    play(1);
}

#[test]
fn settings_agree_3() {
    play(2);
}

#[test]
fn settings_agree_4() {
    play(3);
}

/// Programs that wait in loops, for flags, for each other's values and for locks: with hashing, an iteration that
/// others have disturbed must not be confused with a waiting one.
#[test]
fn who_waits_is_seen_with_and_without_memory() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cases = std::env::var("HEDDLE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(CASES);
    let mut judged = 0;
    for seed in 0..cases {
        let source = generate::concurrent_c_richer(seed, 10 * MOST_INTERLEAVINGS).source;
        let code = load(folder.path(), seed, &source);
        let run = |reduction, hashing| {
            let settings = Settings { reduction, hashing, executions: Some(5_000), all: true, ..Settings::default() };
            let found = explore(&code, &Options::default(), &settings, &mut |_| true);
            let complete = found.cuts.iter().all(|cut| *cut == Cut::Inputs);
            let failures = found.failures.iter().map(|found| {
                let failure = &found.failure;
                let place = failure.site.frames.first().map(|frame| (frame.function.0, frame.span));
                format!("{} {} at {place:?}", failure.kind.name(), failure.condition)
            });
            complete.then(|| failures.collect::<BTreeSet<String>>())
        };
        let Some(expected) = run(true, Hashing::Off) else { continue };
        judged += 1;
        for reduction in [false, true] {
            if let Some(found) = run(reduction, Hashing::On) {
                assert_eq!(found, expected, "seed {seed}, reduction {reduction}\n{source}");
            }
        }
    }
    assert!(judged * 2 >= cases, "{judged} of {cases} were judged");
}

/// Where programs come from.
type Draw = fn(u64) -> String;

/// For programs with any theme: the results of reduction, with and without hashing, agree with all schedules,
/// enumerated if there are few enough, and otherwise state by state. Inputs are 0 and 1.
fn every_schedule_agrees(draw: Draw) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let number =
        |name: &str, otherwise: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise);
    let (cases, first) = (number("HEDDLE_CASES", CASES), number("HEDDLE_FIRST_SEED", 0));
    let (mut judged, mut plainly) = (0, 0);
    for seed in first..first + cases {
        let source = draw(seed);
        let code = load(folder.path(), seed, &source);
        let run = |reduction, hashing, executions| {
            let settings =
                Settings { reduction, hashing, executions: Some(executions), all: true, ..Settings::default() };
            let found = explore(&code, &Options::default(), &settings, &mut |_| true);
            let complete = found.cuts.iter().all(|cut| *cut == Cut::Inputs);
            let failures = found.failures.iter().map(|found| {
                let failure = &found.failure;
                // Other threads that wait when a cycle closes are not part of it.
                format!("{} {} at {:?}", failure.kind.name(), failure.condition, failure.site.frames)
            });
            (complete, failures.collect::<BTreeSet<String>>())
        };
        let plain = run(false, Hashing::Off, 2_000);
        plainly += u64::from(plain.0);
        let (complete, expected) = if plain.0 { plain } else { run(false, Hashing::On, 5_000) };
        if !complete {
            continue;
        }
        judged += 1;
        for hashing in [Hashing::Off, Hashing::On] {
            let (complete, found) = run(true, hashing, 20_000);
            let label = format!("seed {seed}, {hashing:?}\n{source}");
            assert!(found.is_subset(&expected), "{label}\n{found:#?}\n{expected:#?}");
            assert!(!complete || found == expected, "{label}\n{found:#?}\n{expected:#?}");
        }
    }
    println!("{judged} of {cases} programs from seed {first} were judged, {plainly} of them schedule by schedule");
    assert!(judged * 10 >= cases * 9, "{judged} of {cases} were judged");
}

#[test]
fn every_schedule_of_small_programs() {
    every_schedule_agrees(|seed| generate::concurrent_c_within(seed, MOST_INTERLEAVINGS).source);
}

#[test]
fn every_schedule_of_richer_programs() {
    every_schedule_agrees(|seed| generate::concurrent_c_richer(seed, MOST_INTERLEAVINGS).source);
}

#[test]
fn every_schedule_of_destroying_programs() {
    every_schedule_agrees(|seed| generate::concurrent_c_destroying(seed, MOST_INTERLEAVINGS).source);
}

#[test]
fn every_schedule_of_programs_with_floats() {
    every_schedule_agrees(|seed| generate::concurrent_c_with_floats(seed, MOST_INTERLEAVINGS).source);
}

#[test]
fn every_schedule_of_programs_with_texts() {
    every_schedule_agrees(generate::concurrent_c_with_texts);
}
