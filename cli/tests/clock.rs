//! Programs that read the clock: exploration and bounded checking agree on the verdict, and the clock never goes
//! backwards in a run.

mod command;

use command::{folder, heddle};

const HEADER: &str = "#include <assert.h>\n#include <errno.h>\n#include <pthread.h>\n#include <semaphore.h>\n\
    #include <stdatomic.h>\n#include <sys/time.h>\n#include <time.h>\n#include <unistd.h>\n\
    static long now(void) {\n    struct timespec t;\n    clock_gettime(CLOCK_MONOTONIC, &t);\n    \
    return t.tv_sec * 1000000000L + t.tv_nsec;\n}\n";

/// Exploration and checking give this verdict; random runs agree if there is no failure.
fn judge(name: &str, source: &str, fails: bool) {
    let folder = folder(&[("a.c", source)]);
    for command in [&["run", "a.c", "--strategy", "exhaustive"][..], &["check", "a.c"]] {
        let arguments = [command, &["--format", "json"]].concat();
        let json = heddle(folder.path(), &arguments).expect_status(i32::from(fails)).json();
        let verdict = if fails { "failure" } else { "none-found" };
        assert_eq!(json["verdict"], verdict, "{name}: {command:?}");
        assert!(fails || json["bounds"]["complete"] == true, "{name}: {command:?}: {}", json["bounds"]);
    }
    if !fails {
        heddle(folder.path(), &["run", "a.c", "--runs", "60"]).expect_status(0);
    }
}

/// A program with one more thread, which `main` names `other` and joins before the last text.
fn with_worker(globals: &str, work: &str, main: &str, after: &str) -> String {
    format!(
        "{HEADER}{globals}\nstatic void *work(void *unused) {{\n    {work}\n    return unused;\n}}\n\
         int main(void) {{\n    pthread_t other;\n    {main}\n    pthread_join(other, 0);\n    {after}\n    return 0;\n}}\n"
    )
}

const START: &str = "pthread_create(&other, 0, work, 0);";

#[test]
fn sleeps_of_every_kind_take_their_time() {
    let until = "struct timespec t;\n    clock_gettime(CLOCK_REALTIME, &t);\n    t.tv_sec += 4;\n    ";
    let waits = "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n\
        static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\nstatic pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER;\n\
        static sem_t s;\n";
    for (name, nap) in [
        ("sleep", "sleep(4);"),
        ("usleep", "usleep(4000000);"),
        ("nanosleep", "struct timespec t = {3, 1000000000 - 1};\n    nanosleep(&t, 0);\n    usleep(1);"),
        ("clock_nanosleep", "clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, 0);"),
        (
            "cond_timedwait",
            "pthread_mutex_lock(&m);\n    pthread_cond_timedwait(&c, &m, &t);\n    pthread_mutex_unlock(&m);",
        ),
        ("sem_timedwait", "sem_init(&s, 0, 0);\n    sem_timedwait(&s, &t);"),
        ("mutex_timedlock", "pthread_mutex_lock(&n);\n    pthread_mutex_timedlock(&n, &t);"),
        ("rwlock_timedwrlock", "pthread_rwlock_rdlock(&r);\n    pthread_rwlock_timedwrlock(&r, &t);"),
    ] {
        let before = if nap.contains("&t") && !nap.contains("nanosleep(&t, 0)") { until } else { "" };
        for (wanted, fails) in [(">=", false), ("<", true)] {
            let main = format!(
                "{HEADER}{waits}int main(void) {{\n    long begin = now();\n    {before}{nap}\n    \
                 assert(now() - begin {wanted} 4000000000L);\n    return 0;\n}}\n"
            );
            judge(name, &main, fails);
        }
    }
}

#[test]
fn time_goes_on_across_joins_locks_and_flags() {
    let stamps = "static long stamp;\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic atomic_int ready;";
    let joined = with_worker(stamps, "sleep(3);\n    stamp = now();", START, "assert(now() > stamp);");
    judge("join", &joined, false);
    let section = "pthread_mutex_lock(&m);\n    now();\n    assert(now() > stamp);\n    stamp = now();\n    pthread_mutex_unlock(&m);";
    judge("mutex", &with_worker(stamps, section, &format!("{START}\n    {section}"), ""), false);
    let flagged = with_worker(
        stamps,
        "usleep(70);\n    stamp = now();\n    ready = 1;",
        &format!("{START}\n    if (ready) assert(now() > stamp);"),
        "",
    );
    judge("flag", &flagged, false);
    // A thread that has not waited for the other may read the clock before it.
    let unordered =
        with_worker(stamps, "stamp = now();", &format!("{START}\n    long own = now();"), "assert(own > stamp);");
    judge("no order", &unordered, true);
    // A reading before the sleep is earlier by its whole duration.
    let measured = with_worker(
        stamps,
        "sleep(2);",
        &format!("stamp = now();\n    {START}"),
        "assert(now() - stamp >= 2000000000L);",
    );
    judge("measured", &measured, false);
}

