//! A thread's records: their encoding, and the chunks that hold them.
//!
//! A record never crosses chunks; one that is larger than a chunk gets a chunk of its own size. Only one record is
//! written at a time. A signal handler that interrupts a write leaves its note to the interrupted writer.

use core::ptr::null_mut;
use core::slice;
use core::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, compiler_fence,
};

use wire::{ChunkHeader, PAGE, Tag, chunk, stopped, varint};

use crate::slot::{Buffer, Buffers};
use crate::{spool, system};

/// Chunks grow up to this size.
const LARGEST_CHUNK: usize = 1 << 20;
/// A larger record ends the recording: without it, those that follow would be taken for it.
const LARGEST_RECORD: usize = 64 << 20;
/// How many notes can wait for a writer that was interrupted. More than that are lost.
const WAITING: usize = 8;

#[derive(Clone, Copy)]
pub struct Record<'a> {
    tag: Tag,
    numbers: [u64; 3],
    count: usize,
    buffers: Buffers<'a>,
}

impl<'a> Record<'a> {
    fn new(tag: Tag, numbers: [u64; 3], count: usize) -> Record<'static> {
        Record { tag, numbers, count, buffers: Buffers::None }
    }

    pub fn birth(parent: u32, number: u32, start: u64) -> Record<'static> {
        Record::new(Tag::Birth, [u64::from(parent), u64::from(number), start], 3)
    }

    pub fn input(name: u32, result: i64, buffers: Buffers<'a>) -> Record<'a> {
        let numbers = [u64::from(name), varint::zigzag(result), buffers.count() as u64];
        Record { tag: Tag::Input, numbers, count: 3, buffers }
    }

    pub fn unknown(place: u32, result: i64) -> Record<'static> {
        Record::new(Tag::Unknown, [u64::from(place), varint::zigzag(result), 0], 2)
    }

    pub fn end(how: u64) -> Record<'static> {
        Record::new(Tag::End, [how, 0, 0], 1)
    }

    pub fn note(what: u64, number: u64) -> Record<'static> {
        Record::new(Tag::Note, [what, number, 0], 2)
    }

    pub fn file(is_there: bool, name_and_contents: &'a [Buffer]) -> Record<'a> {
        let buffers = Buffers::Given(name_and_contents);
        Record { tag: Tag::File, numbers: [u64::from(is_there), 0, 0], count: 1, buffers }
    }

    pub fn sequence(distance: u64) -> Record<'static> {
        Record::new(Tag::Sequence, [distance, 0, 0], 1)
    }

    /// With its tag.
    fn bytes(&self) -> usize {
        let numbers: usize = self.numbers.iter().take(self.count).map(|&number| length(number)).sum();
        let buffers = (0..self.buffers.count()).map(|index| self.buffers.get(index).len());
        1 + numbers + buffers.map(|bytes| length(bytes as u64) + bytes).sum::<usize>()
    }

    /// Writes all of the record except the tag.
    fn write(&self, mut out: &mut [u8]) -> Option<()> {
        for &number in self.numbers.iter().take(self.count) {
            out = skip(out, |out| varint::write(number, out))?;
        }
        for index in 0..self.buffers.count() {
            let bytes = self.buffers.get(index);
            out = skip(out, |out| varint::write(bytes.len() as u64, out))?;
            out = skip(out, |out| {
                out.get_mut(..bytes.len())?.copy_from_slice(bytes);
                Some(bytes.len())
            })?;
        }
        Some(())
    }
}

/// How many bytes a number takes.
fn length(number: u64) -> usize {
    (64 - (number | 1).leading_zeros() as usize).div_ceil(7)
}

/// The rest of `out` after a write.
fn skip(out: &mut [u8], write: impl FnOnce(&mut [u8]) -> Option<usize>) -> Option<&mut [u8]> {
    let written = write(out)?;
    out.get_mut(written..)
}

/// Where a record is.
#[derive(Clone, Copy)]
pub struct Written {
    piece: u32,
    at: usize,
    bytes: usize,
}

