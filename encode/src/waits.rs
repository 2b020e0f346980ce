//! Condition variables. A literal for each pair of a signal and a sleep means that this signal wakes that thread; the
//! signal is then between sleep and wake. A signal wakes at most one thread and a sleep ends by at most one signal; at
//! a signal that wakes no thread, no thread was asleep, and a broadcast wakes all threads that are asleep.
//!
//! A thread whose wake never happens sleeps to the end, unless it was signalled and only the mutex is missing: it takes
//! part like all others, so it can consume a signal. A wait that can time out may have ended long before its wake
//! event: the thread is then not asleep.

use events::{Address, EventId, Kind};
use formula::{Family, Term};

use crate::address::same;
use crate::draft::Draft;
use crate::graph::same_thread;
use crate::happens::Happens;
use crate::static_order::StaticOrder;

#[derive(Debug, Default)]
pub struct Waits {
    pub matches: Vec<Match>,
    pub wakes: Vec<Wake>,
}

/// The condition that the signal or broadcast ends the sleep.
#[derive(Clone, Copy, Debug)]
pub struct Match {
    pub signal: EventId,
    pub sleep: EventId,
    pub literal: Term,
}

#[derive(Clone, Copy, Debug)]
pub struct Wake {
    pub event: EventId,
    pub timed_out: Option<Term>,
    pub spurious: bool,
    /// The condition that it was signalled.
    pub signalled: Term,
    pub sleep: EventId,
    /// The condition that it waits for no signal from the beginning; only for a wait that can end by itself.
    pub gave_up: Option<Term>,
}

impl Wake {
    /// Whether it can only end with a signal.
    pub fn is_patient(&self) -> bool {
        self.timed_out.is_none() && !self.spurious
    }
}

#[derive(Clone, Copy)]
struct Sleep {
    event: EventId,
    wake: EventId,
    condition: Address,
    gave_up: Option<Term>,
}

#[derive(Clone, Copy)]
struct Signal {
    event: EventId,
    condition: Address,
    all: bool,
}

/// A signal and a sleep that it can end: the condition that both name the same condition variable, and that it does.
#[derive(Clone, Copy)]
struct Pair {
    signal: usize,
    sleep: usize,
    same: Term,
    literal: Term,
}

pub fn waits(draft: &mut Draft<'_>, happens: &Happens, order: &StaticOrder) -> Waits {
    let (sleeps, signals) = collect(draft);
    let mut pairs = Vec::new();
    let mut of_sleep = vec![Vec::new(); sleeps.len()];
    let mut of_signal = vec![Vec::new(); signals.len()];
    for (sleep_number, sleep) in sleeps.iter().enumerate() {
        for (signal_number, signal) in signals.iter().enumerate() {
            let same = same(&mut draft.terms, signal.condition, sleep.condition);
            let apart = same_thread(draft.graph, signal.event, sleep.event)
                || order.is_before(draft.graph, signal.event, sleep.event)
                || order.is_before(draft.graph, sleep.wake, signal.event);
            if apart || draft.terms.as_bool(same) == Some(false) {
                continue;
            }
            of_sleep[sleep_number].push(pairs.len());
            of_signal[signal_number].push(pairs.len());
            pairs.push(Pair { signal: signal_number, sleep: sleep_number, same, literal: draft.literal() });
        }
    }
    for &pair in &pairs {
        lies_between(draft, happens, signals[pair.signal], sleeps[pair.sleep], pair);
    }
    for of_sleep in &of_sleep {
        let literals: Vec<Term> = of_sleep.iter().map(|&pair| pairs[pair].literal).collect();
        draft.assert_at_most_one(Family::Sync, &literals);
    }
    for (signal, of_signal) in signals.iter().zip(&of_signal) {
        let literals: Vec<Term> = of_signal.iter().map(|&pair| pairs[pair].literal).collect();
        if !signal.all {
            draft.assert_at_most_one(Family::Sync, &literals);
        }
        let wakes_one = draft.terms.or(&literals);
        for &pair in of_signal {
            let pair = pairs[pair];
            let woken = if signal.all { pair.literal } else { wakes_one };
            let others: Vec<Pair> = of_sleep[pair.sleep].iter().map(|&other| pairs[other]).collect();
            not_asleep_unless(draft, happens, woken, pair, (&sleeps, &signals), &others);
        }
    }
    let mut waits = Waits::default();
    for pair in &pairs {
        let (signal, sleep) = (signals[pair.signal].event, sleeps[pair.sleep].event);
        waits.matches.push(Match { signal, sleep, literal: pair.literal });
    }
    for (sleep, of_sleep) in sleeps.iter().zip(&of_sleep) {
        let literals: Vec<Term> = of_sleep.iter().map(|&pair| pairs[pair].literal).collect();
        let signalled = draft.terms.or(&literals);
        waits.wakes.extend(wake(draft, happens, *sleep, signalled));
    }
    waits
}

