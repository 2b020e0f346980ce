//! Describes a cause in the terms of the source: maps events of the graph to events of the run that followed it.

use std::collections::HashMap;

use diagnose::{Causes, FoundFailure, flows};
use events::{Effect, EventGraph, EventId, Kind, ThreadId};
use formula::Value;
use ir::Program;
use run::ThreadName;
use vm::{Execution, Failure, Site, SiteFrame};

use super::graph::{object_name, told};
use crate::model::{Cause, Consequence, Event, EventKind, InputPart, NeededInput, Order, Place, Reason, Where};

/// A failing execution of a program's graph, and the corresponding run of the program.
pub struct CauseTeller<'a> {
    pub program: &'a Program,
    pub graph: &'a EventGraph,
    /// The call stack of an event, innermost first.
    pub frames: &'a dyn Fn(EventId) -> Vec<SiteFrame>,
    pub found: &'a FoundFailure,
    /// The steps of the run that correspond to events.
    pub steps: &'a HashMap<EventId, (ThreadName, u64)>,
    pub threads: &'a HashMap<ThreadId, ThreadName>,
    /// The part of the input that an input of the graph stands for, if the program does not read it itself.
    pub part: &'a dyn Fn(usize) -> Option<InputPart>,
    pub run: &'a Execution,
    pub failure: &'a Failure,
    /// Whether it is the run that the report shows.
    pub shown: bool,
}

