//! The numbers with which a thread of a run decided, instruction by instruction: the relevant operands, and the
//! addresses of created objects. Entries are differences to the entries before them, so that most take three or four
//! bytes.

use ir::{FunctionId, Primitive};
use semantics::code::{Arg, Callee, FunctionCode, Inst};

/// Operands are written as differences to those of the entry before, operand by operand.
const REMEMBERED: usize = 4;
/// More operands than this are not noted.
pub const MOST_WORDS: usize = 15;

const SAME_CALL: u8 = 0;
const OTHER_CALL: u8 = 1;
const CALLED: u8 = 2;
const RETURNED: u8 = 3;

/// The logged values of an instruction: its deciding operands, and the register of its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noted {
    pub operands: Vec<Arg>,
    pub makes: Option<u32>,
}

impl Noted {
    /// None for an instruction that is not logged.
    pub fn of(function: &FunctionCode, inst: &Inst) -> Option<Noted> {
        let operands = match inst {
            Inst::Branch { cond, .. } => vec![*cond],
            Inst::Switch { value, .. } => vec![*value],
            Inst::CallIndirect { callee, .. } | Inst::Invoke { callee: Callee::Indirect(callee), .. } => vec![*callee],
            Inst::Load { address, .. } => vec![*address],
            Inst::Store { address, value, .. } | Inst::Rmw { address, value, .. } => vec![*address, *value],
            Inst::CompareExchange { address, new, .. } => vec![*address, *new],
            Inst::Local { size, .. } => vec![*size],
            Inst::Primitive { args, .. } => args.of(&function.args).iter().map(|&(arg, _)| arg).collect(),
            Inst::Overflowing { left, right, .. } => vec![*left, *right],
            Inst::FloatCompare { left, right, .. } => vec![*left, *right],
            Inst::FusedMultiplyAdd { left, right, addend, .. } => vec![*left, *right, *addend],
            Inst::Unary { ty, arg, .. } if ty.is_float() => vec![*arg],
            Inst::Binary { ty, left, right, .. } if ty.is_float() => vec![*left, *right],
            Inst::Cast { from, ty, arg, .. } if from.is_float() || ty.is_float() => vec![*arg],
            _ => Vec::new(),
        };
        let makes = match inst {
            Inst::Local { to, .. } | Inst::VariadicArguments { to } => Some(*to),
            Inst::Primitive { primitive: Primitive::MemoryAlloc | Primitive::InputChoose, to, .. } => *to,
            _ => None,
        };
        (!operands.is_empty() || makes.is_some()).then_some(Noted { operands, makes })
    }
}

/// The log of a thread.
#[derive(Debug, Default)]
pub struct Log {
    bytes: Vec<u8>,
    last: Cursor,
}

/// A place in a log, with the base of the next difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    at: usize,
    instruction: Instruction,
    words: [u64; REMEMBERED],
}

/// An instruction, and its call depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    pub calls: usize,
    pub function: FunctionId,
    pub position: u32,
}

impl Default for Instruction {
    fn default() -> Instruction {
        Instruction { calls: 0, function: FunctionId(0), position: 0 }
    }
}

/// The numbers that were noted of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    words: [u64; MOST_WORDS],
    count: usize,
}

impl Words {
    pub fn as_slice(&self) -> &[u64] {
        &self.words[..self.count]
    }
}

enum Entry {
    Noted(Instruction, Words),
    /// A call of this function has begun, and the thread is so deep in calls now.
    Called(usize, FunctionId),
    /// A call has ended.
    Returned(usize),
}

impl Log {
    pub fn note(&mut self, instruction: Instruction, words: &[u64]) {
        let before = self.last.instruction;
        let is_same = before.calls == instruction.calls && before.function == instruction.function;
        let kind = if is_same { SAME_CALL } else { OTHER_CALL };
        let count = words.len().min(MOST_WORDS);
        self.bytes.push(kind | (count as u8) << 2);
        let stood = if is_same { before.position } else { 0 };
        if !is_same {
            self.number(instruction.calls as u64);
            self.number(u64::from(instruction.function.0));
        }
        self.number(zigzag(u64::from(instruction.position).wrapping_sub(u64::from(stood))));
        for (place, &word) in words[..count].iter().enumerate() {
            let before = self.last.words.get(place).copied().unwrap_or_default();
            self.number(zigzag(word.wrapping_sub(before)));
            self.last.keep(place, word);
        }
        self.last.instruction = instruction;
    }

    /// A call of a function has begun, and the thread is so deep in calls now.
    pub fn note_call(&mut self, calls: usize, function: FunctionId) {
        self.bytes.push(CALLED);
        self.number(calls as u64);
        self.number(u64::from(function.0));
    }

