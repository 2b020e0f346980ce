//! The text of an explanation: both executions one above the other, the necessary orders, and remedies.

use std::collections::BTreeSet;

use diagnose::{Confirmation, Method, Proof};
use run::ThreadName;

use super::lanes::{Lanes, lanes};
use super::style::paint;
use super::{Page, WIDTH};
use crate::model::{Alternate, Cause, Escape, Event, EventKind, Explanation, Place, Presence, Reason, Region};
use crate::words::{GLUE, Manner, grouped, short};

/// Further orders are only counted.
const ORDERS: usize = 4;

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

    pub(super) fn explanation(&mut self, explanation: &Explanation) {
        match &explanation.cause.reason {
            Reason::Orders { orders, .. } => self.orders(orders, ORDERS, Manner::Graph),
            Reason::Inevitable if explanation.other_paths => self.other_ways(explanation),
            Reason::Inevitable => self.labelled(
                "because",
                "if every thread takes the same branches, it always fails (proven): the failure depends on the branches, \
                 not on the order",
            ),
            Reason::Chosen => self.chosen(),
            Reason::Unknown => self.note("the budget ran out before a cause was found"),
        }
        if let Some(alternate) = explanation.alternates.first() {
            self.remedies(alternate, &explanation.cause);
            self.need_on_paths(&explanation.cause);
            self.found_alternate(explanation, alternate);
        } else {
            self.need_on_paths(&explanation.cause);
            self.no_alternate(explanation);
        }
        if explanation.alternates.len() > 1 {
            let others = grouped(explanation.alternates.len() as u64 - 1, "other alternate");
            self.note(&format!("{others} found; --format json lists all"));
        }
    }

    /// No order of the failing paths passes, but another path does: it begins where a read returns another value.
    fn other_ways(&mut self, explanation: &Explanation) {
        let Some(alternate) = explanation.alternates.first() else { return };
        let of = |presence: Presence| alternate.dataflow.iter().filter(move |flow| flow.presence == presence);
        let mut told = 0;
        for lost in of(Presence::Failing).filter(|flow| matches!(flow.read.kind, EventKind::Read | EventKind::Rmw)) {
            let Some(gained) = of(Presence::Alternate).find(|flow| flow.read.id == lost.read.id) else { continue };
            let writer = |write: &Option<Event>| match write {
                Some(write) => format!("which T{} wrote", write.thread()),
                None => "its initial value".to_owned(),
            };
            let found = match (gained.read.value.is_empty(), &gained.write) {
                (false, write) => format!("{}, {}", gained.read.value, writer(write)),
                // The contents of a library's object mean nothing to the user.
                (true, Some(write)) => format!("what T{} wrote", write.thread()),
                (true, None) => "its initial value".to_owned(),
            };
            let text = format!(
                "{}, {}; in the passing order it reads {GLUE}{found}",
                Manner::Graph.words(&lost.read),
                writer(&lost.write)
            );
            self.labelled(if told == 0 { "because" } else { "and" }, &text.replace(&format!(" {GLUE}"), " "));
            told += 1;
            if told == 2 {
                break;
            }
        }
        let blocked: Vec<String> = alternate
            .failing_rows
            .iter()
            .filter(|row| row.event.kind == EventKind::Blocked)
            .map(|row| format!("T{} waits for {}", row.event.thread(), row.event.object))
            .collect();
        if told == 0 && !blocked.is_empty() {
            self.labelled("because", &format!("{}, and none of them can go on", blocked.join(", ")));
        }
        self.note("proven: if every thread takes the same branches, it always fails");
    }

    /// The relation between the orders and the failure.
    fn need_on_paths(&mut self, cause: &Cause) {
        let Reason::Orders { orders, proof, .. } = &cause.reason else { return };
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

    /// The regions that should be atomic, or the order that should hold.
    fn remedies(&mut self, alternate: &Alternate, cause: &Cause) {
        for region in &alternate.atomic {
            let Region { first, last, interrupted_by } = region;
            let others: BTreeSet<String> = interrupted_by.iter().map(|event| format!("T{}", event.thread())).collect();
            let others: Vec<String> = others.into_iter().collect();
            let text = format!(
                "make {} in T{} atomic with respect to {}, for example with a mutex",
                stretch(first.at.place(), last.at.place()),
                first.thread(),
                others.join(", ")
            );
            self.labelled("so", &text);
        }
        let orders = cause.reason.orders();
        let position = |id: Option<usize>| alternate.events.iter().position(|event| event.id == id);
        let turned = orders.iter().find(|order| {
            matches!((position(order.before.id), position(order.after.id)), (Some(one), Some(other)) if one > other)
        });
        if let (true, Some(order)) = (alternate.atomic.is_empty(), turned) {
            self.labelled("so", &format!("{} should come before {}", noun(&order.after), noun(&order.before)));
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

/// `T0.1's write of x at Hall.java:21`.
fn noun(event: &Event) -> String {
    let place = event.at.place().map_or(String::new(), |at| format!(" at {}", short(at)));
    format!("T{}'s {} of {}{place}", event.thread(), event.kind.name(), event.object)
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
