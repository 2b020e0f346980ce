//! Outputs: no input is overwritten, no link is followed, no partial file is left, and heddle's own files can be
//! removed.

mod command;

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use command::{binary, folder, heddle, heddle_with_input};

const RACY: &str = include_str!("../../corpus/lost-update/lost-update.c");

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("it is there");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn text(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("it is there")
}

#[test]
fn an_input_is_never_an_output() {
    let header = "static int x;\nstatic inline int get(void) { return x; }\n";
    let source = format!("#include \"a.h\"\n{RACY}");
    let database = "[]";
    let files = [("a.c", source.as_str()), ("a.h", header), ("compile_commands.json", database), ("sub/x", "")];
    let folder = folder(&files);
    fs::hard_link(folder.path().join("a.c"), folder.path().join("same.c")).expect("a link can be made");
    let here = folder.path().display().to_string();
    let absolute = format!("{here}/a.c");
    for command in ["run", "check", "explain"] {
        for option in ["--schedule", "--output", "--program-output"] {
            for output in ["a.c", "./sub/../a.c", "same.c", &absolute, "compile_commands.json"] {
                let answer = heddle(folder.path(), &[command, "a.c", option, output]).expect_status(2);
                let wanted = format!("{option} {output} would overwrite an input");
                assert!(answer.stderr.contains(&wanted), "{command}: {}", answer.stderr);
            }
        }
    }
    let answer = heddle(folder.path(), &["run", "a.c", "-include", "a.h", "--schedule", "a.h"]).expect_status(2);
    assert!(answer.stderr.contains("would overwrite an input"), "{}", answer.stderr);
    for (name, before) in files {
        assert_eq!(text(folder.path(), name), before);
    }
    assert_eq!(names(folder.path()), ["a.c", "a.h", "compile_commands.json", "same.c", "sub"]);
}

#[test]
fn a_header_with_code_is_an_input() {
    let header = "#include <assert.h>\nstatic int passes(int x) { return x == 2; }\n";
    let source = format!("#include \"a.h\"\n{}", RACY.replace("visitors == 2", "passes(visitors)"));
    let folder = folder(&[("a.c", source.as_str()), ("a.h", header)]);
    for command in ["run", "check", "explain"] {
        let answer = heddle(folder.path(), &[command, "a.c", "--schedule", "a.h"]).expect_status(2);
        assert!(answer.stderr.contains("would overwrite an input"), "{command}: {}", answer.stderr);
    }
    assert_eq!(text(folder.path(), "a.h"), header);
}

#[test]
fn a_schedule_and_its_sources_are_inputs_of_replay() {
    let folder = folder(&[("a.c", RACY)]);
    heddle(folder.path(), &["run", "a.c", "--runs", "300", "--schedule", "a.schedule"]).expect_status(1);
    let before = text(folder.path(), "a.schedule");
    for option in ["--output", "--program-output"] {
        for output in ["a.schedule", "a.c"] {
            let answer = heddle(folder.path(), &["replay", "a.schedule", option, output]).expect_status(2);
            assert!(answer.stderr.contains("would overwrite an input"), "{}", answer.stderr);
        }
    }
    assert_eq!((text(folder.path(), "a.c").as_str(), text(folder.path(), "a.schedule")), (RACY, before));
}

