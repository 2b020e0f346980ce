//! The limits of verdicts, equal for `run`, its exhaustive strategy, `check` and `explain`: the requested kinds, the
//! failures that ended runs instead, the assumptions, the restriction to sequential consistency, and refusals.

mod command;

use command::{Answer, folder, heddle};
use serde_json::Value;

/// Each command that searches for failures.
const WAYS: &[&[&str]] =
    &[&["run", "--work", "2000000"], &["run", "--strategy", "exhaustive"], &["check"], &["explain"]];

/// The commands that can prove their absence.
const PROOFS: &[&[&str]] = &[&["run", "--strategy", "exhaustive"], &["check"]];

fn ask(source: &str, way: &[&str], options: &[&str]) -> Answer {
    ask_file("site.c", source, way, options)
}

fn ask_file(name: &str, source: &str, way: &[&str], options: &[&str]) -> Answer {
    let folder = folder(&[(name, source)]);
    heddle(folder.path(), &[way, &[name], options].concat())
}

fn json(source: &str, way: &[&str], options: &[&str], status: i32) -> Value {
    ask(source, way, &[&["--format", "json"], options].concat()).expect_status(status).json()
}

/// The first line.
fn headline(answer: &Answer) -> &str {
    answer.stdout.lines().next().unwrap_or_default()
}

/// The place and kind of the failure.
fn failure(json: &Value) -> (&str, u64) {
    let failure = &json["failure"];
    (failure["kind"].as_str().unwrap_or("none"), failure["at"]["line"].as_u64().unwrap_or(0))
}

fn texts<'a>(list: &'a Value, field: &str) -> Vec<&'a str> {
    list.as_array().into_iter().flatten().filter_map(|entry| entry[field].as_str()).collect()
}

const CRANE: &str = "\
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int loaded;
static void *crane(void *load)
{
    pthread_mutex_lock(&gate);
    loaded++;
    pthread_mutex_unlock(&gate);
    return load;
}
static void report(int code)
{
    if (code > 6)
        exit(code);
}
int main(int argc, char **argv)
{
    (void)argv;
    pthread_t one;
    pthread_create(&one, 0, crane, 0);
    pthread_join(one, 0);
    if (argc > 3)
        return 2;
    if (argc > 1)
        report(argc + 5);
    return loaded == 1 ? STATUS : 9;
}
";

fn crane(status: &str) -> String {
    CRANE.replace("STATUS", status)
}

#[test]
fn a_status_is_a_failure_where_the_user_decided_it() {
    for way in WAYS {
        let found = json(&crane("0"), way, &["--", "a", "b", "c"], 1);
        assert_eq!(failure(&found), ("exit", 24), "{way:?}");
        let found = json(&crane("0"), way, &["--", "a"], 1);
        assert_eq!((failure(&found), &found["failure"]["condition"]), (("exit", 15), &"exit status 7".into()));
        let found = json(&crane("5"), way, &[], 1);
        assert_eq!(failure(&found), ("exit", 27), "{way:?}");
        json(&crane("0"), way, &[], 0);
        let answer = ask(&crane("5"), way, &[]).expect_status(1);
        assert_eq!(headline(&answer), "error[exit]: the program ends with status 5 at site.c:27");
    }
}

#[test]
fn a_status_that_was_not_asked_for_is_named() {
    for way in &WAYS[..2] {
        let passes = json(&crane("5"), way, &["--property", "no-exit"], 0);
        assert_eq!(texts(&passes["unasked"], "condition"), ["exit status 5"], "{way:?}");
        let said = ask(&crane("5"), way, &["--property", "assertion,memory"]).expect_status(0).stdout;
        assert!(said.contains("exit status 5, a kind that was not requested"), "{said}");
    }
    // The program ran to its end, so the verdict is complete.
    let passes = json(&crane("5"), PROOFS[0], &["--property", "no-exit"], 0);
    assert_eq!(passes["bounds"]["complete"], true);
    json(&crane("5"), &["check"], &["--property", "no-exit"], 0);
}

