//! What one execution left behind: for each thread the decisions that its path took, in order, and how it all ended.
//!
//! There is one stream per kind of decision and thread, because that is how they are used: symbolic execution follows a
//! thread through its code, and takes the next bit at a branch, the next case at a switch, the next target at an
//! indirect call and the next result at an input. Nothing is recorded of the order between threads.

use crate::thread::ThreadName;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedRun {
    /// The fingerprint of the program that ran.
    pub fingerprint: String,
    /// In the order of their births, as far as it is known: a thread comes after the one that created it.
    pub threads: Vec<ThreadRecord>,
    pub end: ProcessEnd,
}

/// One thread's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadRecord {
    pub name: ThreadName,
    /// The function in which it began.
    pub start: String,
    /// For each conditional branch that is recorded: whether the first target was taken.
    pub branches: Vec<bool>,
    /// For each switch: which case was taken, as an index into the cases; their number means the default.
    pub cases: Vec<u32>,
    /// For each indirect call: the function's name.
    pub callees: Vec<String>,
    pub inputs: Vec<Input>,
    pub end: ThreadEnd,
}

/// What the environment answered to one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The question, such as `file.read` or the name of an external function.
    pub name: String,
    pub bytes: Vec<u8>,
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
    },
    Abort {
        at: Option<Place>,
    },
    Signal {
        number: i32,
        at: Option<Place>,
    },
    /// It was ended from outside because it did not end by itself.
    Hang,
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
            branches: Vec::new(),
            cases: Vec::new(),
            callees: Vec::new(),
            inputs: Vec::new(),
            end: ThreadEnd::Stopped,
        }
    }

    pub fn decisions(&self) -> Decisions<'_> {
        Decisions { record: self, branches: 0, cases: 0, callees: 0, inputs: 0 }
    }
}

/// Takes a thread's decisions one after the other. `None` means that the record ends here, which is no error: whoever
/// follows the path knows from [`ThreadRecord::end`] what that means.
#[derive(Clone, Debug)]
pub struct Decisions<'a> {
    record: &'a ThreadRecord,
    branches: usize,
    cases: usize,
    callees: usize,
    inputs: usize,
}

impl<'a> Decisions<'a> {
    pub fn branch(&mut self) -> Option<bool> {
        take(&self.record.branches, &mut self.branches).copied()
    }

    pub fn case(&mut self) -> Option<u32> {
        take(&self.record.cases, &mut self.cases).copied()
    }

    pub fn callee(&mut self) -> Option<&'a str> {
        take(&self.record.callees, &mut self.callees).map(String::as_str)
    }

    pub fn input(&mut self) -> Option<&'a Input> {
        take(&self.record.inputs, &mut self.inputs)
    }

    /// Whether everything was taken: a path that ends before its record does not fit it.
    pub fn is_done(&self) -> bool {
        let record = self.record;
        self.branches == record.branches.len()
            && self.cases == record.cases.len()
            && self.callees == record.callees.len()
            && self.inputs == record.inputs.len()
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
        record.branches = vec![true, false];
        record.cases = vec![3];
        record.callees = vec!["handler".to_owned()];
        record.inputs = vec![Input { name: "file.read".to_owned(), bytes: vec![1] }];
        let mut decisions = record.decisions();
        assert_eq!((decisions.branch(), decisions.case(), decisions.branch()), (Some(true), Some(3), Some(false)));
        assert!(!decisions.is_done());
        assert_eq!(decisions.callee(), Some("handler"));
        assert_eq!(decisions.input().map(|input| input.bytes.as_slice()), Some(&[1][..]));
        assert!(decisions.is_done());
        assert_eq!((decisions.branch(), decisions.case(), decisions.callee()), (None, None, None));
        assert!(decisions.is_done());
    }

    #[test]
    fn only_exiting_with_zero_is_no_failure() {
        assert!(!ProcessEnd::Exited { status: 0 }.is_failure());
        assert!(ProcessEnd::Exited { status: 1 }.is_failure());
        assert!(ProcessEnd::Hang.is_failure());
    }
}
