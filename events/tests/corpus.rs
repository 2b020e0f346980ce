//! The trace corpus, where it lies beside the project: every program is imported, and its graphs are well-formed and of
//! the size that the corpus' own table says.

use std::fs;
use std::path::{Path, PathBuf};

use events::import::{Options, Traces, import};
use events::{EventGraph, Kind, check};

/// The corpus is no part of the project.
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

/// The table does not count the exit of the main thread. It counts the paths of the failing run, so that it says something
/// about recorded runs only where the schedule alone makes them fail.
const MAIN_EXIT: usize = 1;

#[test]
fn cortex_programs_have_the_sizes_of_the_table() {
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