#[test]
fn stdin_is_an_input() {
    let folder = folder(&[("a.c", RACY), ("input", "precious")]);
    let output = Command::new(binary())
        .args(["run", "a.c", "--output", "input"])
        .current_dir(folder.path())
        .stdin(File::open(folder.path().join("input")).expect("it is there"))
        .stderr(Stdio::piped())
        .output()
        .expect("heddle starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("would overwrite an input: stdin"));
    assert_eq!(text(folder.path(), "input"), "precious");
}

#[test]
fn traces_are_inputs() {
    let folder = folder(&[("hall/T0", "<assertThread_ok>\n"), ("hall/notes", "")]);
    let answer = heddle(folder.path(), &["explain", "hall", "--output", "hall/T0"]).expect_status(2);
    assert!(answer.stderr.contains("would overwrite an input"), "{}", answer.stderr);
    assert_eq!(text(folder.path(), "hall/T0"), "<assertThread_ok>\n");
}

#[test]
fn two_outputs_are_two_files() {
    let folder = folder(&[("a.c", RACY), ("sub/x", "")]);
    for (first, second) in [("--schedule", "--output"), ("--output", "--program-output")] {
        let arguments = ["run", "a.c", first, "out", second, "sub/../out"];
        let answer = heddle(folder.path(), &arguments).expect_status(2);
        assert!(answer.stderr.contains("name the same file"), "{}", answer.stderr);
        assert!(!folder.path().join("out").exists());
    }
    heddle(folder.path(), &["run", "a.c", "--output", "/dev/null", "--program-output", "/dev/null"]).expect_status(1);
}

#[test]
fn links_are_not_followed() {
    let folder = folder(&[("a.c", RACY), ("precious", "kept")]);
    symlink("precious", folder.path().join("link")).expect("a link can be made");
    symlink("nothing", folder.path().join("dangling")).expect("a link can be made");
    for option in ["--schedule", "--output", "--program-output"] {
        for link in ["link", "dangling"] {
            let answer = heddle(folder.path(), &["run", "a.c", option, link]).expect_status(2);
            assert!(answer.stderr.contains("does not write through links"), "{}", answer.stderr);
        }
    }
    assert_eq!(text(folder.path(), "precious"), "kept");
    assert!(!folder.path().join("nothing").exists());
    // The folder that heddle keeps is no link either.
    symlink("elsewhere", folder.path().join(".heddle")).expect("a link can be made");
    fs::create_dir(folder.path().join("elsewhere")).expect("it can be made");
    let answer = heddle(folder.path(), &["run", "a.c", "--runs", "300"]).expect_status(2);
    assert!(answer.stderr.contains(".heddle is not a folder"), "{}", answer.stderr);
    assert_eq!(names(&folder.path().join("elsewhere")), Vec::<String>::new());
}

#[test]
fn devices_and_descriptors_are_written_to() {
    let folder = folder(&[("a.c", RACY)]);
    let arguments = ["run", "a.c", "--runs", "300", "--schedule", "/dev/stdout", "--output", "/dev/null"];
    let answer = heddle(folder.path(), &arguments).expect_status(1);
    assert!(answer.stdout.starts_with("heddle schedule 1\n"), "{}", answer.stdout);
    // A file that stdout is redirected to is appended to, not truncated.
    let out = File::create(folder.path().join("out")).expect("it can be made");
    let status = Command::new(binary())
        .args(["run", "a.c", "--runs", "300", "--schedule", "/dev/stdout", "--quiet"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(out)
        .status()
        .expect("heddle starts");
    assert_eq!(status.code(), Some(1));
    let said = text(folder.path(), "out");
    assert!(said.starts_with("heddle schedule 1\n") && said.contains("error[assertion]"), "{said}");
}

#[test]
fn an_error_leaves_the_old_file_and_no_other() {
    let folder = folder(&[("a.c", RACY), ("old", "old\n")]);
    // A limit on the size of files acts like a full disk, during writing.
    let script =
        format!("ulimit -f 0; trap '' XFSZ; exec {} run a.c --runs 300 --schedule old --output /dev/null", binary());
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .expect("sh starts");
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write old"));
    assert_eq!(text(folder.path(), "old"), "old\n");
    assert_eq!(names(folder.path()), ["a.c", "old"]);
    let answer =
        heddle(folder.path(), &["run", "a.c", "--runs", "300", "--schedule", "no/such/folder"]).expect_status(2);
    assert!(answer.stderr.contains("cannot write no/such/folder"), "{}", answer.stderr);
    let answer = heddle(folder.path(), &["run", "a.c", "--output", "/dev/full"]).expect_status(2);
    assert!(answer.stderr.contains("cannot write /dev/full"), "{}", answer.stderr);
}

#[test]
fn what_is_kept_is_ignored_by_git_and_removed_by_clean() {
    let folder = folder(&[("a.c", RACY), ("b.c", RACY)]);
    let nothing = heddle(folder.path(), &["clean"]).expect_status(0);
    assert_eq!(nothing.stdout, "nothing to remove\n");
    heddle(folder.path(), &["run", "a.c", "--runs", "300"]).expect_status(1);
    heddle(folder.path(), &["run", "b.c", "--runs", "300"]).expect_status(1);
    assert_eq!(names(folder.path()), [".heddle", "a.c", "b.c"]);
    let kept = folder.path().join(".heddle");
    assert_eq!(text(&kept, ".gitignore"), "*\n");
    assert_eq!(names(&kept), [".gitignore", "a.schedule", "b.schedule"]);

    heddle(folder.path(), &["cc", "-g", "-pthread", "a.c", "-o", "a"]).expect_status(0);
    heddle(folder.path(), &["record", "--", "./a"]).expect_status(0);
    // Files that heddle did not write stay, whatever their names are.
    fs::write(kept.join("mine.schedule"), "bus 7, 8:15\n").expect("it can be written");
    fs::write(kept.join("runs/notes"), "mine\n").expect("it can be written");
    symlink("../a.c", kept.join("link.schedule")).expect("a link can be made");
    fs::write(kept.join("runs/.a.run.4194305-3.heddle"), "half").expect("it can be written");
    let before = names(&kept);
    let would = heddle(folder.path(), &["clean", "--dry-run"]).expect_status(0).stdout;
    assert_eq!(names(&kept), before);
    let json = heddle(folder.path(), &["clean", "--format", "json"]).expect_status(0).json();
    let removed = json["removed"].as_array().expect("a list");
    assert_eq!(would.lines().filter(|line| line.starts_with("would remove ")).count(), removed.len());
    for name in ["a.schedule", "b.schedule", "runs/a-0001.passed.run", ".gitignore", "runs/.a.run.4194305-3.heddle"] {
        assert!(removed.contains(&format!(".heddle/{name}").into()), "{name}: {removed:?}");
        assert!(!kept.join(name).exists(), "{name}");
    }
    assert!(!kept.join("runs/modules").exists());
    let left = ["link.schedule", "mine.schedule", "runs/notes"].map(|name| format!(".heddle/{name}"));
    assert_eq!(json["left"], serde_json::json!(left));
    assert_eq!(names(&kept), ["link.schedule", "mine.schedule", "runs"]);
    for name in ["mine.schedule", "link.schedule"] {
        fs::remove_file(kept.join(name)).expect("it is there");
    }
    fs::remove_file(kept.join("runs/notes")).expect("it is there");
    heddle(folder.path(), &["clean"]).expect_status(0);
    assert_eq!(names(folder.path()), ["a", "a.c", "b.c"]);
}

#[test]
fn programs_with_output_are_told_apart_from_results() {
    let source = "#include <stdio.h>\nint main(void) { printf(\"%d\\n\", getchar()); return 0; }\n";
    let folder = folder(&[("a.c", source)]);
    let arguments = ["run", "a.c", "--output", "result", "--program-output", "said"];
    heddle_with_input(folder.path(), &arguments, b"A").expect_status(0);
    assert_eq!(text(folder.path(), "said"), "65\n");
    assert!(text(folder.path(), "result").contains("a.c"));
    assert_eq!(names(folder.path()), ["a.c", "result", "said"]);
}
