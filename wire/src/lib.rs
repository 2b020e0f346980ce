//! The layout of a *spool*: what the recorder writes while a program runs, and `run` reads afterwards. Both sides compile
//! this crate, so it uses nothing but `core`.
//!
//! A spool is a file that the recorder maps and writes to with plain stores, so that everything that was written survives
//! the death of the process, however it dies. It begins with a [`Header`] of one page. Chunks follow, each a multiple of
//! a page, each beginning with a [`ChunkHeader`]. All numbers are little-endian, all unused bytes are zero, and every
//! value that says "this is there" is written after what it says to be there.
//!
//! A thread has two streams. Its *bits* are words of eight bytes: the highest bit that is set ends a word, the bits below
//! it are decisions, the oldest one highest; a word that is zero was never used. Its *records* are bytes: a [`Tag`],
//! then what the tag asks for, numbers as in [`varint`]. A tag of zero ends the stream.
//!
//! The chunk that a thread's bits go to does not grow for ever. When it is full and large enough, its words are copied
//! to a new chunk of the file, and it is emptied for the next piece: a page that is mapped already costs much less than
//! a new one. The process may die between any two steps of this *hand-over*, so they have an order, and the two chunks
//! have [`state`]s:
//!
//! 1. The copy is written: the same piece, [`state::COPY`]. It may stay unfinished, so it does not count as long as
//!    there is a chunk with the same piece and [`state::ORIGINAL`].
//! 2. The original becomes [`state::EMPTIED`], with a single store. From here on the copy counts.
//! 3. The words of the original become zero. Nobody looks at them: what is emptied does not count.
//! 4. It gets the number of the next piece, still without counting.
//! 5. It becomes [`state::ORIGINAL`] again, and only then gets bits.
#![no_std]

pub mod varint;

/// The first bytes of every spool.
pub const MAGIC: [u8; 8] = *b"heddle\0s";
/// Raised whenever the layout changes.
pub const VERSION: u32 = 3;
pub const PAGE: usize = 4096;

/// A text of the [`Header`], cut where it does not fit; zeros follow it.
pub type Text<const N: usize> = [u8; N];

/// The first page of a spool.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Header {
    pub magic: [u8; 8],
    pub version: u32,
    /// Of [`flags`].
    pub flags: u32,
    /// Which module runs: the hash that was put into the program when it was linked.
    pub identity: [u8; 16],
    pub process: u32,
    /// Why recording ended before the process did; one of [`stopped`].
    pub stopped: u32,
    /// How many bytes of the file are given to chunks, from the file's beginning.
    pub allocated: u64,
    /// Where the program's own code was loaded; addresses in records are relative to it.
    pub base: u64,
    pub end: End,
}

pub mod flags {
    /// Records give each shared operation its number in the order of all threads.
    pub const SEQUENCE: u32 = 1;
}

pub mod stopped {
    pub const NOT: u32 = 0;
    /// No space was left for another chunk.
    pub const NO_SPACE: u32 = 1;
    /// A chunk could not be mapped.
    pub const NO_MEMORY: u32 = 2;
    /// Another program took the process over.
    pub const EXEC: u32 = 3;
}

/// How the process ended, as far as it could tell itself. `kind` is written last.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct End {
    /// One of [`end`].
    pub kind: u32,
    /// The exit status or the signal's number.
    pub code: i32,
    /// The index of the thread in which it happened.
    pub thread: u32,
    /// The line of a failed assertion.
    pub line: u32,
    /// The address of the instruction at which a signal arrived, relative to the base; zero if unknown.
    pub address: u64,
    /// The file of a failed assertion.
    pub file: Text<1024>,
    /// The condition that did not hold.
    pub condition: Text<1024>,
}

