//! Data races on a graph: states in which two threads are about to access the same bytes, so that either access could
//! be next.
//!
//! The caller decides which pairs of accesses race, because it knows which of them write and which are atomic. A thread
//! counts as being about to execute an event that is not enabled yet, because a waiting loop reads all the while. The
//! same holds while another thread is inside an atomic block, which excludes only threads that use such blocks.

use formula::Term;

use crate::execution::{Execution, Extent, Stuck, Violation};
use crate::graph::{Address, EventId, ThreadId};
use crate::machine::{Machine, Plan, Status};

/// A memory access that a thread is about to make when an event is its next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// Usually the access itself. If the access is inside a block that only makes it one step, the begin of the block.
    pub event: EventId,
    /// Whether the thread makes this access at that event; usually the event's guard.
    pub guard: Term,
    /// Known once the event is the thread's next one.
    pub address: Address,
    pub bytes: u32,
}

/// Two accesses by different threads that would be a data race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clash {
    pub one: Touch,
    pub other: Touch,
}

impl Machine<'_> {
    /// Whether both threads are about to make their accesses, and these overlap.
    pub fn meets(&self, clash: &Clash) -> bool {
        let (Some(one), Some(other)) = (self.about_to(&clash.one), self.about_to(&clash.other)) else { return false };
        self.ended().is_none() && one.0 != other.0 && one.1 == other.1 && one.2 < other.3 && other.2 < one.3
    }

    /// The thread, the object, and the access's first and end offset, if it is the thread's next event.
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
    /// Whether the prefix is an execution without failure after which both accesses could be next.
    pub fn races(&self, execution: &Execution, clash: &Clash) -> Result<bool, Violation> {
        let (machine, outcome) = self.follow(execution, Extent::Prefix)?;
        Ok(outcome.failed.is_empty() && machine.meets(clash))
    }
}
