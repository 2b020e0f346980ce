//! The record of one execution: for each thread the decisions of its path, in order, and the end of the process.
//!
//! There is one stream per kind of decision and thread, because they are consumed that way: symbolic execution follows a
//! thread through its code, and takes the next bit at a branch, the bits of a case number at a switch, the next target at
//! an indirect call and the next result at an input. A number that decides many branches, such as the bound of a loop, is
//! recorded itself, in the same stream of bits. The order between threads is only recorded on request.

use std::ops::Range;

use crate::bits::Bits;
use crate::thread::ThreadName;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedRun {
    /// The identity of the module that ran: 32 hexadecimal digits.
    pub module: String,
    /// In the order of their births, as far as known: a thread comes after its creator.
    pub threads: Vec<ThreadRecord>,
    pub end: ProcessEnd,
    /// Why the record ends before the process did, if it does.
    pub cut: Option<Cut>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The disk was full.
    NoSpace,
    NoMemory,
    /// The process executed another program.
    Exec,
    /// The record is unreadable from some place on, with a description.
    Damaged(String),
}

/// One thread's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadRecord {
    pub name: ThreadName,
    /// Its start function.
    pub start: String,
    /// For each recorded conditional branch one bit: whether the first target was taken. For each recorded switch
    /// [`case_width`] bits: the index of the case taken; the number of cases means the default.
    pub bits: Bits,
    /// For each indirect call: the function's name.
    pub callees: Vec<String>,
    pub inputs: Vec<Input>,
    /// Events that cannot be recorded.
    pub notes: Vec<Note>,
    /// The numbers of its shared operations in the order of all threads; empty unless requested.
    pub order: Vec<u64>,
    pub end: ThreadEnd,
}

/// The name of the input that holds the program's arguments, its name first, each without the terminating zero.
pub const ARGUMENTS: &str = "main";

/// The name of the input that holds the whole of stdin, if that is known.
pub const STDIN: &str = "stdin";

/// The name of the input for a file that the program opened: the file's name, and its contents before the program could
/// change it. The result is its length, or -1 if it did not exist.
pub const FILE: &str = "file";

