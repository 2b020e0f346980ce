//! Rules about unsafe code: each use has a reason.

use crate::code::without_words;
use crate::{Finding, Tree};

/// How many lines above the code the reason may begin.
const NEAR: usize = 6;

/// Every block, implementation or external block that is marked as unchecked has a comment `SAFETY:` near above it. For
/// functions that are so marked, clippy requires a documentation of their callers' obligations.
pub fn reasons(tree: &Tree) -> Vec<Finding> {
    let keyword = concat!("uns", "afe");
    let mut findings = Vec::new();
    for file in tree.with_extension("rs") {
        let code = without_words(&file.text);
        let lines: Vec<&str> = file.text.lines().collect();
        for (index, line) in code.lines().enumerate() {
            let needs_reason = line.match_indices(keyword).any(|(at, _)| {
                let before = line[..at].chars().next_back();
                let after = line[at + keyword.len()..].chars().next();
                let alone = |c: Option<char>| c.is_none_or(|c| !(c.is_alphanumeric() || c == '_'));
                let rest = line[at + keyword.len()..].trim_start();
                let signature = rest.starts_with("fn ") || (rest.starts_with("extern") && rest.contains("fn"));
                let attribute = rest.starts_with('(');
                alone(before) && alone(after) && !signature && !attribute
            });
            let near = &lines[index.saturating_sub(NEAR)..=index.min(lines.len().saturating_sub(1))];
            if needs_reason && !near.iter().any(|line| line.contains("SAFETY:")) {
                let message = format!("a comment `SAFETY: …` within {NEAR} lines above says why this is right");
                findings.push(Finding::at_line(&file.path, index + 1, message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_need_reasons() {
        let keyword = concat!("uns", "afe");
        let source = format!(
            "//! x\n// SAFETY: it is a test.\nlet a = {keyword} {{ f() }};\n\n\n\n\n\nlet b = {keyword} {{ g() }};\n\
             {keyword} fn h() {{}}\n#![deny({keyword}_code)]\n// {keyword} {{ }}\n{keyword} extern \"C\" fn k() {{}}\n\
             #[{keyword}(no_mangle)]\n"
        );
        let lines: Vec<_> = reasons(&Tree::of(&[("a.rs", &source)])).iter().map(|finding| finding.line).collect();
        assert_eq!(lines, [Some(9)]);
    }
}
