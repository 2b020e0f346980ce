//! `heddle explore`: failures near passing runs of a program, of recorded runs and of traces; its messages for folders
//! without usable runs; predicates, varied inputs, and runs of other machines.

mod command;

use std::fs;
use std::path::Path;

use command::{folder, heddle, repository};
use serde_json::Value;

/// A path of the corpus.
fn corpus(file: &str) -> String {
    repository().join("corpus").join(file).display().to_string()
}

fn json(folder: &Path, arguments: &[&str]) -> (i32, Value) {
    let said = heddle(folder, &[arguments, &["--format", "json"]].concat());
    (said.status, serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}: {}", said.stderr)))
}

/// Figure 2 of the paper: it fails only if two branches are flipped relative to most runs.
const FIGURE: &str = r"
#include <assert.h>
#include <pthread.h>
int x, y, w, z;
static void *one(void *a) {
    if (z > 0)
        w++;
    x = 1;
    y = 1;
    if (y == 0)
        x--;
    assert(x > 0);
    return a;
}
static void *two(void *a) {
    z = 1;
    if (w > 0)
        y = 0;
    return a;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
";

#[test]
fn a_program_is_explored_from_its_own_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("figure.c"), FIGURE).expect("a file");
    let (status, said) = json(folder.path(), &["explore", "figure.c", "-pthread"]);
    assert_eq!((status, &said["verdict"]), (1, &"failure".into()), "{said:#}");
    assert_eq!(said["failure"]["at"]["line"], 12, "{said:#}");
    let explore = &said["explore"];
    assert!(!explore["flips"].as_array().expect("a list").is_empty(), "{said:#}");
    assert_eq!(explore["minimal"], true, "{said:#}");
    assert!(explore["nearest_run"].is_string() && explore["tries"].as_u64() >= Some(2), "{said:#}");
    assert_eq!(said["alternate"]["outcome"], "passes", "{said:#}");
    let replay = heddle(folder.path(), &["replay", said["schedule"].as_str().expect("a schedule")]);
    assert_eq!(replay.status, 1, "{}", replay.stderr);
}

#[test]
fn one_recorded_run_is_enough() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("figure.c"), FIGURE).expect("a file");
    let built = heddle(folder.path(), &["cc", "-O1", "-pthread", "figure.c", "-o", "figure"]);
    assert_eq!(built.status, 0, "{}", built.stderr);
    let recorded = heddle(folder.path(), &["record", "--", "./figure"]);
    assert_eq!(recorded.status, 0, "{}", recorded.stderr);
    let (status, said) = json(folder.path(), &["explore", ".heddle"]);
    assert_eq!((status, &said["explore"]["runs"]), (1, &1.into()), "{said:#}");
    assert_eq!(said["failure"]["at"]["line"], 12, "{said:#}");
    // Without any flip there is no failure near the run.
    let (status, said) = json(folder.path(), &["explore", ".heddle/runs", "--flips", "0"]);
    assert_eq!((status, &said["verdict"]), (0, &"none-found".into()), "{said:#}");
}

#[test]
fn nothing_is_found_where_nothing_fails() {
    let folder = tempfile::tempdir().expect("a folder");
    let (status, said) = json(folder.path(), &["explore", &corpus("lost-update/lost-update-fixed.c")]);
    assert_eq!((status, &said["verdict"]), (0, &"none-found".into()), "{said:#}");
    assert_eq!(said["bounds"]["complete"], false, "a search near runs is no proof: {said:#}");
}

#[test]
fn runs_that_cannot_be_used_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("figure.c"), FIGURE).expect("a file");
    heddle(folder.path(), &["cc", "-pthread", "figure.c", "-o", "figure"]);
    heddle(folder.path(), &["record", "--runs", "2", "--", "./figure"]);
    fs::write(folder.path().join(".heddle/runs/figure-0009.passed.run"), "no run").expect("a file");
    fs::write(folder.path().join("figure.c"), FIGURE.replace("w++", "w += 2")).expect("a file");
    heddle(folder.path(), &["cc", "-pthread", "figure.c", "-o", "figure"]);
    heddle(folder.path(), &["record", "--", "./figure"]);
    let (status, said) = json(folder.path(), &["explore", ".heddle/runs"]);
    let skipped = said["explore"]["skipped"].to_string();
    assert_eq!((status, &said["explore"]["runs"]), (1, &2.into()), "{said:#}");
    assert!(skipped.contains("figure-0009") && skipped.contains("another version"), "{skipped}");
}

