//! Rules about words: no unfinished code, and no path of the machine it was written on.

use crate::code::without_words;
use crate::{Finding, Tree};

/// No code is left for later and no test is switched off.
pub fn unfinished(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.with_extension("rs") {
        let code = without_words(&file.text);
        for (number, line) in (1..).zip(code.lines()) {
            for (word, message) in [
                (concat!("todo", "!("), "unfinished code: finish it, or let it be an error that says so"),
                (concat!("unimplemented", "!("), "unfinished code: finish it, or let it be an error that says so"),
                (concat!("#[", "ignore"), "a test that does not run tests nothing: repair it or remove it"),
            ] {
                if line.contains(word) {
                    findings.push(Finding::at_line(&file.path, number, message));
                }
            }
        }
    }
    for file in &tree.files {
        for (number, line) in (1..).zip(file.text.lines()) {
            if line.contains(concat!("FIX", "ME")) {
                findings.push(Finding::at_line(&file.path, number, "a note to repair something later: repair it now"));
            }
        }
    }
    findings
}

/// Folders in which people and build machines work.
const MACHINE_FOLDERS: [&str; 4] =
    [concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/Use", "rs/"), concat!("/wo", "rk/")];

/// No file names a place that exists on one machine only.
pub fn machine_paths(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        for (number, line) in (1..).zip(file.text.lines()) {
            if let Some(folder) = MACHINE_FOLDERS.iter().find(|folder| names_folder(line, folder)) {
                let message = format!("`{folder}…` exists on one machine only");
                findings.push(Finding::at_line(&file.path, number, message));
            }
        }
    }
    findings
}

/// Whether the folder begins a path, and is not the middle of one.
fn names_folder(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|c| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '}' | '>' | '*' | '~')))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfinished_code_is_found_and_words_about_it_are_not() {
        let source = format!("//! x\n{}\"a\");\n// {}\nlet x = \"{}\";\n", concat!("todo", "!("), "todo!()", "todo!()");
        let source = format!("{source}{}]\nfn t() {{}}\n// {}\n", concat!("#[", "ignore"), concat!("FIX", "ME"));
        let lines: Vec<_> = unfinished(&Tree::of(&[("a.rs", &source)])).iter().map(|finding| finding.line).collect();
        assert_eq!(lines, [Some(2), Some(5), Some(7)]);
    }

    #[test]
    fn paths_of_one_machine() {
        let line = format!("see {}me/x and corpus{}me/y", concat!("/ho", "me/"), concat!("/ho", "me/"));
        assert_eq!(machine_paths(&Tree::of(&[("a.md", &line)])).len(), 1);
        let middle = format!("corpus{}me/y", concat!("/ho", "me/"));
        assert!(machine_paths(&Tree::of(&[("a.md", &middle)])).is_empty());
    }
}
