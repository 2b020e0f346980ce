//! The text form of recorded runs.
//!
//! ```text
//! heddle run 2
//! module 03087b68b4691f7b7d003dcc415af442
//! end assertion bank.c:61 total == sum
//! cut no-space
//!
//! thread 0 failed in main
//! bits 110100
//! callee handler
//! input read 5 68656c6c6f
//! input compress 0 unknown bank.c:58
//! note fork 4711
//! order 1 5 6
//!
//! thread 0.1 returned in transfer
//! bits 1
//! ```
//!
//! Long streams are split into several lines of the same kind. An input has a name, a result and its buffers, of which
//! an empty one is `-`.

use std::collections::HashSet;
use std::fmt::{self, Write};

use crate::bits::Bits;
use crate::recorded::{Cut, Input, Note, Place, ProcessEnd, RecordedRun, ThreadEnd, ThreadRecord};
use crate::text::{TextError, Value, first_place, first_value, header, lines, parsed, shortened, split_word, value};
use crate::thread::ThreadName;

/// The version that is written, and the only one that can be read.
pub const VERSION: u32 = 2;

const BITS_PER_LINE: usize = 100;
const NUMBERS_PER_LINE: usize = 20;

const THREAD_ENDS: [(ThreadEnd, &str); 4] = [
    (ThreadEnd::Returned, "returned"),
    (ThreadEnd::Exited, "exited"),
    (ThreadEnd::Stopped, "stopped"),
    (ThreadEnd::Failed, "failed"),
];

impl fmt::Display for RecordedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "heddle run {VERSION}")?;
        writeln!(f, "module {}", Value { text: &self.module, spaces: false })?;
        writeln!(f, "end {}", self.end)?;
        if let Some(cut) = &self.cut {
            writeln!(f, "cut {cut}")?;
        }
        self.threads.iter().try_for_each(|thread| write_thread(f, thread))
    }
}

impl fmt::Display for ProcessEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (words, at) = match self {
            ProcessEnd::Exited { status } => (format!("exited {status}"), None),
            ProcessEnd::Assertion { at, .. } => ("assertion".to_owned(), Some(at)),
            ProcessEnd::Abort { at } => ("abort".to_owned(), at.as_ref()),
            ProcessEnd::Signal { number, at } => (format!("signal {number}"), at.as_ref()),
            ProcessEnd::Hang => ("hang".to_owned(), None),
            ProcessEnd::Unknown => ("unknown".to_owned(), None),
        };
        f.write_str(&words)?;
        at.map_or(Ok(()), |at| write!(f, " {at}"))?;
        match self {
            ProcessEnd::Assertion { condition, .. } if !condition.is_empty() => {
                write!(f, " {}", Value { text: condition, spaces: true })
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cut::NoSpace => f.write_str("no-space"),
            Cut::NoMemory => f.write_str("no-memory"),
            Cut::Exec => f.write_str("exec"),
            Cut::Damaged(what) => write!(f, "damaged {}", Value { text: what, spaces: true }),
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::Fork { process } => write!(f, "fork {process}"),
            Note::Handler { signal } => write!(f, "handler {signal}"),
            Note::HandlerLeft { signal } => write!(f, "handler-left {signal}"),
            Note::Library => f.write_str("library"),
            Note::Exec => f.write_str("exec"),
        }
    }
}

