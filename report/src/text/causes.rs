//! The text of bounded checking: the orders that cause the failure, with source names, and the scope of the answer.

use std::collections::BTreeSet;

use diagnose::Proof;

use super::style::paint;
use super::{Page, given};
use crate::model::{
    Bounds, Cause, Checked, CutPlace, CutWhat, Event, EventKind, FailureCount, NeededInput, Place, Reason, Report,
};
use crate::words::{GLUE, Manner, grouped, short};

/// Further causes, and further orders of one, are only counted.
const REASONS: usize = 4;
const ORDERS: usize = 6;

/// Further places are only counted.
const PLACES: usize = 6;

/// Causes between the same operations at the same lines, in any threads.
struct Group<'a> {
    cause: &'a Cause,
    variants: usize,
    /// It holds within the bound.
    bounded: bool,
    /// That no order passes is proven for one bound only.
    doubtful: bool,
}

impl Page<'_> {
    pub(super) fn causes(&mut self, checked: &Checked, counts: &[FailureCount]) {
        let groups = groups(checked);
        if groups.is_empty() {
            return;
        }
        self.gap();
        if groups.len() > 1 {
            self.line(format!("  {} causes, each of which is sufficient:", groups.len()));
        }
        for (number, group) in groups.iter().take(REASONS).enumerate() {
            if groups.len() > 1 {
                self.line("");
                let which = counts.get(group.cause.failure).filter(|_| counts.len() > 1);
                let which = which
                    .and_then(|count| Some(format!(", for {} at {}", count.kind.name(), short(count.at.as_ref()?))));
                let title = paint(self.palette.strong, format!("cause {}", number + 1));
                self.line(format!("  {title}{}", which.unwrap_or_default()));
            }
            self.cause(group);
        }
        if groups.len() > REASONS {
            let more = grouped((groups.len() - REASONS) as u64, "more cause");
            self.line("");
            self.note(&format!("{more}; --format json lists them all"));
        }
        let proven = |group: &Group<'_>| matches!(group.cause.reason, Reason::Orders { .. } | Reason::Inevitable);
        if checked.causes_bounded && !checked.doubtful && groups.iter().any(proven) {
            self.note("proven up to the unrolling bound; runs with more iterations may pass");
        }
    }

    fn cause(&mut self, group: &Group<'_>) {
        match &group.cause.reason {
            Reason::Orders { orders, proof, .. } => {
                self.orders(orders, ORDERS, Manner::Machine);
                if !group.cause.inputs.is_empty() {
                    self.labelled("and", &inputs(&group.cause.inputs));
                }
                self.need(orders.len(), *proof, group.cause);
            }
            Reason::Inevitable if group.doubtful => {
                self.note(
                    "no order passes up to the unrolling bound; whether one with more iterations passes is not known",
                );
            }
            Reason::Inevitable if group.cause.inputs.is_empty() => {
                let text = match group.bounded {
                    false => "it fails in every order of the threads (proven)",
                    true => "it fails in every order of the threads, up to the unrolling bound",
                };
                self.labelled("because", text);
            }
            Reason::Inevitable => {
                self.labelled("because", &inputs(&group.cause.inputs));
                let proven = if group.bounded { "" } else { " (proven)" };
                self.note(&format!("with this input it fails in every order of the threads{proven}"));
            }
            Reason::Chosen => self.chosen(),
            Reason::Unknown => self.note("the budget ran out before its cause was found"),
        }
        if group.variants > 1 {
            let others = grouped(group.variants as u64 - 1, "other cause");
            self.note(&format!("{others} at the same lines, in other iterations or between other threads"));
        }
    }

    /// The relation between the orders and the failure.
    fn need(&mut self, orders: usize, proof: Proof, cause: &Cause) {
        let given = match (cause.inputs.is_empty(), cause.choices) {
            (true, false) => "",
            (false, false) => " with these inputs",
            (true, true) => " if the same threads are woken or time out",
            (false, true) => " with these inputs, if the same threads are woken or time out",
        };
        let text = match (orders, proof) {
            (1, Proof::Minimal) => format!("it fails whenever this order holds{given}"),
            (many, Proof::Minimal) => {
                format!("it fails whenever these {many} orders hold{given}; without any one of them it can pass")
            }
            (_, Proof::Sufficient) => {
                format!("it fails whenever these orders hold{given}; some may not be needed (the budget ran out)")
            }
            (_, Proof::Necessary) => format!("without any one of these orders it can pass{given}"),
        };
        self.note(&text);
    }

    /// The scope of the answer.
    pub(super) fn checked(&mut self, report: &Report, bounds: &Bounds, checked: &Checked) {
        let fails = report.finding.is_some();
        // Then there is no answer.
        if report.unsupported.iter().any(|unsupported| unsupported.reached) && !fails {
            return;
        }
        if let Some(with) = report.finding.as_ref().and_then(|finding| checked.given.failing(finding)) {
            self.note(&format!("it fails with {with}"));
        }
        if fails && !checked.all {
            self.note("this is the first failure found; --all searches for all failures and causes");
        } else if let Some(extent) = extent(report, bounds, checked) {
            let found = if fails { "searched for all failures" } else { "checked" };
            self.note(&format!("{found}: {extent}; sequential consistency"));
        }
        if let Some(reason) = bounds.stopped {
            self.note(&stopped(reason.in_words(), checked, fails));
        }
        if fails && !checked.all {
            return;
        }
        for cut in checked.cut.iter().take(PLACES) {
            self.note(&format!("not checked: {}", beyond(cut)));
        }
        if checked.cut.len() > PLACES {
            let more = grouped((checked.cut.len() - PLACES) as u64, "more place");
            self.note(&format!("not checked: {more} (--format json lists them)"));
        }
        if checked.threads == 1 {
            self.note("the program never creates a thread, so there is only one order");
        }
        if checked.unroll.is_some() {
            let given = checked.given.in_words();
            if !given.is_empty() {
                self.note(&format!("with {given}"));
            }
            self.assumptions(report, &bounds.search);
        }
    }
}

