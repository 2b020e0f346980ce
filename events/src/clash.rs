//! Data races on a graph: two threads stand before touches of the same bytes, so that either could come next.
//!
//! Nothing is said here of which touches may not meet; whoever made the graph knows what is a write, and what is atomic.
//! A thread counts as standing before an event that cannot happen yet: a loop that waits reads all the while. It also does
//! where somebody else is inside an atomic block, which protects only from those who use such blocks.

use formula::Term;

use crate::execution::{Execution, Extent, Stuck, Violation};
use crate::graph::{Address, EventId, ThreadId};
use crate::machine::{Machine, Plan, Status};

/// What a thread is about to do to memory when it stands before an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// Often the access itself. Where that is inside a block which only makes it one step, the begin of the block.
    pub event: EventId,
    /// Whether it does this, if it stands there; often the guard of the event.
    pub guard: Term,
    /// Known when the thread stands there.
    pub address: Address,
    pub bytes: u32,
}

/// Two touches by different threads that must not meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clash {
    pub one: Touch,
    pub other: Touch,
}

impl Machine<'_> {
    /// Whether both threads stand before their touches, and these overlap.
    pub fn meets(&self, clash: &Clash) -> bool {
        let (Some(one), Some(other)) = (self.about_to(&clash.one), self.about_to(&clash.other)) else { return false };
        self.ended().is_none() && one.0 != other.0 && one.1 == other.1 && one.2 < other.3 && other.2 < one.3
    }

    /// The thread, the object, and where in it the touch begins and ends; if this is what the thread does next.
    fn about_to(&self, touch: &Touch) -> Option<(ThreadId, u128, u128, u128)> {
        let thread = self.plan().graph.events.get(touch.event.index())?.thread;
        let (Status::Ready(next) | Status::Blocked(Stuck { event: next, .. })) = self.status(thread) else {
            return None;
        };
        let offset = self.word(touch.address.offset);
        let does = next == touch.event && self.judge(touch.guard);
        does.then(|| (thread, self.word(touch.address.object), offset, offset + u128::from(touch.bytes)))
    }
}

impl Plan<'_> {
    /// Whether the prefix is an execution in which nothing has failed, and ends where both touches could come next.
    pub fn races(&self, execution: &Execution, clash: &Clash) -> Result<bool, Violation> {
        let (machine, outcome) = self.follow(execution, Extent::Prefix)?;
        Ok(outcome.failed.is_empty() && machine.meets(clash))
    }
}
