//! Finds the chunks of a spool and assembles those of each stream.
//!
//! A chunk that was reserved but not begun has no size yet. Its pages are zero, and the next chunk begins at one of the
//! next pages. This is the only case in which a page is examined without knowing that a chunk begins there: recorded
//! data may look like the beginning of a chunk. For the same reason reading stops after a chunk with an invalid size.
//!
//! A piece of a thread's bits may exist as an original and as a copy, see [`wire`]: the original counts until it was
//! emptied, because its copy may be unfinished.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::offset_of;

use wire::{PAGE, chunk, state};

use super::Damage;
use crate::bits::Bits;

pub fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

pub fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// The streams of a spool: for each its pieces in order, without headers.
pub struct Streams<'a> {
    pieces: BTreeMap<Stream, Vec<&'a [u8]>>,
}

/// A chunk that may count.
struct Piece<'a> {
    number: u32,
    is_copy: bool,
    /// Whether the file contains all of it.
    is_whole: bool,
    content: &'a [u8],
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stream {
    Bits(u32),
    Records(u32),
    Functions,
}

impl Stream {
    fn named(self) -> String {
        match self {
            Stream::Bits(thread) => format!("the branches of the thread with index {thread}"),
            Stream::Records(thread) => format!("the records of the thread with index {thread}"),
            Stream::Functions => "the addresses of functions".to_owned(),
        }
    }
}

impl<'a> Streams<'a> {
    pub fn find(bytes: &'a [u8], damage: &mut Damage) -> Streams<'a> {
        let mut found: BTreeMap<Stream, Vec<Piece<'a>>> = BTreeMap::new();
        let mut at = PAGE;
        while let Some(magic) = u32_at(bytes, at) {
            if magic == 0 {
                at += PAGE;
                continue;
            }
            let size = if magic == wire::CHUNK { chunk_size(bytes, at) } else { None };
            let Some(size) = size else {
                damage.add(format!("the data at byte {at} is not a chunk: the rest was not read"));
                break;
            };
            let end = at.saturating_add(size).min(bytes.len());
            let is_whole = end - at == size;
            if !is_whole {
                damage.add(format!("the chunk at byte {at} is cut short"));
            }
            match place_in_stream(bytes, at) {
                Ok((_, _, state::EMPTIED)) => {}
                Ok((stream, number, state)) => {
                    let content = &bytes[at + HEADER..end];
                    let piece = Piece { number, is_copy: state == state::COPY, is_whole, content };
                    found.entry(stream).or_default().push(piece);
                }
                Err(unknown) => damage.add(format!("the chunk at byte {at} is {unknown}")),
            }
            at = at.saturating_add(size);
        }
        Streams {
            pieces: found.into_iter().map(|(stream, pieces)| (stream, in_order(stream, pieces, damage))).collect(),
        }
    }

    /// The indices of all threads with a stream, in order.
    pub fn threads(&self) -> BTreeSet<u32> {
        let index = |stream: &Stream| match *stream {
            Stream::Bits(thread) | Stream::Records(thread) => Some(thread),
            Stream::Functions => None,
        };
        self.pieces.keys().filter_map(index).collect()
    }

    fn of(&self, stream: Stream) -> &[&'a [u8]] {
        self.pieces.get(&stream).map_or(&[], Vec::as_slice)
    }

    pub fn records(&self, thread: u32) -> &[&'a [u8]] {
        self.of(Stream::Records(thread))
    }

    /// The decisions in a thread's words. A thread writes its words one after the other, so only zeros follow the first
    /// word that is zero.
    pub fn bits(&self, thread: u32, damage: &mut Damage) -> Bits {
        let mut bits = Bits::new();
        let mut words = self.words(Stream::Bits(thread)).map(u64::from_le_bytes);
        for word in words.by_ref().take_while(|word| *word != 0) {
            let width = u64::BITS - 1 - word.leading_zeros();
            bits.append(word, width);
        }
        if words.any(|word| word != 0) {
            damage.add(format!("{} have a hole", Stream::Bits(thread).named()));
        }
        bits
    }

    /// The addresses of functions, in the order of the tables.
    pub fn functions(&self) -> impl Iterator<Item = u32> {
        self.words(Stream::Functions).map(u32::from_le_bytes)
    }

    fn words<const SIZE: usize>(&self, stream: Stream) -> impl Iterator<Item = [u8; SIZE]> {
        self.of(stream).iter().flat_map(|piece| piece.as_chunks::<SIZE>().0).copied()
    }
}

const HEADER: usize = size_of::<wire::ChunkHeader>();

/// The size of the chunk that begins here, if it is valid.
fn chunk_size(bytes: &[u8], at: usize) -> Option<usize> {
    bytes.get(at..at.checked_add(HEADER)?)?;
    let size = usize::try_from(u64_at(bytes, at + offset_of!(wire::ChunkHeader, bytes))?).ok()?;
    (size > 0 && size.is_multiple_of(PAGE)).then_some(size)
}

/// The stream of the chunk that begins here, the number of its piece, and its state.
fn place_in_stream(bytes: &[u8], at: usize) -> Result<(Stream, u32, u64), String> {
    let field = |offset: usize| u32_at(bytes, at + offset).unwrap_or(0);
    let thread = field(offset_of!(wire::ChunkHeader, thread));
    let stream = match field(offset_of!(wire::ChunkHeader, kind)) {
        chunk::BITS => Stream::Bits(thread),
        chunk::RECORDS => Stream::Records(thread),
        chunk::FUNCTIONS => Stream::Functions,
        kind => return Err(format!("of the unknown kind {kind}")),
    };
    let state = u64_at(bytes, at + offset_of!(wire::ChunkHeader, state)).unwrap_or(0);
    // Only chunks of bits are handed over.
    let is_known = match stream {
        Stream::Bits(_) => matches!(state, state::ORIGINAL | state::COPY | state::EMPTIED),
        Stream::Records(_) | Stream::Functions => state == state::ORIGINAL,
    };
    if !is_known {
        return Err(format!("in the unknown state {state}"));
    }
    Ok((stream, field(offset_of!(wire::ChunkHeader, piece)), state))
}

/// The pieces in order, up to the first one that is missing or duplicate. A truncated piece is the last one, since its
/// successors in the stream may precede it in the file.
fn in_order<'a>(stream: Stream, mut pieces: Vec<Piece<'a>>, damage: &mut Damage) -> Vec<&'a [u8]> {
    pieces.sort_by_key(|piece| (piece.number, piece.is_copy));
    pieces.dedup_by(|next, kept| next.number == kept.number && next.is_copy && !kept.is_copy);
    if let Some(cut) = pieces.iter().position(|piece| !piece.is_whole) {
        pieces.truncate(cut + 1);
    }
    let is_single = |at: usize| pieces.get(at + 1).is_none_or(|next| next.number != pieces[at].number);
    let sound = (0..pieces.len()).take_while(|&at| pieces[at].number as usize == at && is_single(at)).count();
    if let Some(piece) = pieces.get(sound) {
        let named = stream.named();
        damage.add(match piece.number as usize == sound {
            true => format!("piece {sound} of {named} is there twice"),
            false => format!("piece {sound} of {named} is missing"),
        });
    }
    pieces.into_iter().take(sound).map(|piece| piece.content).collect()
}