/// The scope in words; `None` if no bound was completed.
fn extent(report: &Report, bounds: &Bounds, checked: &Checked) -> Option<String> {
    let whole = bounds.complete || (report.caveats.ends_early() && checked.cut.is_empty());
    let unroll = checked.unroll?;
    let orders = match checked.threads {
        1 => "the one order".to_owned(),
        threads => format!("every order of {}", grouped(threads as u64, "thread")),
    };
    let ways = match whole {
        true => "all paths of the program".to_owned(),
        false => format!("up to {} of each loop and as many nested calls", grouped(u64::from(unroll), "iteration")),
    };
    let inputs = match checked.inputs {
        0 => String::new(),
        1 => ", every value of the one input".to_owned(),
        many => format!(", every value of {many}{GLUE}inputs"),
    };
    Some(format!("{orders}, {ways}{inputs}"))
}

fn stopped(reason: &str, checked: &Checked, fails: bool) -> String {
    match checked.unroll {
        _ if fails => format!("there may be other failures and causes: {reason}"),
        Some(unroll) => format!("more than {} could not be checked: {reason}", grouped(u64::from(unroll), "iteration")),
        None => format!("not even the first bound could be checked: {reason}"),
    }
}

fn beyond(cut: &CutPlace) -> String {
    let at = cut.at.as_ref().map_or(String::new(), |place| format!(" at {}", short(place)));
    let function = cut.function.as_ref().map_or(String::new(), |function| format!(" in {function}"));
    match cut.what {
        CutWhat::Loop => format!("more than {} of the loop{at}{function}", grouped(cut.after, "iteration")),
        CutWhat::Recursion => format!("more than {}{at}{function}", grouped(cut.after, "nested call")),
        CutWhat::Steps => format!("threads after {}{at}{function}", grouped(cut.after, "instruction")),
    }
}

fn inputs(needed: &[NeededInput]) -> String {
    let told = needed.iter().map(|needed| {
        let NeededInput { number, value, whole, at, .. } = needed;
        let part = if *whole { "" } else { " or another value with the same relevant bits" };
        if let Some(words) = given::needed(needed) {
            return format!("{words}{part}");
        }
        let at = at.as_ref().map_or(String::new(), |place| format!(" ({})", short(place)));
        format!("input{GLUE}{number}{at} is {value}{part}")
    });
    told.collect::<Vec<String>>().join(", ")
}

type Spot<'a> = (EventKind, Option<(&'a str, u32)>);

/// The failure, the pairs of places, and the reason.
type Key<'a> = (usize, BTreeSet<(Spot<'a>, Spot<'a>)>, &'a Reason);

fn groups(checked: &Checked) -> Vec<Group<'_>> {
    let mut keys: Vec<Key<'_>> = Vec::new();
    let mut groups: Vec<Group<'_>> = Vec::new();
    for cause in &checked.causes {
        let orders = cause.reason.orders();
        let key: BTreeSet<(Spot<'_>, Spot<'_>)> =
            orders.iter().map(|order| (spot(&order.before), spot(&order.after))).collect();
        let alike = |(failure, known, reason): &Key<'_>| {
            let same_kind = std::mem::discriminant(*reason) == std::mem::discriminant(&cause.reason);
            *failure == cause.failure && same_kind && *known == key
        };
        match keys.iter().position(alike) {
            Some(position) => groups[position].variants += 1,
            None => {
                keys.push((cause.failure, key, &cause.reason));
                groups.push(Group { cause, variants: 1, bounded: checked.causes_bounded, doubtful: checked.doubtful });
            }
        }
    }
    groups
}

fn spot(event: &Event) -> Spot<'_> {
    let place: Option<&Place> = event.at.user_place();
    (event.kind, place.map(|place| (place.file.as_str(), place.line)))
}