    /// A call has ended, and the thread is so deep in calls now.
    pub fn note_return(&mut self, calls: usize) {
        self.bytes.push(RETURNED);
        self.number(calls as u64);
    }

    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// The numbers of an instruction, which is the next one of its thread.
    pub fn next(&self, cursor: &mut Cursor, wanted: Instruction) -> Option<Words> {
        let mut ahead = *cursor;
        let words = loop {
            match self.entry(&mut ahead)? {
                Entry::Called(..) | Entry::Returned(_) => *cursor = ahead,
                Entry::Noted(found, words) if found == wanted => break words,
                Entry::Noted(..) => return None,
            }
        };
        *cursor = ahead;
        Some(words)
    }

    /// Passes over the next call of a function, which begins and ends at so many calls.
    pub fn pass_call(&self, cursor: &mut Cursor, calls: usize, callee: FunctionId) {
        let mut is_inside = false;
        while let Some(entry) = self.entry(cursor) {
            match entry {
                Entry::Called(now, function) => is_inside |= now == calls + 1 && function == callee,
                Entry::Returned(now) if is_inside && now == calls => return,
                _ => {}
            }
        }
    }

    /// The instructions in the order of the thread, with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (Instruction, Words)> {
        let mut cursor = Cursor::default();
        std::iter::from_fn(move || {
            loop {
                if let Entry::Noted(instruction, words) = self.entry(&mut cursor)? {
                    return Some((instruction, words));
                }
            }
        })
    }

    fn entry(&self, cursor: &mut Cursor) -> Option<Entry> {
        let tag = *self.bytes.get(cursor.at)?;
        cursor.at += 1;
        if matches!(tag, CALLED | RETURNED) {
            let now = self.read(cursor)? as usize;
            return Some(match tag {
                CALLED => Entry::Called(now, FunctionId(self.read(cursor)? as u32)),
                _ => Entry::Returned(now),
            });
        }
        if tag & 3 == OTHER_CALL {
            let (calls, function) = (self.read(cursor)? as usize, FunctionId(self.read(cursor)? as u32));
            cursor.instruction = Instruction { calls, function, position: 0 };
        }
        let ahead = unzigzag(self.read(cursor)?);
        cursor.instruction.position = cursor.instruction.position.wrapping_add(ahead as u32);
        let mut words = Words { words: [0; MOST_WORDS], count: usize::from(tag >> 2) };
        for place in 0..words.count {
            let before = cursor.words.get(place).copied().unwrap_or_default();
            words.words[place] = before.wrapping_add(unzigzag(self.read(cursor)?));
            cursor.keep(place, words.words[place]);
        }
        Some(Entry::Noted(cursor.instruction, words))
    }

    fn read(&self, cursor: &mut Cursor) -> Option<u64> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = *self.bytes.get(cursor.at)?;
            cursor.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
            shift += 7;
        }
    }
}

impl Cursor {
    fn keep(&mut self, place: usize, word: u64) {
        if let Some(kept) = self.words.get_mut(place) {
            *kept = word;
        }
    }
}

/// Small differences, whichever their sign, as small numbers.
fn zigzag(difference: u64) -> u64 {
    (difference << 1) ^ ((difference as i64 >> 63) as u64)
}

fn unzigzag(number: u64) -> u64 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(calls: usize, function: u32, position: u32) -> Instruction {
        Instruction { calls, function: FunctionId(function), position }
    }

    #[test]
    fn what_is_noted_is_read_again() {
        let entries = [
            (at(1, 3, 7), vec![1, u64::MAX]),
            (at(1, 3, 2), vec![0]),
            (at(2, 9, 1 << 20), vec![0x10_0000_0000, 5, 6, 7, 8, u64::MAX / 2]),
            (at(1, 3, 9), vec![]),
        ];
        let mut log = Log::default();
        for (number, (instruction, words)) in entries.iter().enumerate() {
            log.note(*instruction, words);
            match number {
                1 => {
                    log.note_call(2, FunctionId(8));
                    log.note_return(1);
                    log.note_call(2, FunctionId(9));
                }
                2 => log.note_return(1),
                _ => {}
            }
        }
        let read: Vec<_> = log.iter().map(|(instruction, words)| (instruction, words.as_slice().to_vec())).collect();
        assert_eq!(read, entries);
        let mut cursor = Cursor::default();
        assert!(log.next(&mut cursor, at(1, 3, 8)).is_none() && cursor == Cursor::default());
        assert_eq!(log.next(&mut cursor, at(1, 3, 7)).unwrap().as_slice(), [1, u64::MAX]);
        assert_eq!(log.next(&mut cursor, at(1, 3, 2)).unwrap().as_slice(), [0]);
        log.pass_call(&mut cursor, 1, FunctionId(9));
        assert_eq!(log.next(&mut cursor, at(1, 3, 9)).unwrap().as_slice(), [0; 0]);
        assert!(log.next(&mut cursor, at(1, 3, 9)).is_none());
    }
}
