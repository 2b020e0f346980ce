//! heddle's messages for invalid input: the problem, its place, the remedy. No existing file is changed.

mod command;

use std::fs;
use std::path::Path;
use std::process::Command;

use command::{folder, heddle, heddle_with_input, repository};

const RACY: &str = include_str!("../../corpus/lost-update/lost-update.c");

/// Every text of `wanted` is on stderr, stdout is empty, and the status is 2.
#[track_caller]
fn complains(folder: &Path, arguments: &[&str], wanted: &[&str]) {
    let answer = heddle(folder, arguments).expect_status(2);
    for wanted in wanted {
        assert!(answer.stderr.contains(wanted), "`{wanted}` is not said:\n{}", answer.stderr);
    }
    assert_eq!(answer.stdout, "");
    assert!(!answer.stderr.contains("bug in heddle"), "{}", answer.stderr);
}

#[test]
fn a_file_that_is_not_there() {
    let folder = folder(&[]);
    complains(folder.path(), &["run", "nowhere.c"], &["error: cannot read nowhere.c", "help: "]);
    complains(folder.path(), &["replay", "nowhere.schedule"], &["error: cannot read nowhere.schedule"]);
    complains(folder.path(), &["run", "."], &["error: . is a folder", "help: "]);
}

#[test]
fn c_that_does_not_compile_shows_what_the_compiler_says() {
    let folder = folder(&[("broken.c", "int main(void)\n{\n    return missing;\n}\n")]);
    complains(folder.path(), &["run", "broken.c"], &["broken.c:3:12", "undeclared identifier 'missing'", "help: "]);
}

#[test]
fn a_header_that_is_found_only_with_its_flag() {
    let folder =
        folder(&[("a.c", "#include \"n.h\"\nint main(void) { return N - N; }\n"), ("inc/n.h", "#define N 3\n")]);
    complains(folder.path(), &["run", "a.c"], &["a.c:1:10", "'n.h' file not found", "-Iinclude"]);
    heddle(folder.path(), &["run", "a.c", "-Iinc"]).expect_status(0);
    heddle(folder.path(), &["run", "a.c", "-I", "inc"]).expect_status(0);
}

#[test]
fn flags_come_from_a_compilation_database() {
    let source = "#include \"n.h\"\n#include <assert.h>\nint main(void) { assert(N == M); return 0; }\n";
    let folder = folder(&[("src/a.c", source), ("src/b.c", "int unused;\n"), ("inc/n.h", "#define N 3\n")]);
    let entry = |file: &str, command: &str| serde_json::json!({"directory": folder.path(), "file": file, "command": format!("cc {command} -c -o x.o {file}")});
    let database = serde_json::json!([entry("src/a.c", "-Iinc -DM=3 -Wall"), entry("src/b.c", "-DOTHER")]);
    let file = folder.path().join("compile_commands.json");
    fs::write(&file, database.to_string()).expect("it can be written");
    heddle(folder.path(), &["run", "src/a.c"]).expect_status(0);
    // The database is found from the source, in any current folder.
    heddle(&folder.path().join("inc"), &["run", "../src/a.c"]).expect_status(0);
    complains(folder.path(), &["run", "src/a.c", "src/b.c"], &["different compiler flags", "help: "]);
    let named = ["run", "--compile-commands", "compile_commands.json"];
    complains(folder.path(), &[&named[..], &["inc/n.h"]].concat(), &["does not list inc/n.h"]);
    fs::write(&file, "[{").expect("it can be written");
    complains(folder.path(), &["run", "src/a.c"], &["compile_commands.json", "help: "]);
}

#[test]
fn files_that_are_no_programs() {
    let folder = folder(&[("notes.txt", "hello\n"), ("cut.bc", "BC\u{c0}"), ("wrong.ll", "define nonsense\n")]);
    complains(folder.path(), &["run", "notes.txt"], &["notes.txt", "help: "]);
    complains(folder.path(), &["run", "cut.bc"], &["cut.bc", "help: "]);
    complains(folder.path(), &["run", "wrong.ll"], &["wrong.ll", "help: "]);
}

