//! `heddle repair`: patches that other tools take, what is verified of them, when files are written, and what is said of input
//! that cannot be repaired.

mod command;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use command::{Answer, binary, folder, heddle, other};
use serde_json::Value;

const RACY: &str = include_str!("../../corpus/lost-update/lost-update.c");
const FIXED: &str = include_str!("../../corpus/lost-update/lost-update-fixed.c");
const OVERDRAFT: &str = include_str!("../../corpus/account-overdraft/account-overdraft.c");
const STACK_H: &str = include_str!("repair/stack.h");
const STACK: &str = include_str!("repair/stack.c");
const TAKE: &str = include_str!("repair/take.c");
const MEAN: &str = include_str!("repair/mean.c");
const COUNTER: &str = include_str!("../../corpus/wait-with-if/wait-with-if.c");

fn json(folder: &Path, arguments: &[&str]) -> (i32, Value) {
    let said = heddle(folder, &[&["repair"], arguments, &["--format", "json"]].concat());
    (said.status, said.json())
}

/// The patched program under every schedule.
#[track_caller]
fn passes(folder: &Path, file: &str) {
    let said = heddle(folder, &["run", "--strategy", "exhaustive", file]);
    assert_eq!(said.status, 0, "{}", said.stdout);
}

#[test]
fn a_patch_is_taken_by_git_and_by_patch() {
    for tool in ["git", "patch"] {
        let folder = folder(&[("a.c", OVERDRAFT)]);
        let (status, said) = json(folder.path(), &["a.c"]);
        assert_eq!((status, &said["verdict"]), (0, &"repaired".into()), "{said:#}");
        let best = &said["repairs"][0];
        assert_eq!(
            (&best["kind"], &best["verified"]["level"]),
            (&"merge-sections".into(), &"proven".into()),
            "{best:#}"
        );
        assert_eq!(best["verified"]["serialises"], false, "{best:#}");
        fs::write(folder.path().join("a.diff"), best["diff"].as_str().expect("a text")).expect("it can be written");
        assert_eq!(fs::read_to_string(folder.path().join("a.c")).expect("it is there"), OVERDRAFT);
        let applied = match tool {
            "git" => other(folder.path(), "git", &["apply", "a.diff"]),
            _ => other(folder.path(), "patch", &["-p1", "-i", "a.diff"]),
        };
        applied.expect_status(0);
        passes(folder.path(), "a.c");
    }
}

/// Repairs a program of several files, lets both tools take the best patch, and tries every schedule of the patched program.
/// Returns the best repair.
#[track_caller]
fn repaired(files: &[(&str, &str)], arguments: &[&str]) -> Value {
    let sources: Vec<&str> = files.iter().map(|(name, _)| *name).filter(|name| !name.ends_with(".h")).collect();
    let whole = folder(files);
    let (status, said) = json(whole.path(), &[&sources, arguments].concat());
    assert_eq!((status, &said["verdict"]), (0, &"repaired".into()), "{said:#}");
    let best = said["repairs"][0].clone();
    let diff = best["diff"].as_str().expect("a text");
    for tool in ["git", "patch"] {
        let folder = folder(files);
        fs::write(folder.path().join("a.diff"), diff).expect("it can be written");
        let applied = match tool {
            "git" => other(folder.path(), "git", &["apply", "a.diff"]),
            _ => other(folder.path(), "patch", &["-p1", "-i", "a.diff"]),
        };
        applied.expect_status(0);
        let run = [&["run", "--strategy", "exhaustive"], sources.as_slice()].concat();
        let said = heddle(folder.path(), &run);
        assert_eq!(said.status, 0, "{}\n{diff}", said.stdout);
    }
    best
}

#[test]
fn a_test_and_an_act_in_two_functions_of_another_file_become_one_section() {
    let files = [("src/stack.h", STACK_H), ("src/stack.c", STACK), ("src/take.c", TAKE)];
    let best = repaired(&files, &[]);
    let diff = best["diff"].as_str().expect("a text");
    assert_eq!(best["kind"], "merge-sections", "{diff}");
    assert!(diff.starts_with("--- a/src/stack.c\n+++ b/src/stack.c\n"), "{diff}");
    assert!(diff.contains("stack_pop_locked(s)") && !diff.contains("_INITIALIZER"), "{diff}");
}