#[test]
fn folders_without_passing_runs_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("empty")).expect("a folder");
    let said = heddle(folder.path(), &["explore", "empty"]);
    assert_eq!(said.status, 2, "{}", said.stdout);
    assert!(said.stderr.contains("there are no runs in empty"), "{}", said.stderr);
    fs::create_dir(folder.path().join("damaged")).expect("a folder");
    fs::write(folder.path().join("damaged/one-0001.passed.run"), [0; 64]).expect("a file");
    let said = heddle(folder.path(), &["explore", "damaged"]);
    assert_eq!(said.status, 2, "{}", said.stdout);
    assert!(said.stderr.contains("there is no passing run in damaged"), "{}", said.stderr);
    let said = heddle(folder.path(), &["explore", "gone.run"]);
    assert_eq!(said.status, 2, "{}", said.stdout);
    assert!(said.stderr.contains("gone.run"), "{}", said.stderr);
}

/// It fails only with the argument 7, if the second thread comes between.
const ARGUMENT: &str = r"
#include <assert.h>
#include <pthread.h>
static int limit, used;
static void *work(void *a) {
    int seen = used;
    used = seen + 1;
    return a;
}
int main(int count, char **arguments) {
    pthread_t a, b;
    limit = count > 1 ? arguments[1][0] - '0' : 0;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(limit != 7 || used == 2);
    return 0;
}
";

fn recorded(folder: &Path, source: &str, runs: &[&[&str]]) {
    fs::write(folder.join("program.c"), source).expect("a file");
    heddle(folder, &["cc", "-O1", "-pthread", "program.c", "-o", "program"]).expect_status(0);
    for arguments in runs {
        heddle(folder, &[&["record", "--", "./program"], *arguments].concat()).expect_status(0);
    }
}

#[test]
fn inputs_vary_only_where_that_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    recorded(folder.path(), ARGUMENT, &[&["3"]]);
    let (status, said) = json(folder.path(), &["explore", ".heddle"]);
    assert_eq!((status, &said["verdict"]), (0, &"none-found".into()), "{said:#}");
    let (status, said) = json(folder.path(), &["explore", ".heddle", "--vary-input"]);
    assert_eq!((status, &said["failure"]["at"]["line"]), (1, &17.into()), "{said:#}");
    assert_eq!(said["explore"]["varied_input"], true, "{said:#}");
    assert!(said["failing"]["inputs"].to_string().contains('7'), "{said:#}");
    let replay = heddle(folder.path(), &["replay", said["schedule"].as_str().expect("a schedule")]);
    assert_eq!(replay.status, 1, "{}", replay.stderr);
    let said = heddle(folder.path(), &["explore", ".heddle", "--vary-input"]);
    assert!(said.stdout.contains("it fails with argument 1 = \"7\""), "{}", said.stdout);
}

#[test]
fn every_recorded_input_is_explored() {
    let folder = tempfile::tempdir().expect("a folder");
    recorded(folder.path(), ARGUMENT, &[&["3"], &["3"], &["7"]]);
    let (status, said) = json(folder.path(), &["explore", ".heddle/runs"]);
    assert_eq!((status, &said["explore"]["runs"]), (1, &3.into()), "{said:#}");
    assert!(said["failing"]["inputs"].to_string().contains('7'), "{said:#}");
}

