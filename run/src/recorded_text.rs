//! The text form of recorded runs.
//!
//! ```text
//! heddle run 1
//! program 03087b68b4691f7b7d003dcc415af442
//! end assertion bank.c:61
//!
//! thread 0 failed in main
//! branches 110100
//! cases 0 3
//! callee handler
//! input file.read 68656c6c6f
//!
//! thread 0.1 returned in transfer
//! branches 1
//! ```
//!
//! Long streams go over several lines of the same kind.

use std::collections::HashSet;
use std::fmt::{self, Write};

use crate::recorded::{Input, Place, ProcessEnd, RecordedRun, ThreadEnd, ThreadRecord};
use crate::text::{TextError, Value, first_value, header, lines, parsed, shortened, split_word, value};
use crate::thread::ThreadName;

/// The version that is written, and the only one that is read.
pub const VERSION: u32 = 1;

const BRANCHES_PER_LINE: usize = 100;
const CASES_PER_LINE: usize = 20;

const THREAD_ENDS: [(ThreadEnd, &str); 4] = [
    (ThreadEnd::Returned, "returned"),
    (ThreadEnd::Exited, "exited"),
    (ThreadEnd::Stopped, "stopped"),
    (ThreadEnd::Failed, "failed"),
];

impl fmt::Display for RecordedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "heddle run {VERSION}")?;
        writeln!(f, "program {}", Value { text: &self.fingerprint, spaces: false })?;
        writeln!(f, "end {}", self.end)?;
        self.threads.iter().try_for_each(|thread| write_thread(f, thread))
    }
}

impl fmt::Display for ProcessEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (words, at) = match self {
            ProcessEnd::Exited { status } => (format!("exited {status}"), None),
            ProcessEnd::Assertion { at } => ("assertion".to_owned(), Some(at)),
            ProcessEnd::Abort { at } => ("abort".to_owned(), at.as_ref()),
            ProcessEnd::Signal { number, at } => (format!("signal {number}"), at.as_ref()),
            ProcessEnd::Hang => ("hang".to_owned(), None),
        };
        f.write_str(&words)?;
        at.map_or(Ok(()), |at| write!(f, " {at}"))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", Value { text: &self.file, spaces: false }, self.line)
    }
}

fn write_thread(f: &mut fmt::Formatter<'_>, thread: &ThreadRecord) -> fmt::Result {
    let end = THREAD_ENDS.iter().find(|(end, _)| *end == thread.end).map_or("?", |(_, name)| name);
    writeln!(f, "\nthread {} {end} in {}", thread.name, Value { text: &thread.start, spaces: true })?;
    for line in thread.branches.chunks(BRANCHES_PER_LINE) {
        f.write_str("branches ")?;
        line.iter().try_for_each(|taken| f.write_char(if *taken { '1' } else { '0' }))?;
        f.write_str("\n")?;
    }
    for line in thread.cases.chunks(CASES_PER_LINE) {
        f.write_str("cases")?;
        line.iter().try_for_each(|case| write!(f, " {case}"))?;
        f.write_str("\n")?;
    }
    for callee in &thread.callees {
        writeln!(f, "callee {}", Value { text: callee, spaces: true })?;
    }
    for input in &thread.inputs {
        write!(f, "input {} ", Value { text: &input.name, spaces: false })?;
        if input.bytes.is_empty() {
            f.write_str("-")?;
        }
        input.bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str("\n")?;
    }
    Ok(())
}

