//! Rules about sizes inside files: the lines of a function, the fields of a type.

use crate::code::{braces_length, line_at, name_at, places_of, without_words};
use crate::standing::{Large, Standing};
use crate::{Finding, Tree};

/// Longer functions usually hold two ideas.
pub const MOST_LINES: usize = 80;
/// Types with more fields usually hold two ideas.
pub const MOST_FIELDS: usize = 12;
/// A comment above a type that begins with this says why its fields belong together.
const REASON: &str = "Many fields:";

/// A function or a type, and its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sized {
    pub path: String,
    pub line: usize,
    pub name: String,
    /// Lines or fields.
    pub size: usize,
    /// Whether a comment gives the reason for the size.
    pub has_reason: bool,
}

/// Functions have at most [`MOST_LINES`] lines, from the line of their `fn` to the closing brace.
pub fn long_functions(tree: &Tree) -> Vec<Finding> {
    let long = functions(tree).into_iter().filter(|function| function.size > MOST_LINES);
    judged(
        tree,
        long,
        |standing| &standing.functions,
        |function| {
            let message = "lines, of at most";
            format!(
                "`{}` has {} {message} {MOST_LINES}: look for a second idea, and its name",
                function.name, function.size
            )
        },
    )
}

/// Types have at most [`MOST_FIELDS`] fields, or a comment says why.
pub fn large_types(tree: &Tree) -> Vec<Finding> {
    let large = types(tree).into_iter().filter(|one| one.size > MOST_FIELDS && !one.has_reason);
    judged(
        tree,
        large,
        |standing| &standing.types,
        |one| {
            format!(
                "`{}` has {} fields, of at most {MOST_FIELDS}: look for a second idea, and its name, or give the reason in a \
             comment above that begins with `{REASON}`",
                one.name, one.size
            )
        },
    )
}

/// Findings for those that do not stand in the list, or are larger than it says, and for its entries that are gone.
fn judged(
    tree: &Tree,
    found: impl Iterator<Item = Sized>,
    list: impl Fn(&Standing) -> &[Large],
    message: impl Fn(&Sized) -> String,
) -> Vec<Finding> {
    let standing = match Standing::read(tree) {
        Ok(standing) => standing,
        Err(finding) => return vec![finding],
    };
    let found: Vec<Sized> = found.collect();
    let is_of = |one: &Sized, listed: &Large| one.path == listed.path && one.name == listed.name;
    let stands = |one: &Sized| list(&standing).iter().any(|listed| is_of(one, listed) && one.size <= listed.size);
    let new = found.iter().filter(|one| !stands(one));
    let mut findings: Vec<Finding> = new.map(|one| Finding::at_line(&one.path, one.line, message(one))).collect();
    let gone = list(&standing).iter().filter(|listed| !found.iter().any(|one| is_of(one, listed)));
    findings.extend(gone.map(|listed| {
        standing.outdated(&format!("`{}` of {} is gone, or small enough now", listed.name, listed.path))
    }));
    findings
}

/// All functions with a body.
pub fn functions(tree: &Tree) -> Vec<Sized> {
    let mut functions = Vec::new();
    for file in tree.with_extension("rs") {
        let code = without_words(&file.text);
        for at in places_of(&code, "fn") {
            let name = name_at(&code[at + 2..]);
            let Some(start) = body(&code[at..]).filter(|_| !name.is_empty()) else { continue };
            let end = at + start + braces_length(&code[at + start..]);
            let (first, last) = (line_at(&code, at), line_at(&code, end));
            let (path, name) = (file.path.clone(), name.to_owned());
            functions.push(Sized { path, line: first, name, size: last - first + 1, has_reason: false });
        }
    }
    functions
}

/// Where the braces of an item begin, if it has some.
fn body(item: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        let next = at + item[at..].find(['{', ';', '(', '['])?;
        match item.as_bytes()[next] {
            b'{' => return Some(next),
            b';' => return None,
            _ => at = next + braces_length(&item[next..]),
        }
    }
}

