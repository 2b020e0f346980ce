//! Budgets hold and no established result is lost: a worker does the work, and its parent answers if the worker fails.

mod command;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use command::{binary, folder, heddle};
use serde_json::Value;

/// Waits for its input, which the test controls.
const READS: &str = "#include <stdio.h>\nint main(void)\n{\n    return getchar() == 'x';\n}\n";

/// Fails at once, in a run with so many events that explaining it takes much longer than finding it.
const LONG: &str = r#"
#include <assert.h>
#include <pthread.h>
static int hits, misses[64];
static void *count(void *argument)
{
    for (int round = 0; round < 20000; round++) {
        hits++;
        misses[round % 64] += hits;
    }
    return argument;
}
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, count, 0);
    pthread_create(&two, 0, count, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(hits == 40000);
    return 0;
}
"#;

fn start(folder: &Path, arguments: &[&str]) -> Child {
    let mut command = Command::new(binary());
    command.args(arguments).current_dir(folder).stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("heddle starts")
}

/// The process that does the work, once it is there.
fn worker_of(parent: &Child) -> u32 {
    let file = format!("/proc/{0}/task/{0}/children", parent.id());
    loop {
        let children = fs::read_to_string(&file).expect("the parent lives");
        if let Some(child) = children.split_whitespace().next() {
            return child.parse().expect("a number");
        }
        std::thread::yield_now();
    }
}

fn statistics(process: u32) -> Vec<String> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name in parentheses may hold anything.
    let rest = text.rsplit(')').next().unwrap_or_default();
    rest.split_whitespace().map(str::to_owned).collect()
}

/// Waits until a process that had its orders has slept in a system call.
fn until_it_sleeps(process: u32) {
    let limit = |process: u32| fs::read_to_string(format!("/proc/{process}/limits")).unwrap_or_default();
    let is_limited =
        |text: &str| text.lines().any(|line| line.starts_with("Max data size") && line.contains("536870912"));
    while !is_limited(&limit(process)) || statistics(process).first().is_none_or(|state| state != "S") {
        std::thread::yield_now();
    }
}

fn ticks(process: u32) -> u64 {
    statistics(process).get(11).and_then(|ticks| ticks.parse().ok()).unwrap_or(0)
}

fn signal(process: u32, name: &str) {
    let sent = Command::new("kill").args([format!("-{name}"), process.to_string()]).status().expect("kill is there");
    assert!(sent.success());
}

struct Ended {
    status: Option<i32>,
    json: Value,
    stderr: String,
}

fn ended(mut child: Child) -> Ended {
    // The program's input has no end as long as this is kept.
    let _input = child.stdin.take();
    let output = child.wait_with_output().expect("heddle ends");
    let json = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    Ended { status: output.status.code(), json, stderr: String::from_utf8_lossy(&output.stderr).into_owned() }
}

/// A worker that waits for the program's input.
fn waiting(folder: &Path) -> (Child, u32) {
    let child = start(folder, &["run", "a.c", "--memory", "512M", "--format", "json"]);
    let worker = worker_of(&child);
    until_it_sleeps(worker);
    (child, worker)
}

#[test]
fn a_worker_that_dies_is_told_in_one_line() {
    let folder = folder(&[("a.c", READS)]);
    let (child, worker) = waiting(folder.path());
    signal(worker, "ILL");
    let Ended { status, json, stderr } = ended(child);
    assert_eq!(status, Some(2), "{stderr}");
    assert_eq!((&json["verdict"], &json["exhausted"]["what"]), (&"inconclusive".into(), &"crashed".into()));
    assert!(stderr.starts_with("error: heddle's worker process was killed by SIGILL"), "{stderr}");
    assert_eq!(stderr.lines().filter(|line| line.starts_with("error")).count(), 1, "{stderr}");
}

#[test]
fn an_interrupted_command_answers() {
    for name in ["INT", "TERM"] {
        let folder = folder(&[("a.c", READS)]);
        let (child, _) = waiting(folder.path());
        signal(child.id(), name);
        let Ended { status, json, stderr } = ended(child);
        assert_eq!(status, Some(3), "{stderr}");
        assert_eq!(json["exhausted"]["what"], "interrupted");
    }
}

#[test]
fn a_worker_that_is_asked_to_end_is_no_crash() {
    let folder = folder(&[("a.c", READS)]);
    let (child, worker) = waiting(folder.path());
    signal(worker, "TERM");
    let Ended { status, json, stderr } = ended(child);
    assert_eq!((status, &json["exhausted"]["what"]), (Some(3), &"interrupted".into()), "{stderr}");
    assert_eq!(stderr, "");
}

#[test]
fn a_worker_does_not_outlive_its_parent() {
    let folder = folder(&[("a.c", READS)]);
    let (mut child, worker) = waiting(folder.path());
    child.kill().expect("it is our child");
    child.wait().expect("it is our child");
    // Gone, or a zombie that its new parent has not reaped yet.
    while statistics(worker).first().is_some_and(|state| state != "Z") {
        std::thread::yield_now();
    }
}

