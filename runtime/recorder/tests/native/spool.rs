//! A reader of intact spools for these tests.

use std::collections::BTreeMap;
use std::mem::offset_of;
use std::path::Path;

use wire::{ChunkHeader, End, Header, PAGE, Tag, chunk, state, varint};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    Birth { parent: u64, number: u64, start: u64 },
    Callee(u64),
    File { is_there: bool, name: Vec<u8>, contents: Vec<u8> },
    Input { name: u64, result: i64, buffers: Vec<Vec<u8>> },
    Unknown { place: u64, result: i64 },
    End(u64),
    Note(u64, u64),
}

#[derive(Debug, Default)]
pub struct Thread {
    pub bits: Vec<bool>,
    pub records: Vec<Record>,
    /// There are bytes after the last record, as when a process was killed during a write.
    pub has_rest: bool,
}

impl Thread {
    pub fn notes(&self) -> Vec<(u64, u64)> {
        let notes = self.records.iter().filter_map(|record| match record {
            Record::Note(what, number) => Some((*what, *number)),
            _ => None,
        });
        notes.collect()
    }

    pub fn end(&self) -> Option<u64> {
        self.records.iter().find_map(|record| if let Record::End(how) = record { Some(*how) } else { None })
    }

    /// The bits as a number.
    pub fn number(&self) -> u64 {
        assert!(self.bits.len() <= 64, "{} bits", self.bits.len());
        self.bits.iter().fold(0, |number, bit| number << 1 | u64::from(*bit))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    pub kind: u32,
    pub code: i32,
    pub thread: u32,
    pub line: u32,
    pub address: u64,
    pub file: String,
    pub condition: String,
}

#[derive(Debug)]
pub struct Spool {
    pub process: u32,
    pub stopped: u32,
    pub allocated: u64,
    pub bytes: u64,
    pub end: Ended,
    pub functions: Vec<u32>,
    pub threads: BTreeMap<u32, Thread>,
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("so many bytes")
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(number(bytes, at))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(number(bytes, at))
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

impl Spool {
    pub fn read(path: &Path) -> Spool {
        Spool::parse(&std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    }

    fn parse(bytes: &[u8]) -> Spool {
        assert_eq!(bytes[..8], wire::MAGIC);
        assert_eq!(u32_at(bytes, offset_of!(Header, version)), wire::VERSION);
        assert_eq!(
            bytes[offset_of!(Header, identity)..][..16],
            [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
        );
        let end = &bytes[offset_of!(Header, end)..PAGE];
        let end = Ended {
            kind: u32_at(end, offset_of!(End, kind)),
            code: u32_at(end, offset_of!(End, code)) as i32,
            thread: u32_at(end, offset_of!(End, thread)),
            line: u32_at(end, offset_of!(End, line)),
            address: u64_at(end, offset_of!(End, address)),
            file: text(&end[offset_of!(End, file)..][..1024]),
            condition: text(&end[offset_of!(End, condition)..][..1024]),
        };
        let mut spool = Spool {
            process: u32_at(bytes, offset_of!(Header, process)),
            stopped: u32_at(bytes, offset_of!(Header, stopped)),
            allocated: u64_at(bytes, offset_of!(Header, allocated)),
            bytes: bytes.len() as u64,
            end,
            functions: Vec::new(),
            threads: BTreeMap::new(),
        };
        spool.read_chunks(bytes);
        spool
    }

    fn read_chunks(&mut self, bytes: &[u8]) {
        let (mut pieces, mut copies) = (BTreeMap::new(), BTreeMap::new());
        let mut at = PAGE;
        while at + PAGE <= bytes.len() {
            if u32_at(bytes, at) != wire::CHUNK {
                // Space that was taken and never used.
                assert!(bytes[at..at + PAGE].iter().all(|byte| *byte == 0), "rubbish at {at}");
                at += PAGE;
                continue;
            }
            let kind = u32_at(bytes, at + offset_of!(ChunkHeader, kind));
            let thread = u32_at(bytes, at + offset_of!(ChunkHeader, thread));
            let piece = u32_at(bytes, at + offset_of!(ChunkHeader, piece));
            let length = u64_at(bytes, at + offset_of!(ChunkHeader, bytes)) as usize;
            let content = &bytes[at + size_of::<ChunkHeader>()..at + length];
            let twice = match u64_at(bytes, at + offset_of!(ChunkHeader, state)) {
                state::ORIGINAL => pieces.insert((kind, thread, piece), content),
                state::COPY => copies.insert((kind, thread, piece), content),
                state::EMPTIED => None,
                other => panic!("a chunk in state {other}"),
            };
            assert!(twice.is_none(), "one piece twice");
            at += length;
        }
        for (key, content) in copies {
            pieces.entry(key).or_insert(content);
        }
        let mut expected = (0, 0, 0);
        for (&(kind, thread, piece), content) in &pieces {
            if piece != 0 {
                assert_eq!((kind, thread, piece), expected, "a piece is missing");
            }
            expected = (kind, thread, piece + 1);
            match kind {
                chunk::BITS => read_bits(content, &mut self.threads.entry(thread).or_default().bits),
                chunk::RECORDS => {
                    let thread = self.threads.entry(thread).or_default();
                    thread.has_rest |= !read_records(content, &mut thread.records);
                }
                chunk::FUNCTIONS => self.functions = content.chunks(4).map(|entry| u32_at(entry, 0)).collect(),
                _ => panic!("a chunk of kind {kind}"),
            }
        }
    }

    pub fn thread(&self, index: u32) -> &Thread {
        self.threads.get(&index).unwrap_or_else(|| panic!("no thread {index}"))
    }

    /// The name of each thread, with its index.
    pub fn names(&self) -> BTreeMap<String, u32> {
        self.threads.keys().map(|index| (self.name(*index), *index)).collect()
    }

    fn name(&self, index: u32) -> String {
        match self.thread(index).records.first() {
            Some(Record::Birth { parent, number: 0, .. }) if *parent == u64::from(index) => "0".to_owned(),
            Some(Record::Birth { parent, number, .. }) => format!("{}.{number}", self.name(*parent as u32)),
            other => panic!("thread {index} begins with {other:?}"),
        }
    }

    /// The thread with this name.
    pub fn named(&self, name: &str) -> &Thread {
        let names = self.names();
        self.thread(*names.get(name).unwrap_or_else(|| panic!("no {name} among {names:?}")))
    }
}

fn read_bits(content: &[u8], bits: &mut Vec<bool>) {
    for word in content.chunks(8).map(|word| u64_at(word, 0)).take_while(|word| *word != 0) {
        bits.extend((0..63 - word.leading_zeros()).rev().map(|bit| word >> bit & 1 == 1));
    }
}

/// A length and as many bytes.
fn buffer(rest: &mut &[u8]) -> Vec<u8> {
    let (length, bytes) = varint::read(rest).expect("a number");
    let buffer = rest[bytes..][..length as usize].to_vec();
    *rest = &rest[bytes + length as usize..];
    buffer
}

/// Whether there are only records.
fn read_records(mut bytes: &[u8], records: &mut Vec<Record>) -> bool {
    while let Some((&byte, rest)) = bytes.split_first().filter(|(byte, _)| **byte != 0) {
        let mut rest = rest;
        let mut number = || {
            let (value, length) = varint::read(rest).expect("a number");
            rest = &rest[length..];
            value
        };
        let record = match Tag::from_byte(byte).expect("a tag") {
            Tag::Birth => Record::Birth { parent: number(), number: number(), start: number() },
            Tag::Callee => Record::Callee(number()),
            Tag::Unknown => Record::Unknown { place: number(), result: varint::unzigzag(number()) },
            Tag::End => Record::End(number()),
            Tag::Note => Record::Note(number(), number()),
            Tag::Sequence => panic!("no order was asked for"),
            Tag::Input => {
                let (name, result, count) = (number(), varint::unzigzag(number()), number());
                Record::Input { name, result, buffers: (0..count).map(|_| buffer(&mut rest)).collect() }
            }
            Tag::File => Record::File { is_there: number() != 0, name: buffer(&mut rest), contents: buffer(&mut rest) },
        };
        records.push(record);
        bytes = rest;
    }
    bytes.iter().all(|byte| *byte == 0)
}

/// The bits that `decide_many` makes.
pub fn expected_bits(count: usize) -> Vec<bool> {
    let bit = |index: u64| (index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40 ^ index >> 3) & 1 == 1;
    (0..count as u64).map(bit).collect()
}
