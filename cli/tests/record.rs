//! `heddle record`: native runs, the kept files, and the output for the user.

mod command;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use command::{Answer, binary, folder, heddle, heddle_with_input, other};
use run::{ProcessEnd, RecordedRun};
use serde_json::Value;

/// A program that is controlled by its argument.
const PROGRAM: &str = r#"#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int shared;

static void *add(void *argument)
{
    shared += *(int *)argument;
    return NULL;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "threads") == 0) {
        pthread_t thread;
        int one = 1;
        pthread_create(&thread, NULL, add, &one);
        pthread_join(thread, NULL);
        return shared - 1;
    }
    if (strcmp(what, "count") == 0) {
        FILE *file = fopen("count", "a+");
        fputc('x', file);
        long count = ftell(file);
        fclose(file);
        return count == 3;
    }
    if (strcmp(what, "copy") == 0) {
        for (int c = getchar(); c != EOF; c = getchar())
            putchar(c);
        fprintf(stderr, "copied\n");
    }
    if (strcmp(what, "exit") == 0)
        return 7;
    if (strcmp(what, "abort") == 0)
        abort();
    if (strcmp(what, "assert") == 0)
        assert(shared == 5);
    if (strcmp(what, "segv") == 0)
        *(volatile int *)8 = 1;
    if (strcmp(what, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(what, "hang") == 0) {
        printf("hanging\n");
        fflush(stdout);
        for (;;)
            pause();
    }
    if (strcmp(what, "deaf") == 0) {
        signal(SIGQUIT, SIG_IGN);
        for (;;)
            pause();
    }
    return 0;
}
"#;

/// The line of a text in the program.
fn line_of(text: &str) -> u32 {
    let index = PROGRAM.lines().position(|line| line.contains(text)).expect("it is there");
    u32::try_from(index + 1).expect("a small number")
}

/// A folder with the program, built.
fn built() -> tempfile::TempDir {
    let folder = folder(&[("act.c", PROGRAM)]);
    let answer = heddle(folder.path(), &["cc", "-O2", "-pthread", "act.c", "-o", "act"]).expect_status(0);
    assert_eq!(answer.stderr, "");
    folder
}

fn heddle_here(folder: &Path, arguments: &[&str]) -> Answer {
    heddle(folder, arguments)
}

fn record(folder: &Path, arguments: &[&str]) -> Answer {
    heddle(folder, &[&["record"], arguments].concat())
}

/// The run files in a folder, by name.
fn runs(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder is there")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files
}

fn names(folder: &Path) -> Vec<String> {
    runs(folder).iter().map(|file| file.file_name().expect("a name").to_string_lossy().into_owned()).collect()
}

fn read(file: &Path) -> RecordedRun {
    let read = run::read_run(&fs::read(file).expect("it is there")).expect("it is a run");
    assert_eq!(read.damage, None);
    assert_eq!(read.run.cut, None);
    read.run
}

#[test]
fn one_run_ends_as_the_program_does() {
    let folder = built();
    let at = |text: &str| Some(run::Place { file: "act.c".into(), line: line_of(text) });
    let assertion =
        ProcessEnd::Assertion { at: at("assert(shared == 5)").expect("a place"), condition: "shared == 5".into() };
    let cases = [
        ("", 0, ProcessEnd::Exited { status: 0 }),
        ("threads", 0, ProcessEnd::Exited { status: 0 }),
        ("exit", 7, ProcessEnd::Exited { status: 7 }),
        ("assert", 134, assertion),
        ("segv", 139, ProcessEnd::Signal { number: 11, at: at("*(volatile int *)8") }),
        ("kill", 137, ProcessEnd::Signal { number: 9, at: None }),
    ];
    for (number, (what, status, end)) in cases.into_iter().enumerate() {
        let answer = record(folder.path(), &["--", "./act", what]).expect_status(status);
        assert_eq!(answer.stdout, "");
        let mark = if end.is_failure() { "failed" } else { "passed" };
        let file = format!(".heddle/runs/act-{:04}.{mark}.run", number + 1);
        assert!(answer.stderr.contains(&file), "{what}: {}", answer.stderr);
        assert_eq!(read(&folder.path().join(file)).end, end, "{what}");
    }
    record(folder.path(), &["./act", "abort"]).expect_status(134);
    let last = runs(&folder.path().join(".heddle/runs")).pop().expect("there are runs");
    assert!(matches!(read(&last).end, ProcessEnd::Abort { .. }));
    let threads = read(&folder.path().join(".heddle/runs/act-0002.passed.run")).threads;
    assert_eq!(threads.iter().map(|thread| thread.name.to_string()).collect::<Vec<_>>(), ["0", "0.1"]);
    assert_eq!(threads[1].start, "add");
    let quiet = record(folder.path(), &["-q", "./act", "exit"]).expect_status(7);
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
}