/// LLVM's own reader falls over some of them.
#[test]
fn assembly_that_is_no_program() {
    let main = |body: &str| format!("@seats = global i32 3\n\ndefine i32 @main() {{\n{body}}}\n");
    let texts = [
        main("  store i32 %4294967295, ptr @seats\n  ret i32 0\n"),
        main("  store i32 %4294967294, ptr @seats, !dbg !4294967295\n  ret i32 0\n"),
        "define i32 @main() !dbg !9 {\n  store i32 %4294967295, ptr @nowhere, align 4, !dbg !8\n".to_owned(),
        main("  %taken = load i32, ptr @seats\n  ret i32 %given\n"),
        main("  %taken = load i32, ptr @seats\n"),
        main("  ret i64 0\n"),
        main("  br label %nowhere\n"),
        "define i32 @main() {\n".to_owned(),
        "@seats = global i32 \"three\"\n".to_owned(),
        String::new(),
    ];
    for text in &texts {
        let folder = folder(&[("wrong.ll", text)]);
        for command in ["run", "check", "explain"] {
            complains(folder.path(), &[command, "wrong.ll"], &["error: ", "help: "]);
        }
    }
}

#[test]
fn truncated_bitcode() {
    let folder = folder(&[("a.c", RACY)]);
    let compiled = Command::new("clang-22")
        .args(["-g", "-emit-llvm", "-c", "a.c", "-o", "a.bc"])
        .current_dir(folder.path())
        .status()
        .expect("clang-22 is installed");
    assert!(compiled.success());
    let whole = fs::read(folder.path().join("a.bc")).expect("it was made");
    for part in [4, 17, whole.len() / 2, whole.len() - 4] {
        fs::write(folder.path().join("part.bc"), &whole[..part]).expect("it can be written");
        complains(folder.path(), &["run", "part.bc"], &["part.bc", "help: "]);
    }
}

#[test]
fn a_program_without_main() {
    let folder = folder(&[("a.c", "int f(void) { return 0; }\n")]);
    complains(folder.path(), &["run", "a.c"], &["main", "help: "]);
}

/// The models of the libraries assume the usual width of `wchar_t`.
#[test]
fn programs_that_do_not_fit_the_models() {
    let folder = folder(&[("a.c", RACY)]);
    complains(
        folder.path(),
        &["run", "a.c", "-fshort-wchar"],
        &["cannot be linked with heddle's models", "wchar_size"],
    );
}

#[test]
fn options_that_do_not_exist() {
    let folder = folder(&[("a.c", RACY)]);
    complains(folder.path(), &["run", "a.c", "--bogus"], &["'--bogus'", "Usage:"]);
    complains(folder.path(), &["run", "a.c", "--strategy", "luck"], &["luck", "random", "pct"]);
    complains(folder.path(), &["run", "a.c", "--property", "luck"], &["luck", "race", "exit"]);
    complains(folder.path(), &["run", "a.c", "--env", "NAME"], &["NAME=VALUE"]);
    complains(folder.path(), &["run", "a.c", "--time", "-1"], &["--time"]);
    complains(folder.path(), &["run"], &["PROGRAM"]);
    complains(folder.path(), &["nonsense"], &["nonsense", "Usage:"]);
}

#[test]
fn text_that_is_no_schedule() {
    let folder = folder(&[("a.schedule", "hello\n"), ("cut.schedule", "heddle schedule 1\nsource a.c\n0 until x\n")]);
    complains(folder.path(), &["replay", "a.schedule"], &["a.schedule:1: ", "help: "]);
    complains(folder.path(), &["replay", "cut.schedule"], &["cut.schedule:3: ", "help: "]);
    fs::write(folder.path().join("binary.schedule"), [0xff, 0xfe, 0]).expect("it can be written");
    complains(folder.path(), &["replay", "binary.schedule"], &["binary.schedule", "not text"]);
}

#[test]
fn a_schedule_whose_program_has_changed() {
    let folder = folder(&[("a.c", RACY)]);
    heddle(folder.path(), &["run", "a.c", "--runs", "300"]).expect_status(1);
    heddle(folder.path(), &["replay", ".heddle/a.schedule"]).expect_status(1);
    // Comments do not matter, as long as they do not move an assertion, which knows its line.
    fs::write(folder.path().join("a.c"), format!("{RACY}// A remark.\n")).expect("it can be written");
    heddle(folder.path(), &["replay", ".heddle/a.schedule"]).expect_status(1);
    fs::write(folder.path().join("a.c"), RACY.replace("visitors++", "visitors += 2")).expect("it can be written");
    complains(
        folder.path(),
        &["replay", ".heddle/a.schedule"],
        &["no longer fits", "a.c has changed", "heddle run a.c"],
    );
    fs::remove_file(folder.path().join("a.c")).expect("it was there");
    complains(folder.path(), &["replay", ".heddle/a.schedule"], &["belongs to a.c", "help: "]);
}

