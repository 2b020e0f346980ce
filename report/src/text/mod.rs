//! The report as text: the failure and its place, the operations that led there, the cause, the bounds, and the replay
//! command. Running text fits into 80 columns as far as names allow.

mod style;
mod snippet;
mod relevance;
mod lanes;
mod explanation;
mod explored;
mod repaired;
mod synced;
mod given;
mod causes;
mod caveats;
mod program;
mod traces;
mod unexplained;

use crate::model::{Order, Report, Target};
use crate::words::{GLUE, Manner, grouped};
use style::{Palette, paint};

pub use unexplained::unexplained;

const WIDTH: usize = 80;

/// The column of a note's text.
const NOTE: usize = 8;

/// The column of the text after `because` and `so`.
const MARGIN: usize = 11;

pub struct TextOptions<'a> {
    /// All events, whole stacks, every unsupported construct and all attempts.
    pub verbose: bool,
    /// The headline, the place, the cause and the replay command only.
    pub quiet: bool,
    pub color: bool,
    /// A line of a source file, counting from 1.
    pub source_line: &'a dyn Fn(&str, u32) -> Option<String>,
}

/// The whole report, with a final newline.
pub fn render(report: &Report, options: &TextOptions<'_>) -> String {
    let mut page = Page { options, palette: Palette::new(options.color), text: String::new(), wraps: true };
    match &report.target {
        Target::Program { name, bounds } => {
            page.wraps = report.checked.is_some();
            page.program(report, name, bounds);
        }
        Target::Traces { folder, bounds } => page.traces(report, folder, bounds),
    }
    page.text
}

struct Page<'a> {
    options: &'a TextOptions<'a>,
    palette: Palette,
    text: String,
    /// Whether notes are wrapped.
    wraps: bool,
}

impl Page<'_> {
    fn line(&mut self, line: impl AsRef<str>) {
        self.text.push_str(&line.as_ref().trim_end().replace(GLUE, " "));
        self.text.push('\n');
    }

    /// A blank line, unless there is one.
    fn gap(&mut self) {
        if !self.text.ends_with("\n\n") {
            self.line("");
        }
    }

    fn note(&mut self, text: &str) {
        if self.options.quiet {
            return;
        }
        let width = if self.wraps { WIDTH - NOTE } else { usize::MAX };
        self.hanging("note", NOTE, wrapped(text, width));
    }

    /// A note that is always wrapped.
    fn wrapped_note(&mut self, text: &str) {
        self.wrapping(|page| page.note(text));
    }

    fn wrapping(&mut self, write: impl FnOnce(&mut Self)) {
        let wraps = std::mem::replace(&mut self.wraps, true);
        write(self);
        self.wraps = wraps;
    }

    fn labelled(&mut self, label: &str, text: &str) {
        self.hanging(label, MARGIN, wrapped(text, WIDTH - MARGIN));
    }

    /// Lines that begin at a margin, the first one after a label.
    fn hanging(&mut self, label: &str, margin: usize, lines: Vec<String>) {
        for (number, line) in lines.into_iter().enumerate() {
            match number {
                0 => {
                    let gap = " ".repeat(margin - 2 - label.len());
                    self.line(format!("  {}{gap}{line}", paint(self.palette.strong, label)));
                }
                _ => self.line(format!("{}{line}", " ".repeat(margin))),
            }
        }
    }

    /// The command is not wrapped, so that it can be copied.
    fn replay_command(&mut self, schedule: &Option<(String, String)>) {
        if let Some((_, replay)) = schedule {
            self.line(format!("  {}  replay: {replay}", paint(self.palette.strong, "note")));
        }
    }

    /// At most this many orders, each with its consequence.
    fn orders(&mut self, orders: &[Order], most: usize, manner: Manner) {
        for (number, Order { before, after, consequence }) in orders.iter().take(most).enumerate() {
            let text = format!("{} before {}, {}", manner.words(before), manner.words(after), consequence.in_words());
            self.labelled(if number == 0 { "because" } else { "and" }, &text);
        }
        if orders.len() > most {
            let more = grouped((orders.len() - most) as u64, "more order");
            self.labelled("and", &format!("{more} (--format json lists them)"));
        }
    }

    /// The failure depends on a choice of the environment.
    fn chosen(&mut self) {
        self.labelled("because", "of a choice of the environment: which thread is woken, or which wait times out");
    }
}

/// Lines of whole words.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_kept_whole() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("incomprehensible x", 4), ["incomprehensible", "x"]);
    }
}
