//! The semantics of a graph. An execution is a sequence of events that obeys the rules below; `replay` decides whether
//! a sequence is an execution, and returns its outcome. It shares no code with `encode`, which is tested against it.
//!
//! **Threads.** A thread executes those events of its list whose guards hold, in order. The main thread may begin at
//! once, others after their fork. All symbols that a guard, an address or a value names are known by then. A symbol
//! whose event was skipped, because its guard was false, counts as zero; a graph should not depend on it.
//!
//! **Memory** is bytes per object. An access waits until `enabled` holds for the value at its address, and has no
//! effect until it happens. An access outside of its object is no execution of the graph: where it should be a failure,
//! an assertion of the bounds precedes it.
//!
//! **Mutexes** are named by address and are not memory. A lock waits until the mutex is free; a recursive one may be
//! owned by the thread itself, and then gains a level. An unlock frees it whichever thread owns it, and has no effect
//! on a free one; a recursive unlock by the owner removes one level, so n locks need n unlocks. A try-lock acquires the
//! mutex exactly if a lock could.
//!
//! **Waits.** A sleep releases the mutex as an unlock would and falls asleep, atomically. A signal wakes exactly one of
//! the threads that sleep on its condition, as the choice says, and is lost if there is none; a broadcast wakes all. A
//! wake happens once its thread was signalled and the mutex is free; it acquires the mutex. A wake with a time-out, or
//! a spurious one, may also happen without a signal. Its thread may give up waiting long before it gets the mutex back,
//! and a signal then does not wake it; whether it gives up is chosen when it falls asleep. Once signalled it neither
//! times out nor wakes spuriously.
//!
//! **Atomic blocks.** From the begin of a block until the thread inside has left the block's part of its list, only
//! that thread takes steps. No event inside can block (`check`), so an unfinished block is at the end of the execution,
//! or contains its failure.
//!
//! **Idle loops.** An iteration of a loop without side effects is no part of an execution that goes on: the await after
//! it does not happen. A thread at an await is stuck if its try-locks failed and their mutexes have not been released
//! since, and if no other thread has written to the locations that it read. A thread that will read the same values
//! later has not reached its last iteration yet.
//!
//! **Extent.** A prefix may end anywhere. An assertion that fails ends it: no event happens afterwards. A whole
//! execution goes on after a failure, also in the failing thread, until every thread that was forked has executed all
//! events whose guards hold. In either, an assumption that happens holds, and a cut does not happen.
//!
//! **The end of the process.** In a prefix no event happens after it, no thread is stuck, and the execution counts as
//! complete. In a whole execution it is a step without effect: all that other threads do after it, they might have done
//! before it.
//!
//! **Late conditions.** An assumption or assertion that names a symbol which is not yet known to its thread, one of
//! another thread or a later one of its own, is evaluated with the values at the end. All events that define its
//! symbols must have happened by then. In a prefix its thread takes no step after an assertion that turns out to fail;
//! others may go on.
//!
//! **Stuck threads.** At the end of a prefix without failure, a thread whose next event is not enabled is stuck. It is
//! a deadlock if there is a cycle, where each thread waits for a lock that the next one owns or for the next one's
//! exit, even if others could go on; or if every thread that was forked is finished or stuck, and one is stuck. A wake
//! waits for the mutex, and can be in a cycle, if it was signalled or can end without a signal; otherwise it waits for
//! a signal and cannot. An access that waits for a read/write lock or a once-control waits for all its owners: the
//! threads that acquired it more often than they released it (`Access::hold`). A thread that waits for a mutex is in no
//! cycle while a thread outside of all cycles may still release that mutex without owning it: a foreign unlock of it,
//! or one whose address is not constant, follows the last event of the thread that happened, the thread is not
//! finished, and its next event is not the end of the process. This exception only applies while some thread can do
//! something else than end the process. Any other access that waits is stuck on memory and in no cycle, and so is an
//! idle loop. A thread whose next event is an assumption that does not hold, an await that is not stuck, a cut or the
//! end of the process is not stuck.

use crate::execution::{Choice, Execution, Extent, Outcome, Reason, Step, Violation};
use crate::graph::{EventGraph, EventId, Kind, ThreadId};
use crate::machine::{Machine, Plan, Status};

