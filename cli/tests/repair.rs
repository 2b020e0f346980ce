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

#[test]
fn what_cannot_be_patched_is_named() {
    let hidden = OVERDRAFT
        .replace("pthread_mutex_lock(&lock);", "LOCK;")
        .replace("pthread_mutex_unlock(&lock);", "UNLOCK;")
        .replace(
            "static int balance",
            "#define LOCK pthread_mutex_lock(&lock)\n#define UNLOCK pthread_mutex_unlock(&lock)\nstatic int balance",
        );
    let folder = folder(&[("a.c", RACY), ("hidden.c", &hidden)]);
    let here = folder.path();
    let said = heddle(here, &["repair", "hidden.c", "--kinds", "merge-sections"]).expect_status(2);
    assert!(said.stderr.contains("the macro `LOCK` hides a lock"), "{}", said.stderr);
    other(here, "clang-22", &["-g", "-emit-llvm", "-c", "a.c", "-o", "a.bc"]).expect_status(0);
    let said = heddle(here, &["repair", "a.bc"]).expect_status(2);
    assert!(said.stderr.contains("a.bc is no source file"), "{}", said.stderr);
    let mut without = Command::new(binary());
    without.args(["repair", "a.c"]).current_dir(here).env("HEDDLE_LIBCLANG", "nowhere.so");
    let output = without.output().expect("heddle starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("libclang1-22"));
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
