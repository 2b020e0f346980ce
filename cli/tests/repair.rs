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