/// Executes all steps of the execution.
pub fn replay(graph: &EventGraph, execution: &Execution, extent: Extent) -> Result<Outcome, Violation> {
    let plan = Plan::new(graph).map_err(|errors| {
        let reason = Reason::IllFormed(errors.first().map(ToString::to_string).unwrap_or_default());
        Violation { after: 0, event: None, reason }
    })?;
    plan.replay(execution, extent)
}

impl Plan<'_> {
    /// [`replay`] for many executions of one graph.
    pub fn replay(&self, execution: &Execution, extent: Extent) -> Result<Outcome, Violation> {
        self.follow(execution, extent).map(|(_, outcome)| outcome)
    }

    /// Also returns the machine in its last state.
    pub(crate) fn follow(&self, execution: &Execution, extent: Extent) -> Result<(Machine<'_>, Outcome), Violation> {
        let before = |reason| Violation { after: 0, event: None, reason };
        let mut machine = Machine::new(self, &execution.inputs, extent).map_err(before)?;
        let mut effects = Vec::with_capacity(execution.steps.len());
        for (after, &step) in execution.steps.iter().enumerate() {
            let violation = |reason| Violation { after, event: Some(step.event), reason };
            effects.push(machine.step(step).map_err(violation)?);
        }
        let after = execution.steps.len();
        let mut outcome = machine.conclude().map_err(|(event, reason)| Violation { after, event, reason })?;
        outcome.effects = effects;
        Ok((machine, outcome))
    }
}

impl Machine<'_> {
    /// The outcome if the execution ends here, without the effects of its steps.
    pub fn conclude(&self) -> Result<Outcome, (Option<EventId>, Reason)> {
        let statuses: Vec<(ThreadId, Status)> = self.threads().map(|thread| (thread, self.status(thread))).collect();
        let unfinished = statuses.iter().find(|(_, status)| matches!(status, Status::Ready(_) | Status::Blocked(_)));
        if let (Extent::Whole, Some(&(thread, _))) = (self.extent(), unfinished) {
            return Err((self.next(thread), Reason::Incomplete { thread }));
        }
        let mut failed = self.failed().to_vec();
        failed.extend(self.judge_pending()?);
        if self.ended().is_some() {
            return Ok(Outcome { failed, complete: true, stuck: Vec::new(), deadlock: None, effects: Vec::new() });
        }
        let (stuck, found) = self.deadlock(&statuses);
        let deadlock = found.filter(|_| failed.is_empty());
        Ok(Outcome { failed, complete: unfinished.is_none(), stuck, deadlock, effects: Vec::new() })
    }

    /// The late assertions that do not hold.
    fn judge_pending(&self) -> Result<Vec<EventId>, (Option<EventId>, Reason)> {
        let mut failed = Vec::new();
        for &id in self.pending() {
            let event = &self.plan().graph.events[id.index()];
            let (Kind::Assume { condition } | Kind::Assert { condition }) = event.kind else { continue };
            if let Some(definer) = self.without_value(condition) {
                return Err((Some(id), Reason::NeverDefined { definer }));
            }
            if self.judge(condition) {
                continue;
            }
            if matches!(event.kind, Kind::Assume { .. }) {
                return Err((Some(id), Reason::Assumption));
            }
            if self.extent() == Extent::Prefix && self.last(event.thread) != Some(id) {
                return Err((self.last(event.thread), Reason::AfterFailure { assertion: id }));
            }
            failed.push(id);
        }
        Ok(failed)
    }

    /// The successor steps that are no violation, in the order of the threads.
    pub fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        if self.ended().is_some() {
            return steps;
        }
        for thread in self.threads() {
            let Status::Ready(event) = self.status(thread) else { continue };
            if self.inside().is_none_or(|inside| inside == thread) {
                steps.extend(self.choices(event).into_iter().map(|choice| Step { event, choice }));
            }
        }
        steps
    }
}

impl From<EventId> for Step {
    /// A step without a choice.
    fn from(event: EventId) -> Step {
        Step { event, choice: Choice::Only }
    }
}
