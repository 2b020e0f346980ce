//! Converts a spool into a recorded run.
//!
//! The recorder writes with plain stores into a mapped file ([`wire`] has its layout), and its process may die between
//! any two of them. So most unfinished parts are no damage: a chunk that was reserved but not begun, a record without
//! its tag, a word without its bits, a copy beside its original. They only mean that the stream ends there. Damage is a
//! state that no such death explains: a truncated file, impossible numbers, a missing piece in the middle of a stream.
//! Each stream then keeps the part before it, and the run has [`Cut::Damaged`].
//!
//! The file is not trusted: no length causes a larger allocation than the file's size.

mod chunks;
mod records;
mod threads;

use std::mem::offset_of;

use thiserror::Error;

use crate::foreign::what_is;
use crate::recorded::{Cut, Place, ProcessEnd, RecordedRun};
use crate::tables::Tables;
use chunks::{Streams, u32_at, u64_at};
use threads::Threads;

/// The contents of a spool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spool {
    pub run: RecordedRun,
    /// The address at which a signal arrived, relative to the program's load address.
    pub end_address: Option<u64>,
}

/// Why a file is not a spool.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SpoolError {
    #[error("this is not what a recorded program writes: it is {found}")]
    Foreign { found: String },
    #[error("the program ended before it had begun to record")]
    NotBegun,
    #[error("the record ends after {bytes} bytes, within its first page: nothing in it can be read")]
    Short { bytes: usize },
    #[error(
        "this record has version {found}, and this heddle reads version {}: link the program again with this heddle",
        wire::VERSION
    )]
    Version { found: u32 },
    #[error(
        "this record belongs to module {recorded}, and the program is module {program}: give the program that was \
         recorded, as it was then"
    )]
    Module { recorded: String, program: String },
}

/// Descriptions of the damage to a spool, as sentences.
#[derive(Debug, Default)]
struct Damage {
    found: Vec<String>,
    more: usize,
}

/// The largest number of sentences about damage in a run.
const DAMAGE_TOLD: usize = 4;

impl Damage {
    fn add(&mut self, what: impl Into<String>) {
        if self.found.len() < DAMAGE_TOLD {
            self.found.push(what.into());
        } else {
            self.more += 1;
        }
    }

    fn told(mut self) -> Option<String> {
        if self.more > 0 {
            self.found.push(format!("and {} more", self.more));
        }
        (!self.found.is_empty()).then(|| self.found.join("; "))
    }
}

/// The identity of the module of a spool's program: 32 hexadecimal digits.
pub fn spool_identity(bytes: &[u8]) -> Result<String, SpoolError> {
    header(bytes).map(|header| hexadecimal(&header.identity))
}

fn hexadecimal(identity: &[u8; 16]) -> String {
    identity.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Converts a spool. The tables are those that were linked into the program.
pub fn read_spool(bytes: &[u8], tables: &Tables) -> Result<Spool, SpoolError> {
    let header = header(bytes)?;
    let recorded = hexadecimal(&header.identity);
    if !recorded.eq_ignore_ascii_case(&tables.identity) {
        return Err(SpoolError::Module { recorded, program: tables.identity.clone() });
    }
    let mut damage = Damage::default();
    if is_cut(bytes, &header) {
        damage.add(format!("the file was cut at byte {}", bytes.len()));
    }
    let streams = Streams::find(bytes, &mut damage);
    let mut threads = Threads::read(&streams, tables, &mut damage);
    let end = process_end(&header.end, &mut damage);
    if matches!(end, ProcessEnd::Assertion { .. } | ProcessEnd::Abort { .. } | ProcessEnd::Signal { .. }) {
        threads.failed(header.end.thread);
    }
    let stopped = match header.stopped {
        wire::stopped::NOT => None,
        wire::stopped::NO_SPACE => Some(Cut::NoSpace),
        wire::stopped::NO_MEMORY => Some(Cut::NoMemory),
        wire::stopped::EXEC => Some(Cut::Exec),
        other => {
            damage.add(format!("recording ended for the unknown reason {other}"));
            None
        }
    };
    let cut = damage.told().map(Cut::Damaged).or(stopped);
    let end_address = (end != ProcessEnd::Unknown && header.end.address != 0).then_some(header.end.address);
    Ok(Spool { run: RecordedRun { module: recorded, threads: threads.records, end, cut }, end_address })
}

/// The largest space that may have been reserved but not added to the file when a process dies.
const IN_FLIGHT: u64 = 64 << 20;

/// Whether the file was truncated. Space is counted before the file is extended, so whole pages may be missing at its
/// end, but no part of a page.
fn is_cut(bytes: &[u8], header: &Header<'_>) -> bool {
    let missing = header.allocated.saturating_sub(bytes.len() as u64);
    let unexplained = missing > IN_FLIGHT && header.stopped == wire::stopped::NOT;
    !bytes.len().is_multiple_of(wire::PAGE) || unexplained
}

/// [`wire::Header`], with the texts borrowed.
struct Header<'a> {
    identity: [u8; 16],
    stopped: u32,
    allocated: u64,
    end: End<'a>,
}