#[test]
fn a_schedule_that_was_edited() {
    let folder = folder(&[("a.c", RACY)]);
    heddle(folder.path(), &["run", "a.c", "--runs", "300"]).expect_status(1);
    let file = folder.path().join(".heddle/a.schedule");
    let text = fs::read_to_string(&file).expect("it was written");
    let last = text.lines().last().expect("it has lines");
    fs::write(&file, text.replace(last, "0.7 until 3")).expect("it can be written");
    complains(folder.path(), &["replay", ".heddle/a.schedule"], &["does not fit", "0.7", "help: "]);
    fs::write(&file, text.replace(last, "")).expect("it can be written");
    complains(folder.path(), &["replay", ".heddle/a.schedule"], &["was recorded", "help: "]);
}

#[test]
fn schedules_are_numbered_and_never_overwritten() {
    let folder = folder(&[("a.c", RACY), (".heddle/a.schedule", "precious\n")]);
    for (seed, number) in [("1", 2), ("1", 2), ("4", 3), ("1", 2)] {
        let answer = heddle(folder.path(), &["run", "a.c", "--strategy", "pct", "--runs", "300", "--seed", seed])
            .expect_status(1);
        assert!(answer.stdout.contains(&format!("heddle replay .heddle/a-{number}.schedule")), "{}", answer.stdout);
    }
    let first = fs::read_to_string(folder.path().join(".heddle/a.schedule")).expect("it is there");
    assert_eq!(first, "precious\n");
}

#[test]
fn a_schedule_is_found_beside_its_source() {
    let folder = folder(&[("deep/a.c", RACY), ("other/x", "")]);
    heddle(&folder.path().join("deep"), &["run", "a.c", "--runs", "300"]).expect_status(1);
    heddle(&folder.path().join("other"), &["replay", "../deep/.heddle/a.schedule", "--output", "report"])
        .expect_status(1);
    assert!(folder.path().join("other/report").exists());
}

#[test]
fn something_unsupported_is_named_with_its_place() {
    let source = "#include <signal.h>\nstatic void handler(int number) { (void)number; }\n\
                  int mystery(void);\nint main(void)\n{\n    signal(SIGINT, handler);\n    return mystery();\n}\n";
    let folder = folder(&[("a.c", source)]);
    let answer = heddle(folder.path(), &["run", "a.c"]).expect_status(2);
    assert!(answer.stderr.contains("in main at a.c:"), "{}", answer.stderr);
    assert!(answer.stderr.contains("does not support"), "{}", answer.stderr);
    let json = heddle(folder.path(), &["run", "a.c", "--format", "json"]).expect_status(2).json();
    assert_eq!(json["verdict"], "inconclusive");
    assert_eq!(json["unsupported"][0]["reached"], true);
    let all = heddle(folder.path(), &["run", "a.c", "-v", "--format", "json"]).expect_status(2).json();
    let lines: Vec<u64> =
        all["unsupported"].as_array().expect("a list").iter().filter_map(|one| one["at"]["line"].as_u64()).collect();
    assert!(lines.contains(&7), "{lines:?}");
}

#[test]
fn input_that_is_too_long_for_a_schedule_is_asked_for() {
    let source = "#include <assert.h>\n#include <stdio.h>\nint main(void)\n{\n    long n = 0;\n    \
                  while (getchar() != EOF)\n        n++;\n    assert(n < 3);\n    return 0;\n}\n";
    let folder = folder(&[("a.c", source)]);
    heddle_with_input(folder.path(), &["run", "a.c", "--schedule", "short.schedule"], b"a\xff\n\"").expect_status(1);
    heddle(folder.path(), &["replay", "short.schedule"]).expect_status(1);
    let long = vec![b'x'; 70_000];
    heddle_with_input(folder.path(), &["run", "a.c", "--runs", "1"], &long).expect_status(1);
    complains(folder.path(), &["replay", ".heddle/a.schedule"], &["needs the program's input", "help: "]);
    heddle_with_input(folder.path(), &["replay", ".heddle/a.schedule"], &long).expect_status(1);
}

#[test]
fn every_file_of_the_repository_is_an_answer_or_a_complaint() {
    let folder = folder(&[]);
    for file in ["Makefile", "README.md", "Cargo.lock", "corpus/README.md", "cli/src/main.rs"] {
        let path = repository().join(file).display().to_string();
        for command in ["run", "replay"] {
            complains(folder.path(), &[command, &path], &["error: "]);
        }
    }
}