fn collect(draft: &mut Draft<'_>) -> (Vec<Sleep>, Vec<Signal>) {
    let graph = draft.graph;
    let (mut sleeps, mut signals) = (Vec::new(), Vec::new());
    for (index, info) in graph.events.iter().enumerate() {
        let event = EventId(index as u32);
        match info.kind {
            Kind::Wake { sleep, timed_out, spurious } => {
                if let Kind::Sleep { condition, .. } = graph.events[sleep.index()].kind {
                    let gave_up = (timed_out.is_some() || spurious).then(|| draft.literal());
                    sleeps.push(Sleep { event: sleep, wake: event, condition, gave_up });
                }
            }
            Kind::Signal { condition } => signals.push(Signal { event, condition, all: false }),
            Kind::Broadcast { condition } => signals.push(Signal { event, condition, all: true }),
            _ => {}
        }
    }
    (sleeps, signals)
}

/// A signal that ends a sleep happens while the thread is asleep.
fn lies_between(draft: &mut Draft<'_>, happens: &Happens, signal: Signal, sleep: Sleep, pair: Pair) {
    let slept = draft.before(sleep.event, signal.event);
    let wakes_later = draft.before(signal.event, sleep.wake);
    let later = draft.terms.implies(happens.of(sleep.wake), wakes_later);
    for term in [happens.of(signal.event), happens.of(sleep.event), pair.same, slept, later] {
        draft.assert_implies(Family::Sync, pair.literal, term);
    }
}

/// If a signal wakes no thread, or a broadcast not this one, the thread was not asleep: not yet, no longer, or
/// signalled before.
fn not_asleep_unless(
    draft: &mut Draft<'_>,
    happens: &Happens,
    woken: Term,
    pair: Pair,
    (sleeps, signals): (&[Sleep], &[Signal]),
    others: &[Pair],
) {
    let (sleep, signal) = (sleeps[pair.sleep], signals[pair.signal]);
    let both = [happens.of(signal.event), happens.of(sleep.event), pair.same];
    let concerned = draft.terms.and(&both);
    let later = draft.before(signal.event, sleep.event);
    let earlier = draft.before(sleep.wake, signal.event);
    let awake = draft.terms.and2(happens.of(sleep.wake), earlier);
    let mut ways = vec![woken, later, awake];
    ways.extend(sleep.gave_up);
    for other in others.iter().filter(|other| other.signal != pair.signal) {
        let first = draft.before(signals[other.signal].event, signal.event);
        ways.push(draft.terms.and2(other.literal, first));
    }
    let fine = draft.terms.or(&ways);
    draft.assert_implies(Family::Sync, concerned, fine);
}

/// A wake happens because of a signal, or because the wait may end by itself; in that case it was not signalled.
fn wake(draft: &mut Draft<'_>, happens: &Happens, sleep: Sleep, signalled: Term) -> Option<Wake> {
    let Kind::Wake { timed_out, spurious, .. } = draft.graph.events[sleep.wake.index()].kind else { return None };
    let happens = happens.of(sleep.wake);
    if let Some(timed_out) = timed_out {
        let both = draft.terms.and2(timed_out, signalled);
        let never = draft.terms.not(both);
        draft.assert_implies(Family::Sync, happens, never);
    }
    if !spurious {
        let ended = draft.terms.or2(signalled, timed_out.unwrap_or(draft.terms.falsehood()));
        draft.assert_implies(Family::Sync, happens, ended);
    }
    if let Some(gave_up) = sleep.gave_up {
        let unsignalled = draft.terms.not(signalled);
        draft.assert_implies(Family::Sync, gave_up, unsignalled);
        if let (Some(timed_out), false) = (timed_out, spurious) {
            let told = draft.terms.implies(happens, timed_out);
            draft.assert_implies(Family::Sync, gave_up, told);
        }
    }
    Some(Wake { event: sleep.wake, timed_out, spurious, signalled, sleep: sleep.event, gave_up: sleep.gave_up })
}
