//! `heddle explain` of programs and of natively recorded runs, from the source to the schedule that replays.

mod command;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use command::{heddle, heddle_with_input, repository};

/// The largest number of native runs until one fails; each has its own perturbation seed.
const RUNS: &str = "500";

fn runs_of(folder: &Path, name: &str) -> Vec<PathBuf> {
    let files = fs::read_dir(folder.join("runs")).expect("the folder of runs").flatten();
    files.map(|file| file.path()).filter(|path| path.to_str().is_some_and(|path| path.ends_with(name))).collect()
}

/// Builds a program of the corpus, and records it until it fails.
fn record(folder: &Path, program: &str) {
    let source = repository().join("corpus").join(program).join(format!("{program}.c"));
    fs::copy(&source, folder.join("program.c")).expect("the source is copied");
    let built = heddle(folder, &["cc", "-O1", "-g", "-pthread", "-fheddle-hooks", "program.c", "-o", "program"]);
    assert_eq!((built.status, built.stderr.as_str()), (0, ""));
    let options = ["--runs", RUNS, "--until-failure", "--perturb", "1", "--out", "runs", "--", "./program"];
    let recorded = heddle(folder, &[&["record"], &options[..]].concat());
    assert_eq!(recorded.status, 1, "none of {RUNS} runs failed: {}", recorded.stdout);
}

#[test]
fn a_native_failure_is_explained_and_replayed() {
    let folder = tempfile::tempdir().expect("a folder");
    record(folder.path(), "bank-total");
    // All needed files are in the run's folder.
    fs::remove_file(folder.path().join("program")).expect("the program is removed");
    let answer = heddle(folder.path(), &["explain", "runs", "--format", "json", "--schedule", "failing.schedule"]);
    assert_eq!(answer.status, 1, "{}", answer.stderr);
    let found = answer.json();
    assert_eq!(found["failure"]["condition"], "total == sum");
    assert_eq!(found["failing"]["found"], "recorded");
    assert_eq!(found["alternate"]["outcome"], "passes");
    assert!(found["causes"][0]["orders"].as_array().is_some_and(|orders| !orders.is_empty()), "{found:#}");
    let again = heddle(folder.path(), &["replay", "failing.schedule", "--times", "20"]);
    assert_eq!(again.status, 1, "{}", again.stderr);
}

#[test]
fn what_cannot_be_explained_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    record(folder.path(), "lost-update");
    let failed = runs_of(folder.path(), ".failed.run").pop().expect("a run failed");
    let complains = |arguments: &[&str], expected: &str| {
        let answer = heddle(folder.path(), arguments);
        assert_eq!(answer.status, 2, "{}", answer.stdout);
        assert!(answer.stderr.contains(expected), "{}", answer.stderr);
    };
    if let Some(passed) = runs_of(folder.path(), ".passed.run").pop() {
        complains(&["explain", passed.to_str().expect("text")], "has not failed");
    }
    let bytes = fs::read(&failed).expect("the run is read");
    fs::write(folder.path().join("damaged.run"), &bytes[..20]).expect("a file is written");
    complains(&["explain", "damaged.run"], "damaged");
    fs::write(folder.path().join("alone.run"), &bytes).expect("a file is written");
    complains(&["explain", "alone.run"], "the module of alone.run is not beside it");
    complains(&["explain", "nowhere.c"], "cannot read nowhere.c");
}

#[test]
fn a_long_private_computation_costs_no_events() {
    const PROGRAM: &str = "\
#include <assert.h>
#include <pthread.h>
static int shared;
static unsigned churn(unsigned seed) {
    unsigned odd = 0;
    for (int i = 0; i < 50000; i++) {
        seed = seed * 1103515245u + 12345u;
        if (seed & 0x10000) odd++;
    }
    return odd;
}
static void *work(void *argument) {
    shared++;
    shared += churn((unsigned)(unsigned long)argument) != 0;
    return 0;
}
int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, (void *)(i + 1));
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    assert(shared == 4);
    return 0;
}
";
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("long.c"), PROGRAM).expect("the source is written");
    let answer = heddle(folder.path(), &["explain", "long.c", "-pthread", "--format", "json"]);
    assert_eq!(answer.status, 1, "{}", answer.stderr);
    let found = answer.json();
    assert_eq!(found["alternate"]["outcome"], "passes");
    let events = found["projection"]["metrics"]["events"].as_u64().expect("a number");
    assert!(events < 40, "{events} events");
}

