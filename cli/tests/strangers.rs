//! Files from other people: a schedule, a run or a compilation database causes no native execution, no writes, and only
//! bounded memory.

mod command;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use command::{folder, heddle};

/// Two drawers of one till: an update is lost.
const TILL: &str = r#"#include <assert.h>
#include <pthread.h>

static int till;

static void *sell(void *argument)
{
    till += *(int *)argument;
    return 0;
}

int main(void)
{
    pthread_t drawers[2];
    int prices[2] = {3, 4};
    for (int i = 0; i < 2; i++)
        pthread_create(&drawers[i], 0, sell, &prices[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(drawers[i], 0);
    assert(till == 7);
    return 0;
}
"#;

/// All files below a folder with their contents, in order.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("it is there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(contents(&path));
        } else {
            found.push((path.display().to_string(), fs::read(&path).unwrap_or_default()));
        }
    }
    found.sort();
    found
}

/// A folder with the program, and a schedule with which it fails.
fn till() -> (tempfile::TempDir, String) {
    let folder = folder(&[("till.c", TILL)]);
    heddle(folder.path(), &["run", "till.c", "--runs", "300", "--schedule", "till.schedule"]).expect_status(1);
    let text = fs::read_to_string(folder.path().join("till.schedule")).expect("it was written");
    (folder, text)
}

fn with_flags(schedule: &str, flags: &[&str]) -> String {
    let lines: String = flags.iter().map(|flag| format!("flag \"{flag}\"\n")).collect();
    schedule.replacen("program ", &format!("{lines}program "), 1)
}

#[test]
fn flags_that_run_code_or_write_files_are_refused_by_name() {
    let (folder, schedule) = till();
    let written = folder.path().join("written");
    let cases: &[&[&str]] = &[
        &["-fplugin=./evil.so"],
        &["-fpass-plugin=./evil.so"],
        &["-Xclang", "-load", "-Xclang", "./evil.so"],
        &["-foptimization-record-file=written"],
        &["-Wp,-MD,written"],
        &["-MD", "-MF", "written"],
        &["-MJ", "written"],
        &["-o", "written"],
        &["-save-temps"],
        &["-ftime-trace=written"],
        &["-fcrash-diagnostics-dir=written"],
        &["-fprofile-generate=written"],
        &["--config=written"],
        &["-B."],
        &["-specs=written"],
        &["-mllvm", "-stats"],
        &["@till.schedule"],
        &["-D", "@till.schedule"],
    ];
    for flags in cases {
        fs::write(folder.path().join("other.schedule"), with_flags(&schedule, flags)).expect("it can be written");
        let before = contents(folder.path());
        let answer = heddle(folder.path(), &["replay", "other.schedule"]).expect_status(2);
        let shown = answer.stderr.contains(flags[0]) && answer.stderr.contains("the compiler flag");
        assert!(shown && answer.stderr.contains("--trust-flags"), "{flags:?}: {}", answer.stderr);
        assert!(contents(folder.path()) == before && !written.exists(), "{flags:?}");
    }
}

#[test]
fn flags_that_change_the_meaning_are_passed_on() {
    let (folder, _) = till();
    let flags = ["-DNDRAWERS=2", "-I.", "-std=gnu11", "-O2", "-fwrapv", "-Wall", "-lm", "-g"];
    let run = [&["run", "till.c", "--runs", "300", "--schedule", "other.schedule"][..], &flags].concat();
    heddle(folder.path(), &run).expect_status(1);
    let schedule = fs::read_to_string(folder.path().join("other.schedule")).expect("it was written");
    assert!(schedule.contains("flag -fwrapv\n") && schedule.contains("flag -DNDRAWERS=2\n"), "{schedule}");
    heddle(folder.path(), &["replay", "other.schedule"]).expect_status(1);
}

#[test]
fn flags_are_passed_on_if_the_user_trusts_them() {
    let (folder, schedule) = till();
    fs::write(folder.path().join("other.schedule"), with_flags(&schedule, &["-fno-crash-diagnostics"]))
        .expect("it can be written");
    heddle(folder.path(), &["replay", "other.schedule"]).expect_status(2);
    heddle(folder.path(), &["replay", "--trust-flags", "other.schedule"]).expect_status(1);
}

