//! `heddle sync`: kinds and places of constructs, proofs, schedules of broken constructs and their replay, and the
//! answers for programs without home-made synchronisation.

mod command;

use std::path::Path;

use command::{folder, heddle, other};
use serde_json::{Value, json};

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

/// A queue lock of three threads with forty rounds each is too large as a whole.
#[test]
fn a_large_use_is_proven_for_few_rounds() {
    let source = "#include <pthread.h>
#include <sched.h>
static int next, serving;
static int c;
static void lock(void) {
    int own = __atomic_fetch_add(&next, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&serving, __ATOMIC_SEQ_CST) != own) sched_yield();
}
static void unlock(void) { __atomic_fetch_add(&serving, 1, __ATOMIC_SEQ_CST); }
static void *work(void *a) {
    for (int i = 0; i < 40; i++) { lock(); c = c * 3 + (a ? 1 : 2); unlock(); }
    return a;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, work, &c);
    pthread_create(&u, 0, work, 0);
    work(&next);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
";
    let folder = folder(&[("a.c", source)]);
    let (status, said) = sync(folder.path(), &["a.c", "--time", "40"]);
    let found = &said["syncs"][0];
    assert_eq!((status, &found["kind"]), (0, &"mutex".into()), "{said:#}");
    let proven = found["proven_for"].as_array().expect("a list");
    let rounds = |threads: u64| {
        let of = proven.iter().filter(|one| one["threads"].as_u64() >= Some(threads));
        of.filter_map(|one| one["rounds"].as_u64()).max()
    };
    assert!(rounds(2) >= Some(2) && rounds(3) >= Some(1), "{said:#}");
}

/// The counter says that an item is there before it is stored.
const CLAIMED_EARLY: &str = "#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int cells[8], filled;
static int taken;
static void put(int item) { cells[atomic_fetch_add(&filled, 1)] = item; }
static int get(void) {
    while (atomic_load(&filled) <= taken) sched_yield();
    return cells[taken++];
}
static void *feed(void *a) {
    put(1);
    put(2);
    return a;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, feed, 0);
    int sum = get() + get();
    pthread_join(t, 0);
    return sum != 3;
}
";

#[test]
fn items_are_there_before_they_are_taken() {
    let folder = folder(&[("a.c", CLAIMED_EARLY)]);
    let (status, said) = sync(folder.path(), &["a.c"]);
    let found = &said["syncs"][0];
    assert_eq!((status, &found["kind"]), (1, &"handshake".into()), "{said:#}");
    assert_eq!(found["broken"]["what"], "takes an item that is not there", "{said:#}");
}

/// Only the first of two steps is made. The threads look at each other's data before and after it.
#[test]
fn data_around_a_barrier_is_no_part_of_it() {
    let source = "#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int mark[3], at[3];
static void *work(void *a) {
    int me = (int)(long)a;
    for (int round = 1; round <= 2; round++) {
        atomic_store(&at[me], round);
        atomic_store(&mark[(me + 1) % 3], round);
        while (atomic_load(&mark[me]) < round)
            sched_yield();
        for (int i = 0; i < 3; i++) assert(atomic_load(&at[i]) >= round);
    }
    return 0;
}
int main(void) {
    pthread_t t[3];
    for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    return 0;
}
";
    let folder = folder(&[("a.c", source)]);
    let (status, said) = sync(folder.path(), &["a.c"]);
    let found = &said["syncs"][0];
    assert_eq!((status, &found["kind"]), (1, &"barrier".into()), "{said:#}");
    assert_eq!(found["broken"]["what"], "lets a thread through before the last one arrived", "{said:#}");
}

/// Runs in which the sanitizer reports a race, of three; nothing where it cannot be used.
fn sanitized(folder: &Path, source: &str) -> Option<usize> {
    let flags = ["-g", "-O1", "-w", "-pthread", "-fsanitize=thread", source, "-o", "sanitized"];
    if other(folder, "clang-22", &flags).status != 0 {
        return None;
    }
    // The sanitizer needs its addresses where they always are.
    let reports = (0..3).filter(|_| other(folder, "setarch", &["-R", "./sanitized"]).stderr.contains("data race"));
    Some(reports.count())
}

#[test]
#[allow(clippy::print_stderr)]
fn annotations_are_understood_by_the_sanitizer() {
    let folder = folder(&[("a.c", MACRO)]);
    let here = folder.path();
    let (status, said) = sync(here, &["a.c", "--annotate", "tsan"]);
    let annotation = &said["annotation"];
    assert_eq!((status, &annotation["tool"], &annotation["left_out"]), (0, &"ThreadSanitizer".into(), &json!([])));
    let patch = annotation["patch"].as_str().expect("a file");
    let Some(before) = sanitized(here, "a.c") else {
        eprintln!("skipped: clang-22 has no sanitizer of threads here");
        return;
    };
    other(here, "patch", &["-p1", "-s", "-i", patch]).expect_status(0);
    let text = std::fs::read_to_string(here.join("a.c")).expect("the patched file");
    let racy = text.replace("    b[me] = a[1 - me];", "    b[0] = a[1 - me];");
    assert_ne!(text, racy);
    std::fs::write(here.join("racy.c"), racy).expect("it is written");
    assert_eq!((before, sanitized(here, "a.c"), sanitized(here, "racy.c")), (3, Some(0), Some(3)));
}

#[test]
fn bad_input_is_said_plainly() {
    let folder = folder(&[("a.c", SENSE), ("alone.c", NO_THREADS)]);
    let said = heddle(folder.path(), &["sync", "alone.c"]).expect_status(0);
    assert!(said.stdout.contains("starts no threads"), "{}", said.stdout);
    let said = heddle(folder.path(), &["sync", "a.c", "--pair", "a.c:27", "a.c:9999"]).expect_status(2);
    assert!(said.stderr.contains("a.c:9999: there is no code on this line"), "{}", said.stderr);
    let said = heddle(folder.path(), &["sync", "a.c", "--pair", "a.c:27", "there"]).expect_status(2);
    assert!(said.stderr.contains("is not a line"), "{}", said.stderr);
    let said = heddle(folder.path(), &["sync", "a.c", "--threads", "1..9"]).expect_status(2);
    assert!(said.stderr.contains("is not a range of threads"), "{}", said.stderr);
    let said = heddle(folder.path(), &["sync", "a.c", "--annotate", "valgrind"]).expect_status(2);
    assert!(said.stderr.contains("invalid value 'valgrind'"), "{}", said.stderr);
    let (status, said) = sync(folder.path(), &["a.c", "--threads", "3..4"]);
    let unknown = said["syncs"][0]["unknown"].as_str().unwrap_or_default();
    assert!(status == 0 && unknown.contains("outside --threads 3..4"), "{said:#}");
}
