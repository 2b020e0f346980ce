//! README's examples are real: every `$ heddle …` and `$ cat …` in it is run, and its output is compared.
//!
//! With `HEDDLE_BLESS=1` the README is rewritten with the current output instead.

mod command;

use std::fs;
use std::os::unix::fs::symlink;

use command::{heddle, repository};

#[test]
fn examples_are_real() {
    let file = repository().join("README.md");
    let text = fs::read_to_string(&file).expect("README.md is there");
    let folder = tempfile::tempdir().expect("a temporary folder");
    symlink(repository().join("corpus"), folder.path().join("corpus")).expect("a link can be made");

    let mut fresh = String::new();
    let mut commands = 0;
    let mut in_console = false;
    let mut answered = false;
    for line in text.lines() {
        match (line, in_console) {
            ("```console", false) => (in_console, answered) = (true, false),
            ("```", true) => (in_console, answered) = (false, false),
            _ => {}
        }
        if in_console && let Some(typed) = line.strip_prefix("$ ") {
            fresh.push_str(&format!("{line}\n"));
            answered = false;
            if let Some(file) = typed.strip_prefix("cat ") {
                fresh.push_str(&fs::read_to_string(folder.path().join(file)).expect("a command before wrote it"));
                answered = true;
            } else if let Some(arguments) = typed.strip_prefix("heddle ") {
                let arguments: Vec<&str> = arguments.split_whitespace().collect();
                fresh.push_str(&heddle(folder.path(), &arguments).stdout);
                answered = true;
                commands += 1;
            }
        } else if !answered {
            fresh.push_str(&format!("{line}\n"));
        }
    }
    assert!(commands > 0, "README shows no command");
    if std::env::var_os("HEDDLE_BLESS").is_some() {
        fs::write(&file, fresh).expect("README.md can be written");
    } else {
        assert!(
            masked(&fresh) == masked(&text),
            "README.md shows what heddle no longer says; `make bless` rewrites it. It would be:\n{fresh}"
        );
    }
}

/// Fingerprints change with every change of heddle's models, so they are not compared.
fn masked(text: &str) -> String {
    let is_fingerprint = |word: &str| word.len() >= 16 && word.chars().all(|c| c.is_ascii_hexdigit());
    let words = text.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
    words
        .map(
            |word| {
                if is_fingerprint(word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric())) { "… " } else { word }
            },
        )
        .collect()
}