#[test]
fn an_explanation_is_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = repository().join("corpus/lost-update/lost-update.c");
    let answer = heddle(folder.path(), &["explain", source.to_str().expect("text"), "--format", "dot"]);
    assert_eq!(answer.status, 1, "{}", answer.stderr);
    assert!(answer.stdout.starts_with("digraph heddle {") && answer.stdout.ends_with("}\n"), "{}", answer.stdout);
    assert!(answer.stdout.contains("it does not fail"), "{}", answer.stdout);
}

#[test]
fn a_program_that_does_not_fail_is_not_explained() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = repository().join("corpus/lost-update/lost-update-fixed.c");
    let answer = heddle(folder.path(), &["explain", source.to_str().expect("text")]);
    assert_eq!(answer.status, 0, "{}", answer.stderr);
    assert!(answer.stdout.contains("does not fail"), "{}", answer.stdout);
}

#[test]
fn a_program_is_run_natively_when_that_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = repository().join("corpus/bank-total/bank-total.c");
    let options = ["--native", "-O1", "--runs", RUNS, "--format", "json", "--schedule", "failing.schedule"];
    let answer = heddle(folder.path(), &[&["explain", source.to_str().expect("text")], &options[..]].concat());
    assert_eq!(answer.status, 1, "{}", answer.stderr);
    let kept: Vec<String> = fs::read_dir(folder.path().join(".heddle/runs"))
        .expect("the folder of runs")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name != "modules")
        .collect();
    assert_eq!(kept, ["bank-total-0001.failed.run"]);
    assert!(answer.stderr.contains("kept as .heddle/runs/bank-total-0001.failed.run"), "{}", answer.stderr);
    let found = answer.json();
    assert_eq!(found["failure"]["condition"], "total == sum");
    assert_eq!(found["failing"]["found"], "recorded");
    let again = heddle(folder.path(), &["replay", "failing.schedule", "--times", "20"]);
    assert_eq!(again.status, 1, "{}", again.stderr);
}

#[test]
fn a_lock_of_one_thread_alone_is_no_obstacle() {
    const PROGRAM: &str = "\
#include <cassert>
#include <mutex>
#include <thread>
struct Counter {
    std::mutex mutex;
    int count = 0;
    int get() {
        std::lock_guard<std::mutex> guard(mutex);
        return count;
    }
    void put(int value) {
        std::lock_guard<std::mutex> guard(mutex);
        count = value;
    }
};
int main() {
    Counter shared;
    std::thread other([&shared] { shared.put(shared.get() + 1); });
    Counter own;
    own.put(shared.get());
    shared.put(own.get() + 1);
    other.join();
    assert(shared.get() == 2);
}
";
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("own.cpp"), PROGRAM).expect("the source is written");
    let answer = heddle(folder.path(), &["explain", "own.cpp", "-O1", "--native", "--runs", RUNS, "--format", "json"]);
    assert_eq!(answer.status, 1, "{}", answer.stderr);
    assert_eq!(answer.json()["alternate"]["outcome"], "passes");
}

#[test]
fn native_runs_that_do_not_fail_prove_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = repository().join("corpus/lost-update/lost-update-fixed.c");
    let answer = heddle(folder.path(), &["explain", source.to_str().expect("text"), "--native", "--runs", "3"]);
    assert_eq!((answer.status, answer.stdout.as_str()), (3, ""), "{}", answer.stderr);
    assert!(answer.stderr.contains("none of 3 native runs failed"), "{}", answer.stderr);
    assert!(!folder.path().join(".heddle/runs").exists());
    fs::write(folder.path().join("wrong.c"), "int main(void) { return nothing; }\n").expect("the source is written");
    let answer = heddle(folder.path(), &["explain", "wrong.c", "--native"]);
    assert_eq!(answer.status, 2, "{}", answer.stderr);
    assert!(answer.stderr.contains("wrong.c:1:") && answer.stderr.contains("does not build"), "{}", answer.stderr);
    let answer = heddle(folder.path(), &["explain", ".", "--native"]);
    assert_eq!(answer.status, 2, "{}", answer.stderr);
    assert!(answer.stderr.contains("is not a program"), "{}", answer.stderr);
}