/// Two threads, one of which fails at once; the other fails later.
const PIPES: &str = "\
#include <assert.h>
#include <pthread.h>
static int *volatile valve;
static void *burst(void *pipe)
{
    *valve = 1;
    return pipe;
}
static void *drain(void *pipe)
{
    assert(pipe);
    return pipe;
}
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, burst, 0);
    pthread_create(&two, 0, drain, DRAINED);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
";

#[test]
fn names_are_exactly_these_and_signs_change_the_default() {
    let fails = PIPES.replace("DRAINED", "0");
    for way in WAYS {
        assert_eq!(failure(&json(&fails, way, &["--property", "assertion"], 1)), ("assertion", 11), "{way:?}");
        assert_eq!(failure(&json(&fails, way, &["--property", "memory"], 1)), ("memory", 6), "{way:?}");
        assert_eq!(failure(&json(&fails, way, &["--property", "no-memory"], 1)), ("assertion", 11), "{way:?}");
    }
    let races = "#include <pthread.h>\nstatic int n;\nstatic void *bump(void *a)\n{\n    n++;\n    return a;\n}\n\
                 int main(void)\n{\n    pthread_t t;\n    pthread_create(&t, 0, bump, 0);\n    n++;\n    \
                 pthread_join(t, 0);\n    return 0;\n}\n";
    for way in WAYS {
        json(races, way, &[], 0);
        for asked in ["race", "+race", "all", "+race,no-exit", "deadlock,+race"] {
            assert_eq!(failure(&json(races, way, &["--property", asked], 1)).0, "race", "{way:?} {asked}");
        }
        json(races, way, &["--property", "all,no-race"], 0);
        let refused = ask(races, way, &["--property", "race,no-race"]).expect_status(2);
        assert!(refused.stderr.contains("leaves no kind of failure"), "{}", refused.stderr);
    }
}

#[test]
fn a_failure_that_was_not_asked_for_does_not_hide() {
    let passes = PIPES.replace("DRAINED", "&one");
    for way in WAYS {
        let found = json(&passes, way, &["--property", "assertion"], 0);
        assert_eq!(found["bounds"]["complete"], false, "{way:?}");
        let unasked = &found["unasked"][0];
        assert_eq!((&unasked["kind"], &unasked["at"]["line"]), (&"memory".into(), &6.into()), "{way:?}");
        let answer = ask(&passes, way, &["--property", "assertion"]).expect_status(0);
        assert_eq!(headline(&answer), "no failure of the requested kinds found in site.c", "{way:?}");
        assert!(answer.stdout.contains("at site.c:6,"), "{}", answer.stdout);
    }
}

#[test]
fn threads_that_are_stuck_and_were_not_asked_for_are_named() {
    let stuck = "#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
                 static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\nstatic void *ring(void *a)\n{\n    \
                 pthread_cond_signal(&c);\n    return a;\n}\nint main(void)\n{\n    pthread_t t;\n    \
                 pthread_create(&t, 0, ring, 0);\n    pthread_mutex_lock(&m);\n    pthread_cond_wait(&c, &m);\n    \
                 pthread_mutex_unlock(&m);\n    return pthread_join(t, 0);\n}\n";
    for way in WAYS {
        assert_eq!(failure(&json(stuck, way, &[], 1)).0, "deadlock", "{way:?}");
        for asked in ["assertion", "hang,memory"] {
            let found = json(stuck, way, &["--property", asked], 0);
            assert_eq!(texts(&found["unasked"], "kind"), ["deadlock"], "{way:?} {asked}");
            assert_eq!(found["bounds"]["complete"], false, "{way:?} {asked}");
        }
    }
}