struct End<'a> {
    kind: u32,
    code: i32,
    thread: u32,
    line: u32,
    address: u64,
    file: &'a [u8],
    condition: &'a [u8],
}

fn header(bytes: &[u8]) -> Result<Header<'_>, SpoolError> {
    let begun = bytes.len().min(wire::MAGIC.len());
    if bytes[..begun].iter().all(|byte| *byte == 0) {
        return Err(SpoolError::NotBegun);
    }
    if !bytes.starts_with(&wire::MAGIC) {
        return Err(SpoolError::Foreign { found: what_is(bytes) });
    }
    let short = || SpoolError::Short { bytes: bytes.len() };
    let version = u32_at(bytes, offset_of!(wire::Header, version)).ok_or_else(short)?;
    if version != wire::VERSION {
        return Err(SpoolError::Version { found: version });
    }
    fields(bytes).ok_or_else(short)
}

fn fields(bytes: &[u8]) -> Option<Header<'_>> {
    const END: usize = offset_of!(wire::Header, end);
    const IDENTITY: usize = offset_of!(wire::Header, identity);
    const FILE: usize = END + offset_of!(wire::End, file);
    const CONDITION: usize = END + offset_of!(wire::End, condition);
    Some(Header {
        identity: bytes.get(IDENTITY..)?.first_chunk().copied()?,
        stopped: u32_at(bytes, offset_of!(wire::Header, stopped))?,
        allocated: u64_at(bytes, offset_of!(wire::Header, allocated))?,
        end: End {
            kind: u32_at(bytes, END + offset_of!(wire::End, kind))?,
            code: u32_at(bytes, END + offset_of!(wire::End, code))? as i32,
            thread: u32_at(bytes, END + offset_of!(wire::End, thread))?,
            line: u32_at(bytes, END + offset_of!(wire::End, line))?,
            address: u64_at(bytes, END + offset_of!(wire::End, address))?,
            file: bytes.get(FILE..CONDITION)?,
            condition: bytes.get(CONDITION..size_of::<wire::Header>())?,
        },
    })
}

fn process_end(end: &End<'_>, damage: &mut Damage) -> ProcessEnd {
    let at = || Place { file: text(end.file), line: end.line };
    match end.kind {
        wire::end::UNKNOWN => ProcessEnd::Unknown,
        wire::end::EXITED => ProcessEnd::Exited { status: end.code },
        wire::end::ASSERTION => ProcessEnd::Assertion { at: at(), condition: text(end.condition) },
        wire::end::ABORT => ProcessEnd::Abort { at: Some(at()).filter(|at| !at.file.is_empty()) },
        wire::end::SIGNAL => ProcessEnd::Signal { number: end.code, at: None },
        wire::end::HANG => ProcessEnd::Hang,
        other => {
            damage.add(format!("the process ended in the unknown way {other}"));
            ProcessEnd::Unknown
        }
    }
}

/// A text that may have been truncated, possibly within a character.
fn text(bytes: &[u8]) -> String {
    let length = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let whole = match std::str::from_utf8(&bytes[..length]) {
        Err(error) if length == bytes.len() && error.error_len().is_none() => error.valid_up_to(),
        _ => length,
    };
    String::from_utf8_lossy(&bytes[..whole]).into_owned()
}
