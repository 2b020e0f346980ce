//! `heddle explain` on traces written for these tests: its findings, their order and form, and its messages for invalid
//! input.

mod command;

use std::fs;
use std::path::Path;

use command::{Answer, folder, heddle};
use serde_json::Value;

/// The main thread of a program whose two turnstiles count visitors.
const HALL: &str = "\
<assertThread_ok>
Hall.java@5:W-visitors_1-0-1
$0$
Hall.java@8:S-fork_1-0
Hall.java@9:S-fork_2-0
Hall.java@10:S-join_1-0
Hall.java@11:S-join_2-0
Hall.java@12:R-visitors_1-0-1
branch-0
<pathjpf>
T0:(R-visitors_1-0-1 == CONST_2)
pathid-11
";

/// A turnstile. `LOCK` and `UNLOCK` are replaced by lines or removed.
const TURNSTILE: &str = "\
Hall.java@20:S-start-TID
LOCKHall.java@21:R-visitors_1-TID-1
Hall.java@21:W-visitors_1-TID-1
$(R-visitors_1-TID-1 + CONST_1)$
UNLOCK
";

fn turnstile(tid: &str, locked: bool) -> String {
    let line = |operation: &str| format!("Hall.java@22:S-{operation}_a1-{tid}\n");
    let (lock, unlock) = if locked { (line("lock"), line("unlock")) } else { Default::default() };
    TURNSTILE.replace("UNLOCK", &unlock).replace("LOCK", &lock).replace("TID", tid)
}

/// A hall with its two turnstiles in run 7.
fn hall(locked: bool) -> Vec<(String, String)> {
    vec![
        ("hall/symbolic/T0_7_1".to_owned(), HALL.to_owned()),
        ("hall/symbolic/T1_7_1".to_owned(), turnstile("1", locked)),
        ("hall/symbolic/T2_7_1".to_owned(), turnstile("2", locked)),
    ]
}

/// The failure needs a branch that the run did not take: the alarm goes off if the switch is seen on.
fn alarm() -> Vec<(String, String)> {
    let main = "\
<assertThread_ok>
Alarm.java@8:S-fork_1-0
Alarm.java@9:S-fork_2-0
Alarm.java@10:S-join_1-0
Alarm.java@11:S-join_2-0
Alarm.java@12:R-alarm_1-0-1
branch-0
<pathjpf>
T0:(R-alarm_1-0-1 == CONST_0)
pathid-11
";
    let quiet = "\
Alarm.java@20:R-switch_1-1-1
branch-1
<pathjpf>
T1:(R-switch_1-1-1 == CONST_0)
pathid-10
";
    let loud = "\
Alarm.java@20:R-switch_1-1-1
branch-1
Alarm.java@21:W-alarm_1-1-1
$1$
<pathjpf>
T1:(R-switch_1-1-1 != CONST_0)
pathid-11
";
    let switch = "Alarm.java@30:W-switch_1-2-1\n$1$\n\n";
    [("T0_7_1", main), ("T1_7_1", quiet), ("T2_7_1", switch), ("sts/T1_7_2", loud)]
        .map(|(name, text)| (format!("alarm/symbolic/{name}"), text.to_owned()))
        .into()
}

fn written(files: &[(String, String)]) -> tempfile::TempDir {
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    folder(&files)
}

