//! Programs without threads have one correct answer, that of a native run: generated C is compiled and run natively,
//! and the VM must have the same output and exit status.
//!
//! `HEDDLE_CASES` is the total number of programs, `HEDDLE_FIRST_SEED` the first seed.

mod command;

use std::fs;
use std::path::Path;
use std::process::Command;

use command::heddle;

const CASES: u64 = 300;

/// The cases are dealt to this many tests, which run side by side.
const HANDS: u64 = 10;

fn number(name: &str, otherwise: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")),
        Err(_) => otherwise,
    }
}

fn play(hand: u64) {
    let (cases, first) = (number("HEDDLE_CASES", CASES), number("HEDDLE_FIRST_SEED", 0));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let wrong: Vec<String> = (first..first + cases)
        .skip(hand as usize)
        .step_by(HANDS as usize)
        .filter_map(|seed| compare(folder.path(), seed))
        .collect();
    assert!(wrong.is_empty(), "{} programs behave differently:\n{}", wrong.len(), wrong.join("\n"));
}

/// How heddle and the machine differ on the program of a seed, if they do.
fn compare(folder: &Path, seed: u64) -> Option<String> {
    let source = folder.join("program.c");
    fs::write(&source, generate::sequential_c(seed)).expect("the program can be written");
    let native = folder.join("native");
    let flags = ["-std=gnu17", "-w"];
    let compiled = Command::new("clang-22")
        .args(flags)
        .args(["-O0", "-o"])
        .arg(&native)
        .arg(&source)
        .arg("-lm")
        .output()
        .expect("clang-22 is installed");
    assert!(compiled.status.success(), "seed {seed}: {}", String::from_utf8_lossy(&compiled.stderr));
    let expected = Command::new(&native).output().expect("the program starts");
    let status = expected.status.code().unwrap_or_else(|| panic!("seed {seed}: the native program was killed"));

    let written = folder.join("output");
    let mut arguments = vec!["run", "program.c", "-lm", "--strategy", "random", "--runs", "1", "--property", "exit"];
    arguments.extend(flags);
    arguments.extend(["--schedule", "program.schedule", "--program-output", "output"]);
    let answer = heddle(folder, &arguments);
    let found = fs::read(&written).unwrap_or_default();
    let _ = fs::remove_file(&written);
    let wanted_answer = i32::from(status != 0);
    if answer.status == wanted_answer && found == expected.stdout {
        return None;
    }
    let difference = first_difference(&expected.stdout, &found);
    Some(format!(
        "seed {seed}: {difference}; native status {status}, heddle's own {}\n{}{}",
        answer.status, answer.stdout, answer.stderr
    ))
}

fn first_difference(expected: &[u8], found: &[u8]) -> String {
    let (expected, found) = (String::from_utf8_lossy(expected), String::from_utf8_lossy(found));
    let mut lines = expected.lines().zip(found.lines()).enumerate();
    match lines.find(|(_, (expected, found))| expected != found) {
        Some((line, (expected, found))) => format!("line {}: `{expected}` natively, `{found}` in heddle", line + 1),
        None => format!("{} lines natively, {} in heddle", expected.lines().count(), found.lines().count()),
    }
}

macro_rules! hands {
    ($($name:ident = $hand:literal;)*) => {
        $(#[test]
        fn $name() {
            play($hand);
        })*

        #[test]
        fn every_case_is_dealt() {
            assert_eq!([$($hand),*].as_slice(), (0..HANDS).collect::<Vec<u64>>());
        }
    };
}

hands! {
    generated_programs_0 = 0;
    generated_programs_1 = 1;
    generated_programs_2 = 2;
    generated_programs_3 = 3;
    generated_programs_4 = 4;
    generated_programs_5 = 5;
    generated_programs_6 = 6;
    generated_programs_7 = 7;
    generated_programs_8 = 8;
    generated_programs_9 = 9;
}
