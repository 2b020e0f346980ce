//! The inputs of a run besides the program and the order.

use std::collections::HashMap;
use std::rc::Rc;

use run::ThreadName;

use crate::files::Source;
use crate::outcome::FailureKind;

#[derive(Clone)]
pub struct Options {
    /// The program's own arguments, its name first.
    pub arguments: Vec<Vec<u8>>,
    pub stdin: Vec<u8>,
    /// The environment's variables.
    pub variables: Vec<(String, String)>,
    /// The contents of the files that the program opens.
    pub files: Source,
    /// All threads together execute at most this many instructions.
    pub step_limit: u64,
    /// Freed blocks are handed out again.
    pub reuse: bool,
    /// Waits on conditions may wake without a signal.
    pub spurious: bool,
    /// Which failures count.
    pub properties: Vec<FailureKind>,
    /// Whether [`crate::Execution::events`] is filled.
    pub events: bool,
    /// Whether [`crate::Execution::recorded`] is filled.
    pub record: bool,
    /// The readings of the clock by each thread, in nanoseconds; afterwards the virtual clock is used.
    pub readings: Rc<HashMap<ThreadName, Vec<i64>>>,
    /// Whether `order.ticket` is a separate step, so that a recorded order can be followed.
    pub tickets: bool,
}

/// Races and exit statuses are only failures on request.
pub const DEFAULT_PROPERTIES: &[FailureKind] = &[
    FailureKind::Assertion,
    FailureKind::Abort,
    FailureKind::Memory,
    FailureKind::Exception,
    FailureKind::Deadlock,
    FailureKind::Hang,
];

impl Default for Options {
    fn default() -> Options {
        Options {
            arguments: vec![b"program".to_vec()],
            stdin: Vec::new(),
            variables: Vec::new(),
            files: Rc::new(|_| None),
            step_limit: 100_000_000,
            reuse: false,
            spurious: false,
            properties: DEFAULT_PROPERTIES.to_vec(),
            events: false,
            record: false,
            readings: Rc::default(),
            tickets: false,
        }
    }
}