#[test]
fn a_header_is_patched_where_its_code_is_written() {
    let files = [("src/stack.h", STACK_H), ("src/stack.c", STACK), ("src/mean.c", MEAN)];
    let best = repaired(&files, &[]);
    let diff = best["diff"].as_str().expect("a text");
    assert_eq!(best["kind"], "add-section", "{diff}");
    assert!(diff.starts_with("--- a/src/stack.h\n") && diff.contains("+    pthread_mutex_lock(&t->lock);"), "{diff}");
}

#[test]
fn one_patch_changes_several_files() {
    let add = "#include \"n.h\"\nvoid *add(void *arg) {\n    n = n + 1;\n    return arg;\n}\n";
    let main = "#include <assert.h>\n#include <pthread.h>\n#include \"n.h\"\nint n;\nint main(void) {\n    pthread_t t;\n    \
                pthread_create(&t, 0, add, 0);\n    n = n + 2;\n    pthread_join(t, 0);\n    assert(n == 3);\n    return 0;\n}\n";
    let files = [("n.h", "extern int n;\nvoid *add(void *arg);\n"), ("add.c", add), ("main.c", main)];
    let best = repaired(&files, &["--kinds", "new-lock"]);
    let diff = best["diff"].as_str().expect("a text");
    assert!(diff.contains("--- a/add.c\n") && diff.contains("--- a/main.c\n"), "{diff}");
}

#[test]
fn a_lock_for_reading_becomes_one_for_writing() {
    for (name, text, writes) in [
        ("a.c", include_str!("repair/directory.c"), "pthread_rwlock_wrlock(&lock);"),
        ("a.cpp", include_str!("repair/directory.cpp"), "std::unique_lock<std::shared_mutex> guard(lock_);"),
    ] {
        let best = repaired(&[(name, text)], &[]);
        let diff = best["diff"].as_str().expect("a text");
        assert_eq!(best["kind"], "merge-sections", "{diff}");
        assert!(diff.contains(&format!("+    {writes}")) || diff.contains(&format!("+        {writes}")), "{diff}");
        assert!(!diff.contains("pthread_mutex_t") && !diff.contains("std::mutex"), "{diff}");
    }
}

#[test]
fn a_thread_is_joined_before_its_data_is_freed() {
    let best = repaired(&[("a.c", include_str!("repair/teardown.c"))], &[]);
    let diff = best["diff"].as_str().expect("a text");
    assert_eq!((&best["kind"], &best["verified"]["serialises"]), (&"move-thread".into(), &false.into()), "{diff}");
    let (joined, freed) = (diff.find("pthread_join(m->thread"), diff.find(" free(m->samples)"));
    assert!(joined < freed, "{diff}");
}

#[test]
fn few_interruptions_are_explored_where_all_are_too_many() {
    let folder = folder(&[("a.c", include_str!("repair/rounds.c"))]);
    let (status, said) = json(folder.path(), &["a.c", "--most", "1", "--time", "60"]);
    assert_eq!((status, &said["verdict"]), (0, &"repaired".into()), "{said:#}");
    let best = &said["repairs"][0];
    assert_eq!((&best["kind"], &best["verified"]["level"]), (&"merge-sections".into(), &"bounded".into()), "{best:#}");
    assert_eq!(best["verified"]["bounds"]["preemptions"], 2, "{best:#}");
}

#[test]
fn a_wait_is_checked_again() {
    let folder = folder(&[("a.c", COUNTER)]);
    let (status, said) = json(folder.path(), &["a.c", "--kinds", "wait-loop"]);
    assert_eq!((status, &said["repairs"][0]["kind"]), (0, &"wait-loop".into()), "{said:#}");
    assert!(said["repairs"][0]["diff"].as_str().is_some_and(|diff| diff.contains("+    while (")), "{said:#}");
}

