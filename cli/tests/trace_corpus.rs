//! `heddle explain` on the trace corpus, if it is present beside the project: every program gets a failing schedule,
//! which is replayed.

mod command;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use command::{heddle, repository};

/// The corpus is not part of the project.
#[expect(clippy::print_stderr, reason = "whoever runs the tests should know what was not tested")]
fn corpus() -> Option<PathBuf> {
    let folder = repository().join("../shared/traces");
    if !folder.is_dir() {
        eprintln!("skipped: the trace corpus is not at {}", folder.display());
        return None;
    }
    Some(folder)
}

/// The program fails, with a condition that mentions this, and its schedule replays.
#[track_caller]
fn fails(program: &str, options: &[&str], mentions: &str) {
    let Some(corpus) = corpus() else { return };
    let here = command::folder(&[]);
    let traces = corpus.join(program).display().to_string();
    let given = ["explain", &traces, "--schedule", "s", "--format", "json", "--only", "schedule"];
    let arguments = [&given[..], options].concat();
    let json = heddle(here.path(), &arguments).expect_status(1).json();
    let condition = json["failure"]["condition"].as_str().unwrap_or_default();
    assert!(condition.contains(mentions), "{program}: {condition}");
    assert_eq!(json["failing"]["replayed"], true, "{program}");
    let again = heddle(here.path(), &["replay", "s", "--format", "json"]).expect_status(1).json();
    assert_eq!((&again["failure"], &again["failing"]["events"]), (&json["failure"], &json["failing"]["events"]));
    // Reports must be readable, whatever the size of the traces.
    let text = heddle(here.path(), &["replay", "s"]).expect_status(1).stdout;
    assert!(text.lines().count() < 60, "{program}:\n{text}");
}

/// By trying orders first, and by the solver alone.
#[track_caller]
fn fails_both_ways(program: &str, options: &[&str], mentions: &str) {
    fails(program, options, mentions);
    fails(program, &[options, &["--no-simulation"]].concat(), mentions);
}

#[test]
fn failures_of_the_schedule_alone() {
    fails_both_ways("airline", &[], "Num_Of_Seats_Sold");
    fails_both_ways("piper", &[], "_emptyCount");
    fails_both_ways("account", &[], "Bank_Total");
}

#[test]
fn failures_on_other_paths() {
    fails_both_ways("critical", &[], "bug");
    fails_both_ways("exMCR", &[], "bug");
    fails_both_ways("ticketorder", &[], "bug_occured");
}

#[test]
fn the_true_failure_of_loader() {
    fails("loader", &["--no-simulation"], "n_bugs");
}

#[test]
fn prefixes_of_bufwriter() {
    for prefix in ["k5", "k10", "k20", "k40", "k80"] {
        fails_both_ways(&format!("bufwriter/derived_prefix/{prefix}"), &[], "_writtenCount");
    }
}

#[test]
fn all_complete_runs_of_bufwriter() {
    let Some(corpus) = corpus() else { return };
    let names = fs::read_dir(corpus.join("bufwriter/symbolic")).expect("it is a folder").flatten();
    let names: Vec<String> = names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    // The writer's trace is the one that an incomplete run lacks.
    let runs: BTreeSet<&str> = names.iter().filter_map(|name| name.strip_prefix("T1_")?.split('_').next()).collect();
    assert_eq!(runs.len(), 4, "{runs:?}");
    for run in runs {
        fails("bufwriter", &["--run", run], "_writtenCount");
    }
}

#[test]
fn traces_of_the_other_dialect() {
    for (program, asserting, mentions) in [
        ("airline", "0", "Num_Of_Seats_Sold"),
        ("bank", "0", "Bank_Total"),
        ("cache4j", "2", "inTryBlock"),
        ("twostage", "3", "value"),
    ] {
        fails_both_ways(&format!("symbiosis_java/{program}"), &["--asserting", asserting], mentions);
    }
}

/// The program is explained with at most `most` operations to understand, and the report contains these texts.
#[track_caller]
fn is_explained(program: &str, options: &[&str], most: u64, mentions: &[&str]) {
    let Some(corpus) = corpus() else { return };
    let here = command::folder(&[]);
    let traces = corpus.join(program).display().to_string();
    let arguments = [&["explain", &traces, "--schedule", "s"][..], options].concat();
    let json = heddle(here.path(), &[&arguments[..], &["--format", "json"]].concat()).expect_status(1).json();
    assert_eq!(
        (&json["causes"][0]["minimal"], &json["alternate"]["outcome"]),
        (&true.into(), &"passes".into()),
        "{program}"
    );
    let metrics = &json["projection"]["metrics"];
    assert!(metrics["operations_to_understand"].as_u64().is_some_and(|count| count <= most), "{program}: {metrics}");
    let text = heddle(here.path(), &arguments).expect_status(1).stdout;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for mentions in mentions {
        assert!(words.contains(mentions), "{program}: `{mentions}` is not told:\n{text}");
    }
    // The path of the traces may be long.
    let fits = |line: &str| line.chars().count() <= 80 || line.contains(&traces);
    assert!(text.lines().count() < 90 && text.lines().all(fits), "{program}:\n{text}");
}

#[test]
fn causes_and_projections() {
    is_explained("airline", &[], 6, &["Num_Of_Seats_Sold_51"]);
    is_explained("account", &[], 6, &["Bank.java:86", "so make Bank.java:", "atomic with respect to"]);
    is_explained("piper", &[], 6, &["_emptyCount"]);
    is_explained("critical", &[], 6, &["turn_603", "on another path"]);
    is_explained("exMCR", &[], 6, &["on another path"]);
    is_explained("ticketorder", &[], 10, &["on another path"]);
    is_explained("bufwriter/derived_prefix/k5", &[], 6, &["_writtenCount"]);
    is_explained(
        "symbiosis_java/twostage",
        &["--asserting", "3"],
        6,
        &["TwoStage.java:27-36 in T0.", "atomic with respect to T0.3"],
    );
    is_explained("symbiosis_java/bank", &["--asserting", "0"], 6, &["Bank_Total_51", "atomic with respect to"]);
    is_explained("symbiosis_java/cache4j", &["--asserting", "2"], 6, &["inTryBlock_592"]);
    is_explained("symbiosis_java/airline", &["--asserting", "0"], 6, &["Num_Of_Seats_Sold_51"]);
}
