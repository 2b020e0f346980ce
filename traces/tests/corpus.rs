//! The trace corpus, if it is present beside the project: every program is imported, and its graphs are well-formed.
//! Sizes are compared with the corpus' own table where possible.

use std::fs;
use std::path::{Path, PathBuf};

use events::{EventGraph, Extent, Kind, Simulation, Sought, check, replay};
use traces::{Options, Traces, import};

/// The corpus is no part of the project.
#[expect(clippy::print_stderr, reason = "whoever runs the tests should know what was not tested")]
fn corpus() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/traces");
    if !folder.is_dir() {
        eprintln!("skipped: the trace corpus is not at {}", folder.display());
        return None;
    }
    Some(folder)
}

fn files(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (prefix, folder) in [("", folder.to_owned()), ("sts/", folder.join("sts"))] {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            if let (Ok(name), Ok(text)) = (entry.file_name().into_string(), fs::read_to_string(entry.path())) {
                found.push((format!("{prefix}{name}"), text));
            }
        }
    }
    found
}

fn load(folder: &Path, asserting: Option<&str>) -> Traces {
    let options = Options { asserting: asserting.map(str::to_owned) };
    import(&files(folder), &options).unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
}

fn asserts(graph: &EventGraph) -> usize {
    graph.events.iter().filter(|event| matches!(event.kind, Kind::Assert { .. })).count()
}

fn well_formed(graph: &EventGraph, what: &str) {
    if let Err(errors) = check(graph) {
        panic!("{what}: {}", errors[0]);
    }
}

/// Our count of lines and exits is one above the table's for airline, account and bufwriter, as if the table omitted
/// the exit of the main thread. That is a guess: piper's 162 fits none of its four runs (149 to 151 counted so), and
/// the rows whose failure needs other paths do not fit the recorded ones. Those are not compared here.
const MAIN_EXIT: usize = 1;

#[test]
fn cortex_programs_have_their_threads_and_three_of_them_the_sizes_of_the_table() {
    let Some(corpus) = corpus() else { return };
    for (program, runs, threads, events) in [
        ("critical", 2, 3, None),
        ("exMCR", 1, 4, None),
        ("airline", 1, 8, Some(78)),
        ("piper", 4, 5, None),
        ("ticketorder", 1, 4, None),
        ("account", 1, 5, Some(245)),
        ("loader", 1, 11, None),
    ] {
        let traces = load(&corpus.join(program).join("symbolic"), None);
        assert_eq!(traces.runs().len(), runs, "{program}");
        assert!(traces.runs().iter().all(|run| run.threads == threads), "{program}: {:?}", traces.runs());
        if let Some(events) = events {
            assert_eq!(traces.runs()[0].events - MAIN_EXIT, events, "{program}");
        }
        for run in traces.runs() {
            let graph = traces.graph_of_run(run);
            well_formed(&graph, program);
            assert_eq!(asserts(&graph), 1, "{program}");
            assert_eq!(graph.threads.len(), threads);
            assert!(graph.inputs.is_empty(), "{program}: one path each leaves nothing to choose");
        }
        let merged = traces.merged();
        well_formed(&merged, program);
        assert!(asserts(&merged) > 0);
    }
}

#[test]
fn bufwriter_has_its_runs_and_prefixes() {
    let Some(corpus) = corpus() else { return };
    let traces = load(&corpus.join("bufwriter/symbolic"), None);
    let mut sizes: Vec<usize> = traces.runs().iter().map(|run| run.events - MAIN_EXIT).collect();
    sizes.sort_unstable();
    assert_eq!((sizes.first(), sizes.last(), sizes.len()), (Some(&2812), Some(&13711), 4), "{sizes:?}");
    for run in traces.runs() {
        well_formed(&traces.graph_of_run(run), &run.id);
    }
    for (prefix, events) in [("k5", 479), ("k80", 1004)] {
        let traces = load(&corpus.join("bufwriter/derived_prefix").join(prefix), None);
        let sizes: Vec<(usize, usize)> =
            traces.runs().iter().map(|run| (run.threads, run.events - MAIN_EXIT)).collect();
        assert_eq!(sizes, [(5, events)], "{prefix}");
        well_formed(&traces.graph_of_run(&traces.runs()[0]), prefix);
    }
}

#[test]
fn symbiosis_programs_have_the_sizes_of_the_table() {
    let Some(corpus) = corpus() else { return };
    for (program, asserting, threads, events) in
        [("twostage", "3", 4, 61), ("bank", "0", 3, 125), ("cache4j", "2", 4, 180), ("airline", "T0", 11, 95)]
    {
        let folder = corpus.join("symbiosis_java").join(program).join("symbolic");
        let traces = load(&folder, Some(asserting));
        let sizes: Vec<(usize, usize)> = traces.runs().iter().map(|run| (run.threads, run.events)).collect();
        assert_eq!(sizes, [(threads, events)], "{program}");
        let graph = traces.graph_of_run(&traces.runs()[0]);
        well_formed(&graph, program);
        assert_eq!(asserts(&graph), 1);
        let options = Options::default();
        let error = import(&files(&folder), &options).unwrap_err();
        assert!(error.message.contains("asserting"), "{error}");
    }
}

/// A whole execution in which an assertion fails, found by simulation, and confirmed.
fn fails_by_simulation(graph: &EventGraph, rounds: u32) -> bool {
    let extent = Extent::Whole;
    let simulation = Simulation { sought: Sought::AnyAssertion, extent, seed: 1, rounds };
    let found = simulation.run(graph).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let Some(found) = found else { return false };
    let outcome = replay(graph, &found.execution, extent).unwrap_or_else(|violation| panic!("{violation}"));
    assert!(outcome.complete && !outcome.failed.is_empty());
    true
}

#[test]
fn simulation_finds_the_failures_of_recorded_runs() {
    let Some(corpus) = corpus() else { return };
    let folders = ["account/symbolic", "airline/symbolic", "bufwriter/symbolic", "bufwriter/derived_prefix/k80"];
    for folder in folders {
        let traces = load(&corpus.join(folder), None);
        for run in traces.runs() {
            assert!(fails_by_simulation(&traces.graph_of_run(run), 20), "{folder} {}", run.id);
        }
    }
    for (program, asserting) in [("twostage", "3"), ("bank", "0"), ("cache4j", "2"), ("airline", "0")] {
        let traces = load(&corpus.join("symbiosis_java").join(program).join("symbolic"), Some(asserting));
        assert!(fails_by_simulation(&traces.graph_of_run(&traces.runs()[0]), 200), "{program}");
    }
}

#[test]
fn simulation_finds_failures_on_other_paths() {
    let Some(corpus) = corpus() else { return };
    for program in ["critical", "piper", "ticketorder", "loader"] {
        let traces = load(&corpus.join(program).join("symbolic"), None);
        assert!(fails_by_simulation(&traces.merged(), 500), "{program}");
    }
}

#[test]
fn only_the_true_failure_of_loader_is_asserted() {
    let Some(corpus) = corpus() else { return };
    let merged = load(&corpus.join("loader/symbolic"), None).merged();
    let places = merged.events.iter().filter(|event| matches!(event.kind, Kind::Assert { .. }));
    let lines: Vec<u32> = places.filter_map(|event| event.place.as_ref()).map(|place| place.line).collect();
    assert!(lines.len() > 100 && lines.iter().all(|&line| line == 69), "{lines:?}");
}
