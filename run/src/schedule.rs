//! A schedule: which thread runs up to which of its steps, in which order, and what was chosen on the way. It is a
//! value: small, written as text that a person can read, and enough to repeat a run exactly.

use crate::thread::ThreadName;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    pub header: Header,
    pub segments: Vec<Segment>,
    /// In the order in which they were made.
    pub choices: Vec<Choice>,
}

/// What the schedule belongs to: enough to build the same program again and to say when it is no longer the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The program's files as the user named them.
    pub sources: Vec<String>,
    /// The compiler flags that were given with them.
    pub flags: Vec<String>,
    /// The program's own arguments.
    pub arguments: Vec<String>,
    /// Options that change what the program does under the same schedule, such as `reuse`.
    pub options: Vec<String>,
    /// A fingerprint of the program's IR, in hexadecimal.
    pub fingerprint: String,
    /// What happens at the end, in words: `assertion bank.c:61 thread 0`, or `passes`.
    pub outcome: String,
}

/// One thread runs until it has executed `until` instructions since its birth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    pub thread: ThreadName,
    pub until: u64,
    /// For the reader: what the last step of the segment was and where. It has no influence.
    pub note: String,
}

/// At its step number `step`, the thread met a point where the environment decides (which sleeper a signal wakes, an
/// input, …), and the answer was `value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub thread: ThreadName,
    pub step: u64,
    pub value: u64,
}