#[test]
fn runs_of_other_machines_are_merged() {
    let here = tempfile::tempdir().expect("a folder");
    let there = tempfile::tempdir().expect("a folder");
    recorded(there.path(), FIGURE, &[&[], &[], &[]]);
    let there = there.path().join(".heddle").display().to_string();
    for _ in 0..2 {
        let (status, said) = json(here.path(), &["explore", "--import", &there]);
        assert_eq!((status, &said["explore"]["runs"]), (1, &3.into()), "{said:#}");
        assert_eq!(said["failure"]["at"]["line"], 12, "{said:#}");
    }
    let said = heddle(here.path(), &["explore", "--import", "gone"]).expect_status(2);
    assert!(said.stderr.contains("gone is not a folder"), "{}", said.stderr);
    fs::write(here.path().join(".heddle/paths.sqlite"), "no database").expect("a file");
    let said = heddle(here.path(), &["explore", ".heddle"]).expect_status(2);
    assert!(said.stderr.contains("paths.sqlite"), "{}", said.stderr);
    heddle(here.path(), &["clean"]).expect_status(0);
    assert!(!here.path().join(".heddle").exists(), "everything in it was heddle's");
}

/// Two visits may be counted as one, and the program has no assertion against it.
const SILENT: &str = r"#include <pthread.h>
static int visits;
static void *visit(void *a) {
    int seen = visits;

    visits = seen + 1;
    return a;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, visit, 0);
    pthread_create(&b, 0, visit, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (visits > 0)
        visits = visits - 1;
    return 0;
}
";

#[test]
fn predicates_are_targets_too() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("silent.c"), SILENT).expect("a file");
    let (status, said) = json(folder.path(), &["explore", "silent.c", "-pthread"]);
    assert_eq!((status, &said["verdict"]), (0, &"none-found".into()), "{said:#}");
    // The line is the body of an `if` without braces, which it stays.
    for predicate in ["silent.c:15: visits == 1", "silent.c:16: visits == 1"] {
        let (status, said) = json(folder.path(), &["explore", "silent.c", "-pthread", "--predicate", predicate]);
        assert_eq!(status, 1, "{said:#}");
        let line: u64 = predicate[9..11].parse().expect("a number");
        assert_eq!(said["failure"]["at"]["line"], line, "{said:#}");
        assert!(said["failure"]["condition"].to_string().contains("visits == 1"), "{said:#}");
        heddle(folder.path(), &["replay", said["schedule"].as_str().expect("a schedule")]).expect_status(1);
    }
    let (status, said) = json(
        folder.path(),
        &[
            "explore",
            "silent.c",
            "-pthread",
            "--predicate",
            "silent.c:17: visits > 1",
            "--predicate",
            "silent.c:4: visits > 1",
        ],
    );
    assert_eq!((status, &said["verdict"]), (0, &"none-found".into()), "{said:#}");
}

#[test]
fn predicates_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("silent.c"), SILENT).expect("a file");
    fs::create_dir(folder.path().join("runs")).expect("a folder");
    let cases = [
        ("silent.c", "silent.c:15: visit == 1 +", "expected expression"),
        ("silent.c", "silent.c:15: unknown == 1", "undeclared identifier 'unknown'"),
        ("silent.c", "silent.c:5: visits == 1", "silent.c:5: there is no code on this line"),
        ("silent.c", "silent.c:99: visits == 1", "silent.c:99: there is no code on this line"),
        ("silent.c", "other.c:3: visits == 1", "cannot read other.c"),
        ("silent.c", "visits == 1", "is not of the form FILE:LINE: CONDITION"),
        ("runs", "silent.c:15: visits == 1", "needs its sources"),
        ("runs silent.c", "silent.c:15: visits == 1", "there are no runs in runs"),
        ("runs runs silent.c", "silent.c:15: visits == 1", "recorded runs of one program"),
    ];
    for (program, predicate, message) in cases {
        let arguments: Vec<&str> =
            ["explore"].into_iter().chain(program.split(' ')).chain(["--predicate", predicate]).collect();
        let said = heddle(folder.path(), &arguments).expect_status(2);
        assert!(said.stderr.contains(message), "{predicate}: {}", said.stderr);
    }
}

#[test]
fn races_are_found_where_they_are_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let (status, said) =
        json(folder.path(), &["explore", &corpus("statistics-race/statistics-race.c"), "--property", "+race"]);
    assert_eq!((status, &said["failure"]["kind"]), (1, &"race".into()), "{said:#}");
    let fixed = corpus("statistics-race/statistics-race-fixed.c");
    let (status, said) = json(folder.path(), &["explore", &fixed, "--property", "+race"]);
    assert_eq!((status, &said["verdict"]), (0, &"none-found".into()), "{said:#}");
}