/// Reads a run from its text form.
pub fn parse_recorded_run(source: &str) -> Result<RecordedRun, TextError> {
    let mut lines = lines(source);
    let mut last = header(lines.next(), "run", VERSION)?;
    let (mut fingerprint, mut end) = (None, None);
    let mut threads: Vec<ThreadRecord> = Vec::new();
    let mut names = HashSet::new();
    for (line, text) in lines {
        last = line;
        let (key, rest) = split_word(text);
        match (key, threads.last_mut()) {
            ("program", _) if fingerprint.is_none() => fingerprint = Some(value(line, rest)?),
            ("end", _) if end.is_none() => end = Some(process_end(line, rest)?),
            ("program" | "end", _) => return Err(TextError::new(line, format!("`{key}` was given before"))),
            ("thread", _) => {
                let thread = thread(line, rest)?;
                if !names.insert(thread.name.clone()) {
                    return Err(TextError::new(line, format!("thread {} was given before", thread.name)));
                }
                if thread.name.parent().is_some_and(|parent| !names.contains(&parent)) {
                    let message = format!("thread {} comes before the one that created it", thread.name);
                    return Err(TextError::new(line, message));
                }
                threads.push(thread);
            }
            ("branches", Some(thread)) => branches(line, rest, &mut thread.branches)?,
            ("cases", Some(thread)) => {
                for word in rest.split_whitespace() {
                    thread.cases.push(parsed(line, word, "the index of a case")?);
                }
            }
            ("callee", Some(thread)) => thread.callees.push(value(line, rest)?),
            ("input", Some(thread)) => thread.inputs.push(input(line, rest)?),
            ("branches" | "cases" | "callee" | "input", None) => {
                return Err(TextError::new(line, format!("`{key}` belongs to a thread, and none was given before")));
            }
            _ => {
                let keys = "`program`, `end`, `thread`, `branches`, `cases`, `callee` or `input`";
                return Err(TextError::new(
                    line,
                    format!("a line begins with {keys}, and not with `{}`", shortened(key)),
                ));
            }
        }
    }
    let missing = |what: &str| TextError::new(last, format!("the run ends without a line `{what} …`: is it complete?"));
    let fingerprint = fingerprint.ok_or_else(|| missing("program"))?;
    Ok(RecordedRun { fingerprint, threads, end: end.ok_or_else(|| missing("end"))? })
}

fn process_end(line: usize, text: &str) -> Result<ProcessEnd, TextError> {
    let (kind, rest) = split_word(text);
    Ok(match kind {
        "exited" => ProcessEnd::Exited { status: parsed(line, rest, "an exit status")? },
        "assertion" => ProcessEnd::Assertion { at: place(line, rest)? },
        "abort" => ProcessEnd::Abort { at: optional_place(line, rest)? },
        "signal" => {
            let (number, rest) = split_word(rest);
            let number = parsed(line, number, "a signal's number")?;
            ProcessEnd::Signal { number, at: optional_place(line, rest)? }
        }
        "hang" if rest.is_empty() => ProcessEnd::Hang,
        _ => {
            let ends = "`exited STATUS`, `assertion FILE:LINE`, `abort`, `signal NUMBER` or `hang`";
            return Err(TextError::new(line, format!("expected {ends}, found `{}`", shortened(text))));
        }
    })
}

fn optional_place(line: usize, text: &str) -> Result<Option<Place>, TextError> {
    if text.is_empty() { Ok(None) } else { place(line, text).map(Some) }
}

fn place(line: usize, text: &str) -> Result<Place, TextError> {
    let Some((file, number)) = text.rsplit_once(':') else {
        return Err(TextError::new(line, format!("expected FILE:LINE, found `{}`", shortened(text))));
    };
    Ok(Place { file: value(line, file)?, line: parsed(line, number, "a line's number")? })
}

/// `0.1 returned in transfer`.
fn thread(line: usize, text: &str) -> Result<ThreadRecord, TextError> {
    let (name, rest) = split_word(text);
    let name: ThreadName = parsed(line, name, "a thread such as 0.1")?;
    let (end, rest) = split_word(rest);
    let Some((end, _)) = THREAD_ENDS.iter().find(|(_, name)| *name == end) else {
        let ends = "`returned`, `exited`, `stopped` or `failed`";
        return Err(TextError::new(line, format!("expected {ends}, found `{}`", shortened(end))));
    };
    let (word, start) = split_word(rest);
    if word != "in" {
        return Err(TextError::new(line, format!("expected `in FUNCTION`, found `{}`", shortened(rest))));
    }
    Ok(ThreadRecord { end: *end, ..ThreadRecord::new(name, value(line, start)?) })
}

fn branches(line: usize, text: &str, branches: &mut Vec<bool>) -> Result<(), TextError> {
    for bit in text.chars().filter(|c| !c.is_whitespace()) {
        match bit {
            '0' => branches.push(false),
            '1' => branches.push(true),
            other => return Err(TextError::new(line, format!("branches are 0 or 1, and not `{other}`"))),
        }
    }
    Ok(())
}

fn input(line: usize, text: &str) -> Result<Input, TextError> {
    let (name, digits) = first_value(line, text, false)?;
    let bytes = if digits == "-" { Some(Vec::new()) } else { hexadecimal(digits) };
    let message = || format!("expected pairs of hexadecimal digits, or `-` for none, found `{}`", shortened(digits));
    Ok(Input { name, bytes: bytes.ok_or_else(|| TextError::new(line, message()))? })
}

fn hexadecimal(digits: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> =
        digits.chars().map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect::<Option<_>>()?;
    let whole = !digits.is_empty() && digits.len().is_multiple_of(2);
    whole.then(|| digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}
