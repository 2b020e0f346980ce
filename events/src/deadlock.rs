//! Which blocked threads are in a deadlock; `replay` states the rules.
//!
//! A cycle of threads that wait for each other is a deadlock although other threads can go on, unless one of these can
//! still release a mutex of the cycle that it does not own. Whether it will depends on the rest of the execution.
//! Foreign unlocks that may still happen count as possible here: an execution in which they do not happen, or release
//! another mutex, can be continued until they can no longer happen, or until no thread can do anything but end the
//! process. So no deadlock is lost; some are only seen after more steps.

use std::collections::BTreeSet;

use crate::execution::{Deadlock, Location, Obstacle, Stuck};
use crate::graph::{EventId, Kind, ThreadId};
use crate::machine::{Machine, Status};

impl Machine<'_> {
    /// The blocked threads, and the deadlock among them.
    pub(crate) fn deadlock(&self, statuses: &[(ThreadId, Status)]) -> (Vec<Stuck>, Option<Deadlock>) {
        let blocked = statuses.iter().filter_map(|(_, status)| match status {
            Status::Blocked(stuck) => Some(stuck.clone()),
            _ => None,
        });
        let mut stuck: Vec<Stuck> = blocked.collect();
        self.judge_certainty(statuses, &mut stuck);
        if let Some(cycle) = stuck.iter().find_map(|first| cycle_from(&stuck, first)) {
            return (stuck, Some(Deadlock::Cycle(cycle)));
        }
        let ready = statuses.iter().any(|(_, status)| matches!(status, Status::Ready(_)));
        let everyone = !ready && !stuck.is_empty();
        (stuck, everyone.then_some(Deadlock::Everyone))
    }

    /// Sets `certain` for each thread, given the largest set of threads each of which waits for a thread of the set,
    /// and for no mutex that a thread outside of the set may release.
    fn judge_certainty(&self, statuses: &[(ThreadId, Status)], stuck: &mut [Stuck]) {
        let unlocks = &self.plan().foreign_unlocks;
        if unlocks.are_none() || statuses.iter().all(|(_, status)| self.is_quiet(status)) {
            return;
        }
        let releases = |thread: ThreadId, status: &Status, mutex: Location| {
            let goes_on = match status {
                Status::Finished => false,
                Status::Ready(next) => !self.is_end(*next),
                Status::Blocked(_) | Status::NotForked => true,
            };
            goes_on && unlocks.lie_ahead(thread, self.behind_last(thread), mutex)
        };
        let certain = |stuck: &Stuck, members: &BTreeSet<ThreadId>| match stuck.waits_for {
            Obstacle::Mutex { mutex, .. } => {
                !statuses.iter().any(|(thread, status)| !members.contains(thread) && releases(*thread, status, mutex))
            }
            _ => true,
        };
        let mut members: BTreeSet<ThreadId> = stuck.iter().map(|stuck| stuck.thread).collect();
        loop {
            let stays = |stuck: &&Stuck| {
                members.contains(&stuck.thread)
                    && stuck.waits_for.threads().iter().any(|thread| members.contains(thread))
                    && certain(stuck, &members)
            };
            let left: BTreeSet<ThreadId> = stuck.iter().filter(stays).map(|stuck| stuck.thread).collect();
            if left.len() == members.len() {
                break;
            }
            members = left;
        }
        for stuck in stuck {
            stuck.certain = certain(stuck, &members);
        }
    }

    /// Whether a thread is not enabled, or can only end the process.
    fn is_quiet(&self, status: &Status) -> bool {
        match status {
            Status::Ready(next) => self.is_end(*next),
            Status::NotForked | Status::Blocked(_) | Status::Finished => true,
        }
    }

    fn is_end(&self, event: EventId) -> bool {
        matches!(self.plan().graph.events[event.index()].kind, Kind::End)
    }
}

/// The shortest cycle through the first thread, beginning with it, over the threads whose waiting is certain.
pub fn cycle_from(stuck: &[Stuck], first: &Stuck) -> Option<Vec<ThreadId>> {
    let mut reached: Vec<(&Stuck, usize)> = vec![(first, 0)];
    let mut at = 0;
    while let Some(&(waiting, _)) = reached.get(at) {
        for next in waiting.waits_for.threads().iter().filter(|_| waiting.certain) {
            if *next == first.thread {
                let mut cycle = vec![waiting.thread];
                let mut here = at;
                while here != 0 {
                    here = reached[here].1;
                    cycle.push(reached[here].0.thread);
                }
                cycle.reverse();
                return Some(cycle);
            }
            let known = reached.iter().any(|(stuck, _)| stuck.thread == *next);
            let next = stuck.iter().find(|stuck| stuck.thread == *next).filter(|_| !known);
            reached.extend(next.map(|next| (next, at)));
        }
        at += 1;
    }
    None
}

impl Obstacle {
    /// The threads that alone can remove the obstacle.
    pub fn threads(&self) -> &[ThreadId] {
        match self {
            Obstacle::Mutex { holder, .. } => std::slice::from_ref(holder),
            Obstacle::Exit { child } => std::slice::from_ref(child),
            Obstacle::Memory { holders, .. } => holders,
            Obstacle::Signal { .. } | Obstacle::Repetition => &[],
        }
    }
}
