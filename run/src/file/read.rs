//! Reads run files; of damaged ones, the part before the damage.

use std::collections::HashSet;

use wire::note;

use super::coded::Coding;
use super::section::{Kind, Sections};
use super::{MOST_CODED, MOST_COPIED, ReadRun, RunError, THREAD_ENDS, cut, ending, piece, piece_bits};
use crate::bits::Bits;
use crate::fields::Fields;
use crate::recorded::{Cut, Input, Note, Place, ProcessEnd, RecordedRun, ThreadEnd, ThreadRecord};
use crate::thread::ThreadName;

/// Reads a run file. The part before the damage is kept if the first section is intact.
pub fn read_run(bytes: &[u8]) -> Result<ReadRun, RunError> {
    let mut sections = Sections::new(bytes)?;
    let damaged = |what: String| RunError::Damaged { what };
    let mut first = match sections.next() {
        Some(Ok((Kind::Run, contents))) => contents,
        Some(Ok(_)) => return Err(damaged("its first section is missing".to_owned())),
        Some(Err(what)) => return Err(damaged(what)),
        None => return Err(damaged("it ends before its first section".to_owned())),
    };
    let head = head(&mut first).ok_or_else(|| damaged("its first section cannot be understood".to_owned()))?;
    let mut threads = Threads::new(head.strings, head.coded_bits);
    let stopped = loop {
        let start = sections.position();
        match sections.next() {
            None => break None,
            Some(Err(what)) => break Some(what),
            Some(Ok((Kind::Pieces, contents))) if threads.pieces(contents).is_some() => {}
            Some(Ok(_)) => break Some(format!("the section that begins at byte {start} cannot be understood")),
        }
    };
    let (threads, incomplete) = threads.finish();
    let mut missing = Vec::new();
    missing.extend(incomplete.map(|name| format!("thread {name} is incomplete")));
    let lost = head.threads.saturating_sub(threads.len() as u64);
    if lost > 0 {
        missing.push(format!("{lost} of {} threads are missing", head.threads));
    }
    let damage = match (stopped, missing.is_empty()) {
        (None, true) => None,
        (Some(what), true) => Some(format!("{what}, behind all threads")),
        (Some(what), false) => Some(format!("{what}: {}", missing.join(", "))),
        (None, false) => Some(format!("it ends too early: {}", missing.join(", "))),
    };
    let cut = match (&damage, missing.is_empty()) {
        (Some(damage), false) => Some(head.cut.unwrap_or_else(|| Cut::Damaged(damage.clone()))),
        _ => head.cut,
    };
    Ok(ReadRun { run: RecordedRun { module: head.module, threads, end: head.end, cut }, damage })
}

struct Head<'a> {
    strings: Vec<&'a str>,
    module: String,
    threads: u64,
    coded_bits: usize,
    end: ProcessEnd,
    cut: Option<Cut>,
}

fn head<'a>(fields: &mut Fields<'a>) -> Option<Head<'a>> {
    let count = fields.number()?;
    let strings: Vec<&str> = (0..count).map(|_| std::str::from_utf8(fields.bytes()?).ok()).collect::<Option<_>>()?;
    let module = string(fields, &strings)?;
    let threads = fields.number()?;
    let coded_bits = fields.small().filter(|bits| *bits <= MOST_CODED)?;
    let end = end(fields, &strings)?;
    let cut = cut(fields, &strings)?;
    fields.rest.is_empty().then_some(Head { strings, module, threads, coded_bits, end, cut })
}

fn string(fields: &mut Fields<'_>, strings: &[&str]) -> Option<String> {
    fields.entry(strings).map(|text| (*text).to_owned())
}

fn place(fields: &mut Fields<'_>, strings: &[&str]) -> Option<Place> {
    Some(Place { file: string(fields, strings)?, line: fields.small()? })
}

fn number(fields: &mut Fields<'_>) -> Option<i32> {
    i32::try_from(fields.signed()?).ok()
}

fn end(fields: &mut Fields<'_>, strings: &[&str]) -> Option<ProcessEnd> {
    Some(match fields.byte()? {
        ending::EXITED => ProcessEnd::Exited { status: number(fields)? },
        ending::ASSERTION => ProcessEnd::Assertion { at: place(fields, strings)?, condition: string(fields, strings)? },
        ending::ABORT => ProcessEnd::Abort { at: None },
        ending::ABORT_AT => ProcessEnd::Abort { at: Some(place(fields, strings)?) },
        ending::SIGNAL => ProcessEnd::Signal { number: number(fields)?, at: None },
        ending::SIGNAL_AT => ProcessEnd::Signal { number: number(fields)?, at: Some(place(fields, strings)?) },
        ending::HANG => ProcessEnd::Hang,
        ending::UNKNOWN => ProcessEnd::Unknown,
        _ => return None,
    })
}

