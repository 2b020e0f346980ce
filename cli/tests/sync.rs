//! `heddle sync`: kinds and places of constructs, proofs, schedules of broken constructs and their replay, and the
//! answers for programs without home-made synchronisation.

mod command;

use std::path::Path;

use command::{folder, heddle};
use serde_json::Value;

const SENSE: &str = include_str!("../../corpus/sense-barrier/sense-barrier-fixed.c");
const SENSE_BROKEN: &str = include_str!("../../corpus/sense-barrier/sense-barrier.c");
const PETERSON: &str = include_str!("../../corpus/peterson/peterson-fixed.c");
const DEKKER_BROKEN: &str = include_str!("../../corpus/dekker/dekker.c");
const PLAIN_MUTEX: &str = include_str!("../../corpus/lost-update/lost-update-fixed.c");
const MONITOR: &str = include_str!("../../corpus/monitor-barrier/monitor-barrier-fixed.c");
const NO_THREADS: &str = include_str!("../../corpus/aggregates/aggregates.c");

/// The barrier of the BarrierFinder paper, figure 2: a macro over a compare-exchange in assembly, written out three times.
const MACRO: &str = r#"#include <pthread.h>
static volatile int gsense = 1, gcount = 0;
static int P = 2, a[2], b[2];
static inline int cmpxchg(volatile int *p, int old, int new_) {
    int prev;
    __asm__ __volatile__("lock; cmpxchgl %1,%2" : "=a"(prev) : "q"(new_), "m"(*p), "0"(old) : "memory");
    return prev;
}
#define BARRIER() { int lsense = gsense; \
    while (1) { int oldcount = gcount, newcount = oldcount + lsense; \
        int updated = cmpxchg(&gcount, oldcount, newcount); \
        if (updated == oldcount) { \
            if ((newcount == P && lsense == 1) || (newcount == 0 && lsense == -1)) gsense = -lsense; \
            break; } } \
    while (gsense == lsense) ; }
static void *slave(void *arg) {
    long me = (long)arg;
    a[me] = me;
    BARRIER()
    b[me] = a[1 - me];
    BARRIER()
    for (int i = 0; i < 2; i++) {
        a[me] = b[1 - me];
        BARRIER()
    }
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, slave, (void *)1);
    slave(0);
    pthread_join(t, 0);
    return 0;
}
"#;

fn sync(folder: &Path, arguments: &[&str]) -> (i32, Value) {
    let said = heddle(folder, &[&["sync"], arguments, &["--format", "json"]].concat());
    (said.status, said.json())
}

#[test]
fn a_barrier_is_proven() {
    for (source, first, last) in [(SENSE, 18, 32), (MONITOR, 12, 24)] {
        let folder = folder(&[("a.c", source)]);
        let (status, said) = sync(folder.path(), &["a.c"]);
        let found = &said["syncs"][0];
        assert_eq!((status, &found["kind"]), (0, &"barrier".into()), "{said:#}");
        assert_eq!(found["proven_for"][0]["threads"], 2, "{said:#}");
        assert_eq!((&found["region"]["line"], &found["region"]["end_line"]), (&first.into(), &last.into()), "{said:#}");
    }
}

#[test]
fn a_broken_barrier_comes_with_a_schedule() {
    let folder = folder(&[("a.c", SENSE_BROKEN)]);
    let (status, said) = sync(folder.path(), &["a.c"]);
    let broken = &said["syncs"][0]["broken"];
    assert_eq!((status, &said["verdict"], &broken["threads"]), (1, &"failure".into(), &2.into()), "{said:#}");
    assert_eq!(broken["replayed"], true, "{said:#}");
    let schedule = broken["schedule"].as_str().expect("a file");
    heddle(folder.path(), &["replay", schedule]).expect_status(1);
}

#[test]
fn what_breaks_without_a_failure_is_replayed_too() {
    let folder = folder(&[("a.c", DEKKER_BROKEN)]);
    let (status, said) = sync(folder.path(), &["a.c"]);
    let broken = &said["syncs"][0]["broken"];
    assert_eq!((status, &said["syncs"][0]["kind"]), (1, &"mutex".into()), "{said:#}");
    assert_eq!(broken["what"], "lets two threads in at the same time", "{said:#}");
    let again = heddle(folder.path(), &["replay", broken["schedule"].as_str().expect("a file")]).expect_status(1);
    assert!(again.stdout.contains("lets two threads in at the same time"), "{}", again.stdout);
}

