//! The import of small traces written for this test.

use events::{EventGraph, Extent, Kind, Simulation, Sought, check, replay};
use generate::{Enumeration, Merging};
use traces::{Note, NoteKind, Options, Traces, import};

/// A bank of one account: the main thread forks two that each add to the balance, and asserts the sum.
fn bank(run: &str) -> Vec<(String, String)> {
    let main = "\
<assertThread_ok>
Bank.java@3:W-balance_7-0-1
$100$
Bank.java@4:S-fork_1-0
Bank.java@5:S-fork_2-0
Bank.java@6:S-join_1-0
Bank.java@7:S-join_2-0
Bank.java@8:R-balance_7-0-1
branch-0
Bank.java@9:W-owner_7-0-1
$Ada$
<pathjpf>
T0:(R-balance_7-0-1 == CONST_130)
pathid-11
";
    let worker = |thread: u32, amount: u32| {
        format!(
            "Teller.java@1:S-start-{thread}\nTeller.java@2:R-balance_7-{thread}-1\n\
             Teller.java@2:W-balance_7-{thread}-1\n$(R-balance_7-{thread}-1 + CONST_{amount})$\n\n"
        )
    };
    vec![
        (format!("symbolic/T0_{run}_11"), main.to_owned()),
        (format!("symbolic/T1_{run}_5"), worker(1, 10)),
        (format!("symbolic/T2_{run}_5"), worker(2, 20)),
    ]
}