fn assumed(source: &str, way: &[&str], options: &[&str]) -> Vec<String> {
    let json = json(source, way, options, 0);
    let list = json["assumptions"].as_array().cloned().unwrap_or_default();
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[test]
fn assumptions_are_those_that_matter() {
    let plain = "int main(void) { return 0; }\n";
    let waits = "#include <pthread.h>\n#include <stdlib.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
                 static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\nstatic int *cup;\nstatic void *pour(void *a)\n{\n    \
                 pthread_mutex_lock(&m);\n    cup = malloc(sizeof *cup);\n    pthread_cond_signal(&c);\n    \
                 pthread_mutex_unlock(&m);\n    return a;\n}\nint main(void)\n{\n    pthread_t t;\n    \
                 pthread_create(&t, 0, pour, 0);\n    pthread_mutex_lock(&m);\n    while (!cup)\n        \
                 pthread_cond_wait(&c, &m);\n    pthread_mutex_unlock(&m);\n    free(cup);\n    \
                 return pthread_join(t, 0);\n}\n";
    let all =
        ["malloc succeeds", "pthread_create succeeds", "freed addresses are not used again", "no spurious wake-ups"];
    for way in WAYS {
        assert!(assumed(plain, way, &[]).is_empty(), "{way:?}");
        assert_eq!(assumed(waits, way, &[]), all, "{way:?}");
        let said = ask(waits, way, &[]).expect_status(0).stdout.replace("\n       ", "");
        assert!(said.contains("assumed: malloc succeeds; pthread_create succeeds; "), "{said}");
    }
    assert_eq!(assumed(waits, &["check"], &["--spurious"]), all[..3]);
    assert_eq!(assumed(waits, &["run"], &["--spurious", "--reuse"]), all[..2]);
    let exchange = "#include <stdatomic.h>\n#include <stdio.h>\nstatic atomic_int n;\nint main(int argc, char **argv)\n{\n    \
                    (void)argv;\n    int old = 0;\n    while (!atomic_compare_exchange_weak(&n, &old, argc)) { }\n    \
                    puts(\"done\");\n    return 0;\n}\n";
    let wanted = [
        "a weak compare-exchange does not fail spuriously",
        "output succeeds",
        "files, stdin, arguments and variables are as given",
    ];
    for way in WAYS {
        assert_eq!(assumed(exchange, way, &[]), wanted, "{way:?}");
    }
    let timed = "#include <semaphore.h>\n#include <time.h>\nstatic sem_t s;\nint main(void)\n{\n    sem_init(&s, 0, 0);\n    \
                 struct timespec at = {0};\n    sem_timedwait(&s, &at);\n    return 0;\n}\n";
    assert_eq!(assumed(timed, &["run"], &[]), ["a timed wait may time out at any moment"]);
}

/// Two flags, each set by one thread and read by the other.
const FLAGS: &str = "\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int left, right;
static int saw_left, saw_right;
static void *go_left(void *u)
{
    atomic_store_explicit(&left, 1, ORDER);
    saw_right = atomic_load_explicit(&right, memory_order_seq_cst);
    return u;
}
static void *go_right(void *u)
{
    atomic_store(&right, 1);
    saw_left = atomic_load_explicit(&left, ORDER);
    return u;
}
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, go_left, 0);
    pthread_create(&two, 0, go_right, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(saw_left || saw_right);
    return 0;
}
";

#[test]
fn weak_atomics_hold_for_sequential_consistency_only() {
    let (weak, strong) =
        (FLAGS.replace("ORDER", "memory_order_relaxed"), FLAGS.replace("ORDER", "memory_order_seq_cst"));
    for way in WAYS {
        let bounds = &json(&weak, way, &[], 0)["bounds"];
        assert_eq!(bounds["sequential_consistency_only"], true, "{way:?}");
        assert_eq!(bounds["memory_model"], "sc");
        assert_eq!(texts(&bounds["weak"], "order"), ["relaxed", "relaxed"]);
        assert_eq!((&bounds["weak"][0]["at"]["line"], &bounds["weak"][1]["at"]["line"]), (&8.into(), &15.into()));
        let answer = ask(&weak, way, &["-v"]).expect_status(0);
        assert!(headline(&answer).ends_with(", under sequential consistency only"), "{}", answer.stdout);
        assert!(answer.stdout.contains("relaxed: site.c:8\n"), "{}", answer.stdout);
        let quiet = ask(&weak, way, &["-q"]).expect_status(0);
        assert!(headline(&quiet).ends_with(", under sequential consistency only"), "{}", quiet.stdout);

        let bounds = &json(&strong, way, &[], 0)["bounds"];
        assert_eq!(bounds["sequential_consistency_only"], false, "{way:?}");
        let answer = ask(&strong, way, &[]).expect_status(0);
        assert!(!headline(&answer).contains("sequential"), "{}", answer.stdout);
    }
}

