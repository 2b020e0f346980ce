//! `heddle explore`: failures near passing runs of a program, of recorded runs, and of traces; and what it says of folders that
//! hold nothing to explore from.

mod command;

use std::fs;
use std::path::Path;

use command::{heddle, repository};
use serde_json::Value;

/// A path of the corpus.
fn corpus(file: &str) -> String {
    repository().join("corpus").join(file).display().to_string()
}

fn json(folder: &Path, arguments: &[&str]) -> (i32, Value) {
    let said = heddle(folder, &[arguments, &["--format", "json"]].concat());
    (said.status, serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}: {}", said.stderr)))
}

/// The paper's Figure 2: it fails only if two branches go another way than in most runs.
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