#[test]
fn sleeps_may_overlap_and_may_not() {
    let twice = |wanted: &str| {
        with_worker(
            "",
            "sleep(5);",
            &format!("long begin = now();\n    {START}\n    sleep(5);"),
            &format!("long took = (now() - begin) / 1000000000;\n    assert({wanted});"),
        )
    };
    judge("either", &twice("took == 5 || took == 10"), false);
    judge("always at once", &twice("took == 5"), true);
    judge("never at once", &twice("took == 10"), true);
}

#[test]
fn a_wait_that_timed_out_is_over_and_one_that_was_woken_may_be_early() {
    let globals = "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
        static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\nstatic int ready;";
    let work = "pthread_mutex_lock(&m);\n    ready = 1;\n    pthread_cond_signal(&c);\n    pthread_mutex_unlock(&m);";
    let program = |judgement: &str| {
        let main = format!(
            "{START}\n    struct timespec t;\n    clock_gettime(CLOCK_MONOTONIC, &t);\n    t.tv_sec += 6;\n    int error = 0;\n    \
             pthread_mutex_lock(&m);\n    while (!ready && error == 0) error = pthread_cond_timedwait(&c, &m, &t);\n    \
             pthread_mutex_unlock(&m);\n    long end = t.tv_sec * 1000000000L + t.tv_nsec;\n    {judgement}"
        );
        with_worker(globals, work, &main, "")
    };
    judge("timed out", &program("assert(error != ETIMEDOUT || now() >= end);"), false);
    judge("woken", &program("assert(error != 0 || now() < end);"), false);
    judge("may time out", &program("assert(error == 0);"), true);
    judge("may be woken", &program("assert(error != 0);"), true);
}

#[test]
fn a_loop_that_polls_with_sleeps_takes_time() {
    let polled = |wanted: &str| {
        with_worker(
            "static atomic_int ready;",
            "ready = 1;",
            &format!(
                "time_t begin = time(0);\n    {START}\n    while (!ready) sleep(3);\n    assert(time(0) - begin {wanted});"
            ),
            "",
        )
    };
    judge("may sleep", &polled("< 3"), true);
    judge("need not sleep", &polled(">= 3"), true);
}

#[test]
fn a_deadline_that_others_may_miss_is_found_by_the_library_too() {
    let source = "#include <cassert>\n#include <chrono>\n#include <condition_variable>\n#include <mutex>\n#include <thread>\n\
        std::mutex m;\nstd::condition_variable filled;\nint items;\n\
        int main() {\n    bool got = true;\n    std::thread taker([&] {\n        std::unique_lock<std::mutex> lock(m);\n        \
        got = filled.wait_for(lock, std::chrono::milliseconds(20), [] { return items > 0; });\n    });\n    \
        {\n        std::lock_guard<std::mutex> lock(m);\n        items = 3;\n    }\n    filled.notify_all();\n    \
        taker.join();\n    assert(got);\n}\n";
    let folder = folder(&[("a.cpp", source)]);
    for command in [&["run", "a.cpp", "--strategy", "exhaustive"][..], &["check", "a.cpp"]] {
        let answer = heddle(folder.path(), command).expect_status(1);
        assert!(answer.stdout.contains("`got` can fail at a.cpp:21"), "{}", answer.stdout);
    }
}

#[test]
fn a_loop_that_polls_and_sleeps_hangs_if_no_thread_ends_it() {
    let globals = "static atomic_int flag;\nstatic atomic_long stamp;";
    for nap in
        ["usleep(1000);", "sched_yield();", "nanosleep(&(struct timespec){0, 1000}, 0);", "sched_yield(); sleep(1);"]
    {
        let program = |work: &str, before: &str| {
            let main = format!("{before}{START}\n    while (!flag) {{ {nap} }}");
            with_worker(globals, work, &main, "").replace("#include <time.h>", "#include <sched.h>\n#include <time.h>")
        };
        let measures = "stamp = now();";
        judge(nap, &program(measures, ""), true);
        judge(nap, &program(&format!("{measures}\n    usleep(30);\n    if (stamp == 0) flag = 1;"), measures), true);
        // The loop ends after the flag is set; the number of its iterations is unbounded.
        let folder = folder(&[("a.c", &program(&format!("usleep(30);\n    {measures}\n    flag = 1;"), measures))]);
        for command in [&["run", "a.c", "--strategy", "exhaustive"][..], &["check", "a.c", "--unroll", "4"]] {
            heddle(folder.path(), command).expect_status(0);
        }
    }
}
