//! heddle's answers to valid input: the form of its JSON, the destinations of its texts, the exit status.

mod command;

use std::fs;

use command::{folder, heddle, heddle_with_input, repository};
use serde_json::Value;

const RACY: &str = include_str!("../../corpus/lost-update/lost-update.c");
const FIXED: &str = include_str!("../../corpus/lost-update/lost-update-fixed.c");
const RUNS: &[&str] = &["run", "a.c", "--runs", "300"];

fn with<'a>(arguments: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [arguments, more].concat()
}

/// The fields of a value with their types: `text`, `number`, `truth`, `list of …`, or nested.
fn shape(value: &Value) -> Value {
    match value {
        Value::Null => "nothing".into(),
        Value::Bool(_) => "truth".into(),
        Value::Number(_) => "number".into(),
        Value::String(_) => "text".into(),
        Value::Array(values) => Value::Array(values.first().map(shape).into_iter().collect()),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), shape(value))).collect())
        }
    }
}

#[test]
fn the_json_of_a_failure_has_its_shape() {
    let folder = folder(&[("a.c", RACY)]);
    let answer = heddle(folder.path(), &with(RUNS, &["--format", "json", "--", "first argument"])).expect_status(1);
    let json = answer.json();
    let at = serde_json::json!({"file": "text", "line": "number", "column": "number"});
    let expected = serde_json::json!({
        "schema": "number", "tool": "text", "version": "text", "command": "text", "program": "text", "verdict": "text",
        "bounds": {"complete": "truth", "executions": "number", "memory_model": "text", "strategy": "text",
                   "seeds": ["number"], "steps": "number", "executions_cut": "number",
                   "executions_excluded": "number"},
        "failure": {"kind": "text", "thread": "text", "at": at, "function": "text", "condition": "text",
                    "stack": [{"function": "text", "at": at, "library": "truth"}]},
        "failing": {"events": [{"id": "number", "thread": "text", "kind": "text"}],
                    "inputs": [{"kind": "text", "value": "text"}], "context_switches": "number", "replayed": "truth",
                    "replays": "number", "found": "text", "seed": "number"},
        "schedule": "text", "replay": "text", "assumptions": ["text"],
        "stats": {"threads": "number", "events": "number", "executions": "number", "steps": "number",
                  "seconds": {"frontend": "number", "search": "number", "total": "number"}},
    });
    assert_eq!(shape(&json), expected);
    assert_eq!((&json["schema"], &json["tool"], &json["command"]), (&1.into(), &"heddle".into(), &"run".into()));
    assert_eq!((&json["verdict"], &json["failure"]["kind"]), (&"failure".into(), &"assertion".into()));
    assert_eq!(json["failure"]["condition"], "visitors == 2");
    assert_eq!(
        (&json["schedule"], &json["replay"]),
        (&".heddle/a.schedule".into(), &"heddle replay .heddle/a.schedule".into())
    );
    assert_eq!((&json["bounds"]["memory_model"], &json["bounds"]["strategy"]), (&"sc".into(), &"portfolio".into()));
    let pct = heddle(folder.path(), &with(RUNS, &["--format", "json", "--strategy", "pct"])).expect_status(1).json();
    assert_eq!((&pct["bounds"]["strategy"], &pct["bounds"]["depth"]), (&"pct".into(), &3.into()));
    let events = json["failing"]["events"].as_array().expect("a list");
    let reads = events.iter().filter(|event| event["kind"] == "read" && event["object"] == "visitors");
    assert_eq!(reads.count(), 3, "{events:?}");
}

#[test]
fn nothing_found_says_so_and_ends_well() {
    let folder = folder(&[("a.c", FIXED)]);
    let json = heddle(folder.path(), &["run", "a.c", "--runs", "100", "--format", "json"]).expect_status(0).json();
    assert_eq!((&json["verdict"], &json["bounds"]["executions"]), (&"none-found".into(), &101.into()));
    assert!(json.get("failure").is_none() && json.get("schedule").is_none());
    assert!(!folder.path().join(".heddle").exists());
}