/// A program whose workers count up to a limit read from a file, and assert that no update is lost.
const COUNTS_AS_TOLD: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int limit, total;
static void *add(void *a)
{
    for (int i = 0; i < limit; i++) {
        int t = total;
        total = t + 1;
    }
    return a;
}
int main(void)
{
    char text[16] = {0};
    FILE *told = fopen("limit.txt", "r");
    if (!told || !fgets(text, sizeof text, told))
        return 0;
    fclose(told);
    if (fopen("more.txt", "r"))
        return 0;
    limit = atoi(text);
    pthread_t t, u;
    pthread_create(&t, 0, add, 0);
    pthread_create(&u, 0, add, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(total == 2 * limit);
    return 0;
}
"#;

#[test]
fn files_are_as_recorded() {
    let folder = folder(&[("count.c", COUNTS_AS_TOLD), ("limit.txt", "2\n")]);
    heddle(folder.path(), &["cc", "-g", "-pthread", "count.c", "-o", "count"]).expect_status(0);
    let record = |out: &str, option: &[&str]| {
        let arguments = [&["record", "--out", out][..], option, &["--", "./count"]].concat();
        heddle(folder.path(), &arguments).expect_status(0);
    };
    record("runs", &[]);
    record("bare", &["--no-files"]);
    // The world has changed since then.
    std::fs::remove_file(folder.path().join("limit.txt")).expect("it was there");
    std::fs::write(folder.path().join("more.txt"), "x").expect("a file can be written");
    let json = heddle(folder.path(), &["explore", "runs", "--format", "json", "--schedule", "found.schedule"])
        .expect_status(1)
        .json();
    assert_eq!((&json["failure"]["kind"], &json["failure"]["at"]["line"]), (&"assertion".into(), &30.into()), "{json}");
    let again = heddle(folder.path(), &["replay", "found.schedule"]).expect_status(1).stdout;
    assert!(again.contains("total == 2 * limit"), "{again}");
    heddle(folder.path(), &["explore", "bare"]).expect_status(0);
}

/// The recorder reads only regular files: a writer to a FIFO must not notice it.
#[test]
fn pipes_are_left_to_the_program() {
    let text = "#include <fcntl.h>\n#include <unistd.h>\nint main(void)\n{\n    char text[8];\n    \
                int file = open(\"pipe\", O_RDONLY);\n    return read(file, text, sizeof text) == 3 ? 0 : 1;\n}\n";
    let folder = folder(&[("a.c", text)]);
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    heddle(folder.path(), &["cc", "a.c", "-o", "a"]).expect_status(0);
    // It waits for a reader, and writes to the first one.
    let writer = std::thread::spawn(move || std::fs::write(pipe, "abc"));
    heddle(folder.path(), &["record", "--", "./a"]).expect_status(0);
    writer.join().expect("it ends").expect("it is read");
}

/// Three failures: two assertions, and a deadlock.
const THREE: &str = r"
#include <assert.h>
#include <pthread.h>
static int first, second;
static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *a) {
    first = 1;
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right);
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    return a;
}
static void *two(void *a) {
    int seen = first;
    pthread_mutex_lock(&right);
    pthread_mutex_lock(&left);
    second = seen;
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    assert(seen == 1);
    return a;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    assert(first == 1 && second == 1);
    pthread_join(b, 0);
    return 0;
}
";

