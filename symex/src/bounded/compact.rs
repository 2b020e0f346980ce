//! Removes events from a graph and renumbers the rest.

use std::collections::HashSet;

use events::{Choice, Event, EventGraph, EventId, Kind};

/// The new number of each event that is kept.
pub struct Renumbered(Vec<Option<EventId>>);

impl Renumbered {
    pub fn of(&self, event: EventId) -> Option<EventId> {
        self.0.get(event.index()).copied().flatten()
    }

    pub fn choice(&self, choice: Choice) -> Option<Choice> {
        match choice {
            Choice::Wakes(sleep) => self.of(sleep).map(Choice::Wakes),
            other => Some(other),
        }
    }
}

/// A wake is removed together with the sleep that it refers to.
pub fn compact(graph: &mut EventGraph, dropped: &HashSet<EventId>) -> Renumbered {
    let mut numbers = Vec::with_capacity(graph.events.len());
    let mut kept: Vec<Event> = Vec::new();
    for (index, mut event) in std::mem::take(&mut graph.events).into_iter().enumerate() {
        let mut stays = !dropped.contains(&EventId(index as u32));
        if let Kind::Wake { sleep, .. } = &mut event.kind {
            match numbers.get(sleep.index()).copied().flatten() {
                Some(number) => *sleep = number,
                None => stays = false,
            }
        }
        numbers.push(stays.then_some(EventId(kept.len() as u32)));
        if stays {
            kept.push(event);
        }
    }
    graph.events = kept;
    for thread in &mut graph.threads {
        thread.events = thread.events.iter().filter_map(|event| numbers[event.index()]).collect();
    }
    Renumbered(numbers)
}
