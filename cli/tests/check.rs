//! `heddle check`: every schedule within a bound, failures with their causes, and the scope of its answer.

mod command;

use std::fs;

use command::{folder, heddle, heddle_with_input, repository};
use serde_json::Value;

const RACY: &str = include_str!("../../corpus/lost-update/lost-update.c");
const FIXED: &str = include_str!("../../corpus/lost-update/lost-update-fixed.c");

/// A `main` that starts `work` once, executes `main`, and joins it.
fn with_thread(globals: &str, work: &str, main: &str) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\nextern int __VERIFIER_nondet_int(void);\n\
         {globals}\nstatic void *work(void *argument)\n{{\n    {work}\n    return argument;\n}}\n\
         int main(void)\n{{\n    pthread_t other;\n    pthread_create(&other, 0, work, 0);\n    {main}\n    \
         pthread_join(other, 0);\n    return 0;\n}}\n"
    )
}

fn check_json(source: &str, options: &[&str], status: i32) -> Value {
    let folder = folder(&[("a.c", source)]);
    let arguments = [&["check", "a.c", "--format", "json"], options].concat();
    heddle(folder.path(), &arguments).expect_status(status).json()
}

fn orders(cause: &Value) -> Vec<(u64, u64)> {
    let line = |end: &Value| end["at"]["line"].as_u64().unwrap_or(0);
    let orders = cause["orders"].as_array().expect("a list");
    orders.iter().map(|order| (line(&order["before"]), line(&order["after"]))).collect()
}

#[test]
fn a_failure_is_found_told_and_replayed() {
    let folder = folder(&[("a.c", RACY)]);
    let answer = heddle(folder.path(), &["check", "a.c"]).expect_status(1);
    assert!(answer.stdout.starts_with("error[assertion]: `visitors == 2` can fail at a.c:24\n"), "{}", answer.stdout);
    for wanted in ["because", "before", "(a.c:12)", "found by the solver", "replay: heddle replay .heddle/a.schedule"] {
        assert!(answer.stdout.contains(wanted), "`{wanted}` is not said:\n{}", answer.stdout);
    }
    let again = heddle(folder.path(), &["replay", ".heddle/a.schedule"]).expect_status(1);
    assert!(again.stdout.contains("`visitors == 2` can fail"), "{}", again.stdout);
    // The same schedule is kept once.
    let same = heddle(folder.path(), &["check", "a.c"]).expect_status(1);
    assert!(same.stdout.contains("replay: heddle replay .heddle/a.schedule"), "{}", same.stdout);
    assert!(!folder.path().join(".heddle/a-2.schedule").exists());
}