pub mod end {
    /// Nothing was said: it was killed, or it still runs.
    pub const UNKNOWN: u32 = 0;
    pub const EXITED: u32 = 1;
    pub const ASSERTION: u32 = 2;
    pub const ABORT: u32 = 3;
    pub const SIGNAL: u32 = 4;
    /// It was asked from outside to end because it did not end by itself.
    pub const HANG: u32 = 5;
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ChunkHeader {
    /// [`CHUNK`], written last.
    pub magic: u32,
    /// One of [`chunk`].
    pub kind: u32,
    /// The index of the thread whose stream this is, in the order of births.
    pub thread: u32,
    /// Which piece of the stream this is, from zero.
    pub piece: u32,
    /// With this header.
    pub bytes: u64,
    /// One of [`state`].
    pub state: u64,
}

pub const CHUNK: u32 = u32::from_le_bytes(*b"hchk");

pub mod chunk {
    pub const BITS: u32 = 1;
    pub const RECORDS: u32 = 2;
    /// The addresses of the functions that can be called through pointers, relative to the base, four bytes each, in the
    /// order of the table that was made when the program was linked. Never more than one stream.
    pub const FUNCTIONS: u32 = 3;
}

/// Whether a chunk counts.
pub mod state {
    /// It is what the recorder writes to, or wrote to.
    pub const ORIGINAL: u64 = 0;
    /// It counts if there is no original of the same piece.
    pub const COPY: u64 = 1;
    /// It does not count.
    pub const EMPTIED: u64 = 2;
}

/// What a record says. A record is written completely before its tag.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// The first record of a thread: index of the thread that created it (its own for the first one), its number among that
    /// one's children from 1 (0 for the first), address of its first function.
    Birth = 1,
    /// An indirect call: the address of the function.
    Callee = 2,
    /// An answer of the environment: index into the table of input functions, result as [`varint::zigzag`], number of
    /// buffers, and for each its length and bytes.
    Input = 3,
    /// A call of a function that nobody knows: index into the table of places, result as [`varint::zigzag`].
    Unknown = 4,
    /// The thread ended: one of [`ended`].
    End = 5,
    /// Something that cannot be recorded happened: one of [`note`], and a number whose meaning depends on it.
    Note = 6,
    /// The numbers of the next operations in the order of all threads: how far it is from the last one.
    Sequence = 7,
    /// A file that the program is about to open: 1 if it is there, and then the lengths and bytes of its name and of what it
    /// holds.
    File = 8,
}

impl Tag {
    pub const ALL: [Tag; 8] =
        [Tag::Birth, Tag::Callee, Tag::Input, Tag::Unknown, Tag::End, Tag::Note, Tag::Sequence, Tag::File];

    pub fn from_byte(byte: u8) -> Option<Tag> {
        Tag::ALL.into_iter().find(|tag| *tag as u8 == byte)
    }
}

pub mod ended {
    pub const RETURNED: u64 = 1;
    /// It asked to end.
    pub const EXITED: u64 = 2;
}

pub mod note {
    /// It forked; the child, whose process id follows, is not recorded.
    pub const FORK: u64 = 1;
    /// A signal handler ran, for the signal that follows; what it did is not recorded.
    pub const HANDLER: u64 = 2;
    /// A signal handler was left by a jump; this thread is not recorded from here on.
    pub const HANDLER_LEFT: u64 = 3;
    /// A library was loaded while the program ran; nothing is known about its code.
    pub const LIBRARY: u64 = 4;
    /// Another program is about to take the process over.
    pub const EXEC: u64 = 5;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_has_no_holes_and_fits_a_page() {
        assert!(size_of::<Header>() <= PAGE);
        assert_eq!(core::mem::offset_of!(Header, end), 56);
        assert_eq!(size_of::<Header>(), 56 + 24 + 2048);
        assert_eq!(size_of::<ChunkHeader>(), 32);
    }

    #[test]
    fn tags_are_found_by_their_bytes() {
        assert!(Tag::ALL.into_iter().all(|tag| Tag::from_byte(tag as u8) == Some(tag)));
        assert_eq!(Tag::from_byte(0), None);
    }
}
