//! The divergence of a run from its order: one type for schedules, tickets and executions of graphs.

use std::fmt;

use crate::thread::ThreadName;

/// The program, or the graph, diverged from the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The position in the order, and the expected item.
    pub expected: Item,
    /// The thread whose turn it was.
    pub thread: ThreadName,
    pub happened: Happened,
}

/// An item of an order, for one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// It runs until it has taken this many steps. Segments are counted from 1.
    Segment { number: usize, until: u64 },
    /// It takes the next ticket. They are counted from 1.
    Ticket { number: usize },
    /// It executes this event of a graph, after that many others.
    Event { number: usize, event: u32 },
    /// The end of the order.
    End,
}

/// What happened instead. Steps are those of the thread before the divergence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happened {
    NoThread,
    /// It waits. `waits_for` describes the object and the positions of all threads, if that was looked up.
    Blocked {
        step: u64,
        waits_for: Option<String>,
    },
    Ended {
        step: u64,
    },
    /// It passed the place where it should have stopped.
    OtherWay {
        step: u64,
    },
    /// The run ended before the order.
    Over,
    /// The whole order was followed, without a failure.
    NoFailure,
    /// The graph does not allow it.
    Refused(String),
}

impl Item {
    /// Its position in the order.
    pub fn number(self) -> Option<usize> {
        match self {
            Item::Segment { number, .. } | Item::Ticket { number } | Item::Event { number, .. } => Some(number),
            Item::End => None,
        }
    }
}

impl std::error::Error for Divergence {}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let thread = &self.thread;
        match self.expected {
            Item::Segment { number, .. } => write!(f, "segment {number}: ")?,
            Item::Ticket { number } => write!(f, "ticket {number}: ")?,
            Item::Event { number, .. } => write!(f, "step {number}: ")?,
            Item::End => {}
        }
        match &self.happened {
            Happened::NoThread => return write!(f, "there is no thread {thread} at this point"),
            Happened::Over => return f.write_str("the run ended before the schedule did"),
            Happened::NoFailure => return f.write_str("the program followed the graph and did not fail"),
            Happened::Blocked { step, waits_for } => {
                write!(f, "thread {thread} cannot go on at its step {step}")?;
                if let Some(waits_for) = waits_for {
                    write!(f, ", where it waits for {waits_for}")?;
                }
            }
            Happened::Ended { step } => write!(f, "thread {thread} ended at its step {step}")?,
            Happened::OtherWay { step } => write!(f, "thread {thread} took another branch at its step {step}")?,
            Happened::Refused(reason) => write!(f, "thread {thread} cannot do this: {reason}")?,
        }
        match self.expected {
            Item::Segment { until, .. } => write!(f, ", it should reach step {until}"),
            Item::Event { event, .. } => write!(f, ", it should do event {event}"),
            Item::Ticket { .. } | Item::End => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_where_what_happened_and_what_should_have() {
        let told = |expected, happened| Divergence { expected, thread: ThreadName::main(), happened }.to_string();
        let segment = Item::Segment { number: 2, until: 9 };
        assert_eq!(told(segment, Happened::NoThread), "segment 2: there is no thread 0 at this point");
        assert_eq!(
            told(segment, Happened::Ended { step: 7 }),
            "segment 2: thread 0 ended at its step 7, it should reach step 9"
        );
        assert_eq!(
            told(
                Item::Ticket { number: 3 },
                Happened::Blocked { step: 4, waits_for: Some("mutex.lock in f:1".into()) }
            ),
            "ticket 3: thread 0 cannot go on at its step 4, where it waits for mutex.lock in f:1"
        );
        assert_eq!(
            told(Item::Event { number: 0, event: 5 }, Happened::Refused("its thread has not been forked".into())),
            "step 0: thread 0 cannot do this: its thread has not been forked, it should do event 5"
        );
    }
}
