//! Why threads are blocked: their waits, the threads that could release them, and whether there is a cycle.

use ir::{MutexKind, Primitive, SpanId};
use semantics::primitives::{Kind, mutex, operation};

use crate::callers;
use crate::machine::{Datum, Machine};
use crate::names;
use crate::outcome::{Failure, FailureKind, Outcome, Site, SiteFrame, Waiting};
use crate::readiness::Readiness;
use crate::sync::Sync;
use crate::world::{Pending, Phase};

/// The object that a blocked thread waits for.
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

/// The threads to consider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A circle of waiting threads through this one.
    CircleOf(usize),
    /// No thread is enabled.
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
        found.is_some_and(|sync| sync.kind == Kind::Mutex && mutex::kind(sync.parameter) == MutexKind::Plain)
    };
    circle.into_iter().filter_map(|index| waits[index].mutex).filter(is_plain).collect()
}

/// The owner of a mutex.
pub fn owner<V: Datum>(machine: &Machine<V>, at: u64) -> Option<u32> {
    machine.shared.syncs.get(at).and_then(Sync::owner)
}

/// Whether a thread waits, through others, for itself.
pub fn is_in_circle<V: Datum>(machine: &Machine<V>, thread: usize) -> bool {
    let mut reached = vec![thread];
    let mut at = 0;
    while let Some(&waiting) = reached.get(at) {
        at += 1;
        let Some(Blocked { holders, certain: true, .. }) = blocked(machine, waiting) else { continue };
        if holders.contains(&thread) {
            return true;
        }
        reached.extend(holders.into_iter().filter(|holder| !reached.contains(holder)).collect::<Vec<usize>>());
    }
    false
}

impl<V: Datum> Machine<V> {
    /// Why no thread is enabled, or why a cycle of threads is not.
    pub fn stuck(&self, scope: Scope) -> Option<Outcome> {
        let failure = analyse(self, scope)?;
        if self.properties.contains(&failure.kind) {
            Some(Outcome::Failed(Box::new(failure)))
        } else {
            (scope == Scope::Everyone).then(|| Outcome::Unasked(Box::new(failure)))
        }
    }
}

/// The failure, if threads wait in a cycle, or if all wait.
fn analyse<V: Datum>(machine: &Machine<V>, scope: Scope) -> Option<Failure> {
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

/// A thread in an idle loop is reported at the loop's header, wherever its next instruction is.
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

/// The wait of a thread, without names.
struct Blocked {
    on: &'static str,
    /// The synchronisation object.
    object: Option<u64>,
    holders: Vec<usize>,
    certain: bool,
}

fn blocked<V: Datum>(machine: &Machine<V>, thread: usize) -> Option<Blocked> {
    let status = &machine.shared.status[thread];
    if status.finished || status.crashed || machine.readiness(thread) != Readiness::Blocked {
        return None;
    }
    let plain = |on, object, holders, certain| Some(Blocked { on, object, holders, certain });
    // Only a thread that holds the object can end the waiting for it.
    let on = |kind: Kind, at: u64| {
        let found = machine.shared.syncs.get(at).filter(|sync| sync.kind == kind);
        let holders: Vec<usize> =
            found.map_or(&[][..], |sync| sync.holders.as_slice()).iter().map(|&holder| holder as usize).collect();
        let certain = !holders.is_empty();
        plain(kind.noun(), Some(at), holders, certain)
    };
    match status.pending.as_ref()? {
        Pending::Spin { .. } => plain("loop", None, Vec::new(), false),
        Pending::Primitive { primitive, args } => match primitive {
            Primitive::ThreadJoin => {
                let target = machine.shared.thread_of(args[0]);
                plain("join", None, target.into_iter().collect(), true)
            }
            other => match operation(*other) {
                // A thread that was woken waits for the mutex.
                Some((Kind::Condition, _)) if matches!(status.phase, Phase::Woken(_)) => on(Kind::Mutex, args[1]),
                Some((kind, _)) => on(kind, args[0]),
                None => plain(other.name(), None, Vec::new(), false),
            },
        },
        _ => None,
    }
}

fn wait_of<V: Datum>(machine: &Machine<V>, thread: usize) -> Option<Wait> {
    let Blocked { on, object, holders, certain } = blocked(machine, thread)?;
    let name = |at: u64| {
        let described = || names::describe(&machine.code.program, &machine.shared.memory, at, None);
        callers::object(machine, thread, at).unwrap_or_else(described)
    };
    let joined = || holders.first().map(|&target| machine.name(target).to_string());
    let mutex = object.filter(|_| on == "mutex");
    let object = match object {
        Some(at) => name(at),
        None => joined().unwrap_or_default(),
    };
    Some(Wait { thread, on, object, holders, certain, mutex })
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
                    // A cycle has one name, whichever thread closed it: it begins with its oldest thread.
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
