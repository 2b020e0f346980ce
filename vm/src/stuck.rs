//! Why threads do not go on: who waits for what, who could end the waiting, and whether that is a circle.

use ir::{MutexKind, Primitive, SpanId};

use crate::callers;
use crate::machine::{Datum, Machine, Readiness};
use crate::names;
use crate::outcome::{Failure, FailureKind, Site, SiteFrame, Waiting};
use crate::sync::{Once, Sync};
use crate::threads;
use crate::world::{Pending, Phase};

/// What a blocked thread waits for.
struct Wait {
    thread: usize,
    on: &'static str,
    object: String,
    holders: Vec<usize>,
    /// The waiting ends only when a holder acts; a circle of such waits never ends.
    certain: bool,
    /// The mutex that it waits for.
    mutex: Option<u64>,
}

/// Whom to ask about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A circle of waiting threads through this one.
    CircleOf(usize),
    /// Nobody can go on.
    Everyone,
}

fn waits<V: Datum>(machine: &Machine<V>) -> Vec<Wait> {
    (0..machine.thread_count()).filter_map(|thread| wait_of(machine, thread)).collect()
}

/// The mutexes in a circle through a thread that a thread outside of the circle can release: the plain ones.
pub fn releasable<V: Datum>(machine: &Machine<V>, thread: usize) -> Vec<u64> {
    let waits = waits(machine);
    let circle = find_circle(&waits, Scope::CircleOf(thread)).unwrap_or_default();
    let is_plain = |at: &u64| {
        let found = machine.shared.syncs.get(*at);
        matches!(found, Some(Sync::Mutex(mutex)) if mutex.kind == MutexKind::Plain)
    };
    circle.into_iter().filter_map(|index| waits[index].mutex).filter(is_plain).collect()
}

/// Whether some thread has released the mutex while another one owned it.
pub fn is_handed_over<V: Datum>(machine: &Machine<V>, at: u64) -> bool {
    matches!(machine.shared.syncs.get(at), Some(Sync::Mutex(mutex)) if mutex.handed_over)
}

/// The failure, if threads wait in a circle, or if everyone waits.
pub fn analyse<V: Datum>(machine: &Machine<V>, scope: Scope) -> Option<Failure> {
    let waits = waits(machine);
    if let Some(circle) = find_circle(&waits, scope) {
        let mut order = circle.clone();
        order.extend((0..waits.len()).filter(|index| !circle.contains(index)));
        let condition = match circle.len() {
            1 => "a thread waits for itself".to_owned(),
            count => format!("{count} threads wait for each other"),
        };
        return Some(report(machine, &waits, &order, FailureKind::Deadlock, condition));
    }
    if scope != Scope::Everyone || waits.is_empty() {
        return None;
    }
    let order: Vec<usize> = (0..waits.len()).collect();
    if let Some(spinner) = waits.iter().position(|wait| wait.on == "loop") {
        let mut order = order;
        order.retain(|&index| index != spinner);
        order.insert(0, spinner);
        let condition = "a loop waits for a change that nobody makes".to_owned();
        return Some(report(machine, &waits, &order, FailureKind::Hang, condition));
    }
    let condition = "every remaining thread waits".to_owned();
    Some(report(machine, &waits, &order, FailureKind::Deadlock, condition))
}

fn report<V: Datum>(
    machine: &Machine<V>,
    waits: &[Wait],
    order: &[usize],
    kind: FailureKind,
    condition: String,
) -> Failure {
    let waiting: Vec<Waiting> = order
        .iter()
        .map(|&index| {
            let wait = &waits[index];
            Waiting {
                site: waiting_site(machine, wait.thread),
                on: wait.on,
                object: wait.object.clone(),
                held_by: wait.holders.iter().map(|&holder| machine.name(holder).clone()).collect(),
            }
        })
        .collect();
    let site = waiting[0].site.clone();
    Failure { kind, site, condition, asserted_at: None, related: Vec::new(), waiting }
}

/// A thread in an idle loop stands at the loop's begin, wherever its next instruction is.
fn waiting_site<V: Datum>(machine: &Machine<V>, thread: usize) -> Site {
    let mut site = machine.site(thread);
    if let Some(Pending::Spin { span, .. }) = &machine.shared.status[thread].pending
        && *span != SpanId::NONE
        && let Some(first) = site.frames.first_mut()
    {
        *first = SiteFrame { function: first.function, span: *span };
    }
    site
}