#[test]
fn the_json_has_its_shape() {
    let json = check_json(RACY, &["--all"], 1);
    assert_eq!((&json["command"], &json["verdict"]), (&"check".into(), &"failure".into()));
    assert_eq!((&json["failure"]["kind"], &json["failure"]["at"]["line"]), (&"assertion".into(), &24.into()));
    let bounds = &json["bounds"];
    assert_eq!((&bounds["complete"], &bounds["memory_model"]), (&true.into(), &"sc".into()));
    assert!(bounds["unroll"].is_u64() && bounds["assumed"].is_array() && bounds["inputs"] == 0, "{bounds}");
    let stats = &json["stats"];
    assert!(stats["iterations"].as_u64() > Some(0) && stats["order_constraints"].as_u64() > Some(1), "{stats}");
    assert_eq!(stats["threads"], 3);
    for part in ["frontend", "symex", "solve", "diagnose", "total"] {
        assert!(stats["seconds"][part].is_number(), "{stats}");
    }
    assert_eq!(json["failing"]["replayed"], true);
    assert!(json["schedule"].is_string() && json["replay"].is_string());
    let causes = json["causes"].as_array().expect("a list");
    assert!(!causes.is_empty());
    for cause in causes {
        assert_eq!((&cause["minimal"], &cause["by"], &cause["failure"]), (&true.into(), &"orders".into(), &0.into()));
        for order in cause["orders"].as_array().expect("a list") {
            for end in [&order["before"], &order["after"]] {
                assert_eq!((&end["object"], &end["at"]["file"]), (&"visitors".into(), &"a.c".into()), "{order}");
                assert!(end["thread"].is_string() && end["kind"].is_string(), "{order}");
            }
        }
    }
    assert_eq!(json["failures"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_correct_program_is_proven() {
    let json = check_json(FIXED, &[], 0);
    assert_eq!((&json["verdict"], &json["bounds"]["complete"]), (&"none-found".into(), &true.into()));
    assert!(json.get("causes").is_none() && json.get("failure").is_none() && json.get("schedule").is_none());
    let folder = folder(&[("a.c", FIXED)]);
    let said = heddle(folder.path(), &["check", "a.c"]).expect_status(0).stdout;
    assert!(said.starts_with("a.c does not fail\n"), "{said}");
    for wanted in ["every order of 3 threads, all paths", "assumed: pthread_create succeeds"] {
        assert!(said.contains(wanted), "{said}");
    }
    assert!(!folder.path().join(".heddle").exists());
}

#[test]
fn a_loop_that_was_cut_is_named() {
    let source = with_thread(
        "static int x;",
        "int n = __VERIFIER_nondet_int();\n    for (int i = 0; i < n; i++)\n        x++;",
        "",
    );
    let json = check_json(&source, &["--unroll", "3"], 0);
    let bounds = &json["bounds"];
    assert_eq!((&bounds["complete"], &bounds["unroll"], &bounds["inputs"]), (&false.into(), &3.into(), &1.into()));
    let cut = bounds["cut"].as_array().expect("a list");
    let named = (&cut[0]["what"], &cut[0]["at"]["line"], &cut[0]["function"], &cut[0]["after"]);
    assert_eq!(named, (&"loop".into(), &9.into(), &"work".into(), &3.into()));
    let folder = folder(&[("a.c", source.as_str())]);
    let said = heddle(folder.path(), &["check", "a.c", "--unroll", "3"]).expect_status(0).stdout;
    assert!(said.starts_with("no failure found in a.c\n"), "{said}");
    assert!(said.contains("not checked: more than 3 iterations of the loop at a.c:9 in work"), "{said}");
}

#[test]
fn bounds_rise_until_the_failure_is_within() {
    let source = with_thread(
        "static int x;",
        "int n = __VERIFIER_nondet_int();\n    for (int i = 0; i < n; i++)\n        x++;\n    assert(x < 5);",
        "",
    );
    let json = check_json(&source, &["--unroll", "4"], 0);
    assert_eq!(json["bounds"]["complete"], false);
    let json = check_json(&source, &[], 1);
    assert_eq!(json["failure"]["at"]["line"], 11);
}

#[test]
fn recursion_without_an_end_is_cut() {
    let source = with_thread(
        "static int x;\nstatic int down(int k)\n{\n    return k ? 1 + down(__VERIFIER_nondet_int()) : 0;\n}",
        "x = down(1);",
        "",
    );
    let json = check_json(&source, &["--unroll", "2"], 0);
    let cut = &json["bounds"]["cut"][0];
    assert_eq!((&cut["what"], &cut["function"], &cut["after"]), (&"recursion".into(), &"down".into(), &2.into()));
    // This loop does not depend on unknown values, so a larger bound is useless.
    let source =
        with_thread("static int x;\nstatic int down(int k)\n{\n    return 1 + down(k + 1);\n}", "x = down(1);", "");
    let json = check_json(&source, &[], 0);
    assert_eq!((&json["bounds"]["complete"], &json["bounds"]["cut"][0]["what"]), (&false.into(), &"recursion".into()));
}

#[test]
fn a_program_without_threads_is_checked_all_the_same() {
    let source = "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\nint main(void)\n{\n    \
                  int x = __VERIFIER_nondet_int();\n    if (x > 5)\n        assert(x != 77);\n    return 0;\n}\n";
    let folder = folder(&[("a.c", source), ("fine.c", &source.replace("!= 77", "> 4"))]);
    let said = heddle(folder.path(), &["check", "a.c", "--all"]).expect_status(1).stdout;
    assert!(said.contains("because  input 1 (a.c:5) is 77\n"), "{said}");
    assert!(said.contains("never creates a thread"), "{said}");
    let said = heddle(folder.path(), &["check", "fine.c"]).expect_status(0).stdout;
    assert!(said.starts_with("fine.c does not fail\n") && said.contains("never creates a thread"), "{said}");
}

#[test]
fn what_is_unsupported_matters_where_it_can_be_reached() {
    let program = |reached: &str| {
        let main = format!("if (x == {reached})\n        x = mystery(x);");
        with_thread("extern int mystery(int);\nstatic int x;", "x = 1;", &main)
    };
    let folder = folder(&[("reached.c", &program("1")), ("not.c", &program("2"))]);
    let answer = heddle(folder.path(), &["check", "reached.c"]).expect_status(2);
    let wanted = "does not support in main at reached.c:17: no model for the function `mystery`";
    assert!(answer.stderr.contains(wanted) && answer.stderr.contains("help: "), "{}", answer.stderr);
    let said = heddle(folder.path(), &["check", "not.c"]).expect_status(0).stdout;
    assert!(said.starts_with("not.c does not fail, under sequential consistency only\n"), "{said}");
}

#[test]
fn inputs_that_matter_are_found_and_replayed() {
    let source = with_thread(
        "static int total;",
        "total = 1;",
        "int limit = __VERIFIER_nondet_int();\n    if (limit == 1234)\n        assert(total == 1);",
    );
    let folder = folder(&[("a.c", source.as_str())]);
    let json = heddle(folder.path(), &["check", "a.c", "--format", "json"]).expect_status(1).json();
    assert_eq!(json["failure"]["at"]["line"], 17);
    let inputs = json["failing"]["inputs"].as_array().expect("a list");
    assert!(inputs.iter().any(|input| input["kind"] == "choice" && input["value"] == 1234), "{inputs:?}");
    assert_eq!(orders(&json["causes"][0]), [(17, 8)]);
    heddle(folder.path(), &["replay", ".heddle/a.schedule"]).expect_status(1);
}

const DEADLOCK: &str = "#include <pthread.h>\n\
    static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\n\
    static void both(pthread_mutex_t *first, pthread_mutex_t *second)\n{\n    pthread_mutex_lock(first);\n    \
    pthread_mutex_lock(second);\n    pthread_mutex_unlock(second);\n    pthread_mutex_unlock(first);\n}\n\
    static void *work(void *argument)\n{\n    both(&a, &b);\n    return argument;\n}\n\
    int main(void)\n{\n    pthread_t other;\n    pthread_create(&other, 0, work, 0);\n    both(&b, &a);\n    \
    pthread_join(other, 0);\n    return 0;\n}\n";

#[test]
fn a_deadlock_is_two_orders() {
    let folder = folder(&[("a.c", DEADLOCK)]);
    let json = heddle(folder.path(), &["check", "a.c", "--all", "--format", "json"]).expect_status(1).json();
    assert_eq!(json["failure"]["kind"], "deadlock");
    let causes = json["causes"].as_array().expect("a list");
    assert_eq!(causes.len(), 1, "{causes:?}");
    assert_eq!(orders(&causes[0]), [(5, 6), (5, 6)]);
    let objects = causes[0]["orders"].as_array().expect("a list").iter().map(|order| &order["after"]["object"]);
    let mut objects: Vec<&str> = objects.filter_map(Value::as_str).collect();
    objects.sort_unstable();
    assert_eq!(objects, ["a", "b"]);
    heddle(folder.path(), &["replay", ".heddle/a.schedule"]).expect_status(1);
    // Other kinds are found on request.
    for other in ["hang", "assertion,memory"] {
        let said = heddle(folder.path(), &["check", "a.c", "--property", other]).expect_status(0).stdout;
        assert!(said.starts_with("no failure of the requested kinds found in a.c\n"), "{said}");
        assert!(said.contains("some runs end with a deadlock at a.c:6, a kind that was not requested"), "{said}");
    }
    heddle(folder.path(), &["check", "a.c", "--property", "deadlock"]).expect_status(1);
}

#[test]
fn a_hang_has_a_cause() {
    let source = with_thread(
        "static atomic_int ready;\nstatic atomic_int skip;",
        "if (!skip)\n        ready = 1;",
        "skip = 1;\n    while (!ready) { }",
    );
    let folder = folder(&[("a.c", source.as_str())]);
    let json = heddle(folder.path(), &["check", "a.c", "--format", "json"]).expect_status(1).json();
    assert_eq!((&json["failure"]["kind"], &json["failure"]["at"]["line"]), (&"hang".into(), &18.into()));
    assert_eq!(orders(&json["causes"][0]), [(17, 9)]);
    heddle(folder.path(), &["replay", ".heddle/a.schedule"]).expect_status(1);
    heddle(folder.path(), &["check", "a.c", "--property", "deadlock"]).expect_status(0);
}

#[test]
fn a_loop_that_waits_for_two_flags_hangs_or_is_proven_not_to() {
    let flags = "static atomic_int one, two;";
    let wait = "while (!one || !two) { }";
    let hangs = with_thread(flags, wait, "one = 1;\n    two = 1;\n    one = 0;");
    let folder = folder(&[("a.c", hangs.as_str())]);
    let json = heddle(folder.path(), &["check", "a.c", "--format", "json"]).expect_status(1).json();
    assert_eq!((&json["failure"]["kind"], &json["failure"]["at"]["line"]), (&"hang".into(), &8.into()));
    assert_eq!(orders(&json["causes"][0]), [(17, 8)]);
    heddle(folder.path(), &["replay", ".heddle/a.schedule"]).expect_status(1);
    let ends = with_thread(flags, wait, "one = 1;\n    two = 1;");
    let json = check_json(&ends, &[], 0);
    assert_eq!((&json["verdict"], &json["bounds"]["complete"]), (&"none-found".into(), &true.into()));
}

#[test]
fn a_loop_that_tries_to_lock_hangs_while_the_lock_is_held() {
    let lock = "static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\nstatic atomic_int stop;";
    let tries = "while (!stop) {\n        if (pthread_mutex_trylock(&mutex) == 0) {\n            \
                 pthread_mutex_unlock(&mutex);\n            break;\n        }\n    }";
    let json = check_json(&with_thread(lock, tries, "pthread_mutex_lock(&mutex);"), &[], 1);
    assert_eq!((&json["failure"]["kind"], &json["failure"]["at"]["line"]), (&"hang".into(), &9.into()));
    let ends = with_thread(lock, tries, "pthread_mutex_lock(&mutex);\n    stop = 1;");
    assert_eq!(check_json(&ends, &[], 0)["bounds"]["complete"], Value::from(true));
}

#[test]
fn a_loop_that_asks_or_tells_does_not_wait() {
    for round in ["while (__VERIFIER_nondet_int()) { }", "while (!flag) {\n        printf(\"%d\", flag);\n    }"] {
        let source = with_thread("#include <stdio.h>\nstatic atomic_int flag;", round, "if (flag) flag = 1;");
        let json = check_json(&source, &["--unroll", "2"], 0);
        assert_eq!(json["bounds"]["cut"][0]["what"], "loop", "{round}");
    }
}

#[test]
fn all_failures_have_their_causes_and_schedules() {
    let source = with_thread(
        "static int x = 1, y = 1;",
        "x = 0;\n    y = 0;",
        "int first = x, second = y;\n    assert(second == 1 || first == 1);\n    assert(first == 1);",
    );
    // The second thread writes x before y, and main reads x before y.
    let json = check_json(&source, &["--all"], 1);
    assert_eq!(json["failures"].as_array().map(Vec::len), Some(2), "{json}");
    let causes = json["causes"].as_array().expect("a list");
    let failures: Vec<u64> = causes.iter().filter_map(|cause| cause["failure"].as_u64()).collect();
    assert!(failures.contains(&0) && failures.contains(&1), "{failures:?}");
    let folder = folder(&[("a.c", source.as_str())]);
    let said = heddle(folder.path(), &["check", "a.c", "--all"]).expect_status(1).stdout;
    assert!(said.contains("2 different failures:"), "{said}");
    for schedule in [".heddle/a.schedule", ".heddle/a-2.schedule"] {
        assert!(fs::read_to_string(folder.path().join(schedule)).is_ok(), "{schedule}");
        heddle(folder.path(), &["replay", schedule]).expect_status(1);
    }
    // Without --all one is enough.
    let json = check_json(&source, &[], 1);
    assert!(json.get("failures").is_none());
    assert_eq!(json["causes"].as_array().map(Vec::len), Some(1));
}

#[test]
fn equal_causes_are_told_once() {
    let folder = folder(&[]);
    let reorder = repository().join("bench/programs/concbugassist/reorder.c");
    let said = heddle(folder.path(), &["check", "--all", &reorder.display().to_string()]).expect_status(1).stdout;
    assert!(said.contains("at the same lines, in other iterations or between other"), "{said}");
}

#[test]
fn an_exit_status_is_a_failure_unless_it_is_left_out() {
    let source = with_thread("static int x;", "x = 1;", "if (x == 1)\n        return 3;");
    for asked in [&[][..], &["--property", "exit"], &["--property", "no-memory"]] {
        let json = check_json(&source, asked, 1);
        assert_eq!((&json["failure"]["kind"], &json["failure"]["at"]["line"]), (&"exit".into(), &16.into()));
    }
    check_json(&source, &["--property", "no-exit"], 0);
}

#[test]
fn no_time_is_inconclusive() {
    let json = check_json(RACY, &["--time", "0"], 3);
    assert_eq!((&json["verdict"], &json["bounds"]["stopped"]), (&"inconclusive".into(), &"the time is over".into()));
}

#[test]
fn bad_usage_is_explained() {
    let folder = folder(&[("a.c", RACY)]);
    let said = |arguments: &[&str], wanted: &str| {
        let answer = heddle(folder.path(), arguments).expect_status(2);
        assert!(answer.stderr.contains(wanted), "`{wanted}` is not said:\n{}", answer.stderr);
    };
    said(&["check", "a.c", "--unroll", "0"], "invalid value '0' for '--unroll <K>'");
    said(&["check", "a.c", "--property", "crash"], "invalid value 'crash'");
    said(&["check", "a.c", "--time", "-1"], "--time -1 is not a number of seconds");
    said(&["check", "a.c", "--symbolic-stdin", "0"], "invalid value '0' for '--symbolic-stdin <BYTES>'");
    said(&["check", "a.c", "--symbolic-stdin", "many"], "invalid value 'many'");
    for (wrong, what) in [("0", "count"), ("two", "count"), ("2,", "length"), ("2,x", "length"), ("2,9999", "length")] {
        said(&["check", "a.c", "--symbolic-args", wrong], &format!("the {what} must be a number from "));
    }
    said(&["check", "a.c", "--symbolic-args", "1", "--", "7"], "cannot be used with");
    said(&["check", "a.c", "--env", "MODE"], "it must look like NAME=VALUE");
    said(&["check", "nowhere.c"], "cannot read nowhere.c");
    said(&["check", "a.c", "--format", "dot"], "only answers of `heddle explain` and `heddle explore` can be drawn");
    assert!(!folder.path().join(".heddle").exists());
}

#[test]
fn explain_asks_the_solver_where_running_does_not_help() {
    let source = with_thread(
        "static int total;",
        "total = 1;",
        "int limit = __VERIFIER_nondet_int();\n    if (limit == 1234)\n        assert(total == 1);",
    );
    let folder = folder(&[("a.c", source.as_str()), ("racy.c", RACY)]);
    let said = heddle(folder.path(), &["explain", "a.c"]).expect_status(1).stdout;
    assert!(said.contains("found by the solver") && said.contains("`total == 1` can fail at a.c:17"), "{said}");
    let said = heddle(folder.path(), &["explain", "racy.c", "--no-simulation"]).expect_status(1).stdout;
    assert!(said.contains("found by the solver") && said.contains("it does not fail in this one"), "{said}");
}

const UNLOCKED: &str = "#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic int x;\n\
    static void *work(void *argument)\n{\n    pthread_mutex_lock(&m);\n    x++;\n    pthread_mutex_unlock(&m);\n    \
    return argument;\n}\nint main(void)\n{\n    pthread_t other;\n    pthread_create(&other, 0, work, 0);\n    x = 5;\n    \
    pthread_join(other, 0);\n    return x - x;\n}\n";

#[test]
fn a_race_is_found_on_request_and_replayed() {
    let folder = folder(&[("a.c", UNLOCKED)]);
    heddle(folder.path(), &["check", "a.c"]).expect_status(0);
    let said = heddle(folder.path(), &["check", "a.c", "--property", "race"]).expect_status(1).stdout;
    assert!(said.starts_with("error[race]: `x` is "), "{said}");
    assert!(said.contains("unordered") && !said.contains("because"), "{said}");
    let again = heddle(folder.path(), &["replay", ".heddle/a.schedule"]).expect_status(1).stdout;
    assert!(again.contains("error[race]"), "{again}");
    // Both accesses of the other thread race with the one of main.
    let json = check_json(UNLOCKED, &["--all", "--property", "race,assertion"], 1);
    assert_eq!((&json["failure"]["kind"], &json["bounds"]["complete"]), (&"race".into(), &true.into()), "{json}");
    assert!(json.get("causes").is_none_or(|causes| causes.as_array().is_some_and(Vec::is_empty)), "{json}");
}

#[test]
fn what_is_ordered_does_not_race() {
    let locked =
        UNLOCKED.replace("    x = 5;", "    pthread_mutex_lock(&m);\n    x = 5;\n    pthread_mutex_unlock(&m);");
    let atomics = UNLOCKED.replace("static int x;", "static _Atomic int x;");
    let joined = UNLOCKED.replace("    x = 5;\n    pthread_join(other, 0);", "    pthread_join(other, 0);\n    x = 5;");
    let published = with_thread(
        "static int data;\nstatic atomic_int ready;",
        "data = 7;\n    atomic_store(&ready, 1);",
        "if (atomic_load(&ready))\n        data++;",
    );
    for source in [&locked, &atomics, &joined, &published] {
        let json = check_json(source, &["--property", "race"], 0);
        assert_eq!((&json["verdict"], &json["bounds"]["complete"]), (&"none-found".into(), &true.into()), "{source}");
    }
    // An atomic access does not order a plain one.
    let half = published.replace("atomic_store(&ready, 1)", "*(int *)&ready = 1");
    assert_eq!(check_json(&half, &["--property", "race"], 1)["failure"]["kind"], "race");
}

#[test]
fn a_race_does_not_hide_what_else_fails() {
    let json = check_json(RACY, &["--all", "--property", "assertion,race"], 1);
    let failures = json["failures"].as_array().expect("a list");
    let mut kinds: Vec<&str> = failures.iter().filter_map(|failure| failure["kind"].as_str()).collect();
    kinds.dedup();
    assert_eq!(kinds, ["assertion", "race"], "{failures:?}");
    assert!(json["causes"].as_array().is_some_and(|causes| causes.iter().all(|cause| cause["failure"] == 0)));
}

const GUARDED: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\nstatic int total, mode;\n\
    static void *work(void *argument)\n{\n    if (mode == 12)\n        total = 1;\n    return argument;\n}\n\
    int main(int argc, char **argv)\n{\n    if (argc > 1)\n        mode = atoi(argv[1]);\n    pthread_t other;\n    \
    pthread_create(&other, 0, work, 0);\n    int seen = total;\n    pthread_join(other, 0);\n    \
    assert(seen == total);\n    return 0;\n}\n";

#[test]
fn every_argument_up_to_a_length() {
    let fixed = GUARDED.replace(
        "    int seen = total;\n    pthread_join(other, 0);",
        "    pthread_join(other, 0);\n    int seen = total;",
    );
    let folder = folder(&[("a.c", GUARDED), ("fixed.c", fixed.as_str())]);
    // Without arguments there is no failure, and the answer says so; the same for a length that is too short.
    let said = heddle(folder.path(), &["check", "a.c"]).expect_status(0).stdout;
    assert!(said.contains("note  with no arguments\n"), "{said}");
    let said = heddle(folder.path(), &["check", "a.c", "--symbolic-args", "2,1"]).expect_status(0).stdout;
    assert!(said.contains("with every list of up to 2 arguments of up to 1 byte\n"), "{said}");
    let said = heddle(folder.path(), &["check", "a.c", "--", "12"]).expect_status(1).stdout;
    assert!(!said.contains("it fails with"), "{said}");
    let said = heddle(folder.path(), &["check", "a.c", "--symbolic-args", "1,2"]).expect_status(1).stdout;
    assert!(said.contains("note  it fails with argument 1 = \"12\"\n"), "{said}");
    let arguments = ["check", "a.c", "--symbolic-args", "1,2", "--format", "json", "--schedule", "b.schedule"];
    let json = heddle(folder.path(), &arguments).expect_status(1).json();
    assert_eq!(json["bounds"]["given"]["arguments"], serde_json::json!({"up_to": 1, "bytes_each": 2}));
    assert_eq!(json["failing"]["inputs"][0], serde_json::json!({"kind": "argument", "value": "12"}));
    let schedule = fs::read_to_string(folder.path().join("b.schedule")).expect("it was written");
    assert!(schedule.contains("argument 12\n"), "{schedule}");
    heddle(folder.path(), &["replay", "b.schedule"]).expect_status(1);
    let json = heddle(folder.path(), &["check", "fixed.c", "--symbolic-args", "2,2", "--format", "json"]);
    assert_eq!(json.expect_status(0).json()["bounds"]["complete"], true);
}

#[test]
fn arguments_that_are_no_text_are_replayed() {
    let source = "#include <assert.h>\nint main(int argc, char **argv)\n{\n    if (argc == 3)\n        \
                  assert(argv[2][0] != (char)0xfe || argv[1][0] != '\\n');\n    return 0;\n}\n";
    let folder = folder(&[("a.c", source)]);
    let json = heddle(folder.path(), &["check", "a.c", "--symbolic-args", "2,1", "--format", "json"]);
    let json = json.expect_status(1).json();
    assert_eq!(json["failing"]["inputs"][1], serde_json::json!({"kind": "argument", "escaped": "\\xfe"}));
    heddle(folder.path(), &["replay", ".heddle/a.schedule"]).expect_status(1);
}

#[test]
fn what_lies_behind_an_argument_is_out_of_bounds() {
    let main = |body: &str| {
        format!("#include <stdlib.h>\nint main(int argc, char **argv)\n{{\n    {body}\n    return 0;\n}}\n")
    };
    let folder = folder(&[
        ("text.c", &main("if (argc > 1 && argv[1][0] != 'a' && argv[1][1] == 'b')\n        return 0;")),
        ("list.c", &main("if (argv[2])\n        return 0;")),
        ("fine.c", &main("if (argc > 1 && argv[1][0] && !argv[1][1] && !argv[2])\n        return 0;")),
    ]);
    for (file, with) in [("text.c", "argument 1 = \"\""), ("list.c", "with no arguments")] {
        let said = heddle(folder.path(), &["check", file, "--symbolic-args", "1,2"]).expect_status(1).stdout;
        assert!(said.starts_with("error[memory]") && said.contains(with), "{said}");
    }
    heddle(folder.path(), &["check", "fine.c", "--symbolic-args", "1,2"]).expect_status(0);
}

const ONE_READS: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdio.h>\nstatic int x;\n\
    static void *work(void *argument)\n{\n    getchar();\n    if (getchar() == 'q')\n        x = 1;\n    return argument;\n}\n\
    int main(void)\n{\n    pthread_t other;\n    pthread_create(&other, 0, work, 0);\n    int seen = x;\n    \
    pthread_join(other, 0);\n    assert(seen == x);\n    return 0;\n}\n";

#[test]
fn every_stdin_up_to_a_length() {
    let folder = folder(&[("a.c", ONE_READS), ("fixed.c", &ONE_READS.replace("seen == x", "seen <= x"))]);
    let said = heddle(folder.path(), &["check", "a.c"]).expect_status(0).stdout;
    assert!(said.contains("note  with an empty stdin\n"), "{said}");
    let said = heddle(folder.path(), &["check", "a.c", "--symbolic-stdin", "1"]).expect_status(0).stdout;
    assert!(said.contains("note  with every stdin of up to 1 byte\n"), "{said}");
    let json = heddle(folder.path(), &["check", "a.c", "--symbolic-stdin", "2", "--format", "json"]);
    let json = json.expect_status(1).json();
    let input = &json["failing"]["inputs"][0];
    assert_eq!((&input["kind"], &input["bytes"]), (&"stdin".into(), &2.into()), "{input}");
    assert!(input["escaped"].as_str().is_some_and(|bytes| bytes.ends_with('q')), "{input}");
    heddle(folder.path(), &["replay", ".heddle/a.schedule"]).expect_status(1);
    let json = heddle(folder.path(), &["check", "fixed.c", "--symbolic-stdin", "3", "--format", "json"]);
    let json = json.expect_status(0).json();
    assert_eq!(json["bounds"]["given"]["stdin"], serde_json::json!({"up_to": 3}));
    assert_eq!(json["bounds"]["complete"], true);
}

#[test]
fn what_is_given_is_read_as_it_is() {
    let folder = folder(&[("a.c", ONE_READS)]);
    for (input, status) in [("xq", 1), ("x", 0), ("qx", 0)] {
        let arguments: Vec<String> = ["check", "a.c", "--schedule", "s"].map(str::to_owned).to_vec();
        let answer = heddle_with_input(folder.path(), &arguments, input.as_bytes());
        assert_eq!(answer.status, status, "{input}: {}", answer.stdout);
        assert_eq!(answer.stdout.contains("with the stdin given (2 bytes)"), input == "qx", "{}", answer.stdout);
    }
}

#[test]
fn who_reads_first_depends_on_the_order() {
    let source = "#include <assert.h>\n#include <pthread.h>\n#include <stdio.h>\nstatic int mine, theirs;\n\
        static void *work(void *argument)\n{\n    theirs = getchar();\n    return argument;\n}\nint main(void)\n{\n    \
        pthread_t other;\n    pthread_create(&other, 0, work, 0);\n    mine = getchar();\n    pthread_join(other, 0);\n    \
        assert(mine != 'b' || theirs != 'a');\n    return 0;\n}\n";
    let folder = folder(&[("a.c", source)]);
    let json = heddle(folder.path(), &["check", "a.c", "--all", "--symbolic-stdin", "2", "--format", "json"]);
    let json = json.expect_status(1).json();
    // Both are read in one order or in the other.
    let causes = json["causes"].as_array().expect("a list");
    assert_eq!((causes.len(), &json["bounds"]["complete"]), (2, &true.into()), "{causes:?}");
    let told = |cause: &Value| {
        cause["inputs"].as_array().map_or(0, |inputs| inputs.iter().filter(|input| input["kind"] == "stdin").count())
    };
    assert!(causes.iter().all(|cause| told(cause) == 2), "{causes:?}");
}

#[test]
fn lines_numbers_files_and_variables() {
    let line = "#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nint main(void)\n{\n    \
        char *line = 0;\n    size_t room = 0;\n    ssize_t length = getline(&line, &room, stdin);\n    \
        assert(length != 3 || strcmp(line, \"ok\\n\") != 0);\n    free(line);\n    return 0;\n}\n";
    let number = "#include <assert.h>\n#include <stdio.h>\nint main(void)\n{\n    int n;\n    if (scanf(\"%d\", &n) == 1)\n        \
        assert(n != 7);\n    return 0;\n}\n";
    let file = "#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nint main(void)\n{\n    \
        FILE *in = fopen(\"settings\", \"r\");\n    char word[16];\n    assert(in && fgets(word, sizeof word, in));\n    \
        fclose(in);\n    FILE *out = fopen(\"copy\", \"w\");\n    fprintf(out, \"%d %s\", atoi(word), getenv(\"MODE\"));\n    \
        fclose(out);\n    in = fopen(\"copy\", \"r\");\n    assert(fgets(word, sizeof word, in));\n    \
        assert(strcmp(word, \"42 fast\") != 0);\n    return 0;\n}\n";
    let folder = folder(&[("line.c", line), ("number.c", number), ("file.c", file), ("settings", "42\n")]);
    heddle(folder.path(), &["check", "line.c", "--symbolic-stdin", "2"]).expect_status(0);
    let said = heddle(folder.path(), &["check", "line.c", "--symbolic-stdin", "3"]).expect_status(1).stdout;
    assert!(said.contains("it fails with stdin = 3 bytes: \"ok\\n\"\n"), "{said}");
    let said = heddle(folder.path(), &["check", "number.c", "--symbolic-stdin", "1"]).expect_status(1).stdout;
    assert!(said.contains("it fails with stdin = 1 byte: \"7\"\n"), "{said}");
    heddle(folder.path(), &["check", "file.c", "--env", "MODE=fast"]).expect_status(1);
    heddle(folder.path(), &["replay", ".heddle/file.schedule"]).expect_status(1);
    let said = heddle(folder.path(), &["check", "file.c", "--env", "MODE=slow"]).expect_status(0).stdout;
    assert!(said.contains("files as they are now (copy, settings)"), "{said}");
    assert!(said.contains("environment variables as\n        given (MODE)\n"), "{said}");
    assert!(!folder.path().join("copy").exists());
}

#[test]
fn a_name_that_depends_on_input_is_not_followed() {
    let source =
        "#include <stdio.h>\nint main(int argc, char **argv)\n{\n    return argc > 1 && fopen(argv[1], \"r\");\n}\n";
    let folder = folder(&[("a.c", source)]);
    let answer =
        heddle(folder.path(), &["check", "a.c", "--property", "no-exit", "--symbolic-args", "1,2"]).expect_status(2);
    assert!(answer.stderr.contains("a file whose name depends on other threads or inputs"), "{}", answer.stderr);
    heddle(folder.path(), &["check", "a.c", "--property", "no-exit", "--", "a.c"]).expect_status(0);
}

#[test]
fn streams_of_cxx_are_read_and_written() {
    let input = "#include <cassert>\n#include <iostream>\nint main()\n{\n    int n = 0;\n    std::cin >> n;\n    \
        std::cout << n << std::endl;\n    assert(n != 4);\n    return 0;\n}\n";
    let text = "#include <cassert>\n#include <sstream>\nint main()\n{\n    std::ostringstream out;\n    out << 7;\n    \
        assert(out.str() != \"7\");\n    return 0;\n}\n";
    let folder = folder(&[("input.cpp", input), ("text.cpp", text)]);
    let said = heddle(folder.path(), &["check", "input.cpp", "--symbolic-stdin", "1"]).expect_status(1).stdout;
    assert!(said.contains("it fails with stdin = 1 byte: \"4\"\n"), "{said}");
    heddle(folder.path(), &["replay", ".heddle/input.schedule"]).expect_status(1);
    heddle(folder.path(), &["check", "input.cpp"]).expect_status(0);
    // Output into a buffer may affect the program.
    heddle(folder.path(), &["check", "text.cpp"]).expect_status(1);
}

#[test]
fn a_closed_stream_takes_nothing() {
    let source = "#include <assert.h>\n#include <stdio.h>\n#include <unistd.h>\nint main(void)\n{\n    \
        assert(printf(\"a\\n\") > 0);\n    close(1);\n    assert(printf(\"b\\n\") > 0);\n    return 0;\n}\n";
    let json = check_json(source, &[], 1);
    assert_eq!(json["failure"]["at"]["line"], 8);
}

#[test]
fn joins_that_do_not_wait_are_followed() {
    let begin = "#define _GNU_SOURCE\n#include <assert.h>\n#include <pthread.h>\nstatic int x;\nstatic int stop;\n\
        static void *work(void *arg)\n{\n    x = 1;\n    x = 2;\n    return &x;\n}\n\
        static void *wait(void *arg)\n{\n    while (!stop) {\n    }\n    return arg;\n}\nint main(void)\n{\n    \
        pthread_t t;\n    void *result = 0;\n";
    let tries = [
        ("work", "while (pthread_tryjoin_np(t, 0)) {\n    }\n    assert(x == 2);", 0),
        ("work", "if (pthread_tryjoin_np(t, 0)) pthread_join(t, 0);\n    assert(x == 2);", 0),
        ("work", "int r = pthread_tryjoin_np(t, 0);\n    assert((pthread_join(t, 0) == 0) == (r != 0));", 0),
        ("work", "int r = pthread_tryjoin_np(t, &result);\n    assert(result == (r ? 0 : &x));", 0),
        ("work", "pthread_tryjoin_np(t, 0);\n    assert(x == 2);", 1),
        ("work", "if (!pthread_tryjoin_np(t, &result)) assert(!result);", 1),
        ("wait", "while (pthread_tryjoin_np(t, 0)) {\n    }", 1),
    ];
    for (thread, body, status) in tries {
        let source = format!("{begin}    pthread_create(&t, 0, {thread}, 0);\n    {body}\n    return 0;\n}}\n");
        let folder = folder(&[("a.c", &source)]);
        let answer = heddle(folder.path(), &["check", "a.c"]);
        let judge = heddle(folder.path(), &["run", "a.c", "--strategy", "exhaustive"]);
        assert_eq!((answer.status, judge.status), (status, status), "{body}\n{}\n{}", answer.stdout, answer.stderr);
    }
}

/// Destroys a lock that a thread may still use; after a join, no thread does.
#[test]
fn what_is_destroyed_too_early_is_found() {
    let (globals, work) = (
        "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\nstatic int count;",
        "pthread_mutex_lock(&lock);\n    count++;\n    pthread_mutex_unlock(&lock);",
    );
    let early = with_thread(globals, work, "pthread_mutex_destroy(&lock);");
    let json = check_json(&early, &["--all"], 1);
    let failure = &json["failure"];
    let told = (&failure["kind"], &failure["condition"], &failure["at"]["line"]);
    assert_eq!(told, (&"memory".into(), &"mutex used after it was destroyed".into(), &9.into()));
    assert_eq!((&json["bounds"]["complete"], &json["failing"]["replayed"]), (&true.into(), &true.into()));
    let before = &json["causes"][0]["orders"][0]["before"];
    assert_eq!((&before["kind"], &before["object"]), (&"destroy".into(), &"lock".into()));
    let late = with_thread(globals, work, "pthread_join(other, 0);\n    return pthread_mutex_destroy(&lock);");
    let json = check_json(&late, &["--property", "memory,deadlock,exit"], 0);
    assert_eq!((&json["verdict"], &json["bounds"]["complete"]), (&"none-found".into(), &true.into()));
}

/// Within small bounds no run passes, because none reaches the end of the loop: larger ones show which order fails.
#[test]
fn that_no_order_passes_is_not_believed_of_one_bound() {
    let source = with_thread(
        "static volatile int turn, ready;",
        "ready = 1; while (turn < 3) turn++;",
        "assert(!ready); turn = 0;",
    );
    let json = check_json(&source, &[], 1);
    assert_eq!(orders(&json["causes"][0]).len(), 1, "{:#}", json["causes"]);
    let json = check_json(&source, &["--all"], 1);
    assert_eq!(orders(&json["causes"][0]).len(), 1, "{:#}", json["causes"]);
    let json = check_json(&source, &["--unroll", "1"], 1);
    assert_eq!((&json["causes"][0]["by"], orders(&json["causes"][0]).len()), (&"unknown".into(), 0));
    // An inevitable failure is one within every bound.
    let json = check_json(&source.replace("assert(!ready)", "assert(ready == 2)"), &[], 1);
    assert_eq!(json["causes"][0]["by"], "inevitable", "{:#}", json["causes"]);
}

/// Names in a table that threads share: its nodes multiply the paths of the bounded program.
const TABLE: &str = r#"
#include <cassert>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
static std::unordered_map<std::string, int> seats;
static std::mutex guard;
static bool book(const std::string &name)
{
    {
        std::lock_guard<std::mutex> lock(guard);
        if (seats.count("7a"))
            return false;
    UNLOCKED
        LOCKED
        seats["7a"] = static_cast<int>(name.size());
    }
    return true;
}
int main()
{
    bool first = false, second = false;
    std::thread one([&] { first = book("ada"); });
    std::thread two([&] { second = book("grace"); });
    one.join();
    two.join();
    assert(first != second);
}
"#;

#[test]
fn what_the_solver_cannot_follow_is_left_to_runs_and_exploration() {
    let failing = TABLE.replace("UNLOCKED", "}\n    {").replace("LOCKED", "std::lock_guard<std::mutex> lock(guard);");
    let right = TABLE.replace("UNLOCKED", "").replace("LOCKED", "");
    let folder = folder(&[("failing.cpp", &failing), ("right.cpp", &right)]);
    let options = ["--time", "300", "--format", "json"];
    let json = heddle(folder.path(), &[&["check", "failing.cpp"], &options[..]].concat()).expect_status(1).json();
    assert_eq!(json["command"], "check");
    assert_eq!(
        (&json["failure"]["kind"], &json["bounds"]["strategy"]),
        (&"assertion".into(), &"portfolio".into()),
        "{json}"
    );
    assert!(json["causes"].as_array().is_some_and(|causes| !causes.is_empty()), "{json}");
    let json = heddle(folder.path(), &[&["check", "right.cpp"], &options[..]].concat()).expect_status(0).json();
    assert_eq!((&json["verdict"], &json["bounds"]["complete"]), (&"none-found".into(), &true.into()), "{json}");
}

/// A read/write lock that is used before there is a second thread.
fn with_rwlock(before: &str, work: &str, main: &str) -> String {
    with_thread("static pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;\nstatic int table[4];", work, main)
        .replace("    pthread_t other;", &format!("    pthread_t other;\n    {before}"))
}

#[test]
fn read_write_locks_cost_nothing_before_the_first_thread() {
    let take = "for (int i = 0; i < 50; i++) { pthread_rwlock_wrlock(&gate); table[i % 4] += i; pthread_rwlock_unlock(&gate); }
    for (int i = 0; i < 50; i++) { pthread_rwlock_rdlock(&gate); assert(table[0] >= 0); pthread_rwlock_unlock(&gate); }
    assert(pthread_rwlock_trywrlock(&gate) == 0);
    assert(pthread_rwlock_tryrdlock(&gate) != 0);
    pthread_rwlock_unlock(&gate);";
    let work = "pthread_rwlock_rdlock(&gate); assert(table[1] > 0); pthread_rwlock_unlock(&gate);";
    let json = check_json(&with_rwlock(take, work, ""), &[], 0);
    assert_eq!(json["bounds"]["complete"], true, "{json}");
    assert!(json["stats"]["events"].as_u64() < Some(60), "{}", json["stats"]);
}

#[test]
fn read_write_locks_that_are_held_when_a_thread_is_created_stay_held() {
    // A thread that holds it waits for one that needs it: a deadlock.
    let json = check_json(&with_rwlock("pthread_rwlock_wrlock(&gate);", "pthread_rwlock_rdlock(&gate);", ""), &[], 1);
    assert_eq!(json["failure"]["kind"], "deadlock", "{json}");
    let twice = "pthread_rwlock_rdlock(&gate); pthread_rwlock_rdlock(&gate);";
    let json =
        check_json(&with_rwlock(twice, "pthread_rwlock_wrlock(&gate);", "pthread_rwlock_unlock(&gate);"), &[], 1);
    assert_eq!(json["failure"]["kind"], "deadlock", "{json}");
    let work = "pthread_rwlock_wrlock(&gate); table[0]++; pthread_rwlock_unlock(&gate);";
    let main = "assert(table[0] == 0); pthread_rwlock_unlock(&gate); pthread_rwlock_unlock(&gate);";
    let json = check_json(&with_rwlock(twice, work, main), &[], 0);
    assert_eq!(json["bounds"]["complete"], true, "{json}");
    // Readers share.
    let json = check_json(&with_rwlock("pthread_rwlock_rdlock(&gate);", "pthread_rwlock_rdlock(&gate);", ""), &[], 0);
    assert_eq!(json["bounds"]["complete"], true, "{json}");
}
