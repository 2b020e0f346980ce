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
    /// In the order of their births, as far as it is known: a thread comes after the one that created it.
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
    /// Another program took the process over.
    Exec,
    /// The record cannot be read from some place on; what is wrong with it.
    Damaged(String),
}

/// One thread's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadRecord {
    pub name: ThreadName,
    /// The function in which it began.
    pub start: String,
    /// For each conditional branch that is recorded, one bit: whether the first target was taken. For each switch that
    /// is, [`case_width`] bits: the index of the case that was taken; the number of cases means the default.
    pub bits: Bits,
    /// For each indirect call: the function's name.
    pub callees: Vec<String>,
    pub inputs: Vec<Input>,
    /// What happened that cannot be recorded.
    pub notes: Vec<Note>,
    /// The numbers of its shared operations in the order of all threads; empty unless that was asked for.
    pub order: Vec<u64>,
    pub end: ThreadEnd,
}

/// The question under which a program's arguments stand, its name first, each without the zero that ends it.
pub const ARGUMENTS: &str = "main";

/// The question under which all that the program could read from stdin stands, where that is known.
pub const STDIN: &str = "stdin";

/// The question under which a file stands that the program opened: its name, and what it held before the program could
/// change it. The result is its length, or -1 if there was no such file.
pub const FILE: &str = "file";

/// What the environment answered to one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The question, such as `file.read` or the name of an external function.
    pub name: String,
    pub result: i64,
    /// What was written to memory, in the order that the question's effects say.
    pub buffers: Vec<Vec<u8>>,
    /// Where it was called, if nobody knows what else it did.
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
    /// A library was loaded, of whose code nothing is known.
    Library,
    /// Another program was about to take the process over.
    Exec,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThreadEnd {
    /// Its first function returned.
    Returned,
    /// It asked to end.
    Exited,
    /// The process ended while it was alive; what it did after its last decision may be missing.
    Stopped,
    /// The failure of the process happened in it.
    Failed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessEnd {
    Exited {
        status: i32,
    },
    Assertion {
        at: Place,
        /// What did not hold, as it stands in the source.
        condition: String,
    },
    Abort {
        at: Option<Place>,
    },
    /// That it was killed is signal 9.
    Signal {
        number: i32,
        at: Option<Place>,
    },
    /// It was ended from outside because it did not end by itself.
    Hang,
    /// The process said nothing, and nobody who saw it end was asked.
    Unknown,
}

impl ProcessEnd {
    /// A run failed if it ended otherwise than by exiting with status 0.
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

    /// A number that is recorded itself.
    pub fn push_value(&mut self, value: u64, width: u32) {
        self.bits.append(value, width);
    }

    /// Appends the case that a switch took: its index, or none for the default.
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

    /// What is left when so much was taken.
    pub fn decisions_after(&self, taken: Taken) -> Decisions<'_> {
        Decisions { record: self, taken }
    }
}

/// How many bits a switch with so many cases takes: enough for the index of each of them and one more for the default.
pub fn case_width(cases: usize) -> u32 {
    (usize::BITS - cases.leading_zeros()).min(u32::BITS)
}

/// Takes a thread's decisions one after the other. `None` means that the record ends here, which is no error: whoever
/// follows the path knows from [`ThreadRecord::end`] what that means.
#[derive(Clone, Debug)]
pub struct Decisions<'a> {
    record: &'a ThreadRecord,
    taken: Taken,
}

/// How much of a thread's decisions was taken.
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

    /// The index of the case that a switch with so many cases took; their number means the default, and anything above
    /// it that the record does not fit the program. Bits that are too few for a case are taken without giving one: a
    /// record may end between them.
    pub fn case(&mut self, cases: usize) -> Option<u32> {
        let width = case_width(cases);
        let case = self.record.bits.number(self.taken.bits, width);
        self.taken.bits = (self.taken.bits + width as usize).min(self.record.bits.len());
        case
    }

    /// A number of that many bits that was recorded itself.
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

    /// Takes the bits that were taken since then once more, as often as they come again at once; how often that is. None
    /// if something else than bits was taken.
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

    /// Whether the path was taken to its end, whatever the environment would still have answered.
    pub fn is_at_end(&self) -> bool {
        self.taken.bits == self.record.bits.len() && self.taken.callees == self.record.callees.len()
    }

    /// Whether everything was taken: a path that ends before its record does not fit it.
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