#[test]
fn the_same_seed_finds_the_same_with_any_number_of_jobs() {
    let folder = folder(&[("a.c", RACY)]);
    let found = |jobs: &str| {
        let arguments = with(RUNS, &["--format", "json", "--jobs", jobs, "--schedule", "s"]);
        let mut json = heddle(folder.path(), &arguments).expect_status(1).json();
        json["stats"]["seconds"].take();
        (json, fs::read_to_string(folder.path().join("s")).expect("it was written"))
    };
    let first = found("1");
    assert_eq!(first, found("2"));
    assert_eq!(first, found("7"));
    // One run with the seed that was named is enough.
    let seed = first.0["failing"]["seed"].to_string();
    let arguments = ["run", "a.c", "--runs", "1", "--seed", &seed, "--schedule", "again"];
    heddle(folder.path(), &arguments).expect_status(1);
    assert_eq!(fs::read_to_string(folder.path().join("again")).expect("it was written"), first.1);
}

#[test]
fn all_strategies_find_it() {
    let folder = folder(&[("a.c", RACY)]);
    for strategy in ["portfolio", "random", "pct", "exhaustive"] {
        heddle(folder.path(), &with(RUNS, &["--strategy", strategy])).expect_status(1);
    }
}

#[test]
fn every_schedule_is_a_proof_and_fewer_are_not() {
    let folder = folder(&[("a.c", FIXED)]);
    let explore = ["run", "a.c", "--strategy", "exhaustive"];
    let json = |more: &[&str]| {
        heddle(folder.path(), &with(&with(&explore, &["--format", "json"]), more)).expect_status(0).json()
    };
    assert_eq!(json(&[])["bounds"]["complete"], true);
    assert_eq!(json(&["--no-reduction"])["bounds"]["complete"], true);
    let hashed = json(&["--hashing"]);
    assert_eq!(hashed["bounds"]["complete"], true);
    assert!(hashed["bounds"]["states"].as_u64() > Some(1));
    for bound in [["--preemptions", "1"], ["--runs", "1"]] {
        let json = json(&bound);
        assert_eq!((&json["verdict"], &json["bounds"]["complete"]), (&"none-found".into(), &false.into()));
        assert!(json["bounds"]["cut"].is_array());
    }
    let said = heddle(folder.path(), &explore).expect_status(0).stdout;
    assert!(said.starts_with("a.c does not fail\n") && said.contains("all schedules ("), "{said}");
}

#[test]
fn keep_going_counts_the_failures() {
    let folder = folder(&[("a.c", RACY)]);
    let json = heddle(folder.path(), &with(RUNS, &["--keep-going", "--format", "json"])).expect_status(1).json();
    assert_eq!(json["bounds"]["executions"], 301);
    let failures = json["failures"].as_array().expect("a list");
    assert!(failures.len() == 1 && failures[0]["executions"].as_u64() > Some(1), "{failures:?}");
    assert_eq!(failures[0]["first_seed"], json["failing"]["seed"]);
}

#[test]
fn results_and_talk_go_to_different_places() {
    let source = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv)\n{\n    char line[64] = \"\";\n    \
                  if (fgets(line, sizeof line, stdin))\n        printf(\"read %s\", line);\n    \
                  printf(\"%d %s %s\\n\", argc, argv[1], getenv(\"MODE\"));\n    return 0;\n}\n";
    let folder = folder(&[("a.c", source)]);
    let arguments = ["run", "a.c", "--env", "MODE=fast", "--", "one argument"];
    let said = "read hello\n2 one argument fast\n";
    let answer = heddle_with_input(folder.path(), &arguments, b"hello\n").expect_status(0);
    assert_eq!(answer.stderr, said);
    assert!(answer.stdout.starts_with("a.c does not fail\n"), "{}", answer.stdout);
    let files =
        ["run", "a.c", "--program-output", "said", "--output", "result", "--env", "MODE=fast", "--", "one argument"];
    let answer = heddle_with_input(folder.path(), &files, b"hello\n").expect_status(0);
    assert_eq!((answer.stdout.as_str(), answer.stderr.as_str()), ("", ""));
    assert_eq!(fs::read_to_string(folder.path().join("said")).expect("it was written"), said);
    assert!(folder.path().join("result").exists());
}

