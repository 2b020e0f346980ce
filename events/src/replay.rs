//! What a graph means. An execution is a list of events, one after the other, each by the rules below; `replay` says
//! whether it is one and what it came to. It shares no code with `encode`, and is its judge.
//!
//! **Threads.** A thread does the events of its list whose guards hold, in order. The main thread may begin at once,
//! others after their fork. What a guard, an address or a value names is known by then. A symbol whose event the thread
//! passed by, because its guard was false, counts as zero; a graph should not depend on it.
//!
//! **Memory** is bytes per object. An access waits until `enabled` holds for what is there, and leaves it alone until
//! it happens. An access outside of its object is no execution of the graph: whoever wants it to be a failure asserts
//! that it stays inside first.
//!
//! **Mutexes** are named by address and are no memory. A lock waits until nobody holds the mutex; a recursive one may
//! be held by the thread itself, and then takes a further level. An unlock frees it whoever holds it, and does nothing
//! if nobody does; a recursive unlock by the holder takes off one level, so n locks need n unlocks. A try-lock takes
//! the mutex exactly if a lock could.
//!
//! **Waits.** A sleep releases the mutex as an unlock would and falls asleep, in one. A signal wakes exactly one of
//! those who sleep on its condition, whichever the choice says, and is lost if nobody does; a broadcast wakes all. A
//! wake happens once its sleeper was signalled and the mutex can be taken, which it then is. One that can time out, or
//! wake without a reason, may also happen when it was not signalled. Its sleeper may give up long before it gets the
//! mutex back, and a signal then does not find it; that it will is said when it falls asleep. Once signalled it neither
//! times out nor wakes without a reason.
//!
//! **Atomic blocks.** From its begin until it has left the list's stretch up to the end, only the thread inside may go.
//! Nothing that can block is inside (`check`), so a block that is not finished ends the execution, or is where it
//! failed.
//!
//! **Idle loops.** A round of a loop that changed nothing is no part of any execution that goes on: an await, which stands
//! behind such a round, does not happen. A thread that stands before it is stuck if its try-locks failed, nobody has released
//! their mutexes since, and nobody else has written where its accesses were. Who will find the same later on has not come
//! to its last round yet.
//!
//! **Extent.** A prefix may end anywhere. An assertion that fails ends it: nothing happens afterwards. A whole
//! execution goes on after a failure, also in the failing thread, and has to go on until every thread that was forked
//! has done all that its guards let it do. In either, an assumption that happens holds, and a cut does not happen.
//!
//! **The end of the process.** In a prefix nothing of any thread happens after it, nobody is stuck, and the execution counts
//! as complete. In a whole execution it is a step without effect: what others still do, they might have done before it.
//!
//! **Conditions that are judged at the end.** Where an assumption or assertion names a symbol that its thread does not
//! have when it comes there, another thread's or a later one of its own, it is judged with the values at the end. All
//! events that define its symbols must have happened by then. In a prefix nothing of its thread happens after an
//! assertion that turns out to fail; others may go on.
//!
//! **Stuck threads.** At the end of a prefix without failure, a thread whose next event cannot happen is stuck. It is a
//! deadlock if there is a cycle, where each waits for a lock that the next one holds or for the next one's exit, even
//! if others could go on; or if every thread that was forked is finished or stuck, and one is stuck. A wake waits for
//! the mutex, and can be in a cycle, if it was signalled or can end without; otherwise it waits for a signal and
//! cannot. An access that waits for a read/write lock or a once-control waits for all its holders: the threads that
//! acquired it more often than they released it (`Access::hold`). A thread that waits for a mutex is in no cycle while a
//! thread outside of all cycles may still release that mutex without holding it: a foreign unlock of it, or one whose
//! address is not constant, stands behind the last event of the thread that happened, the thread is not finished, and its next
//! event is not the end of the process. That is asked only while some thread can do something else than end the
//! process. Any other access that waits is stuck on memory and
//! in no cycle, and so is an idle loop. A thread that stands before an
//! assumption that does not hold, before an await that is not stuck, before a cut or before the end of the process is not
//! stuck.

use crate::execution::{Choice, Execution, Extent, Outcome, Reason, Step, Violation};
use crate::graph::{EventGraph, EventId, Kind, ThreadId};
use crate::machine::{Machine, Plan, Status};

/// Follows the execution to its end.
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

    /// The machine at the end of an execution too.
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
    /// What it comes to if the execution ends here. The effects of its steps are for the caller to know.
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

    /// The assertions that had to wait for the end and do not hold.
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

    /// The steps that lead on from here without a violation, in the order of the threads.
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
    /// Where there is nothing to choose.
    fn from(event: EventId) -> Step {
        Step { event, choice: Choice::Only }
    }
}
