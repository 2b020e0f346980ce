//! A place with its line of source, in the usual form of compilers.

use super::style::{Palette, paint};
use crate::model::Place;

/// Tabs are replaced by four columns, so that the marker is aligned.
const TAB: &str = "    ";

/// Lines without newlines: the place, and its source with a marker if the source is known.
pub fn snippet(place: &Place, remark: &str, source: Option<&str>, palette: &Palette) -> Vec<String> {
    let number = place.line.to_string();
    let gutter = " ".repeat(number.len());
    let column = if place.column == 0 { String::new() } else { format!(":{}", place.column) };
    let arrow = paint(palette.frame, "-->");
    let bar = paint(palette.frame, "|");
    let mut lines = vec![format!("{gutter}{arrow} {}:{}{column}{remark}", place.file, place.line)];
    let Some(source) = source else { return lines };
    lines.push(format!("{gutter} {bar}"));
    lines.push(format!("{} {bar} {}", paint(palette.frame, &number), source.trim_end().replace('\t', TAB)));
    let marker = paint(palette.error, "^");
    lines.push(format!("{gutter} {bar} {}{marker}", " ".repeat(marker_offset(source, place.column))));
    lines
}

/// Compilers count columns in bytes. Without a column, the first character that is not blank is marked.
fn marker_offset(source: &str, column: u32) -> usize {
    let before = match column {
        0 => source.len() - source.trim_start().len(),
        column => column as usize - 1,
    };
    let mut offset = 0;
    for (byte, character) in source.char_indices() {
        if byte >= before {
            break;
        }
        offset += if character == '\t' { TAB.len() } else { 1 };
    }
    offset
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(column: u32, source: Option<&str>) -> String {
        let place = Place { file: "src/bank.c".into(), line: 61, column };
        snippet(&place, " in main, thread T0", source, &Palette::PLAIN).join("\n")
    }

    #[test]
    fn the_marker_stands_below_its_column() {
        assert_eq!(
            lines(5, Some("    assert(total == sum);\n")),
            "  --> src/bank.c:61:5 in main, thread T0\n   |\n61 |     assert(total == sum);\n   |     ^"
        );
    }

    #[test]
    fn tabs_and_wide_text_move_the_marker_along() {
        assert_eq!(marker_offset("\tx = 1;", 2), 4);
        assert_eq!(marker_offset("/* ü */ x = 1;", 10), 8);
        assert_eq!(marker_offset("  x", 0), 2);
        assert_eq!(marker_offset("x", 40), 1);
    }

    #[test]
    fn without_the_source_only_the_place_is_shown() {
        assert_eq!(lines(0, None), "  --> src/bank.c:61 in main, thread T0");
    }
}
