//! Generated buggy programs: every patch that `heddle repair` calls proven is judged by all schedules, without reduction. It must
//! not fail, and must end only as the original does where that passes. The programs print their final state.

#![allow(clippy::print_stdout)]

mod command;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use command::other;
use vm::explore::{Final, Hashing, Settings, explore};
use vm::{Code, Options};

const MOST_INTERLEAVINGS: u64 = 2_000;

/// Programs in the usual tests; a campaign has more.
const CASES: u64 = 12;

/// The binary under test: a copy of it where a long campaign must not see the next build.
fn heddle(folder: &Path, arguments: &[&str]) -> command::Answer {
    let binary = std::env::var("HEDDLE").unwrap_or_else(|_| command::binary().to_owned());
    other(folder, &binary, arguments)
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// All ways to end, and the failures in words; `None` where there are too many schedules.
fn every_schedule(file: &Path) -> Option<(BTreeSet<Final>, Vec<String>)> {
    let inputs = frontend_llvm::Inputs { files: vec![file.to_owned()], flags: vec!["-w".into()], color: false };
    let loaded = frontend_llvm::load(&inputs).expect("heddle has compiled it before");
    let code = Rc::new(Code::new(&loaded.program));
    let settings = Settings {
        reduction: false,
        hashing: Hashing::On,
        all: true,
        printed: true,
        executions: Some(60_000),
        ..Settings::default()
    };
    let explored = explore(&code, &Options::default(), &settings, &mut |_| true);
    let failures = explored.failures.iter().map(|found| found.failure.condition.clone()).collect();
    explored.is_complete().then(|| (explored.finals.into_keys().collect(), failures))
}

#[test]
fn what_is_called_proven_is_right() {
    let (first, cases) = (number("HEDDLE_FIRST_SEED").unwrap_or(0), number("HEDDLE_CASES").unwrap_or(CASES));
    let (mut failing, mut patched, mut judged, mut wrong) = (0, 0, 0, Vec::new());
    for seed in first..first + cases {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("a.c");
        let source = match seed % 2 {
            0 => generate::concurrent_c_within(seed, MOST_INTERLEAVINGS).source,
            _ => generate::concurrent_c_richer(seed, MOST_INTERLEAVINGS).source,
        };
        fs::write(&file, &source).expect("it can be written");
        let Some((passing, failures)) = every_schedule(&file) else { continue };
        if failures.is_empty() {
            continue;
        }
        failing += 1;
        let said = heddle(folder.path(), &["repair", "a.c", "-w", "--format", "json", "--time", "30"]);
        assert!(matches!(said.status, 0 | 1 | 3), "seed {seed}: {}", said.stderr);
        let said = said.json();
        let repairs = said["repairs"].as_array().cloned().unwrap_or_default();
        let proven = repairs.iter().filter(|one| one["verified"]["level"] == "proven");
        patched += u64::from(said["verdict"] == "repaired");
        for repair in proven.filter(|one| one["verified"]["changes_behaviour"] == false) {
            fs::write(&file, &source).expect("it can be written");
            fs::write(folder.path().join("a.diff"), repair["diff"].as_str().expect("a text"))
                .expect("it can be written");
            other(folder.path(), "git", &["apply", "a.diff"]).expect_status(0);
            let Some((ends, failures)) = every_schedule(&file) else { continue };
            judged += 1;
            if !failures.is_empty() || !ends.is_subset(&passing) {
                println!("seed {seed}: {} {} is wrong: {failures:?}", repair["kind"], repair["what"]);
                wrong.push(seed);
            }
        }
    }
    println!("{cases} programs from seed {first}: {failing} fail, {patched} repaired, {judged} proven patches judged");
    assert_eq!(wrong, Vec::<u64>::new());
}
