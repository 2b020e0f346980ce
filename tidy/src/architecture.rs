//! `ARCHITECTURE.md` is up to date: the paths in it exist, and its table of crates agrees with the manifests.
//!
//! The table is the one whose first column is headed `crate`. Its rows are in the order of the workspace's members, and
//! its last column lists the crates that each uses (a dash for none).

use crate::{Finding, Tree, manifests};

const MAP: &str = "ARCHITECTURE.md";

/// Every path that the map names exists.
pub fn paths(tree: &Tree) -> Vec<Finding> {
    let Some(map) = tree.file(MAP) else { return vec![missing()] };
    let mut findings = Vec::new();
    let mut fenced = false;
    for (number, line) in (1..).zip(map.text.lines()) {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        for quoted in line.split('`').skip(1).step_by(2).filter(|quoted| looks_like_path(quoted)) {
            if !names_something(tree, quoted) {
                findings.push(Finding::at_line(MAP, number, format!("`{quoted}` does not exist")));
            }
        }
    }
    findings
}

fn missing() -> Finding {
    Finding::in_file(MAP, "this file is missing")
}

/// A folder or a file inside one, or a file of a kind that only the repository has.
fn looks_like_path(quoted: &str) -> bool {
    let plain = quoted.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '*'));
    let known = [".rs", ".toml", ".md"].iter().any(|ending| quoted.ends_with(ending));
    plain && !quoted.starts_with(['/', '-', '.']) && (quoted.contains('/') || known)
}

/// A path from the root, or the name of a file anywhere; a star matches a part of a name.
fn names_something(tree: &Tree, quoted: &str) -> bool {
    let quoted = quoted.trim_end_matches('/');
    if let Some((before, after)) = quoted.split_once('*') {
        let fits = |path: &&String| {
            let rest = path.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
            rest.is_some_and(|rest| !rest.contains('/'))
        };
        return tree.paths.iter().any(|path| fits(&path));
    }
    tree.exists(quoted) || (!quoted.contains('/') && tree.files.iter().any(|file| file.name() == quoted))
}

/// The crates are in the order of the workspace, with their actual dependencies.
pub fn crates(tree: &Tree) -> Vec<Finding> {
    let Some(map) = tree.file(MAP) else { return vec![missing()] };
    let members = match manifests::members(tree) {
        Ok(members) => members,
        Err(finding) => return vec![finding],
    };
    let rows = rows(&map.text);
    let mut findings = Vec::new();
    let listed: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    if listed != members {
        let message =
            format!("its table lists the crates {listed:?}, and Cargo.toml {members:?}: same crates, same order");
        findings.push(Finding::in_file(MAP, message));
    }
    for row in rows.iter().filter(|row| members.contains(&row.name)) {
        match manifests::uses(tree, &row.name, &members) {
            Err(finding) => findings.push(finding),
            Ok(uses) => {
                let mut said = row.uses.clone();
                let mut found = uses.clone();
                said.sort();
                found.sort();
                if said != found {
                    let (said, found) = (in_words(&row.uses), in_words(&uses));
                    let message = format!("`{}` is said to use {said}, and its Cargo.toml has {found}", row.name);
                    findings.push(Finding::at_line(MAP, row.line, message));
                }
            }
        }
    }
    findings
}

fn in_words(names: &[String]) -> String {
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}

struct Row {
    line: usize,
    name: String,
    uses: Vec<String>,
}

fn rows(map: &str) -> Vec<Row> {
    let numbered = (1..).zip(map.lines());
    let is_head = |line: &str| cells(line).first().is_some_and(|first| first == "crate");
    let table = numbered.skip_while(|(_, line)| !is_head(line)).skip(2).take_while(|(_, line)| line.starts_with('|'));
    table
        .filter_map(|(line, text)| {
            let cells = cells(text);
            let (name, last) = (cells.first()?.clone(), cells.last()?);
            let words = last.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
            let uses = words.filter(|word| word.starts_with(char::is_alphanumeric)).map(str::to_owned).collect();
            Some(Row { line, name, uses })
        })
        .collect()
}

/// The cells of a table's line, without the marks for code.
fn cells(line: &str) -> Vec<String> {
    let Some(inside) = line.trim().strip_prefix('|') else { return Vec::new() };
    inside.trim_end_matches('|').split('|').map(|cell| cell.replace('`', "").trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFESTS: [(&str, &str); 4] = [
        ("Cargo.toml", "[workspace]\nmembers = [\"ir\", \"run\"]\n"),
        ("ir/Cargo.toml", "package.name = \"ir\"\n"),
        ("ir/src/text/parse.rs", "//! x\n"),
        ("run/Cargo.toml", "package.name = \"run\"\n[dependencies]\nir = { path = \"../ir\" }\n"),
    ];

    fn tree(map: &str) -> Tree {
        let mut files = MANIFESTS.to_vec();
        files.push((MAP, map));
        Tree::of(&files)
    }

    #[test]
    fn paths_that_do_not_exist() {
        let map = "See `ir/src/text/`, `parse.rs`, `ir/src/*/parse.rs`, `ir::parse`, `a/b`, `lost.rs`, \
                   `make test`.\n\
                   ```\n`not/read`\n```\nAnd `ir/*.md`.\n";
        let found: Vec<String> = paths(&tree(map)).iter().map(Finding::to_string).collect();
        assert_eq!(
            found,
            [
                "ARCHITECTURE.md:1: `a/b` does not exist",
                "ARCHITECTURE.md:1: `lost.rs` does not exist",
                "ARCHITECTURE.md:5: `ir/*.md` does not exist"
            ]
        );
    }

    #[test]
    fn tables_that_are_true_and_not() {
        let good =
            "| crate | owns | may use |\n|---|---|---|\n| `ir` | x | – |\n| `run` | y | `ir` |\n\n| crate | z |\n";
        assert_eq!(crates(&tree(good)), []);
        let bad = "| crate | owns | may use |\n|---|---|---|\n| `run` | y | – |\n| `ir` | x | run |\n";
        let found: Vec<String> = crates(&tree(bad)).iter().map(Finding::to_string).collect();
        assert_eq!(
            found,
            [
                "ARCHITECTURE.md: its table lists the crates [\"run\", \"ir\"], and Cargo.toml [\"ir\", \"run\"]: same \
                 crates, same order",
                "ARCHITECTURE.md:3: `run` is said to use nothing, and its Cargo.toml has ir",
                "ARCHITECTURE.md:4: `ir` is said to use run, and its Cargo.toml has nothing",
            ]
        );
    }
}