#[test]
fn what_does_not_fail_is_not_repaired() {
    let folder = folder(&[("a.c", FIXED)]);
    let (status, said) = json(folder.path(), &["a.c", "--time", "5"]);
    assert_eq!((status, &said["verdict"]), (0, &"none-found".into()), "{said:#}");
    assert_eq!(said.get("repairs"), None);
}

#[test]
fn what_fails_in_every_order_is_said() {
    let text = RACY.replace("visitors == 2", "visitors == 3");
    let folder = folder(&[("a.c", &text)]);
    let said = heddle(folder.path(), &["repair", "a.c"]).expect_status(1);
    assert!(said.stdout.contains("it fails in every order of its threads"), "{}", said.stdout);
}

#[test]
fn files_are_written_only_where_the_way_back_is_known() {
    let folder = folder(&[("a.c", RACY)]);
    let here = folder.path();
    let said = heddle(here, &["repair", "a.c", "--apply"]).expect_status(2);
    assert!(
        said.stderr.contains("a.c is not under version control") && said.stderr.contains("--force"),
        "{}",
        said.stderr
    );
    assert_eq!(fs::read_to_string(here.join("a.c")).expect("it is there"), RACY);
    let git = |arguments: &[&str]| -> Answer { other(here, "git", arguments).expect_status(0) };
    git(&["init", "-q"]);
    git(&["add", "a.c"]);
    fs::set_permissions(here.join("a.c"), fs::Permissions::from_mode(0o444)).expect("it can be set");
    let said = heddle(here, &["repair", "a.c", "--apply"]).expect_status(2);
    assert!(said.stderr.contains("a.c cannot be written"), "{}", said.stderr);
    assert_eq!(fs::read_to_string(here.join("a.c")).expect("it is there"), RACY);
    fs::set_permissions(here.join("a.c"), fs::Permissions::from_mode(0o644)).expect("it can be set");
    let said = heddle(here, &["repair", "a.c", "--apply"]).expect_status(0);
    assert!(said.stdout.contains("written: a.c"), "{}", said.stdout);
    passes(here, "a.c");
}

#[test]
fn a_schedule_s_program_is_repaired() {
    let folder = folder(&[("a.c", RACY)]);
    let here = folder.path();
    heddle(here, &["run", "a.c", "--schedule", "a.schedule"]).expect_status(1);
    let (status, said) = json(here, &["a.schedule"]);
    assert_eq!((status, &said["verdict"]), (0, &"repaired".into()), "{said:#}");
    fs::write(here.join("a.c"), FIXED).expect("it can be written");
    let said = heddle(here, &["repair", "a.schedule"]).expect_status(2);
    assert!(said.stderr.contains("a.c has changed"), "{}", said.stderr);
    fs::remove_file(here.join("a.c")).expect("it is there");
    let said = heddle(here, &["repair", "a.schedule"]).expect_status(2);
    assert!(said.stderr.contains("belongs to a.c, which is neither here"), "{}", said.stderr);
}

/// A program of one file, repaired by one kind of edit: the diff.
#[track_caller]
fn repaired_by(file: &str, text: &str, kind: &str) -> String {
    let best = repaired(&[(file, text)], &["--kinds", kind]);
    let diff = best["diff"].as_str().expect("a text").to_owned();
    assert_eq!((&best["kind"], &best["verified"]["serialises"]), (&kind.into(), &false.into()), "{diff}");
    diff
}

#[test]
fn what_is_made_when_it_is_first_needed_is_made_once() {
    let diff = repaired_by("a.c", include_str!("../../corpus/lazy-table/lazy-table.c"), "once");
    assert!(diff.contains("+    pthread_once(&square_once, build);"), "{diff}");
    let diff = repaired_by("a.c", include_str!("repair/palette.c"), "once");
    assert!(diff.contains("+static void colour_first(void)\n") && diff.contains("+static pthread_once_t"), "{diff}");
    let diff = repaired_by("a.cpp", include_str!("../../corpus/route-table/route-table.cpp"), "once");
    assert!(diff.contains("+    std::call_once(prepare_once, [&] {"), "{diff}");
}