#[test]
fn a_program_that_reads_nothing_does_not_wait_for_its_input() {
    let folder = folder(&[("a.c", FIXED)]);
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_heddle"))
        .args(["run", "a.c", "-q"])
        .current_dir(folder.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("heddle starts");
    // As long as it is held, the pipe has no end.
    let pipe = child.stdin.take();
    assert_eq!(child.wait().expect("heddle ends").code(), Some(0));
    drop(pipe);
}

#[test]
fn colours_come_only_when_asked_for() {
    let folder = folder(&[("a.c", RACY)]);
    let plain = heddle(folder.path(), RUNS).expect_status(1);
    assert!(!plain.stdout.contains('\u{1b}'));
    let colored = heddle(folder.path(), &with(RUNS, &["--color", "always"])).expect_status(1);
    assert!(colored.stdout.contains('\u{1b}'));
}

#[test]
fn a_run_that_does_not_end_is_inconclusive() {
    let alone = "int main(void)\n{\n    volatile unsigned long n = 0;\n    for (;;)\n        n++;\n}\n";
    let create = "pthread_t other;\n    pthread_create(&other, 0, work, 0);\n    volatile";
    let work = "#include <pthread.h>\nstatic void *work(void *argument) { return argument; }\nint main";
    let source = alone.replace("volatile", create).replace("int main", work);
    let folder = folder(&[("a.c", source.as_str()), ("alone.c", alone)]);
    // One thread always takes the same path.
    let answer = heddle(folder.path(), &["run", "alone.c", "--runs", "3", "--steps", "1000"]).expect_status(3);
    assert!(answer.stdout.contains("1 run did not end within 1000 steps"), "{}", answer.stdout);
    let answer = heddle(folder.path(), &["run", "a.c", "--runs", "3", "--steps", "1000"]).expect_status(3);
    assert!(answer.stdout.contains("4 runs did not end within 1000 steps"), "{}", answer.stdout);
    // Without a number of runs it gives up when the first ones do not end.
    let json = heddle(folder.path(), &["run", "a.c", "--steps", "1000", "--format", "json"]).expect_status(3).json();
    assert_eq!((&json["bounds"]["executions"], &json["bounds"]["executions_cut"]), (&4.into(), &4.into()));
}

#[test]
fn the_time_limits_the_search() {
    let folder = folder(&[("a.c", FIXED)]);
    // So many runs are impossible: the clock must end them.
    let arguments = ["run", "a.c", "--runs", "1000000000000", "--time", "0.5", "--format", "json"];
    let json = heddle(folder.path(), &arguments).expect_status(3).json();
    assert_eq!(json["bounds"]["stopped"], "the time is over");
}

#[test]
fn a_pipe_that_closes_early_is_no_error() {
    let folder = folder(&[("a.c", FIXED)]);
    let heddle = env!("CARGO_BIN_EXE_heddle");
    let script = format!("'{heddle}' run a.c -v </dev/null | true; exit ${{PIPESTATUS[0]}}");
    let status = std::process::Command::new("bash")
        .args(["-c", &script])
        .current_dir(folder.path())
        .status()
        .expect("bash is installed");
    assert_eq!(status.code(), Some(0));
}

#[test]
fn the_doctor_finds_everything_where_the_tests_run() {
    let answer = heddle(&repository(), &["doctor"]).expect_status(0);
    for tool in ["clang-22", "clang++-22", "llvm-config-22"] {
        assert!(answer.stdout.contains(tool), "{}", answer.stdout);
    }
    let json = heddle(&repository(), &["doctor", "--format", "json"]).expect_status(0).json();
    assert!(json["checks"].as_array().expect("a list").iter().all(|check| check["fine"] == true));
}

#[test]
fn the_doctor_says_how_to_install_what_is_missing() {
    let answer = std::process::Command::new(env!("CARGO_BIN_EXE_heddle"))
        .arg("doctor")
        .env("PATH", "/nowhere")
        .output()
        .expect("heddle starts");
    assert_eq!(answer.status.code(), Some(2));
    let said = String::from_utf8_lossy(&answer.stdout).into_owned();
    assert!(said.contains("missing  clang-22") && said.contains("install it with: "), "{said}");
}

/// The condition of an assertion may be computed long before it.
#[test]
fn an_assertion_fails_in_its_own_line() {
    let text = include_str!("../../corpus/mode-name/mode-name.c");
    let line = 1 + text.lines().position(|line| line.contains("assert(known)")).expect("it is there");
    let folder = folder(&[("mode-name.c", text)]);
    let story = heddle(folder.path(), &["explain", "mode-name.c"]).expect_status(1).stdout;
    let failing = story.lines().find(|line| line.contains('✗')).unwrap_or_default();
    assert!(failing.contains(&format!("line {line}")), "{story}");
}

/// Why a thread waits for a signal that came too early: its check was before the change.
#[test]
fn what_a_sleeper_overlooked_is_told() {
    let folder = folder(&[("stopped.c", include_str!("../../corpus/stopped-workers/stopped-workers.c"))]);
    let story = heddle(folder.path(), &["explain", "stopped.c"]).expect_status(1).stdout;
    let failing = story.split("it does not fail").next().unwrap_or_default();
    for wanted in ["stopped = false", "stopped = true", "broadcasts changed", "waits for  changed"] {
        assert!(failing.contains(wanted), "{wanted} is missing:\n{story}");
    }
    assert!(!story.contains("on another path"), "{story}");
}

/// The reads of the failing condition are a part of the explanation, although they are the same in every order.
#[test]
fn the_reads_that_fail_are_told() {
    let text = "#include <assert.h>\n#include <pthread.h>\nstatic int ready, copy, level;\n\
                static void *set(void *a)\n{\n    ready = 1;\n    return a;\n}\n\
                static void *look(void *a)\n{\n    assert(level == 0);\n    return a;\n}\n\
                int main(void)\n{\n    pthread_t t, u;\n    pthread_create(&t, 0, set, 0);\n    copy = ready;\n    \
                level = copy * 5;\n    pthread_create(&u, 0, look, 0);\n    pthread_join(t, 0);\n    pthread_join(u, 0);\n    \
                return 0;\n}\n";
    let folder = folder(&[("a.c", text)]);
    let json = heddle(folder.path(), &["explain", "a.c", "--format", "json"]).expect_status(1).json();
    let reads = json["projection"]["failing_reads"].as_array().expect("a list");
    assert_eq!((reads.len(), &reads[0]["object"], &reads[0]["at"]["line"]), (1, &"level".into(), &11.into()), "{json}");
}

#[test]
fn help_pages_exist() {
    let folder = folder(&[]);
    for arguments in [&["--help"][..], &["run", "--help"], &["man"], &["completions", "bash"], &["--version"]] {
        let answer = heddle(folder.path(), arguments).expect_status(0);
        assert!(answer.stdout.contains("heddle"), "{arguments:?}");
    }
}

#[test]
fn the_ir_can_be_printed_and_read() {
    let folder = folder(&[("a.c", RACY)]);
    let answer = heddle(folder.path(), &["ir", "a.c"]).expect_status(0);
    let program = ir::parse(&answer.stdout).expect("what is printed can be read");
    assert_eq!(program.to_string(), answer.stdout);
}