pub struct Records {
    chunk: AtomicPtr<u8>,
    bytes: AtomicUsize,
    piece: AtomicU32,
    /// Where in the chunk the next tag goes.
    used: AtomicUsize,
    /// How long the record is that is being written; zero if none is.
    writing: AtomicUsize,
    /// A record was lost, so no other one may follow.
    ended: AtomicBool,
    waiting: [AtomicU64; WAITING],
    waiting_count: AtomicUsize,
}

impl Records {
    pub const fn new() -> Records {
        Records {
            chunk: AtomicPtr::new(null_mut()),
            bytes: AtomicUsize::new(0),
            piece: AtomicU32::new(0),
            used: AtomicUsize::new(0),
            writing: AtomicUsize::new(0),
            ended: AtomicBool::new(true),
            waiting: [const { AtomicU64::new(0) }; WAITING],
            waiting_count: AtomicUsize::new(0),
        }
    }

    /// Starts with a described chunk.
    ///
    /// # Safety
    /// `bytes` bytes are mapped there, zero after the chunk's header, and stay mapped until [`Records::close`].
    pub unsafe fn open(&self, chunk: *mut u8, bytes: usize) {
        self.chunk.store(chunk, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
        self.used.store(size_of::<ChunkHeader>(), Ordering::Relaxed);
        self.ended.store(false, Ordering::Relaxed);
    }

    /// Ends the recording of this thread.
    pub fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Writes a record of the thread with this index.
    #[inline]
    pub fn put(&self, thread: u32, record: &Record<'_>) -> Option<Written> {
        if self.ended.load(Ordering::Relaxed) {
            return None;
        }
        if self.writing.load(Ordering::Relaxed) != 0 {
            self.leave_for_later(record);
            return None;
        }
        let bytes = record.bytes();
        self.writing.store(bytes, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        let written = self.write(thread, record, bytes);
        compiler_fence(Ordering::SeqCst);
        self.writing.store(0, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        if self.waiting_count.load(Ordering::Relaxed) != 0 {
            self.write_waiting(thread);
        }
        written
    }

    /// Writes a record of one number, the most frequent kind.
    #[inline]
    pub fn put_number(&self, thread: u32, tag: Tag, number: u64) {
        const LONGEST: usize = 1 + varint::LONGEST;
        let used = self.used.load(Ordering::Relaxed);
        let is_plain = !self.ended.load(Ordering::Relaxed)
            && self.writing.load(Ordering::Relaxed) == 0
            && self.bytes.load(Ordering::Relaxed) - used >= LONGEST;
        if !is_plain {
            return self.put_seldom(thread, tag, number);
        }
        self.writing.store(LONGEST, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        // SAFETY: the chunk has room for the longest number, and only this thread writes to it; the tag comes last.
        let length = unsafe {
            let at = self.chunk.load(Ordering::Relaxed).add(used);
            let mut length = 1;
            let mut rest = number;
            while rest >= 0x80 {
                at.add(length).write(rest as u8 | 0x80);
                rest >>= 7;
                length += 1;
            }
            at.add(length).write(rest as u8);
            AtomicU8::from_ptr(at).store(tag as u8, Ordering::Release);
            length + 1
        };
        self.used.store(used + length, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        self.writing.store(0, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        if self.waiting_count.load(Ordering::Relaxed) != 0 {
            self.write_waiting(thread);
        }
    }

    #[cold]
    #[inline(never)]
    fn put_seldom(&self, thread: u32, tag: Tag, number: u64) {
        self.put(thread, &Record::new(tag, [number, 0, 0], 1));
    }

    fn write(&self, thread: u32, record: &Record<'_>, bytes: usize) -> Option<Written> {
        let rest = self.bytes.load(Ordering::Relaxed) - self.used.load(Ordering::Relaxed);
        if rest < bytes && !self.grow(thread, bytes) {
            self.end();
            return None;
        }
        let used = self.used.load(Ordering::Relaxed);
        // SAFETY: the chunk has room for the record, and only this thread writes to it; the tag comes last.
        unsafe {
            let at = self.chunk.load(Ordering::Relaxed).add(used);
            record.write(slice::from_raw_parts_mut(at.add(1), bytes - 1))?;
            AtomicU8::from_ptr(at).store(record.tag as u8, Ordering::Release);
        }
        self.used.store(used + bytes, Ordering::Relaxed);
        Some(Written { piece: self.piece.load(Ordering::Relaxed), at: used, bytes })
    }

    #[cold]
    fn grow(&self, thread: u32, record: usize) -> bool {
        if record > LARGEST_RECORD {
            spool::stop(stopped::NO_MEMORY);
            return false;
        }
        let (old, old_bytes) = (self.chunk.load(Ordering::Relaxed), self.bytes.load(Ordering::Relaxed));
        let needed = (size_of::<ChunkHeader>() + record).next_multiple_of(PAGE);
        let bytes = (2 * old_bytes).min(LARGEST_CHUNK).max(needed);
        let piece = self.piece.load(Ordering::Relaxed) + 1;
        system::without_signals(|| {
            let Some(chunk) = spool::take(bytes) else { return false };
            // SAFETY: both chunks are ours; the old one has no reader any more.
            unsafe {
                spool::describe(chunk, chunk::RECORDS, thread, piece, bytes);
                spool::show(chunk);
                self.open(chunk, bytes);
                system::unmap(old, old_bytes);
            }
            self.piece.store(piece, Ordering::Relaxed);
            true
        })
    }

    /// A write was interrupted. Handlers only write notes; any other record shows that the interrupted write was
    /// abandoned.
    #[cold]
    fn leave_for_later(&self, record: &Record<'_>) {
        if record.tag != Tag::Note {
            self.end();
        }
        let count = self.waiting_count.load(Ordering::Relaxed);
        if let Some(place) = self.waiting.get(count) {
            place.store(record.numbers[0] << 32 | record.numbers[1], Ordering::Relaxed);
            self.waiting_count.store(count + 1, Ordering::Relaxed);
        }
    }

    #[cold]
    fn write_waiting(&self, thread: u32) {
        let mut notes = [0; WAITING];
        let mut count = 0;
        system::without_signals(|| {
            count = self.waiting_count.swap(0, Ordering::Relaxed);
            for (note, waiting) in notes.iter_mut().zip(&self.waiting) {
                *note = waiting.load(Ordering::Relaxed);
            }
        });
        for note in notes.iter().take(count) {
            self.put(thread, &Record::note(note >> 32, note & u64::from(u32::MAX)));
        }
    }

    /// The interrupted writer will not continue: removes its partial record.
    pub fn forget_writer(&self) {
        let bytes = self.writing.load(Ordering::Relaxed);
        let (chunk, used) = (self.chunk.load(Ordering::Relaxed), self.used.load(Ordering::Relaxed));
        let rest = self.bytes.load(Ordering::Relaxed) - used;
        if bytes != 0 && !chunk.is_null() {
            // SAFETY: nothing behind `used` was shown, and it is inside of the chunk.
            unsafe { chunk.add(used).write_bytes(0, bytes.min(rest)) };
        }
        self.writing.store(0, Ordering::Relaxed);
    }

    /// Removes a record again, if it is still the last one.
    pub fn take_back(&self, record: Written) {
        let is_last = self.piece.load(Ordering::Relaxed) == record.piece
            && self.used.load(Ordering::Relaxed) == record.at + record.bytes;
        if self.ended.load(Ordering::Relaxed) || !is_last {
            return;
        }
        // SAFETY: the record is inside of the present chunk.
        unsafe {
            let at = self.chunk.load(Ordering::Relaxed).add(record.at);
            AtomicU8::from_ptr(at).store(0, Ordering::Release);
            at.write_bytes(0, record.bytes);
        }
        self.used.store(record.at, Ordering::Relaxed);
    }

    /// Ends the recording; the caller gets the chunk.
    pub fn close(&self) -> (*mut u8, usize) {
        self.end();
        (self.chunk.swap(null_mut(), Ordering::Relaxed), self.bytes.swap(0, Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    fn page() -> [u64; PAGE / 8] {
        [0; PAGE / 8]
    }

    /// Records that write to this page.
    fn on(page: &mut [u64; PAGE / 8]) -> Records {
        let records = Records::new();
        // SAFETY: the page outlives the records in each of these tests.
        unsafe { records.open(page.as_mut_ptr().cast(), PAGE) };
        records
    }

    fn bytes(page: &[u64; PAGE / 8]) -> Vec<u8> {
        let bytes = page.iter().flat_map(|word| word.to_le_bytes()).skip(size_of::<ChunkHeader>());
        let mut bytes: Vec<u8> = bytes.collect();
        let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        bytes.truncate(end);
        bytes
    }

    #[test]
    fn numbers_are_as_long_as_they_are() {
        for number in [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, u64::from(u32::MAX), u64::MAX >> 1, u64::MAX] {
            assert_eq!(Some(length(number)), varint::write(number, &mut [0; varint::LONGEST]), "{number}");
            let (mut plain, mut general) = (page(), page());
            on(&mut plain).put_number(0, Tag::Callee, number);
            on(&mut general).put(0, &Record::new(Tag::Callee, [number, 0, 0], 1));
            assert_eq!(plain, general, "{number}");
        }
    }

    #[test]
    fn a_record_has_its_numbers_and_then_its_buffers() {
        let mut page = page();
        let buffers = [Buffer::of(b"abc"), Buffer::of(b"")];
        on(&mut page).put(0, &Record::input(300, -2, Buffers::Given(&buffers)));
        assert_eq!(bytes(&page), [Tag::Input as u8, 0xac, 0x02, 3, 2, 3, b'a', b'b', b'c']);
    }

    #[test]
    fn nothing_follows_a_record_that_did_not_fit() {
        let mut page = page();
        let records = on(&mut page);
        let large = [Buffer::of(&[7; PAGE])];
        records.put(0, &Record::end(1));
        assert!(records.put(0, &Record::input(1, 1, Buffers::Given(&large))).is_none());
        assert!(records.put(0, &Record::end(1)).is_none());
        records.put_number(0, Tag::Callee, 1);
        assert_eq!(bytes(&page), [Tag::End as u8, 1]);
    }

    #[test]
    fn only_the_last_record_is_taken_back() {
        let mut page = page();
        let records = on(&mut page);
        let first = records.put(0, &Record::note(1, 1)).expect("there is room");
        let second = records.put(0, &Record::note(2, 2)).expect("there is room");
        records.take_back(first);
        assert_eq!(bytes(&page), [Tag::Note as u8, 1, 1, Tag::Note as u8, 2, 2]);
        records.take_back(second);
        records.put(0, &Record::note(3, 3));
        assert_eq!(bytes(&page), [Tag::Note as u8, 1, 1, Tag::Note as u8, 3, 3]);
    }

    #[test]
    fn notes_wait_for_the_writer_that_they_interrupt() {
        let mut page = page();
        let records = on(&mut page);
        records.writing.store(5, Ordering::Relaxed);
        records.put(0, &Record::note(2, 11));
        records.put(0, &Record::note(2, 12));
        assert_eq!(bytes(&page), []);
        records.forget_writer();
        records.put_number(0, Tag::Callee, 9);
        let notes = [Tag::Note as u8, 2, 11, Tag::Note as u8, 2, 12];
        assert_eq!(bytes(&page), [&[Tag::Callee as u8, 9], &notes[..]].concat());
        records.writing.store(5, Ordering::Relaxed);
        records.put(0, &Record::end(1));
        records.forget_writer();
        assert!(records.put(0, &Record::end(1)).is_none(), "a record was lost");
    }
}
