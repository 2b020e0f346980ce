//! Lists of corpus programs that a test leaves out or judges otherwise: each program has its reason beside it.
//!
//! Such a list is a constant of pairs, `&[(&str, &str)]`: the name of the program and the reason, a sentence. Without a
//! reason nobody can see when a program may leave the list.

use std::collections::BTreeSet;

use crate::code::{line_at, name_at, places_of, without_words};
use crate::{File, Finding, Tree};

/// A reason has at least this many words.
const FEWEST_WORDS: usize = 3;

pub fn have_reasons(tree: &Tree) -> Vec<Finding> {
    let programs: BTreeSet<&str> = tree
        .paths
        .iter()
        .filter(|path| path.starts_with("corpus/") && (path.ends_with(".c") || path.ends_with(".cpp")))
        .filter_map(|path| path.rsplit('/').next())
        .collect();
    let tests = tree.with_extension("rs").filter(|file| file.path.contains("/tests/"));
    tests.flat_map(|file| of_file(file, &programs)).collect()
}

fn of_file(file: &File, programs: &BTreeSet<&str>) -> Vec<Finding> {
    let code = without_words(&file.text);
    let lines: Vec<&str> = file.text.lines().collect();
    let mut findings = Vec::new();
    for at in places_of(&code, "const").chain(places_of(&code, "static")) {
        // A semicolon may stand in the type of an array.
        let Some(length) = code[at..].find('=').and_then(|value| Some(value + code[at + value..].find(';')?)) else {
            continue;
        };
        let (first, last) = (line_at(&code, at), line_at(&code, at + length));
        let text = lines[first - 1..last].join("\n");
        let words = literals(&text);
        if !words.iter().any(|word| programs.contains(word)) {
            continue;
        }
        let name = name_at(code[at..].trim_start_matches("const").trim_start_matches("static"));
        let declared = code[at..at + length].split('=').next().unwrap_or_default().replace(char::is_whitespace, "");
        let pairs = words.chunks(2).all(|pair| match pair {
            [program, reason] => programs.contains(program) && reason.split_whitespace().count() >= FEWEST_WORDS,
            _ => false,
        });
        if !declared.ends_with(":&[(&str,&str)]") || !pairs {
            let message = format!("`{name}` lists programs of the corpus: a `&[(&str, &str)]`, each with its reason");
            findings.push(Finding::at_line(&file.path, first, message));
        }
    }
    findings
}

/// The texts in quotes, without those that go over the end of a line.
fn literals(text: &str) -> Vec<&str> {
    let without_comments = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    without_comments.flat_map(|line| line.split('"').skip(1).step_by(2)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_programs_have_reasons() {
        let source = "//! x\n\
                      const NAMES: [&str; 2] = [\"a.c\", \"x.c\"];\n\
                      const GOOD: &[(&str, &str)] = &[(\"a.c\", \"it takes the solver minutes\")];\n\
                      const SHORT: &[(&str, &str)] = &[(\"a.c\", \"slow\")];\n\
                      const OTHERS: &[&str] = &[\"x.c\"];\n\
                      const LOOSE: &[&str] = &[\n    \"b.cpp\",\n];\n";
        let tree = Tree::of(&[
            ("corpus/a/a.c", ""),
            ("corpus/b/b.cpp", ""),
            ("vm/tests/t.rs", source),
            ("vm/src/t.rs", source),
        ]);
        let found: Vec<String> = have_reasons(&tree).iter().map(Finding::to_string).collect();
        let message = |line, name| {
            format!(
                "vm/tests/t.rs:{line}: `{name}` lists programs of the corpus: a `&[(&str, &str)]`, each with its reason"
            )
        };
        assert_eq!(found, [message(2, "NAMES"), message(4, "SHORT"), message(6, "LOOSE")]);
    }
}
