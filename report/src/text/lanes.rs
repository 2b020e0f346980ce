//! Executions as lanes, one for each thread, with the events beside them, and arrows from reads back to writes.

use std::collections::HashMap;

use run::ThreadName;

use super::style::{Palette, paint};
use crate::model::{EventKind, LaneRow, Source};
use crate::words::{Manner, REACH_ERROR, cut, place_of};

/// The limit of the lanes' width; with more threads only the name of the acting thread is shown.
const LANES: usize = 30;

/// The text before the lanes.
const INDENT: &str = "   ";

/// The input of the drawing.
pub struct Lanes<'a> {
    pub rows: &'a [LaneRow],
    pub threads: &'a [ThreadName],
    pub fails: bool,
    /// Ids of lost updates: writes overwritten by a thread that had read before.
    pub lost: &'a [usize],
    pub palette: Palette,
    pub width: usize,
}

/// The lines of one execution, without newlines.
pub fn lanes(drawing: &Lanes<'_>) -> Vec<String> {
    let &Lanes { rows, threads, fails, lost, palette, width } = drawing;
    let labels = labels(rows);
    let columns: Vec<usize> = threads.iter().map(|thread| thread.to_string().len() + 3).collect();
    let drawn = columns.iter().sum::<usize>() <= LANES;
    let mut lines = Vec::new();
    if drawn {
        let names: Vec<String> =
            threads.iter().zip(&columns).map(|(thread, column)| format!("{:column$}", format!("T{thread}"))).collect();
        lines.push(format!("{INDENT}{}", paint(palette.strong, names.concat().trim_end())));
    }
    let name = threads.iter().map(|thread| thread.to_string().len() + 3).max().unwrap_or(3);
    let left = INDENT.len() + if drawn { columns.iter().sum() } else { name };
    let mut texts: Vec<Text> = rows.iter().map(|row| Text::new(row, &labels, fails, lost)).collect();
    name_file_once(rows, &mut texts);
    let widest = |of: fn(&Text) -> &String| texts.iter().map(|text| of(text).chars().count()).max().unwrap_or(0);
    let (verb, place, note) = (widest(|text| &text.verb), widest(|text| &text.place), widest(|text| &text.note));
    let room = width.saturating_sub(left + verb + 1 + 2 + place + 2 + note).max(12);
    let what = widest(|text| &text.what).min(room);
    for (row, text) in rows.iter().zip(&texts) {
        let mark = match (row.judges, fails) {
            (true, true) => paint(palette.error, "✗"),
            (true, false) => paint(palette.good, "✓"),
            _ => "●".to_owned(),
        };
        let mut line = INDENT.to_owned();
        if drawn {
            for (thread, column) in threads.iter().zip(&columns) {
                let own = thread == row.event.thread();
                let sign = if own { mark.clone() } else { paint(palette.faint, "│") };
                line.push_str(&format!("{sign}{}", " ".repeat(column - 1)));
            }
        } else {
            line.push_str(&format!("{:name$}", format!("T{}", row.event.thread())));
        }
        let style = match (row.varies, fails) {
            (true, true) => palette.error,
            (true, false) => palette.good,
            _ => palette.faint,
        };
        let words = format!("{:verb$} {:what$}", text.verb, shortened(&text.what, what));
        let at = paint(palette.faint, format!("{:place$}", text.place));
        line.push_str(&format!("{words}  {at}  {}", paint(style, &text.note)));
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// If all events are in one file, line numbers are enough, also in the names of blocks.
fn name_file_once(rows: &[LaneRow], texts: &mut [Text]) {
    let mut files = rows.iter().filter_map(|row| row.event.at.place()).map(|at| &at.file);
    let first = files.next();
    if files.all(|file| Some(file) == first) {
        for (row, text) in rows.iter().zip(texts) {
            let Some(at) = row.event.at.place() else { continue };
            text.place = format!("line {}", at.line);
            text.what = text.what.replace(&format!(" from {}:", at.file_name()), " from line ");
        }
    }
}

/// The value in `name = value` is kept whole as long as a part of the name remains. Of a member or an element, the end of
/// the name is kept: what it is a part of is said by other rows.
fn shortened(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let (name, value) = match text.split_once(" = ") {
        Some((name, value)) => (name, format!(" = {value}")),
        None => (text, String::new()),
    };
    let is_part = !name.contains(' ') && name.contains(['.', '[', '>']);
    match width.checked_sub(value.chars().count()) {
        Some(left) if left > 3 && is_part => format!("{}{value}", cut_before(name, left)),
        Some(left) if left > 3 => format!("{}{value}", cut(name, left)),
        _ => cut(text, width),
    }
}

/// The last characters.
fn cut_before(text: &str, width: usize) -> String {
    let left_out = (text.chars().count() + 1).saturating_sub(width);
    match left_out {
        0 | 1 => text.to_owned(),
        more => format!("…{}", text.chars().skip(more).collect::<String>()),
    }
}

/// Letters for the writes that rows read from, in the order of the rows.
fn labels(rows: &[LaneRow]) -> HashMap<Option<usize>, char> {
    let mut labels = HashMap::new();
    let read = |id: Option<usize>| {
        let from = |row: &LaneRow| matches!(&row.source, Some(Source::Write(write)) if write.id == id);
        rows.iter().any(from)
    };
    let mut letters = 'a'..='z';
    for row in rows.iter().filter(|row| read(row.event.id)) {
        if let Some(letter) = letters.next() {
            labels.insert(row.event.id, letter);
        }
    }
    labels
}

struct Text {
    verb: String,
    what: String,
    place: String,
    note: String,
}

impl Text {
    fn new(row: &LaneRow, labels: &HashMap<Option<usize>, char>, fails: bool, lost: &[usize]) -> Text {
        let (verb, what) = match (row.judges, fails) {
            (true, true) if row.event.value == REACH_ERROR => ("reaches", row.event.value.clone()),
            (true, true) if row.event.kind != EventKind::Blocked => ("fails", row.event.value.clone()),
            (true, false) if row.event.value == REACH_ERROR => ("passes", String::new()),
            (true, false) if row.event.kind == EventKind::Failure => ("passes", String::new()),
            (true, false) => ("holds", row.event.value.clone()),
            _ => Manner::Graph.deed(&row.event),
        };
        let own = labels.get(&row.event.id).map(|label| format!("({label})"));
        let source = row.source.as_ref().map(|source| match source {
            Source::Initial if row.event.kind == EventKind::Use => "← alive".to_owned(),
            Source::Initial => "← initial value".to_owned(),
            Source::Several => "← several writes".to_owned(),
            Source::Write(write) => match labels.get(&write.id) {
                Some(label) => format!("← ({label})"),
                None => format!("← T{}", write.thread()),
            },
        });
        let gone = (own.is_none() && row.event.id.is_some_and(|id| lost.contains(&id))).then(|| "lost".to_owned());
        let note = own.into_iter().chain(source).chain(gone).collect::<Vec<_>>().join(" ");
        Text { verb: verb.to_owned(), what, place: place_of(&row.event), note }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_before_values() {
        assert_eq!(shortened("Num_Of_Seats_Sold_51 = 6", 14), "Num_Of_Se… = 6");
        assert_eq!(shortened("a = 6", 14), "a = 6");
        assert_eq!(shortened("total == sum of all", 8), "total =…");
        assert_eq!(shortened("logger.buffers[0].length = 8", 16), "…s[0].length = 8");
        assert_eq!(shortened("store.items_.pop_front()", 14), "…_.pop_front()");
    }
}