/// The report without its notes, which tell times and sizes.
fn story(answer: &Answer) -> String {
    let lines = answer.stdout.lines().take_while(|line| !line.starts_with("  note"));
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

#[track_caller]
fn says(answer: &Answer, wanted: &[&str]) {
    let words = answer.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for wanted in wanted {
        assert!(words.contains(wanted), "`{wanted}` is not said:\n{}", answer.stdout);
    }
    assert!(answer.stdout.lines().all(|line| line.chars().count() <= 80), "too wide:\n{}", answer.stdout);
}

const LOST_UPDATE: &str = "\
error[assertion]: `visitors_1 == 2` can fail at Hall.java:12
  --> Hall.java:12, thread T0, with visitors_1 = 1
   = in hall, run 7

   ⋮  1 event of T0
   T0    writes  visitors_1 = 0   Hall.java:5
   T0.1  reads   visitors_1 = 0   Hall.java:21
   T0.2  reads   visitors_1 = 0   Hall.java:21
   T0.2  writes  visitors_1 = 1   Hall.java:21  lost
   T0.1  writes  visitors_1 = 1   Hall.java:21
   T0    reads   visitors_1 = 1   Hall.java:12
   T0    fails   visitors_1 == 2  Hall.java:12  ✗
   ⋮  1 event of T0";

/// The two turnstiles do the same; which of them loses is the searcher's choice.
fn is_the_lost_update(story: &str) -> bool {
    let other = LOST_UPDATE.replace("T0.1", "T0.x").replace("T0.2", "T0.1").replace("T0.x", "T0.2");
    story == LOST_UPDATE || story == other
}

#[test]
fn a_lost_update_is_found_by_simulation() {
    let folder = written(&hall(false));
    let answer = heddle(folder.path(), &["explain", "hall", "--only", "schedule"]).expect_status(1);
    assert!(is_the_lost_update(&story(&answer)), "{}", answer.stdout);
    says(&answer, &["found by simulation", "replayed", "replay: heddle replay .heddle/hall.schedule"]);
    assert_eq!(answer.stderr, "");
    let quiet = heddle(folder.path(), &["explain", "hall", "-q", "--schedule", "s"]).expect_status(1);
    says(&quiet, &["because", "so ", "replay: heddle replay s"]);
    assert!(!quiet.stdout.contains("in this order"), "{}", quiet.stdout);
    let all = ["explain", "hall", "-v", "--schedule", "s", "--only", "schedule"];
    let all = heddle(folder.path(), &all).expect_status(1);
    says(&all, &["T0 starts T0.1", "T0.2 ends", "T0 joins T0.2", "run 7: simulation"]);
    assert!(!all.stdout.contains('⋮'), "{}", all.stdout);
}

#[test]
fn a_lost_update_is_found_by_the_solver() {
    let folder = written(&hall(false));
    let arguments = ["explain", "hall", "--no-simulation", "--only", "schedule"];
    let answer = heddle(folder.path(), &arguments).expect_status(1);
    assert!(is_the_lost_update(&story(&answer)), "{}", answer.stdout);
    says(&answer, &["found by the solver (mode turns)", "3 threads", "clauses", "replayed"]);
}

#[test]
fn a_failure_on_another_path_is_found_by_merging_the_paths() {
    let folder = written(&alarm());
    for options in [&["--no-simulation"][..], &[]] {
        let arguments = [&["explain", "alarm", "--schedule", "s", "--only", "schedule"][..], options].concat();
        let answer = heddle(folder.path(), &arguments).expect_status(1);
        let expected = "\
error[assertion]: `alarm_1 == 0` can fail at Alarm.java:12
  --> Alarm.java:12, thread T0, with alarm_1 = 1
   = in alarm, on these stored paths together:
       T0    T0_7_1
       T0.1  sts/T1_7_2
       T0.2  T2_7_1

   ⋮  4 events of T0, T0.2
   T0.2  writes  switch_1 = 1   Alarm.java:30
   T0.1  reads   switch_1 = 1   Alarm.java:20
   T0.1  finds   switch_1 != 0  Alarm.java:20
   T0.1  writes  alarm_1 = 1    Alarm.java:21
   T0    reads   alarm_1 = 1    Alarm.java:12
   T0    fails   alarm_1 == 0   Alarm.java:12  ✗
   ⋮  1 event of T0";
        assert_eq!(story(&answer), expected);
    }
    let one = heddle(folder.path(), &["explain", "alarm", "--run", "7"]).expect_status(0);
    says(&one, &["no order of these paths fails", "excluded by the solver: run 7; run 7 up to a failure"]);
}

#[test]
fn what_cannot_fail_is_proved() {
    let folder = written(&hall(true));
    for options in [&["--no-simulation"][..], &[]] {
        let arguments = [&["explain", "hall"][..], options].concat();
        let answer = heddle(folder.path(), &arguments).expect_status(0);
        says(&answer, &["no order of these paths fails: hall", "3 are stored", "initially 0", "other paths may fail"]);
    }
    assert!(!folder.path().join(".heddle").exists());
    let json = heddle(folder.path(), &["explain", "hall", "--format", "json"]).expect_status(0).json();
    assert_eq!((&json["verdict"], &json["bounds"]["complete"]), (&"none-found".into(), &true.into()));
    assert!(json.get("failure").is_none() && json.get("schedule").is_none());
}

#[test]
fn a_failure_may_end_what_others_were_about_to_do() {
    let keeper = "\
<assertThread_ok>
Gate.java@20:R-open_1-1-1
branch-1
Gate.java@22:S-fork_1.1-1
<pathjpf>
T1:(R-open_1-1-1 == CONST_0)
pathid-11
";
    let guest = "\
Gate.java@40:R-key_1-1.1-1
branch-1.1
<pathjpf>
T1.1:(R-key_1-1.1-1 == CONST_0)
pathid-11
";
    // A thread that sees the gate open must see the key turned.
    let opener = "Gate.java@30:W-key_1-2-1\n$1$\nGate.java@31:W-open_1-2-1\n$1$\n\n";
    let main = "Gate.java@8:S-fork_1-0\nGate.java@9:S-fork_2-0\n\n";
    let folder = folder(&[("T0_7_1", main), ("T1_7_1", keeper), ("T1.1_7_1", guest), ("T2_7_1", opener)]);
    let answer = heddle(folder.path(), &["explain", ".", "--schedule", "s"]).expect_status(1);
    says(&answer, &["`open_1 == 0` can fail at Gate.java:20", "the execution ends with the failure"]);
    says(&heddle(folder.path(), &["replay", "s"]).expect_status(1), &["`open_1 == 0` can fail at Gate.java:20"]);
}

/// Two stored paths of the helper have the same reads and writes, but only one notifies the waiting thread: the report
/// must show the path that was taken.
#[test]
fn paths_that_differ_in_synchronisation_are_told_apart() {
    let main = "\
<assertThread_ok>
Bell.java@8:S-fork_1-0
Bell.java@9:S-lock_b1-0
Bell.java@10:S-wait_b1-0
Bell.java@11:S-unlock_b1-0
Bell.java@12:R-rung_1-0-1
branch-0
<pathjpf>
T0:(R-rung_1-0-1 == CONST_0)
pathid-11
";
    let silent = "Bell.java@20:S-lock_b1-1\nBell.java@21:W-rung_1-1-1\n$1$\nBell.java@23:S-unlock_b1-1\n\n";
    let ringing = silent.replace("Bell.java@23", "Bell.java@22:S-signalall_b1-1\nBell.java@23");
    let folder = folder(&[("T0_7_1", main), ("T1_7_1", silent), ("sts/T1_7_2", &ringing)]);
    for options in [&["--no-simulation"][..], &[]] {
        let arguments = [&["explain", ".", "--schedule", "s"][..], options].concat();
        let answer = heddle(folder.path(), &arguments).expect_status(1);
        says(&answer, &["`rung_1 == 0` can fail at Bell.java:12", "T0.1 sts/T1_7_2"]);
        heddle(folder.path(), &["replay", "s"]).expect_status(1);
    }
}

#[test]
fn traces_without_marks_need_the_asserting_thread() {
    let main = HALL
        .replace("<assertThread_ok>\n", "")
        .replace("branch-0\n", "")
        .replace("pathid-11\n", "")
        .replace("== CONST_2)", "!= CONST_2 )");
    let (one, two) = (turnstile("1", false), turnstile("2", false));
    let folder = folder(&[("symbolic/T0", &main), ("symbolic/T1", &one), ("symbolic/T2", &two)]);
    for name in ["0", "T0"] {
        let arguments = ["explain", ".", "--asserting", name, "--schedule", "s"];
        let answer = heddle(folder.path(), &arguments).expect_status(1);
        says(&answer, &["`visitors_1 == 2` can fail at Hall.java:12"]);
        says(&heddle(folder.path(), &["replay", "s"]).expect_status(1), &["`visitors_1 == 2` can fail"]);
    }
    complains(folder.path(), &["explain", "."], &["do not say which thread", "--asserting T", "0, 1, 2"]);
    let unknown = ["explain", ".", "--asserting", "5"];
    complains(folder.path(), &unknown, &["there is no trace of thread 5", "0, 1, 2"]);
    let marked = written(&hall(false));
    complains(marked.path(), &["explain", "hall", "--asserting", "0"], &["mark their asserting thread themselves"]);
}

#[test]
fn a_schedule_is_replayed_and_says_when_the_traces_changed() {
    let folder = written(&hall(false));
    let found = heddle(folder.path(), &["explain", "hall", "--only", "schedule"]).expect_status(1);
    let again = heddle(folder.path(), &["replay", ".heddle/hall.schedule", "--times", "3"]).expect_status(1);
    assert_eq!(story(&found), story(&again));
    says(&again, &["replayed 3 times"]);
    let json = heddle(folder.path(), &["replay", ".heddle/hall.schedule", "--format", "json"]).expect_status(1).json();
    assert_eq!((&json["command"], &json["failing"]["replayed"]), (&"replay".into(), &true.into()));
    // The folder is found from another working directory too.
    let elsewhere = folder.path().join("hall");
    let from_there = heddle(&elsewhere, &["replay", "../.heddle/hall.schedule"]).expect_status(1);
    assert_eq!(story(&from_there), story(&again));

    let schedule = folder.path().join(".heddle/hall.schedule");
    let text = fs::read_to_string(&schedule).expect("it was written");
    let edit = |from: &str, to: &str| fs::write(&schedule, text.replace(from, to)).expect("it can be written");
    edit("0    until 9 ", "0    until 99");
    complains(folder.path(), &["replay", ".heddle/hall.schedule"], &["hall.schedule does not fit its traces"]);
    edit("thread 0\n", "thread 0.1\n");
    complains(
        folder.path(),
        &["replay", ".heddle/hall.schedule"],
        &["but `assertion Hall.java:12 thread 0.1` was recorded"],
    );
    edit("option run=7", "option walk=7");
    complains(folder.path(), &["replay", ".heddle/hall.schedule"], &["the unknown option `walk=7`"]);
    edit("", "");
    let trace = folder.path().join("hall/symbolic/T1_7_1");
    fs::write(&trace, turnstile("1", true)).expect("it can be written");
    let wanted = ["hall.schedule no longer fits", "hall/symbolic/T1_7_1 has changed", "heddle explain hall"];
    complains(folder.path(), &["replay", ".heddle/hall.schedule"], &wanted);
    fs::remove_file(&trace).expect("it is there");
    complains(
        folder.path(),
        &["replay", ".heddle/hall.schedule"],
        &["hall/symbolic/T1_7_1, which is neither here nor"],
    );
}

#[test]
fn json_has_the_promised_shape() {
    let folder = written(&hall(false));
    let arguments = ["explain", "hall", "--format", "json", "--no-simulation", "--output", "report.json"];
    let answer = heddle(folder.path(), &arguments).expect_status(1);
    assert_eq!(answer.stdout, "");
    let text = fs::read_to_string(folder.path().join("report.json")).expect("it was written");
    let json: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!((&json["schema"], &json["tool"], &json["command"]), (&1.into(), &"heddle".into(), &"explain".into()));
    assert_eq!((&json["verdict"], &json["bounds"]["memory_model"]), (&"failure".into(), &"sc".into()));
    let failure = serde_json::json!({
        "kind": "assertion", "thread": "0", "at": {"file": "Hall.java", "line": 12}, "condition": "visitors_1 == 2",
        "values": [{"object": "visitors_1", "value": "1"}],
    });
    assert_eq!(json["failure"], failure);
    let failing = &json["failing"];
    assert_eq!((&failing["replayed"], &failing["found"]), (&true.into(), &"solver".into()));
    assert_eq!((&failing["run"], failing["paths"].as_array().map(Vec::len)), (&"7".into(), Some(3)));
    assert!(failing["context_switches"].as_u64() <= failing["context_switches_before"].as_u64());
    let events = failing["events"].as_array().expect("a list");
    let kinds = |kind: &str| events.iter().filter(|event| event["kind"] == kind).count();
    assert_eq!((events.len(), kinds("read"), kinds("write"), kinds("fork"), kinds("assert")), (17, 3, 3, 2, 1));
    assert_eq!(
        (&json["schedule"], &json["replay"]),
        (&".heddle/hall.schedule".into(), &"heddle replay .heddle/hall.schedule".into())
    );
    let stats = &json["stats"];
    assert_eq!((&stats["threads"], &stats["events"], &stats["shared_accesses"]), (&3.into(), &17.into(), &6.into()));
    for number in ["clauses", "variables", "conflicts"] {
        assert!(stats[number].is_u64(), "{stats}");
    }
    for seconds in ["import", "simulate", "encode", "solve", "diagnose", "total"] {
        assert!(stats["seconds"][seconds].is_f64(), "{stats}");
    }
}

#[test]
fn the_same_is_found_with_any_number_of_jobs() {
    for program in [hall(false), alarm()] {
        let folder = written(&program);
        let name = program[0].0.split('/').next().expect("it is in a folder").to_owned();
        let found = |jobs: &str| {
            heddle(folder.path(), &["explain", &name, "--no-simulation", "--jobs", jobs, "--schedule", "s"])
                .expect_status(1);
            fs::read_to_string(folder.path().join("s")).expect("it was written")
        };
        assert_eq!(found("1"), found("3"));
    }
}

#[test]
fn without_time_there_is_no_answer() {
    let folder = written(&hall(true));
    let answer = heddle(folder.path(), &["explain", "hall", "--time", "0"]).expect_status(3);
    says(&answer, &["inconclusive: no failure found in hall", "the time is over"]);
    complains(folder.path(), &["explain", "hall", "--time", "-1"], &["not a number of seconds"]);
}

/// Checks that stderr contains everything in `wanted`, stdout is empty, and the status is 2.
#[track_caller]
fn complains(folder: &Path, arguments: &[&str], wanted: &[&str]) {
    let answer = heddle(folder, arguments).expect_status(2);
    for wanted in wanted {
        assert!(answer.stderr.contains(wanted), "`{wanted}` is not said:\n{}", answer.stderr);
    }
    assert_eq!(answer.stdout, "");
    assert!(answer.stderr.contains("help: "), "{}", answer.stderr);
    assert!(!answer.stderr.contains("bug in heddle"), "{}", answer.stderr);
}

#[test]
fn malformed_traces_are_named_with_their_lines() {
    let explain = |name: &str, text: &str| {
        let mut files = hall(false);
        files.push((format!("hall/symbolic/{name}"), text.to_owned()));
        written(&files)
    };
    let with = |index: usize, edit: &dyn Fn(&str) -> String| {
        let mut files = hall(false);
        files[index].1 = edit(&files[index].1);
        written(&files)
    };
    let truncated = with(0, &|text| text[..text.len() - 40].to_owned());
    complains(truncated.path(), &["explain", "hall"], &["hall/symbolic/T0_7_1:11: "]);
    let cut_short = with(1, &|text| text.lines().take(3).map(|line| format!("{line}\n")).collect());
    complains(cut_short.path(), &["explain", "hall"], &["hall/symbolic/T1_7_1:"]);
    let reordered = with(1, &|text| text.replace("R-visitors_1-1-1\n", "R-visitors_1-1-2\n"));
    complains(reordered.path(), &["explain", "hall"], &["hall/symbolic/T1_7_1:2: "]);
    let duplicate = explain("T1_7_2", &turnstile("1", false));
    complains(duplicate.path(), &["explain", "hall"], &["hall/symbolic/T1_7_2:1: the run has another trace"]);
    let foreign = explain("T3_7_1", &turnstile("1", false));
    complains(foreign.path(), &["explain", "hall"], &["hall/symbolic/T3_7_1:1: this is not a trace of thread 1"]);
    let unmarked = with(0, &|text| text.replace("<assertThread_ok>\n", ""));
    complains(unmarked.path(), &["explain", "hall"], &["no trace in hall has a failing condition"]);
    let binary = explain("T1_8_1", "");
    fs::write(binary.path().join("hall/symbolic/T1_8_1"), b"Hall.java@1:S-start-1\n\xff\n").expect("it can be written");
    complains(binary.path(), &["explain", "hall"], &["hall/symbolic/T1_8_1:2: this is not text"]);
}

/// Defects in the prototypes' trace files are corrected or skipped, with a note.
#[test]
fn defects_of_traces_are_noted() {
    let mut files = hall(true);
    assert!(files[1].1.contains("S-lock_a1-1\n"));
    files[1].1 = files[1].1.replacen("Hall.java@22:S-lock_a1-1\n", "", 1);
    files[2].1 = files[2].1.replacen("Hall.java@22:S-unlock_a1-2\n", "", 1);
    files.push(("hall/symbolic/T1_7_1~".to_owned(), "rubbish".to_owned()));
    let folder = written(&files);
    let answer = heddle(folder.path(), &["explain", "hall", "--schedule", "s"]).expect_status(1);
    for wanted in [
        "note: hall/symbolic/T1_7_1~: left out: by its name this is a backup file\n",
        "note: hall/symbolic/T1_7_1:5: the thread is in monitor a1 without having entered it",
        "note: hall/symbolic/T2_7_1:2: the thread enters monitor a1 here and ends inside of it",
    ] {
        assert!(answer.stderr.contains(wanted), "`{wanted}` is not said:\n{}", answer.stderr);
    }
    heddle(folder.path(), &["replay", "s"]).expect_status(1);
    let quiet = heddle(folder.path(), &["explain", "hall", "--schedule", "s", "--quiet"]).expect_status(1);
    assert!(!quiet.stderr.contains("note:"), "{}", quiet.stderr);
}

#[test]
fn folders_without_traces() {
    let folder = written(&hall(false));
    fs::write(folder.path().join("notes.c"), "int main(void) { return 0; }\n").expect("it can be written");
    fs::create_dir(folder.path().join("empty")).expect("it can be made");
    complains(folder.path(), &["explain", "nowhere"], &["cannot read nowhere"]);
    complains(folder.path(), &["explain", "empty"], &["there are no traces in empty"]);
    complains(folder.path(), &["explain", "."], &["there are no traces in .", "name one of its programs: ./hall"]);
    // A file is a program.
    heddle(folder.path(), &["explain", "notes.c"]).expect_status(0);
    complains(folder.path(), &["explain", "hall", "--run", "8"], &["no complete run 8", "complete runs: 7"]);
    complains(
        folder.path(),
        &["run", "notes.c", "--format", "dot"],
        &["only answers of `heddle explain` and `heddle explore` can be drawn"],
    );
}

const METHODS: [&str; 4] = ["pair", "optimal", "lexicographic", "progressive"];

#[test]
fn a_lost_update_is_explained_by_each_method() {
    let folder = written(&hall(false));
    for method in METHODS {
        let arguments = ["explain", "hall", "--schedule", "s", "--alternate", method];
        let answer = heddle(folder.path(), &arguments).expect_status(1);
        let wanted = [
            "it fails in this order:",
            "it does not fail in this one:",
            "T0 T0.1 T0.2",
            "✗ │ │ fails visitors_1 == 2",
            "✓ │ │ holds visitors_1 == 2",
            "because T0.",
            "so the read gets the old value",
            "so make Hall.java:21 in T0.",
            "without any one of them it can pass",
        ];
        says(&answer, &wanted);
        let json = heddle(folder.path(), &[&arguments[..], &["--format", "json"]].concat()).expect_status(1).json();
        let orders = json["causes"][0]["orders"].as_array().expect("a list");
        assert_eq!((orders.len(), &json["causes"][0]["minimal"]), (2, &true.into()));
        assert_eq!((&json["alternate"]["method"], &json["alternate"]["outcome"]), (&method.into(), &"passes".into()));
        assert_eq!(json["alternate"]["replayed"], true);
        let metrics = &json["projection"]["metrics"];
        let varied = metrics["dataflow_variations"].as_u64().expect("a number");
        assert!(varied == 1 || (varied == 2 && method != "lexicographic"), "{metrics}");
        let events = json["failing"]["events"].as_array().expect("a list");
        for operation in json["projection"]["operations"].as_array().expect("a list") {
            let id = operation["id"].as_u64().expect("a number") as usize;
            assert_eq!((&operation["in"], &operation["kind"]), (&"both".into(), &events[id]["kind"]), "{operation}");
        }
        let flows = json["projection"]["dataflow"].as_array().expect("a list");
        assert_eq!(flows.len() as u64, 2 * varied, "{json}");
    }
}

#[test]
fn an_explanation_stops_where_it_is_told_to() {
    let folder = written(&hall(false));
    let json = |options: &[&str]| {
        let arguments = [&["explain", "hall", "--schedule", "s", "--format", "json"][..], options].concat();
        heddle(folder.path(), &arguments).expect_status(1).json()
    };
    let schedule = json(&["--only", "schedule"]);
    assert!(schedule.get("causes").is_none() && schedule.get("alternate").is_none());
    let cause = json(&["--only", "cause"]);
    assert!(cause.get("causes").is_some() && cause.get("alternate").is_none());
    let alternate = json(&["--only", "alternate"]);
    assert!(alternate.get("alternate").is_some() && alternate.get("projection").is_some());
    let all = json(&["--all-alternates"]);
    assert_eq!(all["alternate"]["method"], "pair");
    assert!(!all["alternates"].as_array().expect("a list").is_empty());
}

#[test]
fn a_failure_that_depends_on_the_path_is_explained_by_the_other_paths() {
    let folder = written(&alarm());
    let answer = heddle(folder.path(), &["explain", "alarm", "--schedule", "s"]).expect_status(1);
    let wanted = [
        "because T0.2 writes switch_1 = 1 (Alarm.java:30) before T0.1 reads switch_1 = 1 (Alarm.java:20)",
        "reads switch_1 = 0",
        "on another path",
    ];
    says(&answer, &wanted);
    let json =
        heddle(folder.path(), &["explain", "alarm", "--schedule", "s", "--format", "json"]).expect_status(1).json();
    assert_eq!(json["alternate"]["other_paths"], true);
    // Without the recorded path no schedule passes, and the report says so.
    fs::remove_file(folder.path().join("alarm/symbolic/T1_7_1")).expect("it is there");
    let alone = heddle(folder.path(), &["explain", "alarm", "--schedule", "s"]).expect_status(1);
    says(&alone, &["because if every thread takes the same branches, it always fails (proven)", "`heddle explore`"]);
}

#[test]
fn an_explanation_can_be_drawn() {
    let folder = written(&hall(false));
    let arguments = ["explain", "hall", "--schedule", "s", "--format", "dot"];
    let text = heddle(folder.path(), &arguments).expect_status(1).stdout;
    assert!(text.starts_with("digraph heddle {") && text.trim_end().ends_with('}'), "{text}");
    assert!(text.contains("subgraph cluster_failing") && text.contains("subgraph cluster_passing"), "{text}");
}
