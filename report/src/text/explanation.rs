//! The text of an explanation: both executions one above the other, the necessary orders, and remedies.

use std::collections::BTreeSet;

use diagnose::{Confirmation, Method, Proof};
use run::ThreadName;

use super::lanes::{Lanes, lanes};
use super::program::waits;
use super::style::paint;
use super::{Page, WIDTH};
use crate::model::{
    Alternate, Awaited, Cause, Dataflow, Escape, Event, EventKind, Explanation, Finding, Place, Presence, Reason,
    Region, Stuck,
};
use crate::words::{GLUE, Manner, grouped, is_call, short};

/// Further orders are only counted.
const ORDERS: usize = 4;

/// Further reads with other values in the passing order are not listed.
const READS: usize = 2;

impl Page<'_> {
    /// The failing execution and the other one, as lanes.
    pub(super) fn beside(&mut self, lost: &[usize], alternate: &Alternate) {
        let rows = alternate.failing_rows.iter().chain(&alternate.passing_rows);
        let threads: BTreeSet<&ThreadName> = rows.map(|row| row.event.thread()).collect();
        let threads: Vec<ThreadName> = threads.into_iter().cloned().collect();
        let palette = self.palette;
        self.line(format!("  {}", paint(palette.error, "it fails in this order:")));
        let rows = &alternate.failing_rows;
        let drawing = Lanes { rows, threads: &threads, fails: true, lost, palette, width: WIDTH };
        lanes(&drawing).into_iter().for_each(|line| self.line(line));
        self.line("");
        self.line(format!("  {}", paint(palette.good, "it does not fail in this one:")));
        let drawing = Lanes { rows: &alternate.passing_rows, fails: false, lost: &[], ..drawing };
        lanes(&drawing).into_iter().for_each(|line| self.line(line));
    }

    pub(super) fn explanation(&mut self, finding: &Finding, explanation: &Explanation) {
        match &explanation.cause.reason {
            Reason::Orders { orders, .. } => self.orders(orders, ORDERS, Manner::Graph),
            Reason::Inevitable if explanation.other_paths => self.other_ways(finding, explanation),
            Reason::Inevitable => self.labelled(
                "because",
                "if every thread takes the same branches, it always fails (proven): the failure depends on the branches, \
                 not on the order",
            ),
            Reason::Chosen => self.chosen(),
            Reason::Unknown => self.note("the budget ran out before a cause was found"),
        }
        if let Some(alternate) = explanation.alternates.first() {
            self.remedies(finding, alternate, &explanation.cause);
            self.need_on_paths(&explanation.cause, explanation.other_paths);
            self.found_alternate(explanation, alternate);
        } else {
            self.need_on_paths(&explanation.cause, false);
            self.no_alternate(explanation);
        }
        if explanation.alternates.len() > 1 {
            let others = grouped(explanation.alternates.len() as u64 - 1, "other alternate");
            self.note(&format!("{others} found; --format json lists all"));
        }
    }

    /// No order of the failing paths passes, but another path does: it begins where a read returns another value.
    fn other_ways(&mut self, finding: &Finding, explanation: &Explanation) {
        let Some(alternate) = explanation.alternates.first() else { return };
        let of = |presence: Presence| alternate.dataflow.iter().filter(move |flow| flow.presence == presence);
        let mut told: Vec<String> = Vec::new();
        for lost in of(Presence::Failing).filter(|flow| matches!(flow.read.kind, EventKind::Read | EventKind::Rmw)) {
            let Some(gained) = of(Presence::Alternate).find(|flow| flow.read.id == lost.read.id) else { continue };
            let text = compared(lost, gained).filter(|text| !told.contains(text));
            told.extend(text);
            if told.len() == READS {
                break;
            }
        }
        if told.is_empty() {
            told.extend(deadlocked(finding));
        }
        for (number, text) in told.iter().enumerate() {
            self.labelled(if number == 0 { "because" } else { "and" }, text);
        }
    }

    /// The relation between the orders and the failure.
    fn need_on_paths(&mut self, cause: &Cause, other_paths: bool) {
        let Reason::Orders { orders, proof, .. } = &cause.reason else {
            if cause.reason == Reason::Inevitable && other_paths {
                self.note("proven: if every thread takes the same branches, it always fails");
            }
            return;
        };
        let text = match (orders.len(), proof) {
            (1, Proof::Minimal) => "proven: on these paths it fails whenever this order holds".to_owned(),
            (many, Proof::Minimal) => format!(
                "proven: on these paths it fails whenever these {many} orders hold; without any one of them it can pass"
            ),
            (_, Proof::Sufficient) => {
                "proven: on these paths it fails whenever these orders hold; some may not be needed (limit reached)"
                    .to_owned()
            }
            (1, Proof::Necessary) => {
                "without this order it can pass; the run is too long to prove that the order suffices".to_owned()
            }
            (_, Proof::Necessary) => {
                "without any one of these orders it can pass; the run is too long to prove that they suffice".to_owned()
            }
        };
        self.note(&text);
    }

    /// The regions that should be atomic, the order that should hold, or the order of locks.
    fn remedies(&mut self, finding: &Finding, alternate: &Alternate, cause: &Cause) {
        for (number, region) in alternate.atomic.iter().enumerate() {
            let Region { first, last, interrupted_by } = region;
            let others: BTreeSet<String> = interrupted_by.iter().map(|event| format!("T{}", event.thread())).collect();
            let others: Vec<String> = others.into_iter().collect();
            let text = format!(
                "make {} in T{} atomic with respect to {}, for example with a mutex",
                stretch(first.at.place(), last.at.place()),
                first.thread(),
                others.join(", ")
            );
            self.labelled(if number == 0 { "so" } else { "and" }, &text);
        }
        let orders = cause.reason.orders();
        let position = |id: Option<usize>| alternate.events.iter().position(|event| event.id == id);
        let turned = orders.iter().find(|order| {
            matches!((position(order.before.id), position(order.after.id)), (Some(one), Some(other)) if one > other)
        });
        match (alternate.atomic.is_empty(), turned, locks_in_circle(finding)) {
            (true, Some(order), _) => {
                self.labelled("so", &format!("{} should come before {}", noun(&order.after), noun(&order.before)));
            }
            (true, None, Some(locks)) => {
                self.labelled("so", &format!("take {locks} in the same order in every thread"));
            }
            _ => {}
        }
    }

    fn found_alternate(&mut self, explanation: &Explanation, alternate: &Alternate) {
        let how = match alternate.method {
            Method::Pair => format!("by swapping {}", grouped(u64::from(alternate.pairs_tried), "pair")),
            Method::Any if alternate.pairs_tried > 0 => "by the solver, because no swapped pair passes".to_owned(),
            Method::Any => "by the solver, because the program diverges from the nearest one".to_owned(),
            method => format!(
                "by the solver ({}{})",
                method.name(),
                if alternate.optimal == Some(true) { ", proven nearest" } else { "" }
            ),
        };
        let paths = if explanation.other_paths { " on another path" } else { "" };
        let then = if alternate.outcome == Confirmation::Passes { "" } else { "; it fails later, in another place" };
        self.note(&format!("the passing order was found {how}{paths}, and replayed{then}"));
        let metrics = &alternate.metrics;
        let left_out = match alternate.left_out {
            0 => String::new(),
            more => format!(" ({more} not shown)"),
        };
        let varied: BTreeSet<Option<usize>> = alternate.dataflow.iter().map(|flow| flow.read.id).collect();
        let reads = match varied.len() {
            0 => "no read sees another write in the passing order".to_owned(),
            1 => format!("1{GLUE}read sees another write in the passing order"),
            many => format!("{many}{GLUE}reads see other writes in the passing order"),
        };
        let aside = match alternate.aside {
            0 => String::new(),
            more => format!(" ({more}{GLUE}more on which the failure does not depend)"),
        };
        self.note(&format!(
            "of {} and {}, {reads}{aside}; {} to understand{left_out}",
            grouped(metrics.events as u64, "event"),
            grouped(metrics.dataflows as u64, "data flow"),
            grouped(metrics.operations as u64, "operation"),
        ));
    }

    fn no_alternate(&mut self, explanation: &Explanation) {
        match explanation.escape {
            Escape::Excluded => self.note("`heddle explore` searches other paths of the program"),
            Escape::Unknown => self.note("the budget ran out before a passing order was found"),
            Escape::Possible | Escape::NotAsked => {}
        }
    }
}