fn write_thread(f: &mut fmt::Formatter<'_>, thread: &ThreadRecord) -> fmt::Result {
    let end = THREAD_ENDS.iter().find(|(end, _)| *end == thread.end).map_or("?", |(_, name)| name);
    writeln!(f, "\nthread {} {end} in {}", thread.name, Value { text: &thread.start, spaces: true })?;
    for (at, bit) in thread.bits.iter().enumerate() {
        match at {
            0 => f.write_str("bits ")?,
            at if at % BITS_PER_LINE == 0 => f.write_str("\nbits ")?,
            _ => {}
        }
        f.write_char(if bit { '1' } else { '0' })?;
    }
    if !thread.bits.is_empty() {
        f.write_str("\n")?;
    }
    for callee in &thread.callees {
        writeln!(f, "callee {}", Value { text: callee, spaces: true })?;
    }
    thread.inputs.iter().try_for_each(|input| write_input(f, input))?;
    for note in &thread.notes {
        writeln!(f, "note {note}")?;
    }
    for line in thread.order.chunks(NUMBERS_PER_LINE) {
        f.write_str("order")?;
        line.iter().try_for_each(|number| write!(f, " {number}"))?;
        f.write_str("\n")?;
    }
    Ok(())
}

fn write_input(f: &mut fmt::Formatter<'_>, input: &Input) -> fmt::Result {
    write!(f, "input {} {}", Value { text: &input.name, spaces: false }, input.result)?;
    for buffer in &input.buffers {
        f.write_str(if buffer.is_empty() { " -" } else { " " })?;
        buffer.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
    }
    if let Some(at) = &input.unknown_at {
        write!(f, " unknown {at}")?;
    }
    f.write_str("\n")
}

/// Reads a run from its text form.
pub fn parse_recorded_run(source: &str) -> Result<RecordedRun, TextError> {
    let mut lines = lines(source);
    let mut last = header(lines.next(), "run", VERSION)?;
    let (mut module, mut end, mut cut) = (None, None, None);
    let mut threads: Vec<ThreadRecord> = Vec::new();
    let mut names = HashSet::new();
    for (line, text) in lines {
        last = line;
        let (key, rest) = split_word(text);
        match (key, threads.last_mut()) {
            ("module", _) if module.is_none() => module = Some(value(line, rest)?),
            ("end", _) if end.is_none() => end = Some(process_end(line, rest)?),
            ("cut", _) if cut.is_none() => cut = Some(self::cut(line, rest)?),
            ("module" | "end" | "cut", _) => {
                return Err(TextError::new(line, format!("`{key}` was given before")));
            }
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
            ("bits" | "callee" | "input" | "note" | "order", Some(thread)) => stream(line, key, rest, thread)?,
            ("bits" | "callee" | "input" | "note" | "order", None) => {
                return Err(TextError::new(line, format!("`{key}` belongs to a thread, and none was given before")));
            }
            _ => {
                let keys = "`module`, `end`, `cut`, `thread`, `bits`, `callee`, `input`, `note` or `order`";
                let message = format!("a line begins with {keys}, and not with `{}`", shortened(key));
                return Err(TextError::new(line, message));
            }
        }
    }
    let missing = |what: &str| TextError::new(last, format!("the run ends without a line `{what} …`: is it complete?"));
    let module = module.ok_or_else(|| missing("module"))?;
    Ok(RecordedRun { module, threads, end: end.ok_or_else(|| missing("end"))?, cut })
}

/// One line of one of a thread's streams.
fn stream(line: usize, key: &str, rest: &str, thread: &mut ThreadRecord) -> Result<(), TextError> {
    match key {
        "bits" => bits(line, rest, &mut thread.bits)?,
        "callee" => thread.callees.push(value(line, rest)?),
        "input" => thread.inputs.push(input(line, rest)?),
        "note" => thread.notes.push(note(line, rest)?),
        _ => {
            for word in rest.split_whitespace() {
                thread.order.push(parsed(line, word, "the number of an operation")?);
            }
        }
    }
    Ok(())
}