/// An answer of the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its name, such as `file.read` or the name of an external function.
    pub name: String,
    pub result: i64,
    /// The memory written, in the order of the function's effects.
    pub buffers: Vec<Vec<u8>>,
    /// The place of the call, if the function's other effects are unknown.
    pub unknown_at: Option<Place>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Note {
    /// It forked; the child is not recorded.
    Fork { process: u32 },
    /// A signal handler ran, whose steps are not recorded.
    Handler { signal: u32 },
    /// A signal handler was left by a jump; the thread is not recorded from there on.
    HandlerLeft { signal: u32 },
    /// A library was loaded, whose code is unknown.
    Library,
    /// The process was about to execute another program.
    Exec,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThreadEnd {
    /// Its first function returned.
    Returned,
    /// It ended itself.
    Exited,
    /// The process ended while it was alive; its steps after the last decision may be missing.
    Stopped,
    /// The process failed in it.
    Failed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessEnd {
    Exited {
        status: i32,
    },
    Assertion {
        at: Place,
        /// The failed condition, as in the source.
        condition: String,
    },
    Abort {
        at: Option<Place>,
    },
    /// Being killed is signal 9.
    Signal {
        number: i32,
        at: Option<Place>,
    },
    /// It was ended from outside because it did not end by itself.
    Hang,
    /// The process recorded no end, and its exit status is not known.
    Unknown,
}

impl ProcessEnd {
    /// A run failed unless it exited with status 0.
    pub fn is_failure(&self) -> bool {
        !matches!(self, ProcessEnd::Exited { status: 0 })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: String,
    pub line: u32,
}

impl RecordedRun {
    pub fn thread(&self, name: &ThreadName) -> Option<&ThreadRecord> {
        self.threads.iter().find(|thread| thread.name == *name)
    }
}

impl ThreadRecord {
    pub fn new(name: ThreadName, start: impl Into<String>) -> ThreadRecord {
        ThreadRecord {
            name,
            start: start.into(),
            bits: Bits::new(),
            callees: Vec::new(),
            inputs: Vec::new(),
            notes: Vec::new(),
            order: Vec::new(),
            end: ThreadEnd::Stopped,
        }
    }

    /// Appends a recorded number.
    pub fn push_value(&mut self, value: u64, width: u32) {
        self.bits.append(value, width);
    }

    /// Appends the case taken by a switch: its index, or none for the default.
    pub fn push_case(&mut self, case: Option<u32>, cases: usize) {
        self.bits.push_number(case.unwrap_or(cases as u32), case_width(cases));
    }

    /// The record without these parts of it, given in their order.
    pub fn without(&self, parts: &[Range<Taken>]) -> ThreadRecord {
        let whole = Taken { bits: self.bits.len(), callees: self.callees.len(), inputs: self.inputs.len() };
        let ends = std::iter::once(Taken::default()).chain(parts.iter().map(|part| part.end));
        let begins = parts.iter().map(|part| part.start).chain([whole]);
        let (mut bits, mut callees, mut inputs) = (Bits::new(), Vec::new(), Vec::new());
        for (from, to) in ends.zip(begins) {
            bits.extend((from.bits..to.bits).filter_map(|at| self.bits.get(at)));
            callees.extend_from_slice(self.callees.get(from.callees..to.callees).unwrap_or_default());
            inputs.extend_from_slice(self.inputs.get(from.inputs..to.inputs).unwrap_or_default());
        }
        ThreadRecord { bits, callees, inputs, ..self.clone() }
    }

    pub fn decisions(&self) -> Decisions<'_> {
        self.decisions_after(Taken::default())
    }

    /// The decisions after those that are taken.
    pub fn decisions_after(&self, taken: Taken) -> Decisions<'_> {
        Decisions { record: self, taken }
    }
}

/// The number of bits of a switch with this many cases: enough for the index of each of them and for the default.
pub fn case_width(cases: usize) -> u32 {
    (usize::BITS - cases.leading_zeros()).min(u32::BITS)
}

/// Consumes a thread's decisions one after the other. `None` means that the record ends here, which is no error:
/// [`ThreadRecord::end`] tells the consumer why.
#[derive(Clone, Debug)]
pub struct Decisions<'a> {
    record: &'a ThreadRecord,
    taken: Taken,
}

/// The number of consumed decisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    bits: usize,
    callees: usize,
    inputs: usize,
}

impl<'a> Decisions<'a> {
    pub fn branch(&mut self) -> Option<bool> {
        let bit = self.record.bits.get(self.taken.bits)?;
        self.taken.bits += 1;
        Some(bit)
    }

    /// The index of the case taken by a switch with this many cases; their number means the default, and a larger index
    /// that the record does not fit the program. If too few bits are left for a case they are consumed without a
    /// result: a record may end between them.
    pub fn case(&mut self, cases: usize) -> Option<u32> {
        let width = case_width(cases);
        let case = self.record.bits.number(self.taken.bits, width);
        self.taken.bits = (self.taken.bits + width as usize).min(self.record.bits.len());
        case
    }

    /// A recorded number of that width.
    pub fn value(&mut self, width: u32) -> Option<u64> {
        let high = self.record.bits.number(self.taken.bits, width.saturating_sub(u32::BITS));
        let low =
            self.record.bits.number(self.taken.bits + width.saturating_sub(u32::BITS) as usize, width.min(u32::BITS));
        self.taken.bits = (self.taken.bits + width as usize).min(self.record.bits.len());
        Some(u64::from(high?) << u32::BITS | u64::from(low?))
    }