/// A read with its sources in both executions; `None` if the text would be the same for both.
fn compared(lost: &Dataflow, gained: &Dataflow) -> Option<String> {
    let (read, there) = (&lost.read, &gained.read);
    let source = |flow: &Dataflow| flow.write.as_ref().map(|write| write.thread().to_string());
    let is_same_object = read.object == there.object;
    if source(lost) == source(gained) && read.value == there.value && is_same_object {
        return None;
    }
    let words = Manner::Graph.words(read);
    // The contents of a library's object mean nothing to the user.
    if is_call(read) {
        let state = |flow: &Dataflow| match source(flow) {
            Some(writer) => format!("in the state that T{writer} left"),
            None => "in the initial state".to_owned(),
        };
        return Some(format!("{words} {}; in the passing order, {}", state(lost), state(gained)));
    }
    if read.kind == EventKind::Rmw {
        let from = |flow: &Dataflow| match source(flow) {
            Some(writer) => format!("from the value that T{writer} wrote"),
            None => "from its initial value".to_owned(),
        };
        return Some(format!("{words} {}; in the passing order, {}", from(lost), from(gained)));
    }
    let writer = |flow: &Dataflow| match source(flow) {
        Some(writer) => format!("which T{writer} wrote"),
        None => "its initial value".to_owned(),
    };
    let object = if is_same_object { String::new() } else { format!("{}{GLUE}={GLUE}", there.object) };
    let found = match (there.value.is_empty(), source(gained)) {
        (false, _) => format!("{object}{}, {}", there.value, writer(gained)),
        (true, Some(writer)) => format!("what T{writer} wrote"),
        (true, None) => "its initial value".to_owned(),
    };
    Some(format!("{words}, {}; in the passing order, it reads {found}", writer(lost)))
}

