//! Folders with the defects of the prototypes: they are used as far as possible, and notes list all omissions.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use events::{EventGraph, Extent, Kind, check};
use generate::{Enumeration, Merging};
use traces::{Folder, ImportError, NoteKind, Options, import, read_folder};

type Files = Vec<(String, Vec<u8>)>;

/// Two tellers add to a balance in a monitor each, and main asserts the sum.
fn bank(run: &str) -> Files {
    let main = "<assertThread_ok>\nBank.java@3:W-balance_7-0-1\n$100$\nBank.java@4:S-fork_1-0\nBank.java@5:S-fork_2-0\n\
                Bank.java@6:S-join_1-0\nBank.java@7:S-join_2-0\nBank.java@8:R-balance_7-0-1\nbranch-0\n<pathjpf>\n\
                T0:(R-balance_7-0-1 == CONST_130)\npathid-11\n";
    let teller = |thread: u32, amount: u32| {
        format!(
            "Teller.java@1:S-start-{thread}\nTeller.java@2:S-lock_4f-{thread}\nTeller.java@3:R-balance_7-{thread}-1\n\
             Teller.java@4:W-balance_7-{thread}-1\n$(R-balance_7-{thread}-1 + CONST_{amount})$\n\
             Teller.java@5:S-unlock_4f-{thread}\n\n"
        )
    };
    vec![
        (format!("symbolic/T0_{run}_11"), main.into()),
        (format!("symbolic/T1_{run}_5"), teller(1, 10).into()),
        (format!("symbolic/T2_{run}_5"), teller(2, 20).into()),
    ]
}

fn change(files: &mut Files, file: usize, from: &str, to: &str) {
    let text = String::from_utf8(files[file].1.clone()).expect("text");
    assert!(text.contains(from), "{from}");
    files[file].1 = text.replacen(from, to, 1).into();
}

