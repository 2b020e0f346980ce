//! The text form of schedules.
//!
//! ```text
//! heddle schedule 1
//! source bank.c
//! flag -DSTEPS=2
//! argument "two words"
//! option reuse
//! program 03087b68b4691f7b7d003dcc415af442
//! outcome assertion bank.c:61 thread 0
//!
//! 0    until 31    ; bank.c:55 creates thread 0.1
//! 0.1  until 57    ; bank.c:34 writes total = 320
//!
//! choose 0.2 at 41 value 1
//! ```
//!
//! The text after the `;` of a segment is its note and belongs to the schedule, so that it survives reading and
//! writing. Lines that begin with `;` are comments.

use std::fmt;

use crate::schedule::{Choice, Header, Schedule, Segment};
use crate::text::{TextError, Value, header, lines, parsed, shortened, split_word, value};
use crate::thread::ThreadName;

/// The version that is written, and the only one that can be read.
pub const VERSION: u32 = 1;

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "heddle schedule {VERSION}")?;
        let Header { sources, flags, arguments, options, fingerprint, outcome } = &self.header;
        for (key, values) in [("source", sources), ("flag", flags), ("argument", arguments), ("option", options)] {
            for text in values {
                writeln!(f, "{key} {}", Value { text, spaces: false })?;
            }
        }
        writeln!(f, "program {}", Value { text: fingerprint, spaces: false })?;
        writeln!(f, "outcome {}", Value { text: outcome, spaces: true })?;
        let names: Vec<String> = self.segments.iter().map(|segment| segment.thread.to_string()).collect();
        let widest = names.iter().map(String::len).max().unwrap_or(0);
        for (index, (segment, name)) in self.segments.iter().zip(names).enumerate() {
            if index == 0 {
                f.write_str("\n")?;
            }
            if segment.note.is_empty() {
                writeln!(f, "{name:widest$}  until {}", segment.until)?;
            } else {
                writeln!(
                    f,
                    "{name:widest$}  until {:<6}  ; {}",
                    segment.until,
                    Value { text: &segment.note, spaces: true }
                )?;
            }
        }
        for (index, choice) in self.choices.iter().enumerate() {
            if index == 0 {
                f.write_str("\n")?;
            }
            writeln!(f, "choose {} at {} value {}", choice.thread, choice.step, choice.value)?;
        }
        Ok(())
    }
}

/// Reads a schedule from its text form.
pub fn parse_schedule(source: &str) -> Result<Schedule, TextError> {
    let mut lines = lines(source);
    let mut last = header(lines.next(), "schedule", VERSION)?;
    let (mut sources, mut flags, mut arguments, mut options) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut fingerprint, mut outcome) = (None, None);
    let (mut segments, mut choices) = (Vec::new(), Vec::new());
    for (line, text) in lines {
        last = line;
        let (key, rest) = split_word(text);
        match key {
            "source" => sources.push(value(line, rest)?),
            "flag" => flags.push(value(line, rest)?),
            "argument" => arguments.push(value(line, rest)?),
            "option" => options.push(value(line, rest)?),
            "program" => once(line, key, &mut fingerprint, value(line, rest)?)?,
            "outcome" => once(line, key, &mut outcome, value(line, rest)?)?,
            "choose" => choices.push(choice(line, rest)?),
            _ => segments.push(segment(line, key, rest)?),
        }
    }
    let missing =
        |what: &str| TextError::new(last, format!("the schedule ends without a line `{what} …`: is it complete?"));
    let fingerprint = fingerprint.ok_or_else(|| missing("program"))?;
    let outcome = outcome.ok_or_else(|| missing("outcome"))?;
    let header = Header { sources, flags, arguments, options, fingerprint, outcome };
    Ok(Schedule { header, segments, choices })
}

fn once(line: usize, key: &str, slot: &mut Option<String>, value: String) -> Result<(), TextError> {
    match slot.replace(value) {
        None => Ok(()),
        Some(first) => Err(TextError::new(line, format!("`{key}` was given before, as `{}`", shortened(&first)))),
    }
}

/// `0.1 until 57 ; note`, after the thread's name.
fn segment(line: usize, name: &str, rest: &str) -> Result<Segment, TextError> {
    let thread: ThreadName = name.parse().map_err(|_| {
        let keys = "`source`, `flag`, `argument`, `option`, `program`, `outcome`, `choose`";
        TextError::new(
            line,
            format!("a line begins with a thread such as 0.1, or with {keys}, and not with `{}`", shortened(name)),
        )
    })?;
    let (steps, note) = match rest.split_once(';') {
        Some((steps, note)) => (steps.trim_end(), note_text(line, note.trim_start())?),
        None => (rest, String::new()),
    };
    let (word, until) = split_word(steps);
    if word != "until" {
        return Err(TextError::new(line, format!("expected `{thread} until STEP`, found `{}`", shortened(rest))));
    }
    Ok(Segment { thread, until: parsed(line, until, "the number of a step")?, note })
}

fn note_text(line: usize, note: &str) -> Result<String, TextError> {
    if note.is_empty() { Ok(String::new()) } else { value(line, note) }
}

/// `0.2 at 41 value 1`.
fn choice(line: usize, rest: &str) -> Result<Choice, TextError> {
    let (name, rest) = split_word(rest);
    let thread: ThreadName = parsed(line, name, "a thread such as 0.1")?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let ["at", step, "value", value] = words[..] else {
        return Err(TextError::new(
            line,
            format!("expected `choose {thread} at STEP value NUMBER`, found `{}`", shortened(rest)),
        ));
    };
    let step = parsed(line, step, "the number of a step")?;
    Ok(Choice { thread, step, value: parsed(line, value, "a number")? })
}
