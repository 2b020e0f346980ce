//! The explanation for people: both executions one above the other, what the failure needs, and what would prevent it.

use std::collections::BTreeSet;

use events::Place;
use run::ThreadName;

use super::TraceEvent;
use super::explanation::{
    AlternateReport, CauseReport, EscapeReport, Explanation, OrderReport, Presence, RegionReport,
};
use super::lanes::{Lanes, lanes};
use super::text::{GLUE, Page, WIDTH, counted, deed, short, wrapped};
use crate::style::paint;

/// More orders than this are counted only.
const ORDERS: usize = 4;

/// Where the words after `because` and `so` begin.
const MARGIN: usize = 11;

impl Page<'_> {
    /// The failing execution and the other, as lanes.
    pub(super) fn beside(&mut self, lost: &[usize], alternate: &AlternateReport) {
        let rows = alternate.failing_rows.iter().chain(&alternate.passing_rows);
        let threads: BTreeSet<&ThreadName> = rows.map(|row| &row.event.thread).collect();
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
        match &explanation.cause {
            CauseReport::Orders { orders, .. } => self.orders(orders),
            CauseReport::Inevitable if explanation.other_paths => self.other_ways(explanation),
            CauseReport::Inevitable => self.labelled(
                "because",
                "no order of these paths passes, which is proven: the failure depends on which way the threads went, not on \
                 the order in which they went it",
            ),
            CauseReport::Chosen => {
                self.labelled("because", "of a choice of the environment: who was woken, or who gave up waiting");
            }
            CauseReport::Unknown => self.note("the budget was used up before a cause was found"),
        }
        if let Some(alternate) = explanation.alternates.first() {
            self.remedies(alternate, &explanation.cause);
            self.need(&explanation.cause);
            self.found_alternate(explanation, alternate);
        } else {
            self.need(&explanation.cause);
            self.no_alternate(explanation);
        }
        if explanation.alternates.len() > 1 {
            let others = counted(explanation.alternates.len() as u64 - 1, "other alternate");
            self.note(&format!("{others} found; --format json lists all"));
        }
    }

    /// No order of the failing paths passes, but another way does: it begins where a read finds something else.
    fn other_ways(&mut self, explanation: &Explanation) {
        let Some(alternate) = explanation.alternates.first() else { return };
        let of = |presence: Presence| alternate.dataflow.iter().filter(move |flow| flow.presence == presence);
        let mut told = 0;
        for lost in of(Presence::Failing).filter(|flow| matches!(flow.read.kind, "read" | "rmw")) {
            let Some(gained) = of(Presence::Alternate).find(|flow| flow.read.id == lost.read.id) else { continue };
            let writer = |write: &Option<TraceEvent>| match write {
                Some(write) => format!("which T{} wrote", write.thread),
                None => "its initial value".to_owned(),
            };
            let found = match (gained.read.value.is_empty(), &gained.write) {
                (false, write) => format!("{}, {}", gained.read.value, writer(write)),
                // What is inside of a library's object means nothing to the user.
                (true, Some(write)) => format!("what T{} wrote", write.thread),
                (true, None) => "its initial value".to_owned(),
            };
            let text = format!(
                "{}, {}; where it does not fail, it reads {GLUE}{found}",
                words(&lost.read),
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
            .filter(|row| row.event.kind == "blocked")
            .map(|row| format!("T{} waits for {}", row.event.thread, row.event.object))
            .collect();
        if told == 0 && !blocked.is_empty() {
            self.labelled("because", &format!("{}, and nobody lets go", blocked.join(", ")));
        }
        self.note("on the ways that the threads went when it failed no order passes, which is proven");
    }

    fn orders(&mut self, orders: &[OrderReport]) {
        for (number, order) in orders.iter().take(ORDERS).enumerate() {
            let OrderReport { before, after, reason } = order;
            let text = format!("{} before {}, {reason}", words(before), words(after));
            self.labelled(if number == 0 { "because" } else { "and" }, &text);
        }
        if orders.len() > ORDERS {
            self.labelled(
                "and",
                &format!("{} (--format json lists them)", counted((orders.len() - ORDERS) as u64, "more order")),
            );
        }
    }

    /// What the orders have to do with the failure.
    fn need(&mut self, cause: &CauseReport) {
        let CauseReport::Orders { orders, minimal, .. } = cause else { return };
        let text = match (orders.len(), minimal) {
            (1, true) => "this order alone makes it fail on these paths, whatever else is reordered".to_owned(),
            (many, true) => {
                format!("these {many} orders together make it fail on these paths; without any one of them it can pass")
            }
            (_, false) => "these orders make it fail on these paths; some may not be needed (kept at limit)".to_owned(),
        };
        self.note(&text);
    }

    /// What should be atomic, or come first.
    fn remedies(&mut self, alternate: &AlternateReport, cause: &CauseReport) {
        for region in &alternate.atomic {
            let RegionReport { first, last, interrupted_by } = region;
            let others: BTreeSet<String> = interrupted_by.iter().map(|event| format!("T{}", event.thread)).collect();
            let others: Vec<String> = others.into_iter().collect();
            let text = format!(
                "T{} should do {} without {} in between",
                first.thread,
                stretch(first.at.as_ref(), last.at.as_ref()),
                others.join(", ")
            );
            self.labelled("so", &text);
        }
        let CauseReport::Orders { orders, .. } = cause else { return };
        let position = |id: usize| alternate.events.iter().position(|event| event.id == id);
        let turned = orders.iter().find(|order| {
            matches!((position(order.before.id), position(order.after.id)), (Some(one), Some(other)) if one > other)
        });
        if let (true, Some(order)) = (alternate.atomic.is_empty(), turned) {
            self.labelled("so", &format!("{} should come before {}", noun(&order.after), noun(&order.before)));
        }
    }

    fn found_alternate(&mut self, explanation: &Explanation, alternate: &AlternateReport) {
        let how = match alternate.method {
            "pair" => format!("by swapping {}", counted(u64::from(alternate.pairs_tried), "pair")),
            "any" if alternate.pairs_tried > 0 => "by the solver, as no swapped pair helped".to_owned(),
            "any" => "by the solver, as the program does not go through with the nearest one".to_owned(),
            method => format!(
                "by the solver ({method}{})",
                if alternate.optimal == Some(true) { ", proven nearest" } else { "" }
            ),
        };
        let paths = if explanation.other_paths { ", on another way through the program" } else { "" };
        let then = if alternate.outcome == "passes" { "" } else { "; later on, it fails in another place" };
        self.note(&format!("the order that does not fail was found {how}{paths}, and replayed{then}"));
        let metrics = &alternate.metrics;
        let left_out = match alternate.left_out {
            0 => String::new(),
            more => format!(" ({more} not shown)"),
        };
        let varied: BTreeSet<usize> = alternate.dataflow.iter().map(|flow| flow.read.id).collect();
        let reads = match varied.len() {
            1 => format!("1{GLUE}read gets its value from elsewhere"),
            many => format!("{many}{GLUE}reads get their values from elsewhere"),
        };
        let aside = match alternate.aside {
            0 => String::new(),
            more => format!(" ({more}{GLUE}more on which the failure does not depend)"),
        };
        self.note(&format!(
            "of {} and {}, {reads}{aside}; {} to look at{left_out}",
            counted(metrics.events as u64, "event"),
            counted(metrics.dataflows as u64, "data flow"),
            counted(metrics.operations as u64, "operation"),
        ));
    }

    fn no_alternate(&mut self, explanation: &Explanation) {
        match explanation.escape {
            EscapeReport::Excluded => self.note("other ways through the program can be searched with `heddle explore`"),
            EscapeReport::Unknown => self.note("the budget was used up before a passing order was found"),
            EscapeReport::Possible | EscapeReport::NotAsked => {}
        }
    }

    fn labelled(&mut self, label: &str, text: &str) {
        for (number, line) in wrapped(text, WIDTH - MARGIN).into_iter().enumerate() {
            match number {
                0 => {
                    let gap = " ".repeat(MARGIN - 2 - label.len());
                    self.line(format!("  {}{gap}{line}", paint(self.palette.strong, label)));
                }
                _ => self.line(format!("{}{line}", " ".repeat(MARGIN))),
            }
        }
    }
}

/// `T0.1 reads x = 0 (Hall.java:21)`.
fn words(event: &TraceEvent) -> String {
    let (verb, what) = deed(event);
    let place = event.at.as_ref().map_or(String::new(), |at| format!(" ({})", short(at)));
    format!("T{} {verb} {what}{place}", event.thread).replace(" = ", &format!("{GLUE}={GLUE}"))
}

/// `T0.1's write of x at Hall.java:21`.
fn noun(event: &TraceEvent) -> String {
    let place = event.at.as_ref().map_or(String::new(), |at| format!(" at {}", short(at)));
    format!("T{}'s {} of {}{place}", event.thread, event.kind, event.object)
}

fn stretch(first: Option<&Place>, last: Option<&Place>) -> String {
    match (first, last) {
        (Some(first), Some(last)) if first == last => format!("what it does at {}", short(first)),
        // From the end of a loop's body to its begin: all of it.
        (Some(first), Some(last)) if first.file == last.file && last.line < first.line => {
            format!("{} to {}", short(last), first.line)
        }
        (Some(first), Some(last)) if first.file == last.file => format!("{} to {}", short(first), last.line),
        (Some(first), Some(last)) => format!("{} to {}", short(first), short(last)),
        _ => "this".to_owned(),
    }
}
