//! Why work ended before it was complete.

/// The reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    Time,
    Memory,
    Interrupted,
    /// The limit of counted work.
    Work,
    /// The worker process died, or found an internal contradiction in heddle.
    Crashed,
    /// The first runs were all cut off at the step limit.
    TooLong,
    /// The first runs all reached an unsupported construct.
    Unsupported,
    /// The set of shared objects could not be determined.
    Unsettled,
    SolverFailed,
}

impl Stopped {
    /// Interruptions from outside.
    pub const CUTS: [Stopped; 4] = [Stopped::Time, Stopped::Memory, Stopped::Interrupted, Stopped::Crashed];

    pub fn in_words(self) -> &'static str {
        match self {
            Stopped::Time => "the time is over",
            Stopped::Memory => "the memory limit was reached",
            Stopped::Interrupted => "interrupted",
            Stopped::Work => "the limit of work was reached",
            Stopped::Crashed => "heddle crashed",
            Stopped::TooLong => "the first ones did not end",
            Stopped::Unsupported => "the first ones all came to something unsupported",
            Stopped::Unsettled => "what its threads share could not be determined",
            Stopped::SolverFailed => "the solver broke down",
        }
    }

    /// The name of the exhausted resource; `None` if there is none.
    pub fn resource(self) -> Option<&'static str> {
        match self {
            Stopped::Time => Some("time"),
            Stopped::Memory => Some("memory"),
            Stopped::Interrupted => Some("interrupted"),
            Stopped::Work => Some("work"),
            Stopped::Crashed => Some("crashed"),
            Stopped::TooLong | Stopped::Unsupported | Stopped::Unsettled | Stopped::SolverFailed => None,
        }
    }
}