#[test]
fn an_object_is_published_when_it_is_complete() {
    let diff = repaired_by("a.cpp", include_str!("../../corpus/lazy-singleton/lazy-singleton.cpp"), "reorder");
    assert!(diff.contains("+            auto *made = new Dictionary;"), "{diff}");
}

#[test]
fn a_withdrawal_is_not_made_once() {
    let folder = folder(&[("a.c", OVERDRAFT)]);
    let (_, said) = json(folder.path(), &["a.c", "--kinds", "once"]);
    assert_eq!(said["candidates"]["generated"], 0, "{said:#}");
}

#[test]
fn threads_and_callers_get_copies_of_their_own() {
    let diff = repaired_by("a.c", include_str!("../../corpus/loop-variable/loop-variable.c"), "private-copy");
    assert!(diff.contains("+        i_of_thread[i] = i;"), "{diff}");
    let diff = repaired_by("a.cpp", include_str!("../../corpus/escaping-name/escaping-name.cpp"), "private-copy");
    assert!(diff.contains("+    std::string name() {"), "{diff}");
}

#[test]
fn a_callback_is_copied_and_called_without_the_lock() {
    let text = include_str!("../../corpus/callback-under-lock/callback-under-lock.cpp");
    let diff = repaired_by("a.cpp", text, "narrow-section");
    assert!(diff.contains("+        auto listener_copy = listener_;\n+        guard.unlock();"), "{diff}");
}

#[test]
fn waiters_with_other_predicates_get_another_condition() {
    let folder = folder(&[("a.c", include_str!("../../corpus/mixed-waiters/mixed-waiters.c"))]);
    let (status, said) = json(folder.path(), &["a.c", "--kinds", "notify"]);
    assert_eq!(status, 0, "{said:#}");
    let diffs = said["repairs"].as_array().expect("a list").iter().map(|one| one["diff"].as_str().expect("a text"));
    let split = diffs.filter(|diff| diff.contains("pthread_cond_signal(&changed_2)")).count();
    assert_eq!(split, 1, "{said:#}");
}

#[test]
fn a_waiter_remembers_the_round() {
    let diff = repaired_by("a.c", include_str!("../../corpus/monitor-barrier/monitor-barrier.c"), "wait-loop");
    assert!(diff.contains("+    while (own_generation == generation && arrived < THREADS)"), "{diff}");
}

#[test]
fn what_was_tested_before_is_tested_again_under_the_lock() {
    let diff = repaired_by("a.c", include_str!("repair/names.c"), "recheck");
    assert!(diff.contains("+    if (used > 0 && names[0] == name) {"), "{diff}");
    let diff = repaired_by("a.c", include_str!("repair/atlas.c"), "recheck");
    assert!(diff.contains("+        if (drawn == 0) {\n"), "{diff}");
}

#[test]
fn methods_that_lock_are_parted_for_a_section_around_them() {
    let diff = repaired_by("a.cpp", include_str!("repair/seats.cpp"), "merge-sections");
    assert!(diff.contains("if (is_free_locked()) {") && !diff.contains("std::mutex "), "{diff}");
}

#[test]
fn the_data_s_own_read_write_lock_comes_before_a_new_lock() {
    let best = repaired(&[("a.c", include_str!("repair/prices.c"))], &[]);
    let diff = best["diff"].as_str().expect("a text");
    assert!(diff.contains("+    pthread_rwlock_wrlock(&lock);") && !diff.contains("pthread_mutex"), "{diff}");
}

#[test]
fn a_semaphore_orders_threads_where_semaphores_are_used() {
    let diff = repaired_by("a.c", include_str!("repair/kitchen.c"), "signal-wait");
    assert!(diff.contains("+    sem_init(&") && !diff.contains("pthread_cond"), "{diff}");
}