fn wait_of<V: Datum>(machine: &Machine<V>, thread: usize) -> Option<Wait> {
    let status = &machine.shared.status[thread];
    if status.finished || status.crashed || machine.readiness(thread) != Readiness::Blocked {
        return None;
    }
    let name = |at: u64| {
        let described = || names::describe(&machine.code.program, &machine.shared.memory, at, None);
        callers::object(machine, thread, at).unwrap_or_else(described)
    };
    let plain = |on, object, holders, certain| Some(Wait { thread, on, object, holders, certain, mutex: None });
    let mutex = |at: u64| {
        let (holders, certain) = mutex_holders(machine, at);
        Some(Wait { thread, on: "mutex", object: name(at), holders, certain, mutex: Some(at) })
    };
    match status.pending.as_ref()? {
        Pending::Spin { .. } => plain("loop", String::new(), Vec::new(), false),
        Pending::Primitive { primitive, args } => match primitive {
            Primitive::MutexLock => mutex(args[0]),
            Primitive::CondWait | Primitive::CondTimedWait => match status.phase {
                Phase::Woken(_) => mutex(args[1]),
                _ => plain("condition", name(args[0]), Vec::new(), false),
            },
            Primitive::RwRead | Primitive::RwWrite => {
                let holders = match machine.shared.syncs.get(args[0]) {
                    Some(Sync::ReadWrite(lock)) => {
                        lock.writer.iter().chain(&lock.readers).map(|&holder| holder as usize).collect()
                    }
                    _ => Vec::new(),
                };
                plain("rwlock", name(args[0]), holders, true)
            }
            Primitive::SemWait => plain("semaphore", name(args[0]), Vec::new(), false),
            Primitive::BarrierWait => plain("barrier", name(args[0]), Vec::new(), false),
            Primitive::OnceBegin => {
                let holders = match machine.shared.syncs.get(args[0]) {
                    Some(Sync::Once(Once::Running(runner))) => vec![*runner as usize],
                    _ => Vec::new(),
                };
                plain("once", name(args[0]), holders, true)
            }
            Primitive::ThreadJoin => {
                let target = threads::thread_of(&machine.shared, args[0]);
                let object = target.map(|target| machine.name(target).to_string()).unwrap_or_default();
                plain("join", object, target.into_iter().collect(), true)
            }
            other => plain(other.name(), String::new(), Vec::new(), false),
        },
        _ => None,
    }
}

fn mutex_holders<V: Datum>(machine: &Machine<V>, at: u64) -> (Vec<usize>, bool) {
    match machine.shared.syncs.get(at) {
        Some(Sync::Mutex(mutex)) => (mutex.owner.map(|owner| owner as usize).into_iter().collect(), !mutex.handed_over),
        _ => (Vec::new(), false),
    }
}

/// The shortest circle, as positions in `waits` in the order of waiting. A thread that ended while it held a lock will
/// never release it, but that is no circle.
fn find_circle(waits: &[Wait], scope: Scope) -> Option<Vec<usize>> {
    let position = |thread: usize| waits.iter().position(|wait| wait.thread == thread);
    let mut best: Option<Vec<usize>> = None;
    for start in 0..waits.len() {
        if matches!(scope, Scope::CircleOf(thread) if thread != waits[start].thread) {
            continue;
        }
        let mut parents: Vec<Option<usize>> = vec![None; waits.len()];
        let mut queue = std::collections::VecDeque::from([start]);
        let mut seen = vec![false; waits.len()];
        while let Some(at) = queue.pop_front() {
            if !waits[at].certain {
                continue;
            }
            for holder in waits[at].holders.iter().filter_map(|&holder| position(holder)) {
                if holder == start {
                    let mut circle = vec![at];
                    let mut here = at;
                    while let Some(parent) = parents[here].filter(|_| here != start) {
                        circle.push(parent);
                        here = parent;
                    }
                    circle.reverse();
                    // One circle has one name, whoever closed it: it begins with its oldest thread.
                    let oldest = (0..circle.len()).min_by_key(|&at| waits[circle[at]].thread).unwrap_or(0);
                    circle.rotate_left(oldest);
                    if best.as_ref().is_none_or(|best| circle.len() < best.len()) {
                        best = Some(circle);
                    }
                    queue.clear();
                    break;
                }
                if !seen[holder] {
                    seen[holder] = true;
                    parents[holder] = Some(at);
                    queue.push_back(holder);
                }
            }
        }
    }
    best
}
