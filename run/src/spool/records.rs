//! One thread's records. A record is within one piece of its stream; if the next one does not fit, zeros follow, and
//! the stream continues in the next piece.

use wire::{Tag, ended, note};

use super::Damage;
use crate::fields::Fields;
use crate::recorded::{FILE, Input, Note, ThreadEnd};
use crate::tables::Tables;

/// The contents of a thread's records, before addresses are resolved to names.
#[derive(Default)]
pub struct Records {
    pub birth: Option<Birth>,
    pub callees: Vec<u64>,
    pub inputs: Vec<Input>,
    pub notes: Vec<Note>,
    pub order: Vec<u64>,
    pub end: Option<ThreadEnd>,
    /// The files that it was the first to open.
    pub files: Vec<Input>,
}

pub struct Birth {
    /// The index of the thread that created this one.
    pub parent: u64,
    pub number: u64,
    pub start: u64,
}

/// Reads the records up to the first invalid one.
pub fn read(pieces: &[&[u8]], thread: u32, tables: &Tables, damage: &mut Damage) -> Records {
    let mut records = Records::default();
    for (index, piece) in pieces.iter().enumerate() {
        let mut fields = Fields { rest: piece };
        while let Some((&tag, rest)) = fields.rest.split_first().filter(|(tag, _)| **tag != 0) {
            let at = piece.len() - fields.rest.len();
            fields.rest = rest;
            let read = Tag::from_byte(tag).and_then(|tag| record(&mut fields, tag, tables, &mut records));
            if read.is_none() {
                let place = format!("byte {at} of piece {index} of the records of the thread with index {thread}");
                damage.add(format!("there is no record that can be read at {place}"));
                return records;
            }
        }
        // Only the very last record can be without its tag.
        if index + 1 < pieces.len() && fields.rest.iter().any(|byte| *byte != 0) {
            damage.add(format!("piece {index} of the records of the thread with index {thread} has a hole"));
            return records;
        }
    }
    records
}

/// Reads the contents of a record after its tag. `None` is damage.
fn record(fields: &mut Fields<'_>, tag: Tag, tables: &Tables, records: &mut Records) -> Option<()> {
    match tag {
        Tag::Birth if records.birth.is_some() => return None,
        Tag::Birth => {
            records.birth = Some(Birth { parent: fields.number()?, number: fields.number()?, start: fields.number()? });
        }
        // Records before the birth belong to no known thread.
        _ if records.birth.is_none() => return None,
        Tag::Callee => records.callees.push(fields.number()?),
        Tag::Input => {
            let name = fields.entry(&tables.inputs)?.clone();
            let result = fields.signed()?;
            let count = fields.number()?;
            let buffers = (0..count).map(|_| fields.bytes().map(<[u8]>::to_vec)).collect::<Option<_>>()?;
            records.inputs.push(Input { name, result, buffers, unknown_at: None });
        }
        Tag::Unknown => {
            let place = fields.entry(&tables.places)?;
            let result = fields.signed()?;
            let (name, unknown_at) = (place.function.clone(), Some(place.at.clone()));
            records.inputs.push(Input { name, result, buffers: Vec::new(), unknown_at });
        }
        Tag::End => {
            let end = match fields.number()? {
                ended::RETURNED => ThreadEnd::Returned,
                ended::EXITED => ThreadEnd::Exited,
                _ => return None,
            };
            // A thread that ends itself also returns in the end.
            records.end.get_or_insert(end);
        }
        Tag::Note => {
            let kind = fields.number()?;
            let number = fields.small()?;
            records.notes.push(match kind {
                note::FORK => Note::Fork { process: number },
                note::HANDLER => Note::Handler { signal: number },
                note::HANDLER_LEFT => Note::HandlerLeft { signal: number },
                note::LIBRARY => Note::Library,
                note::EXEC => Note::Exec,
                _ => return None,
            });
        }
        Tag::File => {
            let is_there = fields.number()? != 0;
            let (path, contents) = (fields.bytes()?.to_vec(), fields.bytes()?.to_vec());
            let result = if is_there { contents.len() as i64 } else { -1 };
            let buffers = vec![path, contents];
            records.files.push(Input { name: FILE.to_owned(), result, buffers, unknown_at: None });
        }
        Tag::Sequence => {
            let last = records.order.last().copied().unwrap_or(0);
            records.order.push(last.checked_add(fields.number()?)?);
        }
    }
    Some(())
}