#[test]
fn races_hold_for_sequential_consistency_only() {
    let racy = "#include <pthread.h>\nstatic int lamp;\nstatic void *turn(void *a)\n{\n    lamp = 1;\n    return a;\n}\n\
                int main(void)\n{\n    pthread_t t;\n    pthread_create(&t, 0, turn, 0);\n    int seen = lamp;\n    \
                pthread_join(t, 0);\n    return seen > 1;\n}\n";
    for way in WAYS {
        let bounds = &json(racy, way, &[], 0)["bounds"];
        assert_eq!(bounds["sequential_consistency_only"], true, "{way:?}");
        let mut lines: Vec<u64> =
            bounds["races"][0].as_array().into_iter().flatten().filter_map(|at| at["line"].as_u64()).collect();
        lines.sort_unstable();
        assert_eq!(lines, [5, 12], "{way:?}");
    }
    // One thread sees its own accesses in order.
    let alone = "#include <stdatomic.h>\nint main(void)\n{\n    atomic_int n;\n    \
                 atomic_store_explicit(&n, 0, memory_order_relaxed);\n    return n;\n}\n";
    assert_eq!(json(alone, &["run"], &[], 0)["bounds"]["sequential_consistency_only"], false);
}

#[test]
fn orders_that_cxx_code_passes_count_and_those_of_the_library_do_not() {
    let source = |store: &str, exchange: &str| {
        format!(
            "#include <atomic>\n#include <memory>\n#include <thread>\nstd::atomic<bool> open{{false}};\n\
             std::atomic<int> count{{0}};\nint main()\n{{\n    auto shared = std::make_shared<int>(1);\n    \
             std::thread other([shared] {{\n        open.store(true{store});\n    }});\n    int old = 0;\n    \
             count.compare_exchange_strong(old, 2{exchange});\n    other.join();\n    return open.load() ? 0 : 1;\n}}\n"
        )
    };
    let orders = |source: &str| {
        let answer = ask_file("door.cpp", source, &["run"], &["--runs", "3", "--format", "json"]).expect_status(0);
        let bounds = &answer.json()["bounds"];
        texts(&bounds["weak"], "order").into_iter().map(str::to_owned).collect::<Vec<String>>()
    };
    assert!(orders(&source("", "")).is_empty());
    assert_eq!(orders(&source(", std::memory_order_release", "")), ["release"]);
    let exchange = ", std::memory_order_seq_cst, std::memory_order_relaxed";
    assert_eq!(orders(&source("", exchange)), ["relaxed"]);
}

#[test]
fn one_thread_is_run_once() {
    let passes = "#include <stdio.h>\nint main(void)\n{\n    puts(\"alone\");\n    return 0;\n}\n";
    let fails = "#include <assert.h>\nint main(void)\n{\n    assert(0);\n    return 0;\n}\n";
    for way in [&["run"][..], &["run", "--strategy", "random", "--runs", "50"], &["run", "--time", "60"], &["explain"]]
    {
        let passed = json(passes, way, &[], 0);
        let bounds = &passed["bounds"];
        assert_eq!((&bounds["executions"], &bounds["complete"]), (&1.into(), &true.into()), "{way:?}");
        let said = ask(passes, way, &[]).expect_status(0).stdout;
        assert!(said.starts_with("site.c does not fail\n") && said.contains("every run is the same"), "{said}");
    }
    let failed = json(fails, &["run", "--keep-going", "--runs", "30"], &[], 1);
    assert_eq!(failed["bounds"]["executions"], 1);
    // Input from the environment may be different in the next run.
    let chooses =
        "extern int __VERIFIER_nondet_int(void);\nint main(void)\n{\n    return __VERIFIER_nondet_int() * 0;\n}\n";
    assert_eq!(json(chooses, &["run", "--runs", "7"], &[], 0)["bounds"]["executions"], 8);
}

