//! A schedule: which thread runs up to which of its steps, in which order, and the choices of the environment. It is a
//! value: small, readable as text, and sufficient to repeat a run exactly.

use crate::thread::ThreadName;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    pub header: Header,
    pub segments: Vec<Segment>,
    /// In the order in which they were made.
    pub choices: Vec<Choice>,
}

/// The program of a schedule: enough to build it again and to detect that it has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The program's files as named by the user.
    pub sources: Vec<String>,
    /// The compiler flags given with them.
    pub flags: Vec<String>,
    /// The program's own arguments.
    pub arguments: Vec<String>,
    /// Options that change the behaviour of the program under the same schedule, such as `reuse`.
    pub options: Vec<String>,
    /// A fingerprint of the program's IR, in hexadecimal.
    pub fingerprint: String,
    /// The outcome as text: `assertion bank.c:61 thread 0`, or `passes`.
    pub outcome: String,
}

/// One thread runs until it has executed `until` steps since its birth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    pub thread: ThreadName,
    pub until: u64,
    /// For readers: the last step of the segment and its place. It has no effect.
    pub note: String,
}

/// At its step number `step`, the environment made a choice for the thread (which sleeping thread a signal wakes, an
/// input, …): `value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub thread: ThreadName,
    pub step: u64,
    pub value: u64,
}