#[test]
fn a_macro_is_told_at_each_place() {
    let folder = folder(&[("a.c", MACRO)]);
    let (status, said) = sync(folder.path(), &["a.c"]);
    let syncs = said["syncs"].as_array().expect("a list");
    let lines: Vec<i64> = syncs.iter().filter_map(|sync| sync["region"]["line"].as_i64()).collect();
    assert_eq!((status, lines), (0, vec![19, 21, 24]), "{said:#}");
    for sync in syncs {
        assert_eq!((&sync["kind"], &sync["proven_for"][0]["rounds"]), (&"barrier".into(), &4.into()), "{said:#}");
    }
}

#[test]
fn a_lock_has_its_parts() {
    let folder = folder(&[("a.c", PETERSON)]);
    let (status, said) = sync(folder.path(), &["a.c"]);
    let found = &said["syncs"][0];
    let roles: Vec<&str> =
        found["roles"].as_array().into_iter().flatten().filter_map(|role| role["role"].as_str()).collect();
    assert_eq!((status, roles), (0, vec!["lock", "unlock"]), "{said:#}");
    assert!(found["proven_for"][0]["threads"] == 2, "{said:#}");
}

/// A waiting loop with exponential back-off is still a waiting loop, and it is no hang.
#[test]
fn back_off_is_no_part_of_a_lock() {
    let source = "#include <pthread.h>
static volatile int l;
static int c;
static void lock(void) {
    int delay = 1;
    while (__sync_lock_test_and_set(&l, 1)) {
        for (int i = 0; i < delay; i++) __builtin_ia32_pause();
        if (delay < 64) delay *= 2;
    }
}
static void unlock(void) { __sync_lock_release(&l); }
static void *work(void *a) { lock(); c++; unlock(); return a; }
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, work, 0);
    pthread_create(&u, 0, work, 0);
    work(0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return c != 3;
}
";
    let folder = folder(&[("a.c", source)]);
    let (status, said) = sync(folder.path(), &["a.c"]);
    let found = &said["syncs"][0];
    assert_eq!(
        (status, &found["kind"], &found["proven_for"][0]["threads"]),
        (0, &"mutex".into(), &3.into()),
        "{said:#}"
    );
    assert_eq!(found["fifo"], false, "{said:#}");
}

#[test]
fn a_mutex_of_the_library_is_not_home_made() {
    let folder = folder(&[("a.c", PLAIN_MUTEX)]);
    let (status, said) = sync(folder.path(), &["a.c"]);
    assert_eq!((status, said["syncs"].as_array().map(Vec::len)), (0, Some(0)), "{said:#}");
}

#[test]
fn a_pair_picks_its_construct() {
    let folder = folder(&[("a.c", SENSE)]);
    let (status, said) = sync(folder.path(), &["--pair", "a.c:27", "a.c:29", "a.c"]);
    assert_eq!((status, &said["syncs"][0]["kind"]), (0, &"barrier".into()), "{said:#}");
    let (_, said) = sync(folder.path(), &["--pair", "a.c:27", "a.c:41", "a.c"]);
    assert_eq!(said["syncs"].as_array().map(Vec::len), Some(0), "{said:#}");
}

#[test]
fn bad_input_is_said_plainly() {
    let folder = folder(&[("a.c", SENSE), ("alone.c", NO_THREADS)]);
    let said = heddle(folder.path(), &["sync", "alone.c"]).expect_status(0);
    assert!(said.stdout.contains("starts no threads"), "{}", said.stdout);
    let said = heddle(folder.path(), &["sync", "a.c", "--pair", "a.c:27", "a.c:9999"]).expect_status(2);
    assert!(said.stderr.contains("a.c:9999: no code stands on this line"), "{}", said.stderr);
    let said = heddle(folder.path(), &["sync", "a.c", "--pair", "a.c:27", "there"]).expect_status(2);
    assert!(said.stderr.contains("is no line"), "{}", said.stderr);
    let said = heddle(folder.path(), &["sync", "a.c", "--threads", "1..9"]).expect_status(2);
    assert!(said.stderr.contains("is no range of threads"), "{}", said.stderr);
    let (status, said) = sync(folder.path(), &["a.c", "--threads", "3..4"]);
    let unknown = said["syncs"][0]["unknown"].as_str().unwrap_or_default();
    assert!(status == 0 && unknown.contains("beyond --threads 3..4"), "{said:#}");
}