#[test]
fn a_spin_lock_is_released_before_an_exception() {
    let diff = repaired_by("a.cpp", include_str!("../../corpus/spinning-flag/spinning-flag.cpp"), "unlock");
    assert!(diff.contains("+        busy.clear();\n         throw"), "{diff}");
}

#[test]
fn a_section_is_merged_where_it_was_left_and_nowhere_else() {
    let text = include_str!("../../corpus/worker-interrupt/worker-interrupt.c");
    let diff = repaired_by("a.c", text, "merge-sections");
    assert_eq!(diff.matches("@@ ").count(), 1, "the loader is left as it is: {diff}");
}

const LOCK_MACROS: &str = "#define LOCK pthread_mutex_lock(&lock)\n#define UNLOCK pthread_mutex_unlock(&lock)\n";

/// The account with macros for its lock.
fn hidden() -> String {
    OVERDRAFT
        .replace("pthread_mutex_lock(&lock);", "LOCK;")
        .replace("pthread_mutex_unlock(&lock);", "UNLOCK;")
        .replace("static int balance", &format!("{LOCK_MACROS}static int balance"))
}

#[test]
fn macros_that_lock_are_moved_like_calls() {
    let diff = repaired_by("a.c", &hidden(), "merge-sections");
    assert!(diff.contains("-    LOCK;"), "{diff}");
    assert!(diff.lines().all(|line| !line.starts_with(['+', '-']) || !line.contains("#define")), "{diff}");
}

/// The same account with the test and the withdrawal in macros that have sections of their own.
const IN_MACROS: &str = include_str!("repair/in_macros.c");

