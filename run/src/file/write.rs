//! Writes run files.

use std::collections::HashMap;

use wire::note;

use super::coded::Coding;
use super::section::{Kind, put_first_bytes, put_section};
use super::{MOST_CODED, THREAD_ENDS, cut, ending, piece, piece_bits};
use crate::bits::Bits;
use crate::fields::{put_bytes, put_number, put_signed};
use crate::recorded::{Cut, Input, Note, Place, ProcessEnd, RecordedRun, ThreadEnd, ThreadRecord};
use crate::thread::ThreadName;

/// A section with this many bytes takes no more pieces.
const SECTION: usize = 32 << 10;
/// The largest number of items in a piece of other items than bits.
const PIECE_ITEMS: usize = 4 << 10;
/// Up to this number of threads, each has sections of its own.
const FEW_THREADS: usize = 64;
/// With more threads, they share sections of about this size.
const SHARED_SECTION: usize = 256;

/// The run as a file.
pub fn write_run(run: &RecordedRun) -> Vec<u8> {
    let (is_coded, coded_bits) = choose_coded(run);
    let shared = if run.threads.len() <= FEW_THREADS { 0 } else { SHARED_SECTION };
    let mut pieces = Pieces { contents: Vec::new(), shared, sections: Vec::new() };
    let mut strings = Strings::default();
    let mut coding = Coding::new(coded_bits);
    let mut positions = HashMap::new();
    let mut before: Option<&ThreadRecord> = None;
    for (position, (thread, is_coded)) in run.threads.iter().zip(is_coded).enumerate() {
        put_head(&mut pieces.contents, thread, before, &positions, &mut strings);
        positions.entry(&thread.name).or_insert(position);
        before = Some(thread);
        if is_coded {
            coding.begin(&thread.start);
        }
        pieces.bits(&thread.bits, is_coded.then_some(&mut coding));
        pieces.items(piece::CALLEES, &thread.callees, |out, callee| put_string(out, callee, &mut strings));
        pieces.items(piece::INPUTS, &thread.inputs, |out, input| put_input(out, input, &mut strings));
        pieces.items(piece::NOTES, &thread.notes, |out, note| put_note(out, *note));
        let mut last = 0;
        pieces.items(piece::ORDER, &thread.order, |out, number| {
            put_signed(out, number.wrapping_sub(last) as i64);
            last = *number;
        });
        pieces.end_thread();
    }
    pieces.close();
    // The run section comes first because all others need its strings, but is written last because they are complete
    // only then.
    let mut rest = Vec::new();
    put_string(&mut rest, &run.module, &mut strings);
    put_number(&mut rest, run.threads.len() as u64);
    put_number(&mut rest, coded_bits as u64);
    put_end(&mut rest, &run.end, &mut strings);
    put_cut(&mut rest, run.cut.as_ref(), &mut strings);
    let mut contents = strings.table();
    contents.extend(rest);
    let mut out = Vec::new();
    put_first_bytes(&mut out);
    put_section(&mut out, Kind::Run, &contents);
    out.extend(pieces.sections);
    out
}

/// The threads whose bits are coded, and the number of these bits.
fn choose_coded(run: &RecordedRun) -> (Vec<bool>, usize) {
    let mut count = 0;
    let choose = |thread: &ThreadRecord| {
        let length = thread.bits.len();
        let is_coded = length > 0 && length <= MOST_CODED - count;
        if is_coded {
            count += length;
        }
        is_coded
    };
    (run.threads.iter().map(choose).collect(), count)
}

/// All strings of a run, each once, in the order of their first use.
#[derive(Default)]
struct Strings<'a> {
    indices: HashMap<&'a str, u64>,
    all: Vec<&'a str>,
}

impl<'a> Strings<'a> {
    fn index(&mut self, text: &'a str) -> u64 {
        let next = self.all.len() as u64;
        let index = *self.indices.entry(text).or_insert(next);
        if index == next {
            self.all.push(text);
        }
        index
    }

    fn table(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_number(&mut out, self.all.len() as u64);
        self.all.iter().for_each(|text| put_bytes(&mut out, text.as_bytes()));
        out
    }
}

fn put_string<'a>(out: &mut Vec<u8>, text: &'a str, strings: &mut Strings<'a>) {
    put_number(out, strings.index(text));
}

fn put_place<'a>(out: &mut Vec<u8>, place: &'a Place, strings: &mut Strings<'a>) {
    put_string(out, &place.file, strings);
    put_number(out, u64::from(place.line));
}

fn put_end<'a>(out: &mut Vec<u8>, end: &'a ProcessEnd, strings: &mut Strings<'a>) {
    match end {
        ProcessEnd::Exited { status } => {
            out.push(ending::EXITED);
            put_signed(out, i64::from(*status));
        }
        ProcessEnd::Assertion { at, condition } => {
            out.push(ending::ASSERTION);
            put_place(out, at, strings);
            put_string(out, condition, strings);
        }
        ProcessEnd::Abort { at } => {
            out.push(if at.is_some() { ending::ABORT_AT } else { ending::ABORT });
            at.iter().for_each(|at| put_place(out, at, strings));
        }
        ProcessEnd::Signal { number, at } => {
            out.push(if at.is_some() { ending::SIGNAL_AT } else { ending::SIGNAL });
            put_signed(out, i64::from(*number));
            at.iter().for_each(|at| put_place(out, at, strings));
        }
        ProcessEnd::Hang => out.push(ending::HANG),
        ProcessEnd::Unknown => out.push(ending::UNKNOWN),
    }
}