fn read(files: &Files) -> Folder {
    read_folder(files, &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(files: &Files) -> ImportError {
    read_folder(files, &Options::default()).expect_err("nothing is left")
}

fn notes(folder: &Folder) -> Vec<String> {
    folder.notes.iter().map(ToString::to_string).collect()
}

/// The number of failing executions, and whether one passes.
fn judged(graph: &EventGraph) -> (usize, bool) {
    check(graph).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let answers = Enumeration::new(graph, Extent::Whole, Merging::States).unwrap().answers(graph).unwrap();
    (answers.failures.len(), answers.passes)
}

#[test]
fn a_good_folder_has_no_notes_and_the_graphs_of_the_strict_import() {
    let folder = read(&bank("1"));
    assert_eq!(notes(&folder), [] as [&str; 0]);
    let texts: Vec<(String, String)> =
        bank("1").into_iter().map(|(name, bytes)| (name, String::from_utf8(bytes).expect("text"))).collect();
    let strict = import(&texts, &Options::default()).expect("it is good");
    let (ours, theirs) = (folder.graph_of_run(&folder.runs()[0]), strict.graph_of_run(&strict.runs()[0]));
    assert_eq!(ours.to_string(), theirs.to_string());
    assert_eq!(judged(&ours), (0, true), "the monitor protects the balance");
    let path = &folder.paths_of_run(&folder.runs()[0])[0];
    assert_eq!((path.thread.to_string().as_str(), path.run, path.asserts), ("0", "1", true));
    assert_eq!(path.decisions.iter().map(|decision| decision.taken).collect::<Vec<_>>(), [true]);
    assert_eq!(path.decisions[0].place.as_ref().map(|place| place.line), Some(8));
}

#[test]
fn a_release_without_an_acquisition_is_a_section_of_its_own() {
    let mut files = bank("1");
    change(&mut files, 1, "Teller.java@2:S-lock_4f-1\n", "");
    let folder = read(&files);
    assert_eq!(
        notes(&folder),
        [
            "symbolic/T1_1_5:5: the thread is in monitor 4f without having entered it: it counts as entered just before this line"
        ]
    );
    let graph = folder.graph_of_run(&folder.runs()[0]);
    assert!(judged(&graph).0 > 0, "nothing proves that the balance was protected");
    let mut waits = bank("1");
    change(&mut waits, 1, "Teller.java@2:S-lock_4f-1", "Teller.java@2:S-wait_4f-1");
    change(&mut waits, 2, "Teller.java@5:S-unlock_4f-2", "Teller.java@5:S-signalall_4f-2\nTeller.java@5:S-unlock_4f-2");
    let folder = read(&waits);
    assert_eq!(folder.notes.len(), 1);
    check(&folder.graph_of_run(&folder.runs()[0])).expect("it is well-formed");
}

#[test]
fn a_thread_that_ends_inside_a_section_leaves_it() {
    let mut files = bank("1");
    change(&mut files, 2, "Teller.java@5:S-unlock_4f-2\n", "");
    let folder = read(&files);
    assert_eq!(
        notes(&folder),
        ["symbolic/T2_1_5:2: the thread enters monitor 4f here and ends inside of it: it counts as left at the end"]
    );
    assert_eq!(judged(&folder.graph_of_run(&folder.runs()[0])), (0, true));
}

#[test]
fn damaged_runs_are_named_and_skipped() {
    let mut files = [bank("1"), bank("2"), bank("3"), bank("4")].concat();
    change(&mut files, 4, "$(R-balance", "(R-balance");
    files[8].1[30] = 0xff;
    files.remove(11);
    let folder = read(&files);
    assert_eq!(folder.runs().iter().map(|run| run.id.as_str()).collect::<Vec<_>>(), ["1"]);
    let said = notes(&folder);
    let expected = [
        "symbolic/T0_2_11: run 2 is left out: there is no trace of thread 0.1",
        "symbolic/T0_3_11: run 3 is left out: there is no trace of thread 0.2",
        "symbolic/T0_4_11: run 4 is left out: there is no trace of thread 0.2",
        "symbolic/T1_2_5:5: the value of a write stands in the next line, between dollars; this trace is left out",
        "symbolic/T2_3_5:2: this is not text; this trace is left out",
    ];
    assert_eq!(said, expected);
    // The paths of omitted runs are stored all the same.
    assert_eq!(folder.paths().map(|path| path.run.to_owned()).collect::<BTreeSet<_>>().len(), 4);
}

#[test]
fn two_traces_of_a_thread_cost_their_run() {
    let mut files = [bank("1"), bank("2")].concat();
    files.push(("symbolic/T1_2_6".to_owned(), files[4].1.clone()));
    let folder = read(&files);
    assert_eq!(folder.runs().len(), 1);
    assert_eq!(notes(&folder), ["symbolic/T1_2_6: run 2 has another trace of thread 0.1; the run is left out"]);
    files.drain(..3);
    let error = refused(&files);
    assert!(error.message.contains("another trace"), "{error}");
}

#[test]
fn backups_profiles_and_strange_files() {
    let mut files = bank("1");
    for backup in ["symbolic/T1_1_5~", "symbolic/T1_1_5.bak", "symbolic/.T1_1_5.swp", "symbolic/T0_1_11.orig"] {
        files.push((backup.to_owned(), b"rubbish".to_vec()));
    }
    files.push(("symbolic/T3".to_owned(), Vec::new()));
    files.push(("symbolic/README".to_owned(), vec![0xff]));
    files.push(("runs/bank_1_0.ok".to_owned(), b"1 4\n1 5\n[0 7]\n".to_vec()));
    files.push(("runs/bank_-9_0.fail".to_owned(), b"1 4\n0 7\n".to_vec()));
    files.push(("runs/bank_8_0.ok".to_owned(), b"1 4\n0 seven\n".to_vec()));
    let folder = read(&files);
    assert_eq!(folder.runs().len(), 1);
    let kinds = |wanted: fn(&NoteKind) -> bool| folder.notes.iter().filter(|note| wanted(&note.kind)).count();
    assert_eq!(kinds(|kind| *kind == NoteKind::Backup), 4);
    assert_eq!(kinds(|kind| *kind == NoteKind::OtherDialect), 1);
    assert_eq!(kinds(|kind| matches!(kind, NoteKind::NoTraces { run } if run == "-9")), 1);
    assert_eq!(kinds(|kind| matches!(kind, NoteKind::Damaged { .. })), 1);
    assert_eq!(folder.notes.len(), 7);
    let profiles: Vec<(&str, bool)> =
        folder.profiles.iter().map(|profile| (profile.run.as_str(), profile.failed)).collect();
    assert_eq!(profiles, [("1", false), ("-9", true)]);
}

#[test]
fn only_a_folder_without_a_run_is_an_error() {
    assert!(refused(&Vec::new()).message.contains("no trace"));
    assert!(refused(&vec![("symbolic/T0_1_1~".to_owned(), Vec::new())]).message.contains("no trace"));
    let mut files = bank("1");
    change(&mut files, 0, "pathid-11\n", "");
    let error = refused(&files);
    assert_eq!((error.file.as_str(), error.message.contains("breaks off")), ("symbolic/T0_1_11", true), "{error}");
    let options = Options { asserting: Some("0".to_owned()) };
    assert!(read_folder(&bank("1"), &options).expect_err("it is marked").message.contains("mark"));
}

#[test]
fn conditions_that_name_missing_reads_cost_their_thread() {
    let main = "Bank.java@1:S-fork_1-0\nBank.java@2:R-x_1-0-1\n<pathjpf>\nT0:(R-x_1-0-1 == CONST_1 )\n".to_owned();
    let child = |read: u32| format!("Bank.java@5:W-x_1-1-1\n$1$\n<pathjpf>\nT1:(R-x_1-0-{read} == CONST_1 )\n");
    let files = |read| vec![("T0".to_owned(), main.clone().into()), ("T1".to_owned(), child(read).into())];
    let options = Options { asserting: Some("0".to_owned()) };
    let folder = read_folder(&files(1), &options).expect("it is good");
    assert_eq!((folder.runs().len(), folder.notes.len()), (1, 0));
    let error = read_folder(&files(2), &options).expect_err("the run lacks a thread");
    assert!(error.message.contains("no read 2") && error.file == "T1", "{error}");
}

/// The paths that an execution of a merged graph can take are the stored ones, identified by the terms.
#[test]
fn terms_say_which_path_is_taken() {
    let mut files = bank("1");
    // Another path of the first teller, without a write.
    let idle = "Teller.java@1:S-start-1\nTeller.java@2:S-lock_4f-1\nTeller.java@3:R-balance_7-1-1\nTeller.java@5:S-unlock_4f-1\n\n";
    files.push(("symbolic/sts/T1_1_7".to_owned(), idle.into()));
    // And one that is a prefix of the others.
    files.push(("symbolic/sts/T1_1_8".to_owned(), b"Teller.java@1:S-start-1\n\n".to_vec()));
    let folder = read(&files);
    let merged = folder.merged();
    check(&merged.graph).unwrap_or_else(|errors| panic!("{}", errors[0]));
    assert_eq!(merged.graph.to_string(), folder.traces().merged().to_string());
    assert_eq!(merged.paths.len(), 5);
    let tellers: Vec<_> = folder.paths().filter(|path| path.thread.to_string() == "0.1").map(|path| path.id).collect();
    let mut graph = merged.graph.clone();
    let term = |id| merged.paths.iter().find(|(path, _)| *path == id).map(|(_, term)| *term).expect("it is in it");
    let taken: Vec<_> = tellers.iter().map(|&id| term(id)).collect();
    // Exactly one of them, for all inputs.
    let any = graph.terms.or(&taken);
    let inputs = graph.inputs.len();
    assert_eq!(inputs, 2, "two forks without a condition");
    for choice in 0..1 << inputs {
        let value = |at: usize| choice >> at & 1 == 1;
        let chosen: Vec<bool> = taken.iter().map(|&term| evaluate(&graph, term, &value)).collect();
        assert_eq!(chosen.iter().filter(|chosen| **chosen).count(), 1, "{chosen:?}");
        assert!(evaluate(&graph, any, &value));
    }
    let writes = merged.graph.events.iter().filter(|event| matches!(&event.kind, Kind::Access(_))).count();
    assert!(writes > 0);
}

fn evaluate(graph: &EventGraph, term: formula::Term, value: &dyn Fn(usize) -> bool) -> bool {
    let mut assignment = formula::Assignment::default();
    for (at, &input) in graph.inputs.iter().enumerate() {
        assignment.values.insert(input, formula::Value::Bool(value(at)));
    }
    assignment.evaluate_bool(&graph.terms, term)
}

/// Bytes are changed, removed and duplicated; all imported graphs are well-formed, and undamaged runs stay.
#[test]
fn damaged_folders_are_read_as_far_as_they_go() {
    let mut strict_ones = 0;
    for seed in 0..2000_u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1;
        let mut random = |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below.max(1) as u64) as usize
        };
        let mut files = [bank("1"), bank("2")].concat();
        for _ in 0..=random(3) {
            let text = &mut files[random(3)].1;
            if text.is_empty() {
                continue;
            }
            let at = random(text.len());
            match random(4) {
                0 => text.truncate(at),
                1 => text[at] = b"\n-_0$<(\xffT1"[random(10)],
                2 => {
                    let piece = text[at..].to_vec();
                    text.extend(piece);
                }
                _ => _ = text.drain(at..(at + random(40)).min(text.len())),
            }
        }
        let folder = read_folder(&files, &Options::default()).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert!(folder.runs().iter().any(|run| run.id == "2"), "seed {seed}");
        for run in folder.runs() {
            check(&folder.graph_of_run(run)).unwrap_or_else(|errors| panic!("seed {seed}: {}", errors[0]));
        }
        check(&folder.merged().graph).unwrap_or_else(|errors| panic!("seed {seed}: {}", errors[0]));
        // If the strict import succeeds, both agree.
        let texts: Option<Vec<(String, String)>> =
            files.into_iter().map(|(name, bytes)| Some((name, String::from_utf8(bytes).ok()?))).collect();
        if let Some(Ok(strict)) = texts.map(|texts| import(&texts, &Options::default())) {
            assert_eq!(folder.runs(), strict.runs(), "seed {seed}");
            assert_eq!(folder.merged().graph.to_string(), strict.merged().to_string(), "seed {seed}");
            strict_ones += 1;
        }
    }
    assert!(strict_ones > 20, "{strict_ones} of 2000 are good after all");
}