#[test]
fn what_cannot_be_patched_is_named() {
    let folder = folder(&[("a.c", RACY), ("hidden.c", IN_MACROS)]);
    let here = folder.path();
    let said = heddle(here, &["repair", "hidden.c", "--kinds", "merge-sections"]).expect_status(2);
    assert!(said.stderr.contains("hidden.c:") && said.stderr.contains("hides a lock"), "{}", said.stderr);
    assert_eq!(fs::read_to_string(here.join("hidden.c")).expect("it is there"), IN_MACROS);
    other(here, "clang-22", &["-g", "-emit-llvm", "-c", "a.c", "-o", "a.bc"]).expect_status(0);
    let said = heddle(here, &["repair", "a.bc"]).expect_status(2);
    assert!(said.stderr.contains("a.bc is not a source file"), "{}", said.stderr);
    let mut without = Command::new(binary());
    without.args(["repair", "a.c"]).current_dir(here).env("HEDDLE_LIBCLANG", "nowhere.so");
    let output = without.output().expect("heddle starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("libclang1-22"));
}

#[test]
fn what_fails_in_a_header_of_the_system_is_said() {
    let folder = folder(&[("include/broken.h", BROKEN_H), ("a.c", USES_BROKEN)]);
    let said =
        heddle(folder.path(), &["repair", "a.c", "-isystem", "include", "--kinds", "wait-loop"]).expect_status(2);
    assert!(said.stderr.contains("broken.h:") && said.stderr.contains("nothing to patch"), "{}", said.stderr);
    assert_eq!(fs::read_to_string(folder.path().join("a.c")).expect("it is there"), USES_BROKEN);
}

/// Everything happens in a header that the compiler takes for the system's.
const BROKEN_H: &str = "#include <assert.h>\n#include <pthread.h>\nstatic int n;\nstatic void *add(void *arg) {\n    n = n + 1;\n    \
                        return arg;\n}\nstatic void run(void) {\n    pthread_t a, b;\n    pthread_create(&a, 0, add, 0);\n    \
                        pthread_create(&b, 0, add, 0);\n    pthread_join(a, 0);\n    pthread_join(b, 0);\n    assert(n == 2);\n}\n";
const USES_BROKEN: &str = "#include <broken.h>\nint main(void) {\n    run();\n    return 0;\n}\n";

#[test]
fn an_explanation_ends_with_the_best_patch() {
    let folder = folder(&[("a.c", OVERDRAFT)]);
    let here = folder.path();
    let said = heddle(here, &["explain", "a.c", "--repair", "--format", "json"]);
    let json = said.json();
    assert_eq!(
        (said.status, &json["verdict"], &json["command"]),
        (1, &"failure".into(), &"explain".into()),
        "{json:#}"
    );
    assert!(json["causes"].is_array() && json["repairs"][0]["verified"]["level"] == "proven", "{json:#}");
    let said = heddle(here, &["explain", "a.c", "--repair"]).expect_status(1);
    let (because, patch) = (said.stdout.find("because"), said.stdout.find("repair[merge-sections]"));
    assert!(because.is_some() && because < patch, "{}", said.stdout);
    assert!(said.stdout.contains("heddle repair --apply .heddle/a"), "{}", said.stdout);
    assert_eq!(fs::read_to_string(here.join("a.c")).expect("it is there"), OVERDRAFT);
    let said = heddle(here, &["explain", "a.c", "--repair", "--format", "dot"]).expect_status(2);
    assert!(said.stderr.contains("a patch cannot be drawn"), "{}", said.stderr);
}

#[test]
fn a_recorded_run_is_repaired_where_its_program_was_built() {
    let folder = folder(&[("a.c", OVERDRAFT)]);
    let here = folder.path();
    heddle(here, &["cc", "-g", "-pthread", "-fheddle-hooks", "a.c", "-o", "a"]).expect_status(0);
    let record = ["record", "--perturb", "1", "--runs", "2000", "--until-failure", "--out", "runs", "--", "./a"];
    heddle(here, &record).expect_status(1);
    let (status, said) = json(here, &["runs"]);
    assert_eq!((status, &said["repairs"][0]["kind"]), (0, &"merge-sections".into()), "{said:#}");
    let said = heddle(here, &["explain", "runs", "--repair"]).expect_status(1);
    assert!(said.stdout.contains("repair[merge-sections]"), "{}", said.stdout);
    fs::rename(here.join("a.c"), here.join("b.c")).expect("it can be moved");
    let said = heddle(here, &["repair", "runs"]).expect_status(2);
    assert!(said.stderr.contains("the sources of the program of"), "{}", said.stderr);
}

#[test]
fn a_short_answer_says_how_sure_it_is() {
    let folder = folder(&[("a.c", OVERDRAFT)]);
    let said = heddle(folder.path(), &["repair", "-q", "a.c"]).expect_status(0);
    assert!(said.stdout.contains("note  proven: every schedule was explored"), "{}", said.stdout);
}

#[test]
fn counted_work_gives_the_same_answer_everywhere() {
    let folder = folder(&[("a.c", OVERDRAFT)]);
    let answer = |work: &str| {
        let (status, said) = json(folder.path(), &["a.c", "--work", work]);
        (status, said["repairs"].clone(), said["candidates"].clone(), said["exhausted"]["what"].clone())
    };
    let (status, repairs, candidates, _) = answer("20000000");
    assert_eq!((status, &repairs[0]["kind"]), (0, &"merge-sections".into()), "{repairs:#}");
    assert_eq!(answer("20000000"), (status, repairs, candidates, Value::Null));
    let (status, _, _, what) = answer("40000");
    assert_eq!((status, &what), (3, &"work".into()));
}

#[test]
fn kill_sets_and_covers_are_told() {
    let folder = folder(&[("a.c", RACY)]);
    let (_, said) = json(folder.path(), &["a.c"]);
    assert!(said["kill_sets"][0]["orders"].is_array() && said["covers"][0]["composite"] == true, "{said:#}");
    let said = heddle(folder.path(), &["repair", "-v", "a.c"]).expect_status(0);
    assert!(said.stdout.contains("forbid") && said.stdout.contains("composite one"), "{}", said.stdout);
}

#[test]
fn budgets_hold() {
    let folder = folder(&[("a.c", RACY)]);
    let (status, said) = json(folder.path(), &["a.c", "--time", "0.01"]);
    assert!(matches!(status, 0 | 1 | 3), "{said:#}");
    if status == 3 {
        assert_eq!(said["exhausted"]["what"], "time", "{said:#}");
    }
}