    pub fn callee(&mut self) -> Option<&'a str> {
        take(&self.record.callees, &mut self.taken.callees).map(String::as_str)
    }

    pub fn input(&mut self) -> Option<&'a Input> {
        take(&self.record.inputs, &mut self.taken.inputs)
    }

    pub fn taken(&self) -> Taken {
        self.taken
    }

    /// Consumes further immediate repetitions of the bits that were consumed since then; returns their number. None if
    /// other decisions than bits were consumed.
    pub fn take_repeats(&mut self, since: Taken) -> u32 {
        let length = self.taken.bits.saturating_sub(since.bits);
        if length == 0 || since.callees != self.taken.callees || since.inputs != self.taken.inputs {
            return 0;
        }
        let bits = &self.record.bits;
        let mut times = 0;
        while self.taken.bits + length <= bits.len()
            && (0..length).all(|at| bits.get(since.bits + at) == bits.get(self.taken.bits + at))
        {
            self.taken.bits += length;
            times += 1;
        }
        times
    }

    /// Whether the path was consumed to its end, regardless of remaining inputs.
    pub fn is_at_end(&self) -> bool {
        self.taken.bits == self.record.bits.len() && self.taken.callees == self.record.callees.len()
    }

    /// Whether everything was consumed: a path that ends before its record does not fit it.
    pub fn is_done(&self) -> bool {
        self.is_at_end() && self.taken.inputs == self.record.inputs.len()
    }
}

fn take<'a, T>(stream: &'a [T], at: &mut usize) -> Option<&'a T> {
    let item = stream.get(*at)?;
    *at += 1;
    Some(item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_taken_in_order_and_end() {
        let mut record = ThreadRecord::new(ThreadName::main(), "main");
        record.bits.push(true);
        record.push_case(Some(3), 5);
        record.push_case(None, 5);
        record.bits.push(false);
        record.callees = vec!["handler".to_owned()];
        let read = Input { name: "file.read".to_owned(), result: 1, buffers: vec![vec![1]], unknown_at: None };
        record.inputs = vec![read.clone()];
        let mut decisions = record.decisions();
        assert_eq!((decisions.branch(), decisions.case(5), decisions.case(5)), (Some(true), Some(3), Some(5)));
        assert_eq!((decisions.clone().case(5), decisions.branch()), (None, Some(false)));
        assert!(!decisions.is_done());
        assert_eq!(decisions.callee(), Some("handler"));
        assert_eq!(decisions.input(), Some(&read));
        assert!(decisions.is_done());
        assert_eq!((decisions.branch(), decisions.case(5), decisions.callee()), (None, None, None));
        assert!(decisions.is_done());
    }

    #[test]
    fn rounds_that_come_again_are_taken_at_once() {
        let mut record = ThreadRecord::new(ThreadName::main(), "main");
        record.bits.extend([false, true, false, true, false, true, false, false]);
        let mut decisions = record.decisions();
        let begin = decisions.taken();
        assert_eq!((decisions.branch(), decisions.branch()), (Some(false), Some(true)));
        assert_eq!(decisions.take_repeats(begin), 2);
        assert_eq!((decisions.branch(), decisions.branch(), decisions.branch()), (Some(false), Some(false), None));
        assert_eq!(decisions.take_repeats(decisions.taken()), 0);
    }

    #[test]
    fn a_record_without_parts_of_it_goes_on_behind_them() {
        let mut record = ThreadRecord::new(ThreadName::main(), "main");
        record.bits.extend([true, false, true, false, true, true, false]);
        record.callees = ["one", "two", "three"].map(str::to_owned).to_vec();
        let at = |bits, callees| Taken { bits, callees, inputs: 0 };
        let shorter = record.without(&[at(1, 0)..at(3, 1), at(5, 2)..at(6, 2)]);
        let left: Vec<Option<bool>> = (0..5).map(|at| shorter.bits.get(at)).collect();
        assert_eq!(left, [Some(true), Some(false), Some(true), Some(false), None]);
        assert_eq!(shorter.callees, ["two", "three"]);
        assert_eq!(record.without(&[]), record);
    }

    #[test]
    fn a_switch_takes_what_its_cases_need() {
        let widths: Vec<u32> = [0, 1, 2, 3, 4, 7, 8, 255, 256].into_iter().map(case_width).collect();
        assert_eq!(widths, [0, 1, 2, 2, 3, 3, 4, 8, 9]);
        let record = ThreadRecord::new(ThreadName::main(), "main");
        assert_eq!(record.decisions().case(0), Some(0), "there is only the default");
    }

    #[test]
    fn only_exiting_with_zero_is_no_failure() {
        assert!(!ProcessEnd::Exited { status: 0 }.is_failure());
        assert!(ProcessEnd::Exited { status: 1 }.is_failure());
        assert!(ProcessEnd::Hang.is_failure());
    }
}