#[test]
fn input_and_output_are_the_programs() {
    let folder = built();
    let answer = heddle_with_input(folder.path(), &["record", "--", "./act", "copy"], b"one\ntwo\n").expect_status(0);
    assert_eq!(answer.stdout, "one\ntwo\n");
    assert!(answer.stderr.starts_with("copied\n"), "{}", answer.stderr);
    let run = read(&folder.path().join(".heddle/runs/act-0001.passed.run"));
    assert!(run.threads[0].inputs.len() > 8, "{:?}", run.threads[0].inputs.len());
    // A result on stdout has it for itself.
    let arguments = ["record", "--format", "json", "--", "./act", "copy"];
    let answer = heddle_with_input(folder.path(), &arguments, b"three\n").expect_status(0);
    assert!(answer.stderr.contains("three\n"), "{}", answer.stderr);
    assert_eq!(answer.json()["runs"], 1);
    let arguments = ["record", "--format", "json", "--output", "result.json", "--", "./act", "copy"];
    let answer = heddle_with_input(folder.path(), &arguments, b"four\n").expect_status(0);
    assert_eq!(answer.stdout, "four\n");
    let result = fs::read_to_string(folder.path().join("result.json")).expect("it was written");
    let result: Value = serde_json::from_str(&result).expect("it is JSON");
    assert_eq!(result["verdict"], "none-found");
}

#[test]
fn a_series_says_how_many_failed() {
    let folder = built();
    let answer = record(folder.path(), &["--runs", "5", "--out", "kept", "--", "./act", "count"]).expect_status(1);
    // Stdout is the program's, which prints nothing.
    assert_eq!(answer.stdout, "");
    assert!(answer.stderr.starts_with("act: 5 runs, 4 passed, 1 failed\n"), "{}", answer.stderr);
    assert!(answer.stderr.contains("it exited with status 1"), "{}", answer.stderr);
    assert!(answer.stderr.contains("kept/act-0003.failed.run"), "{}", answer.stderr);
    let passed = |number: u32| format!("act-{number:04}.passed.run");
    let expected = [passed(1), passed(2), "act-0003.failed.run".to_owned(), passed(4), passed(5)];
    assert_eq!(names(&folder.path().join("kept")), expected);

    fs::remove_file(folder.path().join("count")).expect("it is there");
    let arguments = ["--until-failure", "--format", "json", "--out", "kept", "--", "./act", "count"];
    let json = record(folder.path(), &arguments).expect_status(1).json();
    assert_eq!((&json["schema"], &json["command"], &json["verdict"]), (&1.into(), &"record".into(), &"failure".into()));
    assert_eq!((&json["runs"], &json["passed"], &json["failed"]), (&3.into(), &2.into(), &1.into()));
    assert_eq!((&json["failure"]["kind"], &json["failure"]["status"]), (&"exit".into(), &1.into()));
    assert_eq!(json["failure"]["run"], "kept/act-0008.failed.run");
    assert_eq!(json["files"].as_array().map(Vec::len), Some(3));
    assert_eq!(json["files"][0]["verdict"], "passed");
    assert!(json["stats"]["bytes"].as_u64() > Some(0) && json["stats"]["seconds"]["total"].is_number());

    let json =
        record(folder.path(), &["--runs", "9", "--time", "0", "--format", "json", "./act"]).expect_status(0).json();
    assert_eq!(json["runs"], 1);
    let json = record(folder.path(), &["--runs", "2", "--format", "json", "--", "./act"]).expect_status(0).json();
    assert_eq!((&json["verdict"], &json["passed"]), (&"none-found".into(), &2.into()));
    let json =
        record(folder.path(), &["--runs", "2", "--format", "json", "--", "./act", "assert"]).expect_status(1).json();
    assert_eq!(json["failure"]["condition"], "shared == 5");
    assert_eq!(json["failure"]["at"]["line"], line_of("assert(shared == 5)"));
}

