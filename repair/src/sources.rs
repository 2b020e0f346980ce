//! The texts of the user's files, changes of them, and the unified diff of a change.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::tree::is_same_file;

/// Files by the names that the compiler uses.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    pub texts: BTreeMap<String, String>,
}

/// A replacement of a stretch of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    pub file: String,
    pub start: usize,
    pub end: usize,
    pub text: String,
}

impl Edit {
    pub fn insert(file: &str, at: usize, text: impl Into<String>) -> Edit {
        Edit { file: file.to_owned(), start: at, end: at, text: text.into() }
    }

    pub fn replace(file: &str, range: Range<usize>, text: impl Into<String>) -> Edit {
        Edit { file: file.to_owned(), start: range.start, end: range.end, text: text.into() }
    }
}

impl Sources {
    pub fn text(&self, file: &str) -> &str {
        self.texts.get(file).map_or("", String::as_str)
    }

    /// The file by another of its names.
    pub fn name_of(&self, file: &str) -> Option<&str> {
        let exact = self.texts.get_key_value(file).map(|(name, _)| name.as_str());
        exact.or_else(|| self.texts.keys().find(|known| is_same_file(known, file)).map(String::as_str))
    }

    /// The offset of a line and a column, both from 1.
    pub fn offset(&self, file: &str, line: u32, column: u32) -> Option<usize> {
        let text = self.texts.get(file)?;
        let start = match line {
            0 => return None,
            1 => 0,
            _ => text.match_indices('\n').nth(line as usize - 2)?.0 + 1,
        };
        let end = text[start..].find('\n').map_or(text.len(), |length| start + length);
        let at = start + column.saturating_sub(1) as usize;
        match column {
            0 => Some(start + text[start..end].len() - text[start..end].trim_start().len()),
            _ => Some(at.min(end)),
        }
    }

    /// A line, counting from 1.
    pub fn line(&self, file: &str, line: u32) -> Option<String> {
        let text = self.text(self.name_of(file)?);
        text.lines().nth((line as usize).checked_sub(1)?).map(str::to_owned)
    }

    pub fn line_of(&self, file: &str, offset: usize) -> u32 {
        let text = self.text(file);
        text.as_bytes()[..offset.min(text.len())].iter().filter(|byte| **byte == b'\n').count() as u32 + 1
    }

    /// The files with the edits applied. Overlapping edits cannot be applied.
    pub fn edited(&self, edits: &[Edit]) -> Option<BTreeMap<String, String>> {
        let mut sorted: Vec<(usize, &Edit)> = edits.iter().enumerate().collect();
        sorted.sort_by_key(|(number, edit)| (edit.file.clone(), edit.start, edit.end, *number));
        let overlaps = |pair: &[(usize, &Edit)]| pair[0].1.file == pair[1].1.file && pair[1].1.start < pair[0].1.end;
        if sorted.windows(2).any(overlaps) {
            return None;
        }
        let mut changed: BTreeMap<String, String> = BTreeMap::new();
        for (_, edit) in sorted.iter().rev() {
            let text = match changed.get_mut(&edit.file) {
                Some(text) => text,
                None => changed.entry(edit.file.clone()).or_insert(self.texts.get(&edit.file)?.clone()),
            };
            if !text.is_char_boundary(edit.start) || !text.is_char_boundary(edit.end) || edit.end > text.len() {
                return None;
            }
            text.replace_range(edit.start..edit.end, &edit.text);
        }
        Some(changed)
    }

    /// A diff that `git apply` and `patch -p1` take, from the folder that the files are named from.
    pub fn diff(&self, changed: &BTreeMap<String, String>) -> String {
        let mut diff = String::new();
        for (file, new) in changed {
            diff.push_str(&unified(file, self.text(file), new));
        }
        diff
    }
}

/// The change of one file as a unified diff; empty if there is none.
pub fn unified(file: &str, old: &str, new: &str) -> String {
    if old == new {
        return String::new();
    }
    let name = file.trim_start_matches("./").trim_start_matches('/');
    let lines = similar::TextDiff::from_lines(old, new);
    lines.unified_diff().context_radius(3).header(&format!("a/{name}"), &format!("b/{name}")).to_string()
}

/// The start of the line of an offset.
pub fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |end| end + 1)
}

/// The offset behind the end of the line of an offset.
pub fn line_end(text: &str, offset: usize) -> usize {
    text[offset..].find('\n').map_or(text.len(), |length| offset + length + 1)
}

/// The white space before the first character of a line.
pub fn indentation(text: &str, offset: usize) -> &str {
    let start = line_start(text, offset);
    let line = &text[start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Whether only white space precedes an offset on its line.
pub fn begins_line(text: &str, offset: usize) -> bool {
    text[line_start(text, offset)..offset].trim().is_empty()
}

/// Whether only white space and a comment follow on the line.
pub fn ends_line(text: &str, offset: usize) -> bool {
    let rest = text[offset..line_end(text, offset)].trim();
    rest.is_empty() || rest.starts_with("//") || (rest.starts_with("/*") && rest.ends_with("*/"))
}

/// One level of the file's own indentation.
pub fn indent_unit(text: &str) -> &'static str {
    let indented = |line: &&str| line.starts_with([' ', '\t']) && !line.trim_start().starts_with('*');
    let widths = text.lines().filter(indented).map(|line| &line[..line.len() - line.trim_start().len()]);
    let mut smallest = usize::MAX;
    for white in widths {
        if white.starts_with('\t') {
            return "\t";
        }
        smallest = smallest.min(white.len().max(2));
    }
    match smallest {
        2 | 3 => "  ",
        8 => "        ",
        _ => "    ",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources() -> Sources {
        Sources { texts: [("a.c".to_owned(), "one\n  two\nthree\n".to_owned())].into() }
    }

    #[test]
    fn places_are_offsets() {
        let sources = sources();
        assert_eq!(sources.offset("a.c", 2, 3), Some(6));
        assert_eq!(sources.offset("a.c", 2, 0), Some(6));
        assert_eq!((sources.line_of("a.c", 6), sources.line_of("a.c", 0)), (2, 1));
        assert_eq!(sources.offset("a.c", 9, 1), None);
    }

    #[test]
    fn edits_are_made_from_the_end() {
        let sources = sources();
        let edits = [Edit::insert("a.c", 0, "zero\n"), Edit::replace("a.c", 4..10, "")];
        let changed = sources.edited(&edits).expect("they do not overlap");
        assert_eq!(changed["a.c"], "zero\none\nthree\n");
        let diff = sources.diff(&changed);
        assert!(diff.starts_with("--- a/a.c\n+++ b/a.c\n@@ -1,3 +1,3 @@\n+zero\n"), "{diff}");
        assert!(sources.edited(&[Edit::replace("a.c", 0..3, ""), Edit::replace("a.c", 2..4, "")]).is_none());
    }
}