fn process_end(line: usize, text: &str) -> Result<ProcessEnd, TextError> {
    let (kind, rest) = split_word(text);
    Ok(match kind {
        "exited" => ProcessEnd::Exited { status: parsed(line, rest, "an exit status")? },
        "assertion" => {
            let (at, condition) = first_place(line, rest)?;
            let condition = if condition.is_empty() { String::new() } else { value(line, condition)? };
            ProcessEnd::Assertion { at, condition }
        }
        "abort" => ProcessEnd::Abort { at: optional_place(line, rest)? },
        "signal" => {
            let (number, rest) = split_word(rest);
            let number = parsed(line, number, "a signal's number")?;
            ProcessEnd::Signal { number, at: optional_place(line, rest)? }
        }
        "hang" if rest.is_empty() => ProcessEnd::Hang,
        "unknown" if rest.is_empty() => ProcessEnd::Unknown,
        _ => {
            let ends =
                "`exited STATUS`, `assertion FILE:LINE CONDITION`, `abort`, `signal NUMBER`, `hang` or `unknown`";
            return Err(TextError::new(line, format!("expected {ends}, found `{}`", shortened(text))));
        }
    })
}

fn cut(line: usize, text: &str) -> Result<Cut, TextError> {
    Ok(match split_word(text) {
        ("no-space", "") => Cut::NoSpace,
        ("no-memory", "") => Cut::NoMemory,
        ("exec", "") => Cut::Exec,
        ("damaged", what) => Cut::Damaged(value(line, what)?),
        _ => {
            let cuts = "`no-space`, `no-memory`, `exec` or `damaged WHAT`";
            return Err(TextError::new(line, format!("expected {cuts}, found `{}`", shortened(text))));
        }
    })
}

fn note(line: usize, text: &str) -> Result<Note, TextError> {
    let number = |word: &str, what: &str| parsed(line, word, what);
    Ok(match split_word(text) {
        ("fork", process) => Note::Fork { process: number(process, "a process's number")? },
        ("handler", signal) => Note::Handler { signal: number(signal, "a signal's number")? },
        ("handler-left", signal) => Note::HandlerLeft { signal: number(signal, "a signal's number")? },
        ("library", "") => Note::Library,
        ("exec", "") => Note::Exec,
        _ => {
            let notes = "`fork PROCESS`, `handler SIGNAL`, `handler-left SIGNAL`, `library` or `exec`";
            return Err(TextError::new(line, format!("expected {notes}, found `{}`", shortened(text))));
        }
    })
}

fn optional_place(line: usize, text: &str) -> Result<Option<Place>, TextError> {
    if text.is_empty() { Ok(None) } else { place(line, text).map(Some) }
}

/// A place that takes the rest of its line.
fn place(line: usize, text: &str) -> Result<Place, TextError> {
    match first_place(line, text)? {
        (place, "") => Ok(place),
        (_, rest) => Err(TextError::new(line, format!("nothing should follow FILE:LINE, found `{}`", shortened(rest)))),
    }
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

fn bits(line: usize, text: &str, bits: &mut Bits) -> Result<(), TextError> {
    for bit in text.chars().filter(|c| !c.is_whitespace()) {
        match bit {
            '0' => bits.push(false),
            '1' => bits.push(true),
            other => return Err(TextError::new(line, format!("bits are 0 or 1, and not `{other}`"))),
        }
    }
    Ok(())
}

fn input(line: usize, text: &str) -> Result<Input, TextError> {
    let (name, rest) = first_value(line, text, false)?;
    let (result, mut rest) = split_word(rest);
    let mut input = Input { name, result: parsed(line, result, "a result")?, buffers: Vec::new(), unknown_at: None };
    while !rest.is_empty() {
        let (word, after) = split_word(rest);
        if word == "unknown" {
            input.unknown_at = Some(place(line, after)?);
            break;
        }
        let bytes = if word == "-" { Some(Vec::new()) } else { hexadecimal(word) };
        let message = || format!("expected pairs of hexadecimal digits, or `-` for none, found `{}`", shortened(word));
        input.buffers.push(bytes.ok_or_else(|| TextError::new(line, message()))?);
        rest = after;
    }
    Ok(input)
}

fn hexadecimal(digits: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> =
        digits.chars().map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect::<Option<_>>()?;
    let whole = !digits.is_empty() && digits.len().is_multiple_of(2);
    whole.then(|| digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}
