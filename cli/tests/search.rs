//! `heddle run` searches with a portfolio whose sequence of attempts depends on the seed alone. Here its length is
//! bounded by counted work, so that the tests do not depend on the machine.

mod command;

use std::fs;

use command::{folder, heddle};
use serde_json::Value;

/// More than any of these programs needs.
const WORK: &str = "40000000";

/// Customers wait for a parcel and do not check again when they are woken; a passer-by takes one without waiting.
/// Before that each writes into a book, so that a run has many more steps than the failure needs.
const STOLEN: &str = r#"
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t desk = PTHREAD_MUTEX_INITIALIZER, book = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static int parcels, written;
static void write_down(int lines)
{
    for (int line = 0; line < lines; line++) {
        pthread_mutex_lock(&book);
        written++;
        pthread_mutex_unlock(&book);
    }
}
static void *courier(void *argument)
{
    write_down(6);
    pthread_mutex_lock(&desk);
    parcels++;
    pthread_cond_signal(&arrived);
    pthread_mutex_unlock(&desk);
    write_down(6);
    return argument;
}
static void *customer(void *argument)
{
    pthread_mutex_lock(&desk);
    if (parcels == 0)
        pthread_cond_wait(&arrived, &desk);
    assert(parcels > 0);
    parcels--;
    pthread_cond_signal(&arrived);
    pthread_mutex_unlock(&desk);
    return argument;
}
static void *passer_by(void *argument)
{
    write_down(6);
    pthread_mutex_lock(&desk);
    if (parcels > 0) {
        parcels--;
        pthread_mutex_unlock(&desk);
        write_down(2);
        pthread_mutex_lock(&desk);
        parcels++;
        pthread_cond_signal(&arrived);
    }
    pthread_mutex_unlock(&desk);
    return argument;
}
int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], 0, customer, 0);
    pthread_create(&threads[1], 0, passer_by, 0);
    pthread_create(&threads[2], 0, courier, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
"#;

/// Drivers look for a free place, release the lock to pay, and take the place without checking again.
const TWO_SECTIONS: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER, till = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t leaves = PTHREAD_COND_INITIALIZER;
static int places = 2, coins;
static void pay(int amount)
{
    for (int coin = 0; coin < amount; coin++) {
        pthread_mutex_lock(&till);
        coins++;
        pthread_mutex_unlock(&till);
    }
}
static void *driver(void *number)
{
    pay(3);
    pthread_mutex_lock(&gate);
    while (places == 0)
        pthread_cond_wait(&leaves, &gate);
    pthread_mutex_unlock(&gate);
    pthread_mutex_lock(&gate);
    assert(places > 0);
    places--;
    pthread_mutex_unlock(&gate);
    pay(2);
    pthread_mutex_lock(&gate);
    places++;
    pthread_cond_signal(&leaves);
    pthread_mutex_unlock(&gate);
    return number;
}
int main(void)
{
    pthread_t drivers[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&drivers[i], 0, driver, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(drivers[i], 0);
    assert(coins == 20);
    return 0;
}
"#;

const RACY: &str = include_str!("../../corpus/lost-update/lost-update.c");
const FIXED: &str = include_str!("../../corpus/lost-update/lost-update-fixed.c");

/// The answer of a search with bounded work, without the parts that depend on the machine.
fn searched(source: &str, options: &[&str], status: i32) -> (Value, Option<String>) {
    let folder = folder(&[("a.c", source)]);
    let fixed = ["run", "a.c", "--format", "json", "--schedule", "s"];
    let mut json = heddle(folder.path(), &[&fixed, options].concat()).expect_status(status).json();
    json["stats"]["seconds"].take();
    (json, fs::read_to_string(folder.path().join("s")).ok())
}

fn line_of(source: &str, text: &str) -> u64 {
    1 + source.lines().position(|line| line.contains(text)).expect("it is there") as u64
}

#[test]
fn a_waiter_that_does_not_look_again_is_found() {
    let (json, _) = searched(STOLEN, &["--work", WORK], 1);
    assert_eq!(json["failure"]["at"]["line"], line_of(STOLEN, "assert(parcels > 0)"));
}

#[test]
fn a_check_and_an_act_in_two_sections_are_found() {
    let (json, _) = searched(TWO_SECTIONS, &["--work", WORK], 1);
    assert_eq!(json["failure"]["at"]["line"], line_of(TWO_SECTIONS, "assert(places > 0)"));
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_jobs() {
    for source in [STOLEN, TWO_SECTIONS] {
        let first = searched(source, &["--work", WORK, "--jobs", "1"], 1);
        assert_eq!(first, searched(source, &["--work", WORK, "--jobs", "3"], 1));
    }
}

#[test]
fn less_work_is_a_prefix_of_more() {
    let (whole, schedule) = searched(STOLEN, &["--work", WORK], 1);
    let mut last_seed = 0;
    for work in ["1", "20000", "200000", "2000000", "20000000"] {
        let folder = folder(&[("a.c", STOLEN)]);
        let arguments = ["run", "a.c", "--format", "json", "--schedule", "s", "--work", work];
        let answer = heddle(folder.path(), &arguments);
        let json = answer.json();
        match answer.status {
            0 => {
                assert_eq!((&json["exhausted"]["what"], &json["bounds"]["complete"]), (&"work".into(), &false.into()));
            }
            1 => {
                assert_eq!(json["failing"]["events"], whole["failing"]["events"]);
                assert_eq!(fs::read_to_string(folder.path().join("s")).ok(), schedule);
            }
            other => panic!("exit status {other}: {}", answer.stderr),
        }
        let seed = json["bounds"]["seeds"][1].as_u64().unwrap_or(0);
        assert!(seed >= last_seed, "{work}: {seed} after {last_seed}");
        last_seed = seed;
    }
}

#[test]
fn a_program_is_proven_where_exploration_ends() {
    let (json, _) = searched(FIXED, &[], 0);
    assert_eq!((&json["verdict"], &json["bounds"]["complete"]), (&"none-found".into(), &true.into()));
    assert_eq!(json["bounds"]["strategy"], "portfolio");
    assert!(json["bounds"]["explored"].as_u64() > Some(0) && json.get("exhausted").is_none(), "{json}");
    let folder = folder(&[("a.c", FIXED)]);
    let said = heddle(folder.path(), &["run", "a.c"]).expect_status(0).stdout;
    assert!(said.starts_with("a.c does not fail\n"), "{said}");
    assert!(
        said.contains("seeds 1 to 20")
            && said.contains("all schedules (")
            && said.contains("after removing equivalent ones"),
        "{said}"
    );
    // A number of runs excludes exploration.
    let (json, _) = searched(FIXED, &["--runs", "30"], 0);
    let bounds = &json["bounds"];
    assert_eq!(
        (&bounds["executions"], &bounds["complete"], &bounds["seeds"][1]),
        (&31.into(), &false.into(), &30.into())
    );
}

#[test]
fn a_seed_names_a_run_whatever_was_tried_before() {
    let (json, schedule) = searched(RACY, &["--runs", "300", "--seed", "4"], 1);
    let seed = json["failing"]["seed"].to_string();
    assert_eq!(searched(RACY, &["--runs", "1", "--seed", &seed], 1).1, schedule);
}

#[test]
fn every_different_failure_is_listed_with_its_schedule() {
    let source = RACY
        .replace("static int visitors;", "static int visitors, coins;")
        .replace("    visitors++;\n", "    visitors++;\n    coins++;\n")
        .replace("    assert(visitors == 2);\n", "    assert(coins == 2);\n    assert(visitors == 2);\n");
    let folder = folder(&[("a.c", source.as_str())]);
    let arguments = ["run", "a.c", "--all", "--work", WORK, "--format", "json"];
    let json = heddle(folder.path(), &arguments).expect_status(1).json();
    let failures = json["failures"].as_array().expect("a list");
    assert_eq!(failures.len(), 2, "{failures:?}");
    for failure in &failures[1..] {
        let schedule = failure["schedule"].as_str().expect("a schedule");
        heddle(folder.path(), &["replay", schedule, "-q"]).expect_status(1);
    }
}

/// Races depend on the path to a state, which hashed states do not include.
#[test]
fn remembered_states_prove_nothing_about_races() {
    let source = "#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic int shared;\n\
        static void *add(void *p) {\n    pthread_mutex_lock(&m);\n    shared++;\n    pthread_mutex_unlock(&m);\n    return p;\n}\n\
        int main(void) {\n    pthread_t other;\n    pthread_create(&other, 0, add, 0);\n    add(0);\n    \
        return pthread_join(other, 0);\n}\n";
    let folder = folder(&[("a.c", source)]);
    let exhaustive = ["run", "a.c", "--strategy", "exhaustive", "--format", "json"];
    let complete = |more: &[&str]| {
        let answer = heddle(folder.path(), &[&exhaustive, more].concat()).expect_status(0);
        answer.json()["bounds"]["complete"].clone()
    };
    assert_eq!(complete(&["--hashing"]), true);
    assert_eq!(complete(&["--property", "+race"]), true);
    assert_eq!(complete(&["--property", "+race", "--hashing"]), false);
}
