//! One thread's records. A record lies within one piece of its stream; where the next one does not fit, zeros follow and
//! the stream goes on in the next piece.

use wire::{Tag, ended, note, varint};

use super::Damage;
use crate::recorded::{Input, Note, ThreadEnd};
use crate::tables::Tables;

/// What a thread's records say, before addresses have names.
#[derive(Default)]
pub struct Records {
    pub birth: Option<Birth>,
    pub callees: Vec<u64>,
    pub inputs: Vec<Input>,
    pub notes: Vec<Note>,
    pub order: Vec<u64>,
    pub end: Option<ThreadEnd>,
}

pub struct Birth {
    /// The index of the thread that created this one.
    pub parent: u64,
    pub number: u64,
    pub start: u64,
}

/// The records up to the first one that cannot be one.
pub fn read(pieces: &[&[u8]], thread: u32, tables: &Tables, damage: &mut Damage) -> Records {
    let mut records = Records::default();
    for (index, piece) in pieces.iter().enumerate() {
        let mut reader = Reader { rest: piece };
        while let Some((&tag, rest)) = reader.rest.split_first().filter(|(tag, _)| **tag != 0) {
            let at = piece.len() - reader.rest.len();
            reader.rest = rest;
            let record = Tag::from_byte(tag).and_then(|tag| reader.record(tag, tables, &mut records));
            if record.is_none() {
                let place = format!("byte {at} of piece {index} of the records of the thread with index {thread}");
                damage.add(format!("there is no record that can be read at {place}"));
                return records;
            }
        }
        // A record whose tag was not written yet can only be the very last one.
        if index + 1 < pieces.len() && reader.rest.iter().any(|byte| *byte != 0) {
            damage.add(format!("piece {index} of the records of the thread with index {thread} has a hole"));
            return records;
        }
    }
    records
}

/// Takes the contents of records from the front of what is left of a piece. `None` is damage.
struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn number(&mut self) -> Option<u64> {
        let (value, length) = varint::read(self.rest)?;
        self.rest = &self.rest[length..];
        Some(value)
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(bytes)
    }

    /// An entry of a table.
    fn entry<'t, T>(&mut self, table: &'t [T]) -> Option<&'t T> {
        table.get(usize::try_from(self.number()?).ok()?)
    }

    fn record(&mut self, tag: Tag, tables: &Tables, records: &mut Records) -> Option<()> {
        match tag {
            Tag::Birth if records.birth.is_some() => return None,
            Tag::Birth => {
                records.birth = Some(Birth { parent: self.number()?, number: self.number()?, start: self.number()? });
            }
            // Nobody knows whose records these are.
            _ if records.birth.is_none() => return None,
            Tag::Callee => records.callees.push(self.number()?),
            Tag::Input => {
                let name = self.entry(&tables.inputs)?.clone();
                let result = varint::unzigzag(self.number()?);
                let count = self.number()?;
                let buffers = (0..count).map(|_| self.bytes().map(<[u8]>::to_vec)).collect::<Option<_>>()?;
                records.inputs.push(Input { name, result, buffers, unknown_at: None });
            }
            Tag::Unknown => {
                let place = self.entry(&tables.places)?;
                let result = varint::unzigzag(self.number()?);
                let (name, unknown_at) = (place.function.clone(), Some(place.at.clone()));
                records.inputs.push(Input { name, result, buffers: Vec::new(), unknown_at });
            }
            Tag::End => {
                let end = match self.number()? {
                    ended::RETURNED => ThreadEnd::Returned,
                    ended::EXITED => ThreadEnd::Exited,
                    _ => return None,
                };
                // Whoever asked to end also returns in the end.
                records.end.get_or_insert(end);
            }
            Tag::Note => {
                let kind = self.number()?;
                let number = u32::try_from(self.number()?).ok()?;
                records.notes.push(match kind {
                    note::FORK => Note::Fork { process: number },
                    note::HANDLER => Note::Handler { signal: number },
                    note::HANDLER_LEFT => Note::HandlerLeft { signal: number },
                    note::LIBRARY => Note::Library,
                    note::EXEC => Note::Exec,
                    _ => return None,
                });
            }
            Tag::Sequence => {
                let last = records.order.last().copied().unwrap_or(0);
                records.order.push(last.checked_add(self.number()?)?);
            }
        }
        Some(())
    }
}