/// The threads that wait, with the holders of what they wait for.
fn deadlocked(finding: &Finding) -> Option<String> {
    let stuck = interesting(finding);
    let waits = stuck.iter().map(|stuck| {
        let holders: Vec<String> = stuck.held_by.iter().map(|holder| format!("T{holder}")).collect();
        let held = match holders.is_empty() || stuck.on == Awaited::Join {
            true => String::new(),
            false => format!(", held by {}", holders.join(" and ")),
        };
        format!("T{} {}{held}", stuck.at.thread, waits(stuck))
    });
    let text = waits.collect::<Vec<_>>().join("; ");
    (!text.is_empty()).then_some(text)
}

/// The locks of a cycle of threads that wait for each other's locks.
fn locks_in_circle(finding: &Finding) -> Option<String> {
    let circle = &finding.stuck[..finding.cycle_length()];
    let is_lock = |stuck: &Stuck| ["mutex", "rwlock"].contains(&stuck.on.name()) && !stuck.object.is_empty();
    let names: BTreeSet<String> = circle.iter().map(|stuck| stuck.object.clone()).collect();
    let applies = names.len() > 1 && names.len() == circle.len() && circle.iter().all(is_lock);
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let (last, first) = names.split_last()?;
    applies.then(|| format!("{} and {last}", first.join(", ")))
}

/// The cycle of waiting threads. Without one, joins are consequences of the other waits.
fn interesting(finding: &Finding) -> Vec<&Stuck> {
    let circle = finding.cycle_length();
    let stuck = if circle > 0 { &finding.stuck[..circle] } else { &finding.stuck[..] };
    let has_others = stuck.iter().any(|stuck| stuck.on != Awaited::Join);
    stuck.iter().filter(|stuck| circle > 0 || !has_others || stuck.on != Awaited::Join).collect()
}

/// `T0.1's write of x at Hall.java:21`.
fn noun(event: &Event) -> String {
    let place = event.at.place().map_or(String::new(), |at| format!(" at {}", short(at)));
    let noun = match event.kind {
        _ if is_call(event) => "call",
        EventKind::Rmw => "update",
        kind => kind.name(),
    };
    format!("T{}'s {noun} of {}{place}", event.thread(), event.object)
}

fn stretch(first: Option<&Place>, last: Option<&Place>) -> String {
    match (first, last) {
        (Some(first), Some(last)) if first == last => short(first),
        // From the end of a loop's body to its beginning: the whole body.
        (Some(first), Some(last)) if first.file == last.file && last.line < first.line => {
            format!("{}-{}", short(last), first.line)
        }
        (Some(first), Some(last)) if first.file == last.file => format!("{}-{}", short(first), last.line),
        (Some(first), Some(last)) => format!("{} to {}", short(first), short(last)),
        _ => "this operation".to_owned(),
    }
}