#[test]
fn a_standard_holds_for_its_language_natively_too() {
    const LEDGER: &str = "int total;\nvoid add(int amount)\n{\n    int new = amount;\n    total += new;\n}\n";
    const MAIN: &str = "\
#include <cassert>
#include <optional>
#include <thread>
extern \"C\" int total;
extern \"C\" void add(int);
int main() {
    std::optional<int> amount = 3;
    std::thread other(add, *amount);
    other.join();
    assert(total == 2);
}
";
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("ledger.c"), LEDGER).expect("the source is written");
    fs::write(folder.path().join("main.cpp"), MAIN).expect("the source is written");
    for flags in [&["-std=c++17"][..], &["-std=c99", "-std=gnu++20"], &["-std=c11"]] {
        let fixed = ["explain", "main.cpp", "ledger.c", "--native", "--runs", "2", "--format", "json"];
        let answer = heddle(folder.path(), &[&fixed, flags].concat());
        assert_eq!(answer.status, 1, "{flags:?}\n{}", answer.stderr);
        assert!(answer.stderr.contains("native run 1 failed"), "{}", answer.stderr);
        assert_eq!(answer.json()["failure"]["condition"], "total == 2");
    }
    // Where all files are of the other language, it is a mistake.
    let answer = heddle(folder.path(), &["explain", "ledger.c", "--native", "-std=c++17"]);
    assert_eq!(answer.status, 2, "{}", answer.stderr);
    assert!(answer.stderr.contains("-std=c++17"), "{}", answer.stderr);
}

#[test]
fn what_native_runs_are_given_is_given_to_the_machine_too() {
    const PROGRAM: &str = "\
#include <cassert>
#include <cstdio>
#include <cstring>
#include <thread>
int main(int argc, char **argv) {
    int last = 0, length = 0;
    std::thread reader([&] {
        for (int byte; (byte = std::getchar()) != EOF; length++) last = byte;
    });
    reader.join();
    assert(argc < 2 || length < 3 || last != argv[1][0]);
}
";
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("last.cpp"), PROGRAM).expect("the source is written");
    let arguments = |argument| ["explain", "last.cpp", "--native", "--runs", "2", "--format", "json", "--", argument];
    let answer = heddle_with_input(folder.path(), &arguments("c"), b"abc");
    assert_eq!(answer.status, 1, "{}", answer.stderr);
    assert!(answer.stderr.contains("native run 1 failed"), "{}", answer.stderr);
    let answer = heddle_with_input(folder.path(), &arguments("d"), b"abc");
    assert_eq!(answer.status, 3, "{}", answer.stderr);
}

#[test]
fn a_record_keeps_stdin() {
    const PROGRAM: &str = "\
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static char line[16];
static void *reader(void *argument) { return fgets(line, sizeof line, stdin) ? argument : NULL; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
    pthread_join(thread, NULL);
    assert(strcmp(line, \"stop\") != 0);
    return 0;
}
";
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("line.c"), PROGRAM).expect("the source is written");
    fs::write(at("words"), "stop").expect("the input is written");
    let built = heddle(folder.path(), &["cc", "-g", "-pthread", "line.c", "-o", "line"]);
    assert_eq!(built.status, 0, "{}", built.stderr);
    for runs in ["1", "2"] {
        let words = fs::File::open(at("words")).expect("the input is there");
        let mut recorder = Command::new(command::binary());
        recorder.args(["record", "--runs", runs, "--", "./line"]).current_dir(folder.path()).stdin(words);
        let recorded = recorder.output();
        assert!(!recorded.expect("it runs").status.success());
        let answer = heddle(folder.path(), &["explain", ".heddle/runs"]);
        assert_eq!(answer.status, 1, "{}", answer.stderr);
        assert!(answer.stdout.contains("line.c:11"), "{}", answer.stdout);
        fs::remove_dir_all(at(".heddle/runs")).expect("runs are removed");
    }
}