/// The corpus is no part of the project.
#[expect(clippy::print_stderr, reason = "people who run the tests should know what was not tested")]
fn corpus() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/traces");
    if !folder.is_dir() {
        eprintln!("skipped: the trace corpus is not at {}", folder.display());
        return None;
    }
    Some(folder)
}

fn files_below(folder: &Path, prefix: &str, found: &mut Files) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            files_below(&entry.path(), &format!("{name}/"), found);
        } else if let Ok(bytes) = fs::read(entry.path()) {
            found.push((name, bytes));
        }
    }
}

#[test]
fn the_trace_corpus_is_read_with_its_defects() {
    let Some(corpus) = corpus() else { return };
    for (program, runs, profiles, incomplete, silent) in [
        ("account", 1, 1, 0, 0),
        ("airline", 1, 2, 0, 1),
        ("critical", 2, 2, 0, 0),
        ("exMCR", 1, 1, 0, 0),
        ("loader", 1, 1, 0, 0),
        ("piper", 4, 4, 0, 0),
        ("ticketorder", 1, 1, 0, 0),
    ] {
        let mut files = Files::new();
        files_below(&corpus.join(program), "", &mut files);
        let folder = read(&files);
        let kinds = |wanted: fn(&NoteKind) -> bool| folder.notes.iter().filter(|note| wanted(&note.kind)).count();
        let left_out = kinds(|kind| matches!(kind, NoteKind::IncompleteRun { .. }));
        let no_traces = kinds(|kind| matches!(kind, NoteKind::NoTraces { .. }));
        let found = (folder.runs().len(), folder.profiles.len(), left_out, no_traces);
        assert_eq!(found, (runs, profiles, incomplete, silent), "{program}: {:#?}", notes(&folder));
        assert_eq!(kinds(|kind| matches!(kind, NoteKind::Damaged { .. })), 0, "{program}: {:#?}", notes(&folder));
        assert_eq!(folder.merged().graph.to_string(), folder.traces().merged().to_string(), "{program}");
    }
    let mut files = Files::new();
    files_below(&corpus.join("bufwriter/symbolic"), "symbolic/", &mut files);
    let folder = read(&files);
    assert_eq!((folder.runs().len(), folder.notes.len()), (4, 1), "{:#?}", notes(&folder));
}