#[test]
fn what_every_run_reaches_is_refused_at_once() {
    let source = "#include <pthread.h>\nextern int ferry(int);\nstatic void *cross(void *a) { return a; }\nstatic int first(void)\n\
                  {\n    return ferry(1);\n}\nint main(void)\n{\n    first();\n    pthread_t t;\n    \
                  pthread_create(&t, 0, cross, 0);\n    ferry(2);\n    return pthread_join(t, 0);\n}\n";
    for way in [&["run"][..], &["run", "--runs", "500"], &["explain"], &["check"], PROOFS[0]] {
        let answer = ask(source, way, &[]).expect_status(2);
        let wanted = "does not support in first at site.c:6: no model for the function `ferry`";
        assert!(answer.stderr.contains(wanted), "{way:?}\n{}", answer.stderr);
        assert!(answer.stderr.contains("help: define `ferry` in a file of your own"), "{}", answer.stderr);
    }
    let answer = ask(source, &["run", "--runs", "500"], &["--format", "json"]).expect_status(2).json();
    assert_eq!(answer["bounds"]["executions"], 1);
    assert_eq!(answer["unsupported"][0]["elsewhere"][0]["line"], 13);
    // As in the help.
    let both = folder(&[("site.c", source), ("ferry.c", "int ferry(int n) { return n; }\n")]);
    for way in [&["run"][..], &["check"]] {
        heddle(both.path(), &[way, &["site.c", "ferry.c"]].concat()).expect_status(0);
    }
}

#[test]
fn what_every_run_reaches_among_threads_is_refused_soon() {
    let source = "#include <pthread.h>\nextern int ferry(int);\nstatic void *cross(void *a)\n{\n    ferry(1);\n    return a;\n}\n\
                  int main(void)\n{\n    pthread_t t;\n    pthread_create(&t, 0, cross, 0);\n    return pthread_join(t, 0);\n}\n";
    let answer = ask(source, &["run", "--runs", "5000"], &["--format", "json"]).expect_status(2);
    assert_eq!(answer.json()["bounds"]["executions"], 20);
}

#[test]
fn openmp_is_refused_by_name() {
    let source = "static int total(int n)\n{\n    int sum = 0;\n    #pragma omp parallel for reduction(+ : sum)\n    \
                  for (int i = 0; i < n; i++)\n        sum += i;\n    return sum;\n}\nint main(void)\n{\n    \
                  return total(4) - 6;\n}\n";
    for way in WAYS {
        let answer = ask(source, way, &["-fopenmp"]).expect_status(2);
        assert!(answer.stderr.contains("in total at site.c:4: OpenMP (`__kmpc_"), "{way:?}\n{}", answer.stderr);
        assert!(answer.stderr.contains("without -fopenmp"), "{}", answer.stderr);
        ask(source, way, &[]).expect_status(0);
    }
}

#[test]
fn quiet_keeps_why() {
    let source = "#include <assert.h>\n#include <pthread.h>\nstatic int coins;\nstatic void *save(void *a)\n{\n    int c = coins;\n    \
                  coins = c + 1;\n    return a;\n}\nint main(void)\n{\n    pthread_t t;\n    pthread_create(&t, 0, save, 0);\n    \
                  save(0);\n    pthread_join(t, 0);\n    assert(coins == 2);\n    return 0;\n}\n";
    for (way, labels) in [("explain", &["because", "so"][..]), ("check", &["because"])] {
        let said = ask(source, &[way], &["-q"]).expect_status(1).stdout;
        for label in labels {
            assert!(said.lines().any(|line| line.trim_start().starts_with(&format!("{label} "))), "{label}\n{said}");
        }
        assert_eq!(said.matches("note").count(), 1, "{said}");
        assert!(said.contains("note  replay: "), "{said}");
    }
}