impl CauseTeller<'_> {
    pub fn cause(&self, failure: usize) -> Cause {
        let reason = match &self.found.causes {
            Causes::Found(cause) if cause.orders.is_empty() => Reason::Inevitable,
            Causes::Found(cause) => Reason::Orders {
                orders: self.orders(&cause.orders),
                proof: cause.proof,
                candidates: self.found.candidates,
            },
            Causes::Chosen(_) => Reason::Chosen,
            Causes::Unknown(_) => Reason::Unknown,
        };
        Cause { failure, reason, inputs: self.inputs(), choices: !self.found.choices.is_empty() }
    }

    fn orders(&self, orders: &[diagnose::Order]) -> Vec<Order> {
        let failing = &self.found.failing;
        let effects: HashMap<EventId, Effect> = failing
            .execution
            .steps
            .iter()
            .map(|step| step.event)
            .zip(failing.outcome.effects.iter().copied())
            .collect();
        let flows = flows(self.graph, &failing.execution, &failing.outcome.effects);
        let mut told = Vec::new();
        for &(one, other) in orders {
            let (mut before, mut after) = (self.end(one, &effects), self.end(other, &effects));
            // Both access the same object; the run has the better name for it.
            match (self.touched(one), self.touched(other)) {
                (Some(here), Some(there)) if here == there => match (self.seen(one), self.seen(other)) {
                    (Some(_), None) => after.object = before.object.clone(),
                    (None, Some(_)) => before.object = after.object.clone(),
                    _ => {}
                },
                _ => {}
            }
            let sees = flows.iter().any(|flow| flow.read == other && flow.write == Some(one));
            let consequence = Consequence::new(before.kind, after.kind, sees, effects.contains_key(&other));
            told.push(Order { before, after, consequence });
        }
        told
    }

    /// The object of an access, if it is constant.
    fn touched(&self, id: EventId) -> Option<String> {
        match &self.graph.events[id.index()].kind {
            Kind::Access(access) => object_name(self.graph, &access.address),
            _ => None,
        }
    }

    fn end(&self, id: EventId, effects: &HashMap<EventId, Effect>) -> Event {
        let (number, mut event) = match self.seen(id) {
            Some((number, event)) => (Some(number), Event::new(self.program, number, event)),
            None => (None, self.as_in_graph(id, effects)),
        };
        for (prefix, end) in LIVES {
            if let Kind::Access(access) = &self.graph.events[id.index()].kind
                && let Some(block) = self.touched(id).and_then(|name| Some(name.strip_prefix(prefix)?.to_owned()))
            {
                event.kind = match access.new {
                    _ if event.kind == EventKind::Init => EventKind::Init,
                    Some(_) => end,
                    None => EventKind::Use,
                };
                event.value.clear();
                if event.object.starts_with(prefix) {
                    event.object = block;
                }
            }
        }
        if !effects.contains_key(&id) {
            event.value.clear();
            let waits = self.failure.waiting.iter().find(|waiting| waiting.site.thread == *event.thread());
            if let Some(waiting) = waits {
                event.object = waiting.object.clone();
                event.at = Where::new(self.program, &waiting.site);
            }
        }
        event.id = number.filter(|_| self.shown);
        event
    }

    /// The run's event, with its position. An event without a step of its own belongs to a step of its thread at the
    /// same place.
    fn seen(&self, id: EventId) -> Option<(usize, &vm::Event)> {
        if let Some(step) = self.steps.get(&id) {
            return self.at_step(step, id);
        }
        let thread = self.graph.events[id.index()].thread;
        let frames = (self.frames)(id);
        let steps = &self.found.failing.execution.steps;
        let position = steps.iter().position(|step| step.event == id)?;
        let alike = |other: &EventId| {
            self.graph.events[other.index()].thread == thread
                && self.steps.contains_key(other)
                && (self.frames)(*other) == frames
        };
        let after = steps[position..].iter().map(|step| step.event).find(alike);
        let before = steps[..position].iter().rev().map(|step| step.event).find(alike);
        let neighbour = after.or(before)?;
        self.at_step(self.steps.get(&neighbour)?, neighbour)
    }

    fn at_step(&self, (thread, step): &(ThreadName, u64), id: EventId) -> Option<(usize, &vm::Event)> {
        let events = self.run.events.iter().enumerate();
        let mut of_step = events.filter(|(_, event)| event.step == *step && event.thread == *thread).peekable();
        let kind = told(self.graph, id, &Effect::Nothing).map(|event| event.kind);
        let first = of_step.peek().copied();
        of_step.find(|(_, event)| kind.is_some_and(|kind| kind.name() == event.kind)).or(first)
    }

    /// As in the graph.
    fn as_in_graph(&self, id: EventId, effects: &HashMap<EventId, Effect>) -> Event {
        let effect = effects.get(&id).copied().unwrap_or(Effect::Nothing);
        let info = &self.graph.events[id.index()];
        let thread = match self.threads.get(&info.thread) {
            Some(thread) => thread.clone(),
            None => self.graph.threads[info.thread.index()].name.clone(),
        };
        let at = Where::new(self.program, &Site { thread, frames: (self.frames)(id) });
        let told = told(self.graph, id, &effect);
        let (kind, object, value) = match (&info.kind, told) {
            (Kind::Fork { child } | Kind::Join { child }, Some(told)) => {
                let name = self.threads.get(child).map_or(told.object, ToString::to_string);
                (told.kind, name, String::new())
            }
            (_, Some(told)) => (told.kind, told.object, told.value),
            (_, None) => (EventKind::Other, String::new(), String::new()),
        };
        Event { id: None, kind, object, value, at }
    }

    /// Where the program read this value, if it read it once.
    fn asked_at(&self, value: &str) -> Option<Place> {
        let mut places = self.run.events.iter().filter(|event| event.kind == "input" && event.value == value);
        let event = places.next().filter(|_| places.next().is_none())?;
        Where::new(self.program, &event.site).user_place().cloned()
    }

    fn inputs(&self) -> Vec<NeededInput> {
        let values = &self.found.failing.execution.inputs;
        let needed = self.found.inputs_used.iter().map(|&input| {
            let bits = self.found.input_bits.iter().filter(|bit| bit.input == input).count();
            let (value, width) = match values.get(input) {
                Some(Value::Bits { value, width }) => (signed(*value, *width), *width as usize),
                Some(Value::Bool(value)) => (value.to_string(), 1),
                None => (String::new(), 0),
            };
            let part = (self.part)(input);
            let value = match (part, values.get(input)) {
                (Some(_), Some(Value::Bits { value, .. })) => value.to_string(),
                _ => value,
            };
            let at = if part.is_none() { self.asked_at(&value) } else { None };
            let before = (0..input).filter(|&input| (self.part)(input).is_none()).count();
            NeededInput { number: before + 1, part, value, whole: bits >= width, at }
        });
        needed.collect()
    }
}

/// The graph's names of cells for the lifetime of blocks and locks, and the events that end it.
const LIVES: [(&str, EventKind); 2] = [("life of ", EventKind::Free), ("existence of ", EventKind::Destroy)];

fn signed(value: u128, width: u32) -> String {
    match width {
        1..=127 if value >> (width - 1) & 1 == 1 => (value as i128 - (1i128 << width)).to_string(),
        _ => (value as i128).to_string(),
    }
}
