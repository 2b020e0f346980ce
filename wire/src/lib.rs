//! The layout of a *spool*: the file that the recorder writes while a program runs, and that `run` reads afterwards.
//! Both sides compile this crate, so it only uses `core`.
//!
//! A spool is a file that the recorder maps and writes to with plain stores, so that its contents survive the death of
//! the process, however it dies. It begins with a [`Header`] of one page. Chunks follow, each a multiple of a page,
//! each beginning with a [`ChunkHeader`]. All numbers are little-endian, all unused bytes are zero, and every value
//! that marks data as present is written after that data.
//!
//! A thread has two streams. Its *bits* are words of eight bytes: the highest set bit ends a word, the bits below it
//! are decisions, the oldest one highest; a word of zero is unused. Its *records* are bytes: a [`Tag`], then its
//! operands, numbers as in [`varint`]. A tag of zero ends the stream.
//!
//! The chunk for a thread's bits does not grow for ever. When it is full and large enough, its words are copied to a
//! new chunk of the file, and it is emptied for the next piece: a page that is mapped already costs much less than a
//! new one. The process may die between any two steps of this *hand-over*, so they have an order, and the two chunks
//! have [`state`]s:
//!
//! 1. The copy is written: the same piece, [`state::COPY`]. It may stay unfinished, so it does not count as long as
//!    there is a chunk with the same piece and [`state::ORIGINAL`].
//! 2. The original becomes [`state::EMPTIED`], with a single store. From here on the copy counts.
//! 3. The words of the original become zero. A reader ignores them, since an emptied chunk does not count.
//! 4. It gets the number of the next piece, still without counting.
//! 5. It becomes [`state::ORIGINAL`] again, and only then gets bits.
#![no_std]

pub mod varint;

/// The first bytes of every spool.
pub const MAGIC: [u8; 8] = *b"heddle\0s";
/// Increased whenever the layout changes.
pub const VERSION: u32 = 3;
pub const PAGE: usize = 4096;

/// A text of the [`Header`], truncated if it does not fit, and padded with zeros.
pub type Text<const N: usize> = [u8; N];

/// The first page of a spool.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Header {
    pub magic: [u8; 8],
    pub version: u32,
    /// Of [`flags`].
    pub flags: u32,
    /// The hash of the module, which was put into the program when it was linked.
    pub identity: [u8; 16],
    pub process: u32,
    /// Why recording ended before the process did; one of [`stopped`].
    pub stopped: u32,
    /// The number of bytes of the file allocated to chunks, from the file's beginning.
    pub allocated: u64,
    /// The load address of the program's own code; addresses in records are relative to it.
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
    /// The process executed another program.
    pub const EXEC: u32 = 3;
}

/// How the process ended, as far as it could record that itself. `kind` is written last.
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
    /// The failed condition.
    pub condition: Text<1024>,
}

pub mod end {
    /// No end was recorded: it was killed, or it still runs.
    pub const UNKNOWN: u32 = 0;
    pub const EXITED: u32 = 1;
    pub const ASSERTION: u32 = 2;
    pub const ABORT: u32 = 3;
    pub const SIGNAL: u32 = 4;
    /// It was ended from outside because it did not end by itself.
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
    /// The number of the piece in the stream, from zero.
    pub piece: u32,
    /// Including this header.
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
    /// The chunk that the recorder writes to, or wrote to.
    pub const ORIGINAL: u64 = 0;
    /// It counts if there is no original of the same piece.
    pub const COPY: u64 = 1;
    /// It does not count.
    pub const EMPTIED: u64 = 2;
}

/// The kind of a record. A record is written completely before its tag.
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
    /// A call of an unknown function: index into the table of places, result as [`varint::zigzag`].
    Unknown = 4,
    /// The thread ended: one of [`ended`].
    End = 5,
    /// An event that cannot be recorded: one of [`note`], and a number whose meaning depends on it.
    Note = 6,
    /// The numbers of the next operations in the order of all threads, as differences.
    Sequence = 7,
    /// A file that the program is about to open: 1 if it exists, and then the lengths and bytes of its name and
    /// contents.
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
    /// It ended itself.
    pub const EXITED: u64 = 2;
}

pub mod note {
    /// It forked; the child, whose process id follows, is not recorded.
    pub const FORK: u64 = 1;
    /// A signal handler ran, for the signal that follows; its steps are not recorded.
    pub const HANDLER: u64 = 2;
    /// A signal handler was left by a jump; this thread is not recorded from here on.
    pub const HANDLER_LEFT: u64 = 3;
    /// A library was loaded while the program ran; its code is unknown.
    pub const LIBRARY: u64 = 4;
    /// The process is about to execute another program.
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