fn cut(fields: &mut Fields<'_>, strings: &[&str]) -> Option<Option<Cut>> {
    Some(match fields.byte()? {
        cut::NONE => None,
        cut::NO_SPACE => Some(Cut::NoSpace),
        cut::NO_MEMORY => Some(Cut::NoMemory),
        cut::EXEC => Some(Cut::Exec),
        cut::DAMAGED => Some(Cut::Damaged(string(fields, strings)?)),
        _ => return None,
    })
}

/// The strings of a run, with the number of bytes that may still be copied.
struct Copied<'t> {
    strings: &'t [&'t str],
    room: &'t mut usize,
}

impl Copied<'_> {
    fn take(&mut self, fields: &mut Fields<'_>) -> Option<String> {
        let text = fields.entry(self.strings)?;
        *self.room = self.room.checked_sub(text.len())?;
        Some((*text).to_owned())
    }
}

/// The threads read so far, and the one whose pieces are being read.
struct Threads<'a> {
    strings: Vec<&'a str>,
    complete: Vec<ThreadRecord>,
    names: HashSet<ThreadName>,
    open: Option<Open<'a>>,
    /// The number of bits that coded pieces may still expand to: a few bytes can encode very many.
    may_be_coded: usize,
    coding: Coding<'a>,
    /// The start function of the last thread.
    last_start: &'a str,
    /// The remaining limit for names and strings: an index of one byte can refer to a long string repeatedly.
    may_be_copied: usize,
}

struct Open<'a> {
    record: ThreadRecord,
    start: &'a str,
    /// The number of bits that it will have.
    bits: usize,
    /// Whether any piece of its bits was coded.
    is_coded: bool,
}

