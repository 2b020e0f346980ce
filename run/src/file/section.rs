//! The frame of a run file: first bytes with magic and version, then sections with a kind, a length and a checksum.

use super::checksum::checksum;
use super::{RunError, VERSION};
use crate::fields::{Fields, put_bytes};
use crate::foreign::{RUN_MAGIC, what_is};

const CHECKSUM: usize = size_of::<u32>();
/// Magic, version, checksum: the same in every version.
const FIRST_BYTES: usize = RUN_MAGIC.len() + size_of::<u32>() + CHECKSUM;

pub fn put_first_bytes(out: &mut Vec<u8>) {
    out.extend(RUN_MAGIC);
    out.extend(VERSION.to_le_bytes());
    out.extend(checksum(out).to_le_bytes());
}

/// The bytes after the first ones, if those are of a run of this version.
pub fn after_first_bytes(bytes: &[u8]) -> Result<&[u8], RunError> {
    if !bytes.starts_with(&RUN_MAGIC) {
        return Err(RunError::Foreign { found: what_is(bytes) });
    }
    let damaged = |what: String| RunError::Damaged { what };
    let Some((first, rest)) = bytes.split_at_checked(FIRST_BYTES) else {
        return Err(damaged(format!("it ends after {} bytes", bytes.len())));
    };
    let (first, sum) = first.split_at(FIRST_BYTES - CHECKSUM);
    if checksum(first).to_le_bytes() != sum {
        return Err(damaged("its first bytes do not agree with their checksum".to_owned()));
    }
    match first.last_chunk().map(|version| u32::from_le_bytes(*version)) {
        Some(VERSION) => Ok(rest),
        found => Err(RunError::Version { found: found.unwrap_or(0) }),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    Run = 1,
    Pieces = 2,
}

pub fn put_section(out: &mut Vec<u8>, kind: Kind, contents: &[u8]) {
    let start = out.len();
    out.push(kind as u8);
    put_bytes(out, contents);
    let sum = checksum(&out[start..]);
    out.extend(sum.to_le_bytes());
}

/// Consecutive sections, up to the first damaged one.
pub struct Sections<'a> {
    whole: &'a [u8],
    rest: Fields<'a>,
}

impl<'a> Sections<'a> {
    pub fn new(whole: &'a [u8]) -> Result<Sections<'a>, RunError> {
        Ok(Sections { whole, rest: Fields { rest: after_first_bytes(whole)? } })
    }

    /// The number of bytes read.
    pub fn position(&self) -> usize {
        self.whole.len() - self.rest.rest.len()
    }

    /// None at the end of the file; otherwise a section, or a description of the damage.
    pub fn next(&mut self) -> Option<Result<(Kind, Fields<'a>), String>> {
        let start = self.position();
        let section = &self.whole[start..];
        if section.is_empty() {
            return None;
        }
        let mut fields = self.rest;
        let parts = (fields.byte(), fields.bytes());
        let length = section.len() - fields.rest.len();
        let (Some(kind), Some(contents), Some(sum)) = (parts.0, parts.1, fields.take(CHECKSUM)) else {
            return Some(Err(format!("it ends within the section that begins at byte {start}")));
        };
        if checksum(&section[..length]).to_le_bytes() != sum {
            return Some(Err(format!("the section that begins at byte {start} does not agree with its checksum")));
        }
        let Some(kind) = [Kind::Run, Kind::Pieces].into_iter().find(|known| *known as u8 == kind) else {
            return Some(Err(format!("the section that begins at byte {start} is of the unknown kind {kind}")));
        };
        self.rest = fields;
        Some(Ok((kind, Fields { rest: contents })))
    }
}