fn put_cut<'a>(out: &mut Vec<u8>, cut: Option<&'a Cut>, strings: &mut Strings<'a>) {
    match cut {
        None => out.push(cut::NONE),
        Some(Cut::NoSpace) => out.push(cut::NO_SPACE),
        Some(Cut::NoMemory) => out.push(cut::NO_MEMORY),
        Some(Cut::Exec) => out.push(cut::EXEC),
        Some(Cut::Damaged(what)) => {
            out.push(cut::DAMAGED);
            put_string(out, what, strings);
        }
    }
}

fn put_head<'a>(
    out: &mut Vec<u8>,
    thread: &'a ThreadRecord,
    before: Option<&ThreadRecord>,
    positions: &HashMap<&ThreadName, usize>,
    strings: &mut Strings<'a>,
) {
    let is_sibling = |before: &ThreadRecord| {
        before.start == thread.start && before.name.next_sibling().is_some_and(|name| name == thread.name)
    };
    if before.is_some_and(is_sibling) {
        out.push(piece::SIBLING);
    } else {
        out.push(piece::THREAD);
        let numbers = thread.name.numbers();
        match (thread.name.parent().and_then(|parent| positions.get(&parent)), numbers.last()) {
            (Some(position), Some(number)) => {
                put_number(out, *position as u64 + 1);
                put_number(out, u64::from(*number));
            }
            _ => {
                put_number(out, 0);
                put_number(out, numbers.len() as u64);
                numbers.iter().for_each(|number| put_number(out, u64::from(*number)));
            }
        }
        put_string(out, &thread.start, strings);
    }
    let is_end = |end: &ThreadEnd| *end == thread.end;
    put_number(out, THREAD_ENDS.iter().position(is_end).unwrap_or(0) as u64);
    put_number(out, thread.bits.len() as u64);
}

fn put_input<'a>(out: &mut Vec<u8>, input: &'a Input, strings: &mut Strings<'a>) {
    put_string(out, &input.name, strings);
    put_signed(out, input.result);
    put_number(out, input.buffers.len() as u64 * 2 + u64::from(input.unknown_at.is_some()));
    input.buffers.iter().for_each(|bytes| put_bytes(out, bytes));
    input.unknown_at.iter().for_each(|at| put_place(out, at, strings));
}

fn put_note(out: &mut Vec<u8>, note: Note) {
    let (kind, number) = match note {
        Note::Fork { process } => (note::FORK, process),
        Note::Handler { signal } => (note::HANDLER, signal),
        Note::HandlerLeft { signal } => (note::HANDLER_LEFT, signal),
        Note::Library => (note::LIBRARY, 0),
        Note::Exec => (note::EXEC, 0),
    };
    put_number(out, kind);
    put_number(out, u64::from(number));
}

/// Fills sections with pieces.
struct Pieces {
    /// The contents of the current section.
    contents: Vec<u8>,
    /// A section with this many bytes takes no more threads.
    shared: usize,
    sections: Vec<u8>,
}

impl Pieces {
    fn put(&mut self, kind: u8, piece: &[u8]) {
        self.contents.push(kind);
        self.contents.extend(piece);
        if self.contents.len() >= SECTION {
            self.close();
        }
    }

    fn close(&mut self) {
        if !self.contents.is_empty() {
            put_section(&mut self.sections, Kind::Pieces, &self.contents);
            self.contents.clear();
        }
    }

    fn end_thread(&mut self) {
        self.contents.push(piece::END);
        if self.contents.len() >= self.shared {
            self.close();
        }
    }

    fn items<'t, T>(&mut self, kind: u8, items: &'t [T], mut put: impl FnMut(&mut Vec<u8>, &'t T)) {
        let mut rest = items;
        while !rest.is_empty() {
            let mut contents = Vec::new();
            let mut count = 0;
            while count < PIECE_ITEMS
                && contents.len() < SECTION
                && let Some(item) = rest.get(count)
            {
                put(&mut contents, item);
                count += 1;
            }
            let mut piece = Vec::new();
            put_number(&mut piece, count as u64);
            piece.extend(contents);
            self.put(kind, &piece);
            rest = &rest[count..];
        }
    }

    /// Coding is attempted less and less often on a path that it does not compress.
    fn bits(&mut self, bits: &Bits, mut coding: Option<&mut Coding<'_>>) {
        let (mut failures, mut pause) = (0, 0);
        let piece_bits = piece_bits(bits.len());
        for (index, words) in bits.words().chunks(piece_bits / 64).enumerate() {
            let start = index * piece_bits;
            let end = bits.len().min(start + piece_bits);
            let size = (end - start).div_ceil(8);
            let mut kind = piece::PLAIN;
            if pause > 0 {
                pause -= 1;
            } else if let Some(coding) = &mut coding {
                let mut coded = Vec::new();
                put_bytes(&mut coded, &coding.encode(bits, start, end));
                if coded.len() < size {
                    failures = 0;
                    self.put(piece::CODED, &coded);
                    continue;
                }
                kind = piece::TRIED;
                failures += 1;
                pause = (1 << failures) - 1;
            }
            let mut plain: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
            plain.truncate(size);
            self.put(kind, &plain);
        }
    }
}