#[test]
fn all_failures_are_listed_once() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("three.c"), THREE).expect("a file");
    let (status, said) = json(folder.path(), &["explore", "--all", "three.c", "-pthread"]);
    assert_eq!((status, &said["explore"]["all"]), (1, &true.into()), "{said:#}");
    let failures = said["failures"].as_array().expect("a list");
    let mut places: Vec<(&str, Option<u64>)> =
        failures.iter().map(|one| (one["kind"].as_str().expect("a kind"), one["at"]["line"].as_u64())).collect();
    places.sort_unstable();
    let assertions: Vec<_> = places.iter().filter(|(kind, _)| *kind == "assertion").collect();
    assert_eq!(assertions, [&("assertion", Some(21)), &("assertion", Some(29))], "{said:#}");
    assert_eq!(places.len(), 3, "{said:#}");
    assert_eq!(places.iter().filter(|(kind, _)| *kind == "deadlock").count(), 1, "{said:#}");
    // The first has the schedule of the report, each other one its own.
    for failure in failures.iter().skip(1) {
        let replayed = heddle(folder.path(), &["replay", failure["schedule"].as_str().expect("a schedule")]);
        assert_eq!(replayed.status, 1, "{}", replayed.stderr);
        assert!(replayed.stdout.contains(failure["condition"].as_str().expect("a condition")), "{}", replayed.stdout);
    }
    // Without it, one is enough.
    let (_, said) = json(folder.path(), &["explore", "three.c", "-pthread"]);
    assert!(said.get("failures").is_none_or(|list| list.as_array().is_some_and(Vec::is_empty)), "{said:#}");
}

/// Two threads record their progress, without an assertion.
const STAGES: &str = r#"#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stage, finished;
static void *advance(void *rounds) {
    for (long round = 0; round < (long)rounds; round++) {
        pthread_mutex_lock(&lock);
        int before = stage;
        pthread_mutex_unlock(&lock);
        if (before < 10)
            stage = before + 1;
    }
    finished++;
    return 0;
}
int main(int argc, char **argv) {
    pthread_t threads[2];
    long rounds = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, advance, (void *)rounds);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}
"#;

#[test]
fn predicates_hold_for_recorded_runs_too() {
    let folder = tempfile::tempdir().expect("a folder");
    recorded(folder.path(), STAGES, &[&["2"], &["2"]]);
    let explored = |predicate: &str| {
        let predicate = format!("program.c:{predicate}");
        json(folder.path(), &["explore", ".heddle/runs", "program.c", "-pthread", "--predicate", &predicate])
    };
    // An update is lost on the recorded paths: both rounds of both threads, in another order.
    let (status, said) = explored("23: stage == 3");
    assert_eq!((status, &said["failure"]["at"]["line"]), (1, &23.into()), "{said:#}");
    assert_eq!(said["explore"]["runs"], 2, "{said:#}");
    assert_eq!(said["explore"]["flips"], serde_json::json!([]), "{said:#}");
    let nearest = said["explore"]["nearest_run"].as_str().expect("a run");
    assert!(nearest.ends_with(".passed.run"), "{said:#}");
    heddle(folder.path(), &["replay", said["schedule"].as_str().expect("a schedule")]).expect_status(1);
    // It fails in the recorded order itself.
    let (status, said) = explored("23: finished == 2");
    assert_eq!((status, &said["failure"]["at"]["line"]), (1, &23.into()), "{said:#}");
    // It cannot fail near the runs: two rounds of two threads.
    let (status, said) = explored("23: stage > 4");
    assert_eq!((status, &said["verdict"]), (0, &"none-found".into()), "{said:#}");
    // A predicate that decides for itself, and calls a function.
    let (status, said) = explored("23: stage == 3 && abs(finished) == 2");
    assert_eq!((status, &said["failure"]["at"]["line"]), (1, &23.into()), "{said:#}");
}

#[test]
fn recorded_runs_of_other_sources_are_not_taken_over() {
    let folder = tempfile::tempdir().expect("a folder");
    recorded(folder.path(), STAGES, &[&["1"]]);
    let other = STAGES.replace("stage = before + 1;", "{ stage = before; stage++; }");
    fs::write(folder.path().join("other.c"), other).expect("a file");
    let arguments = ["explore", ".heddle/runs", "other.c", "-pthread", "--predicate", "other.c:23: stage == 2"];
    let (status, said) = json(folder.path(), &arguments);
    assert_eq!(status, 3, "{said:#}");
    assert!(said["explore"]["skipped"].to_string().contains("the named sources are not the recorded ones"), "{said:#}");
}
