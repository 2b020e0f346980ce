//! Runs of long loops, whose formulas are too large: failures near them are found by trial, and explained by replay.

mod command;

use command::{folder, heddle, other};

/// Two sellers count without the mutex, a thousand rounds each.
const SELLERS: &str = r"
#include <assert.h>
#include <pthread.h>
#define ROUNDS 1000
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stock = 2 * ROUNDS, sold;
static void *seller(void *argument) {
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        stock--;
        pthread_mutex_unlock(&lock);
        sold++;
    }
    return argument;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, seller, 0);
    pthread_create(&two, 0, seller, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(stock == 0);
    assert(sold == 2 * ROUNDS);
    return 0;
}
";

#[test]
fn a_long_run_is_explained_by_replay() {
    let folder = folder(&[("sellers.c", SELLERS)]);
    let said = heddle(folder.path(), &["explain", "sellers.c", "-pthread", "--format", "json"]).expect_status(1).json();
    assert_eq!(said.get("exhausted"), None, "{:#}", said["exhausted"]);
    assert_eq!(said["failure"]["condition"], "sold == 2 * ROUNDS");
    let alternate = &said["alternate"];
    assert_eq!((&alternate["method"], &alternate["outcome"]), (&"pair".into(), &"passes".into()));
    // No proof is claimed.
    let cause = &said["causes"][0];
    assert_eq!(cause["minimal"], false);
    let orders = cause["orders"].as_array().expect("a list");
    assert!(!orders.is_empty());
    for order in orders {
        assert_eq!((&order["before"]["at"]["line"], &order["after"]["at"]["line"]), (&12.into(), &12.into()));
    }
}

#[test]
fn a_failure_near_a_long_run_is_found() {
    let folder = folder(&[("sellers.c", SELLERS)]);
    heddle(folder.path(), &["cc", "-g", "sellers.c", "-o", "sellers", "-pthread"]).expect_status(0);
    // One thread after the other is done before the next begins, or nearly so: most runs pass.
    for _ in 0..20 {
        let ran = heddle(folder.path(), &["record", "--out", "runs", "--", "./sellers"]);
        if ran.status == 0 {
            break;
        }
    }
    let listed = other(folder.path(), "ls", &["runs"]).stdout;
    assert!(listed.contains(".passed.run"), "no run passed: {listed}");
    let said = heddle(folder.path(), &["explore", "runs", "--format", "json"]).expect_status(1).json();
    assert_eq!(said.get("exhausted"), None, "{:#}", said["exhausted"]);
    assert_eq!(said["failure"]["condition"], "sold == 2 * ROUNDS");
    assert_eq!((&said["explore"]["flips"], &said["explore"]["minimal"]), (&serde_json::json!([]), &true.into()));
    assert_eq!(said["alternate"]["outcome"], "passes");
}