#[test]
fn a_failure_that_was_found_outlives_its_diagnosis() {
    for (name, what, status) in [("ILL", "crashed", 1), ("INT", "interrupted", 1)] {
        let folder = folder(&[("a.c", LONG)]);
        let child = start(folder.path(), &["explain", "a.c", "--schedule", "a.schedule", "--format", "json"]);
        let worker = worker_of(&child);
        let schedule = folder.path().join("a.schedule");
        while !schedule.exists() {
            std::thread::yield_now();
        }
        // The schedule is written, then the failure is reported, then the diagnosis begins.
        let before = ticks(worker);
        while ticks(worker) < before + 60 {
            std::thread::yield_now();
        }
        signal(if name == "ILL" { worker } else { child.id() }, name);
        let Ended { status: code, json, stderr } = ended(child);
        assert_eq!(code, Some(status), "{stderr}");
        assert_eq!((&json["verdict"], &json["failure"]["kind"]), (&"failure".into(), &"assertion".into()));
        let exhausted = &json["exhausted"];
        assert_eq!((&exhausted["what"], &exhausted["reached"]), (&what.into(), &"a failure without its cause".into()));
        assert_eq!(json["schedule"], "a.schedule");
        heddle(folder.path(), &["replay", "a.schedule", "-q"]).expect_status(1);
    }
}

#[test]
fn memory_that_is_refused_is_told() {
    let source = "#include <stdlib.h>\n#include <string.h>\nint main(void)\n{\n    char *block = malloc(3u << 30);\n    \
                  memset(block, 1, 3u << 30);\n    return block[77] - 1;\n}\n";
    let folder = folder(&[("a.c", source)]);
    let arguments = ["run", "a.c", "--memory", "300M", "--format", "json"];
    let json = heddle(folder.path(), &arguments).expect_status(3).json();
    assert_eq!((&json["verdict"], &json["exhausted"]["what"]), (&"inconclusive".into(), &"memory".into()));
    let text = heddle(folder.path(), &arguments[..4]).expect_status(3).stdout;
    assert!(text.starts_with("inconclusive: the memory limit of 300 MiB was reached"), "{text}");
}

#[test]
fn time_that_is_over_is_told() {
    let source = "int main(void)\n{\n    volatile unsigned n = 0;\n    for (;;)\n        n++;\n}\n";
    let folder = folder(&[("a.c", source)]);
    for command in ["run", "check", "explain"] {
        let arguments = [command, "a.c", "--time", "0.6", "--format", "json"];
        let json = heddle(folder.path(), &arguments).expect_status(3).json();
        assert_eq!((&json["command"], &json["exhausted"]["what"]), (&command.into(), &"time".into()), "{json}");
    }
}

/// Two threads with a decision in every iteration that depends on the other thread.
const PUMPS: &str = r#"
#include <assert.h>
#include <pthread.h>
static volatile int level;
static void *pump(void *argument)
{
    for (int stroke = 0; stroke < 300000; stroke++)
        if (level & 1)
            level++;
        else
            level += 3;
    return argument;
}
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, pump, 0);
    pthread_create(&two, 0, pump, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(level < 0);
    return 0;
}
"#;

/// A record of so many decisions that hardly an order of them is found in the time. The parent ends a worker that
/// exceeds the time, and reports it.
#[test]
fn a_long_record_is_explained_within_its_time() {
    let folder = folder(&[("a.c", PUMPS)]);
    heddle(folder.path(), &["cc", "-g", "-pthread", "a.c", "-o", "a"]).expect_status(0);
    let recorded = heddle(folder.path(), &["record", "--out", "runs", "--", "./a"]);
    assert_eq!(recorded.status, 128 + 6, "{}", recorded.stderr);
    let answer = heddle(folder.path(), &["explain", "runs", "--time", "1", "--format", "json"]);
    let said = format!("{}\n{}", answer.stdout, answer.stderr);
    assert!(!said.contains("bug in heddle"), "{said}");
    match answer.status {
        1 => assert_eq!(answer.json()["failure"]["condition"], "level < 0", "{said}"),
        3 => {
            let what = answer.json()["exhausted"]["what"].clone();
            assert!(what == "time" || what == "work", "{said}");
        }
        other => panic!("exit status {other}\n{said}"),
    }
}

/// One program of each costly kind gets an answer of the documented form.
fn costly_programs_are_answered(command: &str) {
    for seed in 0..12 {
        let generate::Costly { source, is_cpp, family } = generate::costly(seed);
        let name = if is_cpp { "a.cpp" } else { "a.c" };
        let folder = folder(&[(name, &source)]);
        let answer = heddle(folder.path(), &[command, name, "--time", "1", "--memory", "600M", "--format", "json"]);
        let what = format!("{command}, seed {seed} ({family}): {}\n{}", answer.stdout, answer.stderr);
        assert!(matches!(answer.status, 0 | 1 | 3), "{what}");
        let json = answer.json();
        let verdict = json["verdict"].as_str().expect("a verdict");
        let expected = ["none-found", "failure", "", "inconclusive"][answer.status as usize];
        assert_eq!(verdict, expected, "{what}");
        assert_ne!(json["exhausted"]["what"], "crashed", "{what}");
        assert!(!answer.stderr.contains("bug in heddle"), "{what}");
    }
}

#[test]
fn costly_programs_are_run() {
    costly_programs_are_answered("run");
}

#[test]
fn costly_programs_are_checked() {
    costly_programs_are_answered("check");
}

#[test]
fn costly_programs_are_explained() {
    costly_programs_are_answered("explain");
}

#[test]
fn bad_budgets_are_refused() {
    let folder = folder(&[("a.c", READS)]);
    for (option, value) in
        [("--memory", "1"), ("--memory", "3X"), ("--memory", "1M"), ("--time", "-1"), ("--time", "x")]
    {
        let answer = heddle(folder.path(), &["run", "a.c", option, value]).expect_status(2);
        assert!(answer.stderr.contains(option), "{}", answer.stderr);
        assert_eq!(answer.stdout, "");
    }
}