#[test]
fn names_of_sources_are_no_options() {
    let (folder, schedule) = till();
    let strange = "-fplugin=./till.c";
    fs::create_dir(folder.path().join("-fplugin=.")).expect("it can be made");
    fs::write(folder.path().join(strange), TILL).expect("it can be written");
    let renamed = schedule.replace("source till.c", &format!("source {strange}"));
    fs::write(folder.path().join("other.schedule"), renamed).expect("it can be written");
    let answer = heddle(folder.path(), &["replay", "other.schedule"]);
    assert!(!answer.stderr.contains("load"), "{}", answer.stderr);
    // The program is the same but for the name of its file.
    assert!([1, 2].contains(&answer.status), "{}", answer.stderr);
}

#[test]
fn names_in_a_schedule_lead_to_regular_files() {
    let (folder, schedule) = till();
    let file = folder.path().join("other.schedule");
    for (from, to) in [
        ("source till.c", "source /dev/zero"),
        ("source till.c", "source /dev/stdin"),
        ("source till.c", "source till.c\nsource /dev/zero"),
        ("program ", "flag -include/dev/zero\nprogram "),
    ] {
        fs::write(&file, schedule.replacen(from, to, 1)).expect("it can be written");
        heddle(folder.path(), &["replay", "other.schedule"]).expect_status(2);
    }
    // A device has no fingerprint, so it counts as changed.
    let named = schedule.replacen("program ", "option \"content=00 /dev/zero\"\nprogram ", 1);
    fs::write(&file, named.replace("until 3 ", "until 4 ")).expect("it can be written");
    let answer = heddle(folder.path(), &["replay", "other.schedule"]);
    assert!([1, 2].contains(&answer.status), "{}", answer.stderr);
    let answer = heddle(folder.path(), &["replay", "/dev/zero"]).expect_status(2);
    assert!(answer.stderr.contains("it has more than"), "{}", answer.stderr);
}

#[test]
fn debug_information_names_no_device() {
    let source = format!("#line 1 \"/dev/zero\"\n{TILL}");
    let folder = folder(&[("till.c", source.as_str())]);
    heddle(folder.path(), &["run", "till.c", "--runs", "300"]).expect_status(1);
}

#[test]
fn a_runs_module_stays_in_its_folder() {
    let folder = folder(&[("runs/x", ""), ("modules/evil/module.bc", "")]);
    for module in ["../../modules/evil", "/etc", "..", "", "0123456789abcdef0123456789abcde/"] {
        let run =
            run::RecordedRun { module: module.to_owned(), threads: Vec::new(), end: run::ProcessEnd::Hang, cut: None };
        fs::write(folder.path().join("runs/a.failed.run"), run::write_run(&run)).expect("it can be written");
        let answer = heddle(folder.path(), &["explain", "runs/a.failed.run"]).expect_status(2);
        assert!(answer.stderr.contains("is not the identity of a module"), "{module}: {}", answer.stderr);
    }
}

#[test]
fn a_compilation_database_runs_no_code() {
    let database = r#"[{"directory": ".", "file": "till.c", "arguments":
        ["cc", "-DX", "-fplugin=./evil.so", "-fprofile-generate=written", "-Xclang", "-load", "-mllvm", "-stats", "-c", "till.c"]}]"#;
    for place in ["compile_commands.json", "build/compile_commands.json", "cmake-build-debug/compile_commands.json"] {
        let folder = folder(&[("till.c", TILL), (place, "")]);
        let here = folder.path().display().to_string();
        let text = database.replace("\"directory\": \".\"", &format!("\"directory\": \"{here}\""));
        fs::write(folder.path().join(place), text).expect("it can be written");
        let answer = heddle(folder.path(), &["run", "-v", "till.c", "--runs", "300"]).expect_status(1);
        assert!(
            answer.stderr.contains("not passed on") && answer.stderr.contains("-fplugin=./evil.so"),
            "{}",
            answer.stderr
        );
        assert!(answer.stderr.contains(": -DX\n"), "{}", answer.stderr);
        assert!(!folder.path().join("written").exists());
    }
}

#[test]
fn traces_are_regular_files() {
    let folder = folder(&[("traces/x", "")]);
    symlink("/dev/zero", folder.path().join("traces/T0")).expect("a link can be made");
    heddle(folder.path(), &["explain", "traces"]).expect_status(2);
}