/// All types with named fields.
pub fn types(tree: &Tree) -> Vec<Sized> {
    let mut types = Vec::new();
    for file in tree.with_extension("rs") {
        let code = without_words(&file.text);
        for at in places_of(&code, "struct") {
            let name = name_at(&code[at + 6..]);
            let Some(start) = body(&code[at..]).filter(|_| !name.is_empty()) else { continue };
            let fields = &code[at + start..at + start + braces_length(&code[at + start..])];
            let line = line_at(&code, at);
            let (path, name, size) = (file.path.clone(), name.to_owned(), count_fields(fields));
            types.push(Sized { path, line, name, size, has_reason: has_reason(&file.text, line) });
        }
    }
    types
}

/// The single colons that are not inside of other brackets: each belongs to a field.
fn count_fields(braces: &str) -> usize {
    let mut depth = 0_usize;
    let mut before = ' ';
    let mut fields = 0;
    let mut chars = braces.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' | '(' | '[' | '<' => depth += 1,
            '}' | ')' | ']' => depth = depth.saturating_sub(1),
            '>' if before != '-' => depth = depth.saturating_sub(1),
            ':' if depth == 1 && before != ':' && chars.peek() != Some(&':') => fields += 1,
            _ => {}
        }
        before = c;
    }
    fields
}

/// Whether the comments and attributes above this line give the reason.
fn has_reason(text: &str, line: usize) -> bool {
    let above: Vec<&str> = text.lines().take(line - 1).map(str::trim).collect();
    let above = above.iter().rev().take_while(|line| line.starts_with("//") || line.starts_with("#["));
    above.into_iter().any(|line| line.trim_start_matches('/').trim_start().starts_with(REASON))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(findings: &[Finding]) -> Vec<String> {
        findings.iter().map(Finding::to_string).collect()
    }

    #[test]
    fn functions_are_counted_from_their_first_line_to_their_last() {
        let source = format!("fn short(a: [u8; 3]) {{}}\ntype F = fn(u8);\nfn long(\n) {{\n{}}}\n", "x;\n".repeat(78));
        let tree = Tree::of(&[("a.rs", &source)]);
        let found: Vec<(String, usize)> = functions(&tree).into_iter().map(|one| (one.name, one.size)).collect();
        assert_eq!(found, [("short".to_owned(), 1), ("long".to_owned(), 81)]);
        let message = "a.rs:3: `long` has 81 lines, of at most 80: look for a second idea, and its name";
        assert_eq!(texts(&long_functions(&tree)), [message]);
    }

    #[test]
    fn fields_are_counted_and_reasons_seen() {
        let fields =
            |count: usize| (0..count).map(|n| format!("pub f{n}: a::B<c::D, fn(e: u8) -> u8>,\n")).collect::<String>();
        let source = format!(
            "struct A {{\n{}}}\nstruct B;\nstruct C(u8);\nstruct D {{\n{}}}\n/// X.\n// Many fields: one table.\n#[x]\nstruct E {{\n{}}}\n",
            fields(12),
            fields(13),
            fields(14)
        );
        let tree = Tree::of(&[("a.rs", &source)]);
        let found: Vec<(String, usize)> = types(&tree).into_iter().map(|one| (one.name, one.size)).collect();
        assert_eq!(found, [("A".to_owned(), 12), ("D".to_owned(), 13), ("E".to_owned(), 14)]);
        assert_eq!(large_types(&tree).iter().map(|finding| finding.line).collect::<Vec<_>>(), [Some(17)]);
    }

    #[test]
    fn listed_ones_may_not_grow_and_must_not_be_gone() {
        let list = |lines: usize| {
            format!("[[function]]\npath = \"a.rs\"\nname = \"f\"\nlines = {lines}\nreason = \"it is a table\"\n")
        };
        let long = format!("fn f() {{\n{}}}\n", "x;\n".repeat(88));
        let with = |source: &str, lines| {
            texts(&long_functions(&Tree::of(&[("a.rs", source), ("tidy/standing.toml", &list(lines))])))
        };
        assert_eq!(with(&long, 90), Vec::<String>::new());
        assert_eq!(with(&long, 89).len(), 1);
        let gone = "tidy/standing.toml: `f` of a.rs is gone, or small enough now: take it out of the list";
        assert_eq!(with("fn f() {}", 90), [gone]);
    }
}
