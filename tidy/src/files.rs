//! Rules about whole files: headers, lengths, names.

use crate::{Finding, Tree};

/// Longer files usually hold two ideas.
pub const LONGEST: usize = 800;
/// From here on a file is worth a look.
pub const LONG: usize = 700;

/// Names without information about the contents of a file, as whole words of a name.
const EMPTY_NAMES: [&str; 8] = ["util", "utils", "common", "helper", "helpers", "misc", "manager", "managers"];

/// Every Rust file begins with a description of its contents.
pub fn headers(tree: &Tree) -> Vec<Finding> {
    let without = tree.with_extension("rs").filter(|file| !file.text.starts_with("//!"));
    without.map(|file| Finding::at_line(&file.path, 1, "a file opens with `//!`: what lives here, and why")).collect()
}

/// The models of a library are C and C++ files that open with a comment.
pub fn models(tree: &Tree) -> Vec<Finding> {
    let models = tree
        .files
        .iter()
        .filter(|file| file.path.starts_with("frontend-llvm/models/") && matches!(file.extension(), "c" | "cpp" | "h"));
    let without = models.filter(|file| !file.text.starts_with("/*") && !file.text.starts_with("//"));
    without.map(|file| Finding::at_line(&file.path, 1, "a model opens with a comment: what it models")).collect()
}

pub fn too_long(tree: &Tree) -> Vec<Finding> {
    longer_than(tree, LONGEST)
}

/// Files that are not too long yet.
pub fn nearly_too_long(tree: &Tree) -> Vec<Finding> {
    longer_than(tree, LONG).into_iter().filter(|finding| !too_long(tree).contains(finding)).collect()
}

fn longer_than(tree: &Tree, limit: usize) -> Vec<Finding> {
    let sources = tree.files.iter().filter(|file| matches!(file.extension(), "rs" | "c" | "cpp" | "h" | "hpp"));
    sources
        .map(|file| (file, file.text.lines().count()))
        .filter(|(_, lines)| *lines > limit)
        .map(|(file, lines)| {
            let message = format!("{lines} lines, of at most {LONGEST}: look for a second idea, and its name");
            Finding::in_file(&file.path, message)
        })
        .collect()
}

/// A name describes the contents of a file.
pub fn names(tree: &Tree) -> Vec<Finding> {
    let empty = |path: &&String| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.split(['_', '-', '.']).any(|word| EMPTY_NAMES.contains(&word))
    };
    tree.paths
        .iter()
        .filter(empty)
        .map(|path| Finding::in_file(path, "this name says nothing about what it holds"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_without_headers() {
        let tree = Tree::of(&[
            ("a.rs", "//! Good.\n"),
            ("b.rs", "use x;\n"),
            ("frontend-llvm/models/c.c", "int x;"),
            ("frontend-llvm/models/d.c", "// Good.\n"),
        ]);
        assert_eq!(headers(&tree).iter().map(|finding| finding.path.as_str()).collect::<Vec<_>>(), ["b.rs"]);
        assert_eq!(
            models(&tree)[0].to_string(),
            "frontend-llvm/models/c.c:1: a model opens with a comment: what it models"
        );
    }

    #[test]
    fn long_files() {
        let tree = Tree::of(&[("a.rs", &"\n".repeat(801)), ("b.c", &"\n".repeat(750)), ("c.md", &"\n".repeat(900))]);
        assert_eq!(too_long(&tree).len(), 1);
        assert_eq!(nearly_too_long(&tree).iter().map(|finding| finding.path.as_str()).collect::<Vec<_>>(), ["b.c"]);
    }

    #[test]
    fn empty_names() {
        let tree = Tree::of(&[("a/string_utils.rs", ""), ("misc/b.rs", ""), ("commons.rs", "")]);
        let found: Vec<String> = names(&tree).into_iter().map(|finding| finding.path).collect();
        assert_eq!(found, ["a/string_utils.rs", "misc"]);
    }
}
