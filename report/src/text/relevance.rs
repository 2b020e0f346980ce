//! Selects the events of a failing run that a reader should see first.
//!
//! A run has hundreds of events and a failure depends on a few. Without a diagnosis of the cause the selection is a
//! heuristic from certain facts: the objects that the failing thread read where it failed, or the locks that the stuck
//! threads hold and want, and all accesses of any thread to those objects.

use std::collections::{BTreeMap, BTreeSet};

use run::ThreadName;
use vm::FailureKind;

use crate::model::{Awaited, Event, EventKind, Finding, Where};

/// How many rows a report shows at most.
pub const ROWS: usize = 24;

/// The number of objects to follow if the failing line accessed no shared one.
const LAST_OBJECTS: usize = 3;

/// Equal consecutive events are one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row<'a> {
    pub event: &'a Event,
    pub times: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection<'a> {
    pub rows: Vec<Row<'a>>,
    /// The objects that were followed; empty if all events are shown.
    pub objects: Vec<String>,
    /// The number of relevant events before the first row.
    pub earlier: usize,
}

/// All events, equal ones folded.
pub fn everything(finding: &Finding) -> Selection<'_> {
    Selection { rows: fold(finding.events.iter()), objects: Vec::new(), earlier: 0 }
}

/// The accesses to the objects of the failure, and to those in a cause.
pub fn select<'a>(finding: &'a Finding, named: &BTreeSet<String>) -> Selection<'a> {
    let mut objects = involved_objects(finding);
    objects.extend(named.iter().cloned());
    // The end of a block belongs to a use after free.
    let ended = |event: &Event| {
        event.kind == EventKind::Free && finding.related.iter().any(|(_, at)| at.place() == event.at.place())
    };
    let mut rows = fold(finding.events.iter().filter(|event| objects.contains(event.subject()) || ended(event)));
    let mut followed: Vec<String> = objects.into_iter().collect();
    if rows.is_empty() {
        let shared = shared_objects(&finding.events);
        let visible = |event: &&Event| !event.kind.is_access() || shared.contains(event.subject());
        rows = fold(finding.events.iter().filter(visible));
        followed.clear();
    }
    let earlier = rows.len().saturating_sub(ROWS);
    let earlier_events = rows.drain(..earlier).map(|row| row.times).sum();
    Selection { rows, objects: followed, earlier: earlier_events }
}

fn fold<'a>(events: impl Iterator<Item = &'a Event>) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = Vec::new();
    for event in events {
        match rows.last_mut() {
            Some(row) if is_alike(row.event, event) => row.times += 1,
            _ => rows.push(Row { event, times: 1 }),
        }
    }
    rows
}

fn is_alike(left: &Event, right: &Event) -> bool {
    left.thread() == right.thread()
        && left.kind == right.kind
        && left.object == right.object
        && left.value == right.value
        && left.at.place() == right.at.place()
}

/// Objects that one thread writes and another one accesses. Writes before the first fork do not count.
fn shared_objects(events: &[Event]) -> BTreeSet<&str> {
    let mut touched: BTreeMap<&str, (BTreeSet<&ThreadName>, bool)> = BTreeMap::new();
    let alone = events.iter().position(|event| event.kind == EventKind::Fork).unwrap_or(0);
    for (position, event) in events.iter().enumerate() {
        if !event.kind.is_access() || event.object.is_empty() {
            continue;
        }
        let (threads, written) = touched.entry(event.subject()).or_default();
        threads.insert(event.thread());
        *written |= event.kind != EventKind::Read && position >= alone;
    }
    touched.into_iter().filter(|(_, (threads, written))| threads.len() > 1 && *written).map(|(name, _)| name).collect()
}

fn involved_objects(finding: &Finding) -> BTreeSet<String> {
    match finding.kind {
        FailureKind::Deadlock | FailureKind::Hang if !finding.stuck.is_empty() => objects_of_the_stuck(finding),
        _ => objects_read_at(finding, &finding.at),
    }
}

fn objects_of_the_stuck(finding: &Finding) -> BTreeSet<String> {
    // Joins are consequences of the rest, unless there is no rest.
    let circle = finding.cycle_length();
    let stuck = if circle > 0 { &finding.stuck[..circle] } else { &finding.stuck[..] };
    let named = |wanted: fn(&Awaited) -> bool| -> BTreeSet<String> {
        let of_interest = stuck.iter().filter(|stuck| wanted(&stuck.on) && !stuck.object.is_empty());
        of_interest.map(|stuck| stuck.object.clone()).collect()
    };
    let mut objects = named(|on| *on != Awaited::Join);
    for waiting in stuck.iter().filter(|stuck| stuck.on == Awaited::Loop) {
        objects.extend(objects_read_at(finding, &waiting.at));
    }
    if objects.is_empty() { named(|_| true) } else { objects }
}

/// The shared objects that a thread accessed at its last visit of a line; if there are none, the last ones before.
fn objects_read_at(finding: &Finding, at: &Where) -> BTreeSet<String> {
    let shared = shared_objects(&finding.events);
    let by_the_thread = || {
        let own = |event: &&Event| *event.thread() == at.thread && event.kind.is_access();
        finding.events.iter().rev().filter(own)
    };
    let is_shared = |event: &&Event| shared.contains(event.subject());
    let at_the_line = |event: &&Event| match (event.at.place(), at.place()) {
        (Some(event), Some(line)) => event.file == line.file && event.line == line.line,
        _ => false,
    };
    // A loop visits the line many times; only the last visit counts.
    let last_visit = by_the_thread().take_while(at_the_line).filter(is_shared);
    let objects: BTreeSet<String> = last_visit.map(|event| event.subject().to_owned()).collect();
    if !objects.is_empty() {
        return objects;
    }
    let mut objects = BTreeSet::new();
    for event in by_the_thread().filter(is_shared) {
        if objects.len() == LAST_OBJECTS {
            break;
        }
        objects.insert(event.subject().to_owned());
    }
    objects
}