impl<'a> Threads<'a> {
    fn new(strings: Vec<&'a str>, coded_bits: usize) -> Threads<'a> {
        Threads {
            strings,
            complete: Vec::new(),
            names: HashSet::new(),
            open: None,
            may_be_coded: coded_bits,
            coding: Coding::new(coded_bits),
            last_start: "",
            may_be_copied: MOST_COPIED,
        }
    }

    /// All threads, and the name of the last one if it is incomplete, so that its end is unknown.
    fn finish(mut self) -> (Vec<ThreadRecord>, Option<ThreadName>) {
        let incomplete = self.open.map(|open| ThreadRecord { end: ThreadEnd::Stopped, ..open.record });
        let name = incomplete.as_ref().map(|thread| thread.name.clone());
        self.complete.extend(incomplete);
        (self.complete, name)
    }

    fn pieces(&mut self, mut fields: Fields<'_>) -> Option<()> {
        while !fields.rest.is_empty() {
            match (fields.byte()?, &mut self.open) {
                (piece::THREAD, None) => {
                    let name = self.name(&mut fields)?;
                    let start = *fields.entry(&self.strings)?;
                    self.begin(name, start, &mut fields)?;
                }
                (piece::SIBLING, None) => {
                    let name = self.complete.last()?.name.next_sibling()?;
                    self.begin(name, self.last_start, &mut fields)?;
                }
                (piece::END, open) => {
                    let open = open.take_if(|open| open.bits == open.record.bits.len())?;
                    self.last_start = open.start;
                    self.complete.push(open.record);
                }
                (kind @ (piece::PLAIN | piece::TRIED | piece::CODED), Some(_)) => self.bits(kind, &mut fields)?,
                (kind, Some(open)) => {
                    let mut strings = Copied { strings: &self.strings, room: &mut self.may_be_copied };
                    items(kind, &mut fields, &mut open.record, &mut strings)?;
                }
                (_, None) => return None,
            }
        }
        Some(())
    }

    fn name(&self, fields: &mut Fields<'_>) -> Option<ThreadName> {
        match fields.small::<usize>()? {
            0 => {
                let count = fields.number()?;
                let numbers: Vec<u32> = (0..count).map(|_| fields.small()).collect::<Option<_>>()?;
                ThreadName::of_numbers(&numbers)
            }
            position => {
                let number = fields.small().filter(|number| *number > 0)?;
                Some(self.complete.get(position - 1)?.name.child(number))
            }
        }
    }

    fn begin(&mut self, name: ThreadName, start: &'a str, fields: &mut Fields<'_>) -> Option<()> {
        let end = *fields.entry(&THREAD_ENDS)?;
        let bits = fields.small()?;
        self.may_be_copied = self.may_be_copied.checked_sub(size_of_val(name.numbers()) + start.len())?;
        if !self.names.insert(name.clone()) {
            return None;
        }
        let record = ThreadRecord { end, ..ThreadRecord::new(name, start) };
        self.open = Some(Open { record, start, bits, is_coded: false });
        Some(())
    }

    fn bits(&mut self, kind: u8, fields: &mut Fields<'_>) -> Option<()> {
        let open = self.open.as_mut()?;
        let bits = &mut open.record.bits;
        let begun = bits.len();
        let count = piece_bits(open.bits).min(open.bits - begun);
        if kind != piece::PLAIN {
            self.may_be_coded = self.may_be_coded.checked_sub(count)?;
            if !std::mem::replace(&mut open.is_coded, true) {
                self.coding.begin(open.start);
            }
        }
        if kind == piece::CODED {
            self.coding.decode(fields.bytes()?, count, bits);
            return Some(());
        }
        plain(fields.take(count.div_ceil(8))?, count, bits);
        if kind == piece::TRIED {
            self.coding.skip(bits, begun);
        }
        Some(())
    }
}

/// Pieces of other items than bits.
fn items(kind: u8, fields: &mut Fields<'_>, record: &mut ThreadRecord, strings: &mut Copied<'_>) -> Option<()> {
    if !(piece::CALLEES..=piece::ORDER).contains(&kind) {
        return None;
    }
    let count = fields.number()?;
    for _ in 0..count {
        match kind {
            piece::CALLEES => record.callees.push(strings.take(fields)?),
            piece::INPUTS => record.inputs.push(input(fields, strings)?),
            piece::NOTES => record.notes.push(note(fields)?),
            _ => {
                let last = record.order.last().copied().unwrap_or(0);
                record.order.push(last.wrapping_add(fields.signed()? as u64));
            }
        }
    }
    Some(())
}

fn plain(bytes: &[u8], count: usize, bits: &mut Bits) {
    for (index, bytes) in bytes.chunks(8).enumerate() {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        let width = (count - index * 64).min(64) as u32;
        bits.append(u64::from_be_bytes(word) >> (64 - width), width);
    }
}

fn input(fields: &mut Fields<'_>, strings: &mut Copied<'_>) -> Option<Input> {
    let name = strings.take(fields)?;
    let result = fields.signed()?;
    let count = fields.number()?;
    let buffers = (0..count / 2).map(|_| fields.bytes().map(<[u8]>::to_vec)).collect::<Option<_>>()?;
    let unknown_at =
        if count % 2 == 1 { Some(Place { file: strings.take(fields)?, line: fields.small()? }) } else { None };
    Some(Input { name, result, buffers, unknown_at })
}

fn note(fields: &mut Fields<'_>) -> Option<Note> {
    let kind = fields.number()?;
    let number = fields.small()?;
    Some(match kind {
        note::FORK => Note::Fork { process: number },
        note::HANDLER => Note::Handler { signal: number },
        note::HANDLER_LEFT => Note::HandlerLeft { signal: number },
        note::LIBRARY => Note::Library,
        note::EXEC => Note::Exec,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{Strategy, any, prop_oneof, proptest};

    use super::super::section::{put_first_bytes, put_section};
    use super::super::write_run;
    use super::*;

    fn contents() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![vec(any::<u8>(), 0..40), vec(0_u8..10, 0..60)]
    }

    proptest! {
        /// Checksums detect accidents, but the parser must be safe without them.
        #[test]
        fn sound_checksums_do_not_make_nonsense_a_run(
            first in contents(),
            rest in vec(contents(), 0..5),
        ) {
            let none = RecordedRun { module: "x".into(), threads: Vec::new(), end: ProcessEnd::Hang, cut: None };
            let mut with_junk = Vec::new();
            put_first_bytes(&mut with_junk);
            put_section(&mut with_junk, Kind::Run, &first);
            for mut bytes in [with_junk, write_run(&none)] {
                for contents in &rest {
                    put_section(&mut bytes, Kind::Pieces, contents);
                }
                if let Ok(read) = read_run(&bytes) {
                    let again = read_run(&write_run(&read.run));
                    assert_eq!(again, Ok(ReadRun { run: read.run, damage: None }));
                }
            }
        }
    }

    /// A few bytes must not expand without limit: names of threads and strings are copied at each use.
    #[test]
    fn copies_of_long_strings_and_names_have_a_limit() {
        let long = "x".repeat(1 << 20);
        let mut first = Vec::new();
        crate::fields::put_number(&mut first, 2);
        crate::fields::put_bytes(&mut first, b"m");
        crate::fields::put_bytes(&mut first, long.as_bytes());
        // Module `m`, one thread, no coded bits, a hang, no cut.
        first.extend([0, 1, 0, ending::HANG, cut::NONE]);
        // The first thread, without numbers in its name, begins in `m`.
        let mut pieces = vec![piece::THREAD, 0, 0, 0, 0, 0, piece::CALLEES];
        crate::fields::put_number(&mut pieces, 4 << 10);
        pieces.extend(std::iter::repeat_n(1, 4 << 10));
        pieces.push(piece::END);
        let mut bytes = Vec::new();
        put_first_bytes(&mut bytes);
        put_section(&mut bytes, Kind::Run, &first);
        put_section(&mut bytes, Kind::Pieces, &pieces);
        let read = read_run(&bytes).expect("its first section is sound");
        assert!(read.damage.is_some_and(|damage| damage.contains("cannot be understood")));
        let copied: usize = read.run.threads.iter().flat_map(|thread| &thread.callees).map(String::len).sum();
        assert!(copied <= MOST_COPIED, "{copied}");
    }
}