fn load(files: &[(String, String)]) -> Traces {
    import(files, &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn whole(graph: &EventGraph) -> (usize, bool) {
    check(graph).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let answers = Enumeration::new(graph, Extent::Whole, Merging::States).unwrap().answers(graph).unwrap();
    (answers.failures.len(), answers.passes)
}

fn count(graph: &EventGraph, kind: impl Fn(&Kind) -> bool) -> usize {
    graph.events.iter().filter(|event| kind(&event.kind)).count()
}

#[test]
fn a_run_fails_and_passes_by_its_schedule() {
    let mut files = bank("-17");
    files.push(("symbolic/.traceBB".to_owned(), "not a trace".to_owned()));
    let traces = load(&files);
    let [run] = traces.runs() else { panic!("{:?}", traces.runs()) };
    assert_eq!((run.id.as_str(), run.threads, run.events), ("-17", 3, 17));
    assert_eq!(run.asserting, Some(run::ThreadName::main()));
    let graph = traces.graph_of_run(run);
    assert_eq!(whole(&graph), (1, true));
    let names: Vec<String> = graph.threads.iter().map(|thread| thread.name.to_string()).collect();
    assert_eq!(names, ["0", "0.1", "0.2"]);
    let simulation = Simulation { sought: Sought::AnyAssertion, extent: Extent::Whole, seed: 3, rounds: 50 };
    let found = simulation.run(&graph).unwrap().expect("a lost update is easily found");
    assert!(!replay(&graph, &found.execution, Extent::Whole).unwrap().failed.is_empty());
}

#[test]
fn a_run_that_lacks_a_thread_is_incomplete() {
    let files = bank("-17");
    assert!(load(&files[..2]).runs().is_empty());
    assert!(load(&files[1..]).runs().is_empty());
    let both: Vec<_> = bank("1").into_iter().chain(bank("2").into_iter().take(2)).collect();
    assert_eq!(load(&both).runs().len(), 1);
}

#[test]
fn the_failing_marker_tells_the_failing_direction() {
    let mut files = bank("1");
    files[0].1 = files[0].1.replace("_ok", "_fail").replace("==", "!=").replace("pathid-11", "pathid-10");
    let traces = load(&files);
    assert_eq!(whole(&traces.graph_of_run(&traces.runs()[0])), (1, true));
}

/// One thread reads a flag that the other one sets; only the path on which it is unset was recorded.
fn flag(synthesised: &[(&str, &str)]) -> Vec<(String, String)> {
    let main = "\
A.java@1:S-fork_1-0
A.java@2:W-flag_3-0-1
$1$

";
    let recorded = "\
<assertThread_ok>
B.java@1:S-start-1
B.java@2:R-flag_3-1-1
branch-1
B.java@5:R-bug_3-1-1
branch-1
<pathjpf>
T1:(R-flag_3-1-1 == CONST_0)
T1:(R-bug_3-1-1 == CONST_0)
pathid-111
";
    let mut files = vec![("T0_9_1444".to_owned(), main.to_owned()), ("T1_9_1".to_owned(), recorded.to_owned())];
    files.extend(synthesised.iter().map(|(name, text)| (format!("sts/{name}"), (*text).to_owned())));
    files
}

const OTHER_PATH: &str = "\
<assertThread_ok>
B.java@1:S-start-1
B.java@2:R-flag_3-1-1
branch-1
B.java@3:W-bug_3-1-1
$1$
B.java@5:R-bug_3-1-1
branch-1
<pathjpf>
T1:(R-flag_3-1-1 != CONST_0)
T1:(R-bug_3-1-1 == CONST_0)
pathid-101
";

#[test]
fn merged_paths_fail_where_the_recorded_ones_cannot() {
    let traces = load(&flag(&[("T1_9_2", OTHER_PATH)]));
    assert_eq!(whole(&traces.graph_of_run(&traces.runs()[0])), (0, true));
    let merged = traces.merged();
    assert!(merged.inputs.is_empty(), "both directions of the branch are stored: its condition chooses");
    assert_eq!(count(&merged, |kind| matches!(kind, Kind::Assert { .. })), 2);
    assert_eq!(whole(&merged), (1, true));
    let failing = OTHER_PATH.replace("_ok", "_fail").replace("bug_3-1-1 ==", "bug_3-1-1 !=").replace("-101", "-100");
    let merged = load(&flag(&[("T1_9_2", OTHER_PATH), ("T1_9_3", &failing)])).merged();
    assert_eq!(count(&merged, |kind| matches!(kind, Kind::Assert { .. })), 2, "it is the same assertion");
}

#[test]
fn synthesised_paths_that_end_elsewhere_do_not_count() {
    let elsewhere = OTHER_PATH.replace("B.java@5", "B.java@6");
    let direction = OTHER_PATH.replace("-101", "-100");
    for text in [&elsewhere, &direction] {
        let merged = load(&flag(&[("T1_9_2", text)])).merged();
        assert_eq!(count(&merged, |kind| matches!(kind, Kind::Assert { .. })), 1);
        assert_eq!(whole(&merged), (0, true));
    }
}

#[test]
fn paths_that_part_without_a_branch_are_chosen_by_inputs() {
    let another = OTHER_PATH.replace("B.java@3:W-bug_3-1-1\n$1$", "B.java@3:W-bug_3-1-1\n$2$");
    let short = "B.java@1:S-start-1\n\n";
    let traces = load(&flag(&[("T1_9_2", OTHER_PATH), ("T1_9_3", &another), ("T1_9_4", short)]));
    let merged = traces.merged();
    assert_eq!(merged.inputs.len(), 2);
    assert_eq!(whole(&merged), (2, true));
}

#[test]
fn threads_that_the_chosen_path_does_not_fork_drop_out() {
    let forks = "\
X.java@1:R-go_1-0-1
branch-0
X.java@2:S-fork_1-0
<pathjpf>
T0:(R-go_1-0-1 == CONST_0)
pathid-11
";
    let stays = forks.replace("X.java@2:S-fork_1-0\n", "").replace("==", "!=").replace("-11", "-10");
    let child = "<assertThread_ok>\nX.java@9:R-x_1-1-1\nbranch-1\n<pathjpf>\nT1:(R-x_1-1-1 != CONST_0)\npathid-11\n";
    let files = [("T0_1_1", forks), ("sts/T0_1_2", &stays), ("T1_1_1", child)];
    let files: Vec<_> = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    assert_eq!(whole(&load(&files).merged()), (1, false), "nobody writes `go`");
    let mut without: Vec<_> = files;
    without.pop();
    let merged = load(&without).merged();
    assert_eq!((merged.threads.len(), whole(&merged)), (1, (0, false)), "what forks an unknown thread is left out");
}

#[test]
fn monitors_nest_wait_and_are_left_at_the_end() {
    let waiter = "\
<assertThread_ok>
M.java@1:S-start-1
M.java@2:S-lock_a1-1
M.java@2:S-lock_a1-1
M.java@3:S-wait_a1-1
M.java@4:S-unlock_a1-1
M.java@5:R-done_2-1-1
branch-1
<pathjpf>
T1:(R-done_2-1-1 != CONST_0)
pathid-11
";
    let main = "\
M.java@8:S-fork_1-0
M.java@9:S-lock_a1-0
M.java@10:W-done_2-0-1
$1$
M.java@11:S-signalall_a1-0
M.java@12:S-unlock_a1-0

";
    let files = [("T0_1_1".to_owned(), main.to_owned()), ("T1_1_1".to_owned(), waiter.to_owned())];
    let graph = load(&files).merged();
    assert_eq!(whole(&graph), (0, true));
    assert_eq!(count(&graph, |kind| matches!(kind, Kind::Lock { .. })), 2);
    assert_eq!(count(&graph, |kind| matches!(kind, Kind::Unlock { .. })), 2);
    assert_eq!(count(&graph, |kind| matches!(kind, Kind::Sleep { .. })), 1);
    let answers = Enumeration::new(&graph, Extent::Prefix, Merging::States).unwrap().answers(&graph).unwrap();
    assert!(answers.deadlock, "the signal may come before the wait");
}

#[test]
fn all_legal_synchronisation_is_read() {
    let main = "\
S.java@1:S-fork_1-0
S.java@2:S-barrier_b-0
S.java@3:S-lock_c-0
S.java@4:S-signal_c-0
S.java@5:S-unlock_c-0
S.java@6:S-exit-0

";
    let child = "S.java@1:S-start-1\nS.java@2:S-barrier_b-1\nS.java@3:S-lock_c-1\nS.java@4:S-timedwait_c-1\n\n";
    let files = [("T0_1_1".to_owned(), main.to_owned()), ("T1_1_1".to_owned(), child.to_owned())];
    let graph = load(&files).merged();
    assert_eq!(whole(&graph), (0, true));
    assert_eq!(count(&graph, |kind| matches!(kind, Kind::Wake { timed_out: Some(_), .. })), 1);
}

#[test]
fn integers_wrap_and_divide_as_in_java_and_strings_differ() {
    let main = "\
<assertThread_ok>
J.java@1:R-x_1-0-1
J.java@1:W-x_1-0-1
$(((R-x_1-0-1 - CONST_7) / CONST_2) + CONST_2147483647)$
J.java@2:R-x_1-0-2
J.java@3:W-s_1-0-1
$red$
J.java@4:R-s_1-0-1
J.java@5:W-s_1-0-2
$1073741824$
J.java@6:R-s_1-0-2
branch-0
branch-0
branch-0
<pathjpf>
T0:(R-x_1-0-2 == CONST_2147483644)
T0:(((R-x_1-0-1 - CONST_7) % CONST_2) == CONST_-1)
T0:(R-s_1-0-1 != R-s_1-0-2)
pathid-1111
";
    let files = [("T0_1_1".to_owned(), main.to_owned())];
    assert_eq!(whole(&load(&files).merged()), (0, true));
}

#[test]
fn the_other_dialect_takes_the_asserting_thread_from_the_caller() {
    let main = "\
T.java@1:W-x_1-0-1
$5$
T.java@2:S-fork_1-0
T.java@3:R-x_1-0-1
T.java@4:R-x_1-0-2
<pathjpf>
T0:(R-x_1-0-1 == CONST_5 )
T0:(R-x_1-0-2 != R-x_1-1-1)
";
    let child = "T.java@7:R-x_1-1-1\nT.java@8:W-x_1-1-1\n$6$\n";
    let files = [("T0".to_owned(), main.to_owned()), ("T1".to_owned(), child.to_owned())];
    let options = |thread: Option<&str>| Options { asserting: thread.map(str::to_owned) };
    let traces = import(&files, &options(Some("0"))).unwrap_or_else(|error| panic!("{error}"));
    let graph = traces.graph_of_run(&traces.runs()[0]);
    assert_eq!(whole(&graph), (1, true));
    for (thread, message) in
        [(None, "name it"), (Some("7"), "no trace"), (Some("x"), "not the name"), (Some("1"), "no condition")]
    {
        let error = import(&files, &options(thread)).unwrap_err();
        assert!(error.message.contains(message), "{error}");
    }
    assert!(import(&bank("1"), &options(Some("0"))).is_err(), "its threads are marked");
}

/// A monitor whose acquisition was not logged is entered just before it is left, and a note says where.
#[test]
fn a_monitor_that_was_not_entered_is_noted() {
    let mut files = bank("1");
    files[0].1 = files[0].1.replacen("S-join_1-0", "S-unlock_4f-0", 1);
    let traces = load(&files);
    let notes: Vec<&Note> = traces.notes().collect();
    let [Note { file, line: Some(6), kind: NoteKind::AcquisitionMissing { monitor } }] = notes.as_slice() else {
        panic!("{notes:?}");
    };
    assert_eq!((file.as_str(), monitor.as_str()), ("symbolic/T0_1_11", "4f"));
    let graph = traces.graph_of_run(&traces.runs()[0]);
    check(&graph).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let (locks, unlocks) =
        (|kind: &Kind| matches!(kind, Kind::Lock { .. }), |kind: &Kind| matches!(kind, Kind::Unlock { .. }));
    assert_eq!((count(&graph, locks), count(&graph, unlocks)), (1, 1));
}

#[test]
fn errors_name_file_and_line() {
    let cases = [
        ("W-balance_7-0-1", "W-balance_7-0-2", 2, "number 1"),
        ("$100$", "100", 3, "dollars"),
        ("$100$", "$(R-balance_7-0-1 + CONST_1)$", 3, "not above"),
        ("$100$", "$99999999999$", 3, "32 bits"),
        ("S-fork_1-0", "S-fork_x-0", 4, "name of a thread"),
        ("S-fork_1-0", "S-fork_0-0", 4, "not a child"),
        ("S-fork_1-0", "S-fork_1-3", 4, "not a trace of thread 3"),
        ("S-fork_1-0", "S-spoon_1-0", 4, "not a synchronisation"),
        ("Bank.java@8:R", "Bank.java@x:R", 8, "not a number"),
        ("Bank.java@8:R", "Bank.java 8 R", 8, "neither an event"),
        ("branch-0\n", "", 13, "do not fit together"),
        ("S-fork_2-0", "S-fork_1-0", 5, "forked above"),
        ("S-fork_2-0", "S-fork_1.2-0", 5, "not a child"),
        ("CONST_130", "CONST_", 13, "32 bits"),
        ("R-balance_7-0-1 ==", "R-balance_7-0-2 ==", 13, "no read 2"),
        ("R-balance_7-0-1 ==", "R-balance_7-1-1 ==", 13, "does not come before"),
        ("pathid-11\n", "", 13, "breaks off"),
        ("pathid-11", "pathid-012", 14, "one bit per branch"),
        ("pathid-11\n", "pathid-11\nmore\n", 15, "nothing follows"),
        ("Bank.java@4:S-fork_1-0", "<assertThread_ok>", 4, "first line"),
        ("Bank.java@4:S-fork_1-0", "Bank.java@4:S-start-0", 4, "first event"),
        ("Bank.java@4:S-fork_1-0", "Bank.java@4:S-exit-0", 5, "exit"),
    ];
    for (change, with, line, message) in cases {
        let mut files = bank("1");
        assert!(files[0].1.contains(change), "{change}");
        files[0].1 = files[0].1.replacen(change, with, 1);
        let error = import(&files, &Options::default()).expect_err(with);
        assert_eq!(error.file, "symbolic/T0_1_11");
        assert!(error.line == line && error.message.contains(message), "{with}: {error}");
    }
    let mut twice = bank("1");
    twice.push(twice[1].clone());
    assert!(import(&twice, &Options::default()).unwrap_err().message.contains("two files"));
    let mut two_paths = bank("1");
    two_paths.push(("T1_1_6".to_owned(), two_paths[1].1.clone()));
    assert!(import(&two_paths, &Options::default()).unwrap_err().message.contains("another trace"));
    let mut mixed = bank("1");
    mixed.push(("T3".to_owned(), String::new()));
    assert!(import(&mixed, &Options::default()).unwrap_err().message.contains("name their run"));
    assert!(import(&[], &Options::default()).unwrap_err().message.contains("no trace"));
}

/// Lines and words are removed, swapped, duplicated and replaced; every imported graph is well-formed.
#[test]
fn damaged_traces_are_refused_or_read_but_never_panic() {
    let other = [("T1_9_2", OTHER_PATH)];
    let collections = [bank("1"), flag(&other), bank("-5")];
    let mut state = 7_u64;
    let mut dice = |sides: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % sides.max(1)
    };
    let mut accepted = 0;
    for round in 0..20_000 {
        let mut files = collections[round % collections.len()].clone();
        let file = dice(files.len());
        let separators: &[char] = if dice(2) == 0 { &['\n'] } else { &['\n', '-', ' ', '_', ':', '(', ')', '@'] };
        let text = files[file].1.clone();
        let mut pieces: Vec<&str> = text.split_inclusive(separators).collect();
        for _ in 0..1 + dice(2) {
            let (at, from) = (dice(pieces.len()), dice(pieces.len()));
            match dice(5) {
                0 => drop(pieces.remove(at)),
                1 => pieces.insert(at, pieces[from]),
                2 => pieces.swap(at, from),
                3 => pieces[at] = pieces[from],
                _ => pieces.truncate(at + 1),
            }
        }
        files[file].1 = pieces.concat();
        if let Ok(traces) = import(&files, &Options::default()) {
            accepted += 1;
            let graphs = traces.runs().iter().map(|run| traces.graph_of_run(run)).chain([traces.merged()]);
            for graph in graphs {
                check(&graph).unwrap_or_else(|errors| panic!("round {round}: {}", errors[0]));
            }
        }
    }
    assert!(accepted > 100, "{accepted}");
}