#[test]
fn a_series_reads_a_file_again_for_each_run() {
    let folder = built();
    fs::write(folder.path().join("input"), "once more\n").expect("it can be written");
    let input = fs::File::open(folder.path().join("input")).expect("it is there");
    let output = Command::new(binary())
        .args(["record", "--runs", "3", "--", "./act", "copy"])
        .current_dir(folder.path())
        .stdin(input)
        .output()
        .expect("heddle starts");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "once more\n".repeat(3));
}

#[test]
fn what_does_not_end_is_ended() {
    let folder = built();
    let answer = record(folder.path(), &["--timeout", "0.2", "--", "./act", "hang"]).expect_status(131);
    assert!(answer.stderr.contains("it hung (time-out)"), "{}", answer.stderr);
    assert_eq!(read(&folder.path().join(".heddle/runs/act-0001.failed.run")).end, ProcessEnd::Hang);
    record(folder.path(), &["--timeout", "0.2", "--", "./act", "deaf"]).expect_status(137);
    assert_eq!(read(&folder.path().join(".heddle/runs/act-0002.failed.run")).end, ProcessEnd::Hang);
    record(folder.path(), &["--timeout", "600", "--", "./act"]).expect_status(0);
    let json =
        record(folder.path(), &["--timeout", "0.1", "--format", "json", "./act", "hang"]).expect_status(131).json();
    assert_eq!(json["failure"]["kind"], "hang");
    let answer = record(folder.path(), &["--timeout", "-1", "./act"]).expect_status(2);
    assert!(answer.stderr.contains("--timeout -1"), "{}", answer.stderr);
}

/// Longer waits count as a hang.
const HANG: Duration = Duration::from_secs(300);

/// Waits for a result, with a time limit.
fn in_time<T: Send + 'static>(what: &str, wait: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, is_done) = mpsc::channel();
    thread::spawn(move || done.send(wait()));
    is_done.recv_timeout(HANG).unwrap_or_else(|_| panic!("{what} does not end"))
}

fn ended(mut process: Child) -> ExitStatus {
    process.wait().expect("it ends")
}

