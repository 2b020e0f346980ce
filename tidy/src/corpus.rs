//! The corpus is complete: every folder has the expected results of its programs, and these exist.

use toml::{Table, Value};

use crate::{Finding, Tree};

pub fn expectations(tree: &Tree) -> Vec<Finding> {
    let folders = tree.paths.iter().filter(|path| {
        let inside = path.strip_prefix("corpus/").filter(|name| !name.contains('/'));
        inside.is_some_and(|_| tree.paths.iter().any(|other| other.starts_with(&format!("{path}/"))))
    });
    folders.flat_map(|folder| folder_findings(tree, folder)).collect()
}

fn folder_findings(tree: &Tree, folder: &str) -> Vec<Finding> {
    let path = format!("{folder}/expect.toml");
    let Some(file) = tree.file(&path) else {
        return vec![Finding::in_file(&path, "this file is missing: it says what must come out")];
    };
    let table: Table = match file.text.parse() {
        Ok(table) => table,
        Err(error) => return vec![Finding::in_file(&path, format!("not TOML: {error}"))],
    };
    let programs = table.get("program").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut named = Vec::new();
    for program in &programs {
        named.extend(program.get("file").and_then(Value::as_str));
        let several = program.get("files").and_then(Value::as_array);
        named.extend(several.into_iter().flatten().filter_map(Value::as_str));
    }
    let mut findings = Vec::new();
    if named.is_empty() {
        findings.push(Finding::in_file(&path, "it names no program"));
    }
    for name in named {
        if !tree.exists(&format!("{folder}/{name}")) {
            findings.push(Finding::in_file(&path, format!("it names `{name}`, which is not there")));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_are_not_complete() {
        let tree = Tree::of(&[
            ("corpus/README.md", ""),
            ("corpus/good/expect.toml", "[[program]]\nfile = \"a.c\"\n[[program]]\nfiles = [\"a.c\"]\n"),
            ("corpus/good/a.c", ""),
            ("corpus/empty/expect.toml", ""),
            ("corpus/lost/expect.toml", "[[program]]\nfile = \"a.c\"\n"),
            ("corpus/silent/a.c", ""),
        ]);
        let found: Vec<String> = expectations(&tree).iter().map(Finding::to_string).collect();
        assert_eq!(
            found,
            [
                "corpus/empty/expect.toml: it names no program",
                "corpus/lost/expect.toml: it names `a.c`, which is not there",
                "corpus/silent/expect.toml: this file is missing: it says what must come out",
            ]
        );
    }
}
