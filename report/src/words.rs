//! Phrases that several formats share: numbers with nouns, places, and events.

use crate::model::{Event, EventKind, Place};

/// A non-breaking space, which becomes an ordinary one in the output. Texts never contain this character.
pub(crate) const GLUE: char = '\u{fdd0}';

/// Values in a run's events are cut to this many characters; the whole value is in the JSON form.
pub(crate) const VALUE_WIDTH: usize = 40;

/// The condition of a call of SV-COMP's error function: it is reached and does not fail.
pub(crate) const REACH_ERROR: &str = "reach_error()";

pub(crate) fn counted(number: u64, what: &str) -> String {
    in_number(&number.to_string(), " ", number, what)
}

/// The same for running text: large numbers are grouped, and the noun stays with its number.
pub(crate) fn grouped(number: u64, what: &str) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    in_number(&text, &GLUE.to_string(), number, what)
}

fn in_number(digits: &str, blank: &str, number: u64, what: &str) -> String {
    let ending = match (number, what) {
        (1, _) => "",
        (_, "context switch" | "access") => "es",
        _ => "s",
    };
    format!("{digits}{blank}{what}{ending}")
}

/// The first few names.
pub(crate) fn listed(names: &[String]) -> String {
    const SHOWN: usize = 4;
    let mut text: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    if names.len() > SHOWN {
        text.push("…".to_owned());
    }
    text.join(", ")
}

pub(crate) fn short(place: &Place) -> String {
    format!("{}:{}", place.file_name(), place.line)
}

/// The place in the user's code; empty if unknown.
pub(crate) fn place_of(event: &Event) -> String {
    event.at.user_place().map_or(String::new(), short)
}

pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain("…".chars()).collect()
}

/// The verbs for event kinds.
fn verb(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Read | EventKind::Clock => "reads",
        EventKind::Write => "writes",
        EventKind::Rmw => "updates",
        EventKind::Lock => "locks",
        EventKind::TryLock => "tries",
        EventKind::ReadLock => "read-locks",
        EventKind::WriteLock => "write-locks",
        EventKind::Unlock | EventKind::RwUnlock => "unlocks",
        EventKind::Wait | EventKind::Blocked => "waits for",
        EventKind::Wake => "wakes up",
        EventKind::Signal => "signals",
        EventKind::Broadcast => "broadcasts",
        EventKind::SemWait => "takes",
        EventKind::SemPost => "posts",
        EventKind::BarrierArrive => "arrives at",
        EventKind::BarrierLeave => "leaves",
        EventKind::Fork => "starts",
        EventKind::Join => "joins",
        EventKind::Start => "begins",
        EventKind::Exit => "ends",
        EventKind::Sleep => "sleeps",
        EventKind::Branch => "finds",
        EventKind::Assert => "asserts",
        EventKind::Free => "frees",
        EventKind::Destroy => "destroys",
        EventKind::Spin => "awaits",
        EventKind::Use => "uses",
        other => other.name(),
    }
}

/// The origin of the events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// The machine's events, with the runtime's names for operations.
    Machine,
    /// Those of an event graph.
    Graph,
}

impl Manner {
    /// The event without its thread and place: (`writes`, `total = 320`).
    pub(crate) fn deed(self, event: &Event) -> (&'static str, String) {
        match self {
            Manner::Graph if is_call(event) => ("calls", event.object.clone()),
            Manner::Machine => of_machine(event),
            Manner::Graph => (verb(event.kind), of_graph(event)),
        }
    }

    /// `T0.1 reads x = 0 (hall.c:21)`.
    pub(crate) fn words(self, event: &Event) -> String {
        let (verb, what) = self.deed(event);
        let text = format!("T{} {verb} {what}", event.thread());
        let text = if self == Manner::Machine { text.trim_end() } else { &text };
        let place = event.at.user_place().map_or(String::new(), |at| format!(" ({})", short(at)));
        text.replace(" = ", &format!("{GLUE}={GLUE}")) + &place
    }
}

/// One line about an event, such as a schedule's notes: `bank.c:34 writes total = 320`.
pub fn in_words(event: &Event, manner: Manner) -> String {
    let (verb, what) = manner.deed(event);
    format!("{} {verb} {what}", place_of(event)).trim().to_owned()
}

/// An access inside of a library that the user's code calls.
pub(crate) fn is_call(event: &Event) -> bool {
    event.kind.is_access() && event.object.ends_with("()")
}

fn of_machine(event: &Event) -> (&'static str, String) {
    let (object, value) = (&event.object, cut(&event.value, VALUE_WIDTH));
    let verb = match event.kind {
        EventKind::TryLock
        | EventKind::RwUnlock
        | EventKind::SemWait
        | EventKind::SemPost
        | EventKind::BarrierArrive
        | EventKind::BarrierLeave
        | EventKind::Branch => event.kind.name(),
        kind => verb(kind),
    };
    let what = match event.kind {
        // The thread that is born or awaited.
        EventKind::Fork | EventKind::Join => format!("T{}", if value.is_empty() { object } else { &value }),
        _ if value.is_empty() => object.clone(),
        kind if kind.is_access() && !object.is_empty() => format!("{object} = {value}"),
        _ if object.is_empty() => value,
        _ => format!("{object}, {value}"),
    };
    (verb, what)
}

fn of_graph(event: &Event) -> String {
    let Event { object, value, .. } = event;
    match event.kind {
        EventKind::Spin if !value.is_empty() => format!("{object} = {value}"),
        kind if kind.is_access() && !value.is_empty() => format!("{object} = {value}"),
        EventKind::Read
        | EventKind::Write
        | EventKind::Rmw
        | EventKind::Blocked
        | EventKind::Free
        | EventKind::Destroy
        | EventKind::Use
        | EventKind::Lock
        | EventKind::Unlock
        | EventKind::Wait
        | EventKind::Wake
        | EventKind::WriteLock
        | EventKind::ReadLock
        | EventKind::RwUnlock
        | EventKind::SemWait
        | EventKind::SemPost
        | EventKind::Spin
        | EventKind::BarrierArrive
        | EventKind::BarrierLeave => object.clone(),
        EventKind::Signal | EventKind::Broadcast if !value.is_empty() => {
            let woken = match value.as_str() {
                "0" => "no thread".to_owned(),
                "1" => "1 thread".to_owned(),
                many => format!("{many} threads"),
            };
            format!("{object}, wakes {woken}")
        }
        EventKind::Signal | EventKind::Broadcast => object.clone(),
        EventKind::TryLock if value == "false" => format!("{object}, fails"),
        EventKind::TryLock => object.clone(),
        EventKind::Fork | EventKind::Join => format!("T{object}"),
        EventKind::Start | EventKind::Exit => String::new(),
        EventKind::Branch | EventKind::Assert => value.clone(),
        _ => [object.as_str(), value].join(" ").trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_grouped() {
        assert_eq!(grouped(1, "access"), format!("1{GLUE}access"));
        assert_eq!(grouped(999, "access"), format!("999{GLUE}accesses"));
        assert_eq!(grouped(1_234_567, "clause"), format!("1,234,567{GLUE}clauses"));
        assert_eq!(counted(1_234, "run"), "1234 runs");
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(cut("total = 320", 7), "total …");
    }
}