/// A recording of a program that has started and does not end by itself, and the program's output.
fn hanging(folder: &Path) -> (Child, BufReader<ChildStdout>) {
    let mut heddle = Command::new(binary())
        .args(["record", "--", "./act", "hang"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("heddle starts");
    let mut output = BufReader::new(heddle.stdout.take().expect("a pipe"));
    let (line, output) = in_time("the program's first line", move || {
        let mut line = String::new();
        output.read_line(&mut line).expect("the program says something");
        (line, output)
    });
    assert_eq!(line, "hanging\n");
    (heddle, output)
}

/// The processes that record into a folder.
fn recorded_processes(folder: &Path) -> usize {
    let begins = format!("HEDDLE_SPOOL={}", folder.display()).into_bytes();
    let processes = fs::read_dir("/proc").expect("it is there").flatten();
    let environments = processes.filter_map(|process| fs::read(process.path().join("environ")).ok());
    environments.filter(|variables| variables.split(|byte| *byte == 0).any(|one| one.starts_with(&begins))).count()
}

#[test]
fn a_killed_recording_leaves_no_program_and_its_spool_becomes_a_run() {
    let folder = built();
    let (mut heddle, mut output) = hanging(folder.path());
    let spool = format!(".heddle/runs/.act-{}-0001.spool", heddle.id());
    assert!(folder.path().join(&spool).exists());
    let busy = heddle_here(folder.path(), &["record", "--recover", &spool]).expect_status(2);
    assert!(busy.stderr.contains("still being written"), "{}", busy.stderr);

    heddle.kill().expect("it runs");
    in_time("heddle", move || ended(heddle));
    // The program has the other end of the pipe: when it is gone, there is no more to read.
    in_time("the program", move || output.read_to_end(&mut Vec::new()).expect("a pipe ends"));

    let answer = heddle_here(folder.path(), &["record", "--recover", &spool]).expect_status(0);
    let file = ".heddle/runs/act-0001.interrupted.run";
    assert_eq!(answer.stdout, format!("{file}: its end is unknown\n"));
    let run = read(&folder.path().join(file));
    assert_eq!(run.end, ProcessEnd::Unknown);
    let given = &run.threads[0].inputs[0];
    assert_eq!(given.name, run::ARGUMENTS);
    assert_eq!(given.buffers, [b"./act".to_vec(), b"hang".to_vec()]);
    assert_eq!(names(&folder.path().join(".heddle/runs")), ["act-0001.interrupted.run"]);
}

#[test]
fn a_spool_that_says_how_it_ended_becomes_a_failed_run() {
    let folder = built();
    record(folder.path(), &["./act"]).expect_status(0);
    let spool = folder.path().join(".heddle/runs/.act-1-0007.spool");
    let status = Command::new(folder.path().join("act"))
        .arg("assert")
        .env("HEDDLE_SPOOL", &spool)
        .current_dir(folder.path())
        .stderr(Stdio::null())
        .status()
        .expect("it starts");
    assert_eq!(status.code(), None);
    // The command is given, because it was not stored.
    let spool = ".heddle/runs/.act-1-0007.spool";
    heddle_here(folder.path(), &["record", "--recover", spool, "--", "./act", "assert"]).expect_status(0);
    let file = ".heddle/runs/act-0002.failed.run";
    assert!(matches!(read(&folder.path().join(file)).end, ProcessEnd::Assertion { .. }));
    let explained = heddle_here(folder.path(), &["explain", file]).expect_status(1);
    assert!(explained.stdout.contains("`shared == 5`"), "{}", explained.stdout);
}

#[test]
fn what_is_no_spool_is_not_recovered() {
    let folder = built();
    fs::write(folder.path().join(".act-1-0001.spool"), "hello").expect("it can be written");
    for (arguments, wanted) in [
        (&["--recover", ".act-1-0001.spool"][..], "this is not what a recorded program writes"),
        (&["--recover", "nowhere"], "cannot read nowhere"),
        (&["--recover", "act"], "this is not what a recorded program writes"),
        (&["--recover", ".act-1-0001.spool", "--runs", "3"], "cannot be used with"),
    ] {
        let answer = record(folder.path(), arguments).expect_status(2);
        assert!(answer.stderr.contains(wanted), "{arguments:?}: {}", answer.stderr);
    }
    assert_eq!(fs::read(folder.path().join(".act-1-0001.spool")).expect("it is there"), b"hello");
}

/// However early a signal arrives, no process goes on running.
#[test]
fn a_signal_that_comes_while_the_program_starts_is_not_lost() {
    let folder = built();
    for (round, signal) in ["TERM", "INT", "HUP", "TERM", "INT", "TERM"].into_iter().enumerate() {
        let out = folder.path().join(format!("runs-{round}"));
        // A shell's background jobs ignore SIGINT, and so do their children.
        let mut heddle = Command::new("env")
            .arg("--default-signal=HUP,INT,QUIT,TERM")
            .arg(binary())
            .args(["record", "--out"])
            .arg(&out)
            .args(["--", "./act", "hang"])
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("heddle starts");
        // The initial inputs are written just before the program starts.
        let given = out.join(format!(".act-{}.given", heddle.id()));
        while !given.exists() && heddle.try_wait().expect("it can be asked").is_none() {
            thread::yield_now();
        }
        other(folder.path(), "kill", &[&format!("-{signal}"), &heddle.id().to_string()]).expect_status(0);
        let status = in_time("heddle", move || ended(heddle));
        assert!(!status.success(), "{signal}: {status}");
        assert_eq!(recorded_processes(&out), 0, "{signal}");
    }
}

#[test]
fn signals_end_the_program_and_its_record_is_kept() {
    let folder = built();
    for (signal, status, file) in [
        ("INT", 130, "act-0001.interrupted.run"),
        ("TERM", 143, "act-0002.interrupted.run"),
        ("QUIT", 131, "act-0003.failed.run"),
    ] {
        let (heddle, _output) = hanging(folder.path());
        other(folder.path(), "kill", &[&format!("-{signal}"), &heddle.id().to_string()]).expect_status(0);
        assert_eq!(in_time("heddle", move || ended(heddle)).code(), Some(status), "{signal}");
        read(&folder.path().join(".heddle/runs").join(file));
    }
}

#[test]
fn a_folder_of_runs_holds_module_and_sources() {
    let folder = built();
    record(folder.path(), &["./act"]).expect_status(0);
    record(folder.path(), &["./act"]).expect_status(0);
    let modules: Vec<PathBuf> = fs::read_dir(folder.path().join(".heddle/runs/modules"))
        .expect("it is there")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    assert_eq!(modules.len(), 1);
    let run = read(&folder.path().join(".heddle/runs/act-0001.passed.run"));
    assert_eq!(modules[0].file_name().and_then(|name| name.to_str()), Some(run.module.as_str()));
    let tables = fs::read_to_string(modules[0].join("tables")).expect("it is there");
    assert_eq!(run::parse_tables(&tables).expect("they are tables").identity, run.module);
    heddle(folder.path(), &["ir", &modules[0].join("module.bc").display().to_string()]).expect_status(0);
    let source = folder.path().canonicalize().expect("it is there").join("act.c");
    let copy = modules[0].join("sources").join(source.strip_prefix("/").expect("it is absolute"));
    assert_eq!(fs::read_to_string(copy).expect("it was copied"), PROGRAM);
}

#[test]
fn commands_that_cannot_be_recorded() {
    let folder = built();
    fs::write(folder.path().join("plain.c"), "int main(void) { return 0; }\n").expect("it can be written");
    other(folder.path(), "clang-22", &["plain.c", "-o", "plain"]).expect_status(0);
    fs::write(folder.path().join("script"), "#!/bin/sh\n./act exit\n./act\n").expect("it can be written");
    other(folder.path(), "chmod", &["+x", "script"]).expect_status(0);
    for (command, wanted) in [
        ("./plain", "./plain was not built with `heddle cc`"),
        ("./script", "--program FILE"),
        ("./act.c", "cannot be executed"),
        ("./nowhere", "cannot run ./nowhere"),
        ("no-such-command", "no command `no-such-command` in PATH"),
        ("act", "in this folder it is ./act"),
        (".", "cannot run"),
    ] {
        let answer = record(folder.path(), &["--", command]).expect_status(2);
        if command != "." {
            assert!(answer.stderr.contains(wanted), "{command}: {}", answer.stderr);
        }
    }
    assert!(!folder.path().join(".heddle/runs").exists());
    record(folder.path(), &[]).expect_status(2);
    record(folder.path(), &["--runs", "0", "./act"]).expect_status(2);

    // The run of the first recorded process is kept.
    record(folder.path(), &["--program", "act", "--", "./script"]).expect_status(0);
    let run = read(&folder.path().join(".heddle/runs/act-0001.failed.run"));
    assert_eq!(run.end, ProcessEnd::Exited { status: 7 });
}

#[test]
fn commands_are_found_in_path() {
    let folder = built();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new(binary())
        .args(["record", "--out", "kept", "act", "exit"])
        .env("PATH", path)
        .current_dir(folder.path())
        .output()
        .expect("heddle starts");
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(names(&folder.path().join("kept")), ["act-0001.failed.run"]);
}

/// Each half of an update holds the lock, the whole does not.
const TORN_UPDATE: &str = r#"#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int visits;

static int get(void)
{
    pthread_mutex_lock(&lock);
    int value = visits;
    pthread_mutex_unlock(&lock);
    return value;
}

static void set(int value)
{
    pthread_mutex_lock(&lock);
    visits = value;
    pthread_mutex_unlock(&lock);
}

static void *visit(void *argument)
{
    (void)argument;
    set(get() + 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, visit, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(visits == 2);
    return 0;
}
"#;

/// Without hooks too; the bound on the number of runs is generous.
#[test]
fn disturbed_at_their_locks_programs_fail() {
    let folder = folder(&[("torn.c", TORN_UPDATE)]);
    for (flags, out) in [("-O2", "plain"), ("-O2 -Wl,-z,now", "now"), ("-O2 -fheddle-hooks", "hooked")] {
        let mut words = vec!["cc"];
        words.extend(flags.split(' '));
        words.extend(["-pthread", "torn.c", "-o", "torn"]);
        let built = heddle(folder.path(), &words);
        assert_eq!((built.status, built.stderr.as_str()), (0, ""));
        let words = ["record", "--runs", "2000", "--until-failure", "--perturb", "1", "--out", out, "--", "./torn"];
        let answer = heddle(folder.path(), &words);
        assert_eq!(answer.status, 1, "{flags}: {}", answer.stdout);
        assert!(!answer.stderr.contains("perturb"), "{}", answer.stderr);
    }
}
