//! Merges two graphs: an execution of other paths becomes one of the failing paths' events, as far as they are the
//! same, and of further events where they are not. Such a graph cannot be solved; it is for reports.

use std::collections::HashMap;

use events::{
    Access, Address, Choice, Effect, Event, EventGraph, EventId, Execution, Kind, Location, Object, Outcome, Step,
    Thread, ThreadId,
};
use formula::Sort;

use crate::failure::Replayed;
use crate::twins::Twins;

/// The failing graph with the additional events of the other paths.
#[derive(Clone, Debug)]
pub struct United {
    pub graph: EventGraph,
    /// The other execution, on the united graph.
    pub other: Replayed,
    /// By event of the other graph that happened.
    pub numbers: HashMap<EventId, EventId>,
}

/// The execution must be one of the other graph.
pub fn unite(graph: &EventGraph, other: &EventGraph, run: &Replayed, twins: &Twins) -> United {
    let mut numbers: HashMap<EventId, EventId> = HashMap::new();
    for event in (0..graph.events.len() as u32).map(EventId) {
        numbers.extend(twins.of(event).map(|twin| (twin, event)));
    }
    let mut union = Union { graph: graph.clone(), other, numbers, objects: HashMap::new() };
    union.name_objects();
    let threads: Vec<ThreadId> = other.threads.iter().map(|thread| union.thread(thread)).collect();
    let mut steps = Vec::new();
    let mut effects = Vec::new();
    for (step, effect) in run.execution.steps.iter().zip(&run.outcome.effects) {
        let effect = union.effect(*effect);
        let event = union.event(step.event, &threads, &effect);
        let choice = match step.choice {
            Choice::Wakes(sleep) => union.numbers.get(&sleep).map_or(Choice::Only, |&sleep| Choice::Wakes(sleep)),
            choice => choice,
        };
        steps.push(Step { event, choice });
        effects.push(effect);
    }
    let happened: Vec<EventId> = run.execution.steps.iter().map(|step| step.event).collect();
    let numbers = union.numbers.into_iter().filter(|(event, _)| happened.contains(event)).collect();
    let execution = Execution { steps, inputs: run.execution.inputs.clone() };
    let outcome = Outcome { failed: Vec::new(), complete: true, stuck: Vec::new(), deadlock: None, effects };
    United { graph: union.graph, other: Replayed { execution, outcome }, numbers }
}

struct Union<'a> {
    graph: EventGraph,
    other: &'a EventGraph,
    numbers: HashMap<EventId, EventId>,
    /// By number in the other graph.
    objects: HashMap<u32, u32>,
}

impl Union<'_> {
    /// Objects of the same name are the same, one after the other.
    fn name_objects(&mut self) {
        let mut own: HashMap<String, Vec<u32>> = HashMap::new();
        for (number, object) in self.graph.objects.iter().enumerate().rev() {
            own.entry(object.name.clone()).or_default().push(number as u32);
        }
        for (number, object) in self.other.objects.iter().enumerate() {
            let same = own.get_mut(&object.name).and_then(Vec::pop);
            let same = same.unwrap_or_else(|| {
                self.graph.objects.push(Object { initial: Vec::new(), ..object.clone() });
                self.graph.objects.len() as u32 - 1
            });
            self.objects.insert(number as u32, same);
        }
    }

    fn thread(&mut self, thread: &Thread) -> ThreadId {
        let known = self.graph.threads.iter().position(|own| own.name == thread.name);
        let number = known.unwrap_or_else(|| {
            self.graph.threads.push(Thread { name: thread.name.clone(), events: Vec::new() });
            self.graph.threads.len() - 1
        });
        ThreadId(number as u32)
    }

    fn location(&self, location: Location) -> Location {
        Location { object: self.objects.get(&location.object).copied().unwrap_or(location.object), ..location }
    }

    fn effect(&self, effect: Effect) -> Effect {
        match effect {
            Effect::Accessed { location, read, written } => {
                Effect::Accessed { location: self.location(location), read, written }
            }
            Effect::Synchronised { mutex } => Effect::Synchronised { mutex: self.location(mutex) },
            Effect::Refused { mutex } => Effect::Refused { mutex: self.location(mutex) },
            Effect::Notified { condition, woken } => Effect::Notified { condition: self.location(condition), woken },
            Effect::Nothing | Effect::Judged { .. } => effect,
        }
    }

    fn place(&mut self, location: Location) -> Address {
        let terms = &mut self.graph.terms;
        Address {
            object: terms.bits(32, u128::from(location.object)),
            offset: terms.bits(32, u128::from(location.offset)),
        }
    }

    /// A constant address of the other graph.
    fn address(&mut self, address: &Address) -> Address {
        let number = |term| self.other.terms.as_bits(term).map_or(0, |bits| bits as u32);
        let location = Location { object: number(address.object), offset: number(address.offset) };
        let location = self.location(location);
        self.place(location)
    }

    /// The event's id in the united graph, where it is added if it has no match.
    fn event(&mut self, event: EventId, threads: &[ThreadId], effect: &Effect) -> EventId {
        if let Some(&known) = self.numbers.get(&event) {
            return known;
        }
        let Event { thread, kind, place, .. } = self.other.events[event.index()].clone();
        let number = EventId(self.graph.events.len() as u32);
        let thread = threads.get(thread.index()).copied().unwrap_or(ThreadId(0));
        let kind = self.kind(kind, threads, effect, number);
        let guard = self.graph.terms.truth();
        self.graph.events.push(Event { thread, guard, kind, place });
        self.graph.threads[thread.index()].events.push(number);
        self.numbers.insert(event, number);
        number
    }

    fn kind(&mut self, kind: Kind, threads: &[ThreadId], effect: &Effect, number: EventId) -> Kind {
        let truth = self.graph.terms.truth();
        let child = |child: ThreadId| threads.get(child.index()).copied().unwrap_or(child);
        match kind {
            Kind::Access(access) => self.access(&access, effect, number),
            Kind::Fork { child: forked } => Kind::Fork { child: child(forked) },
            Kind::Join { child: joined } => Kind::Join { child: child(joined) },
            Kind::Lock { mutex, recursive } => Kind::Lock { mutex: self.address(&mutex), recursive },
            Kind::Unlock { mutex, recursive, foreign } => {
                Kind::Unlock { mutex: self.address(&mutex), recursive, foreign }
            }
            Kind::TryLock { mutex, recursive, .. } => {
                let taken = self.graph.terms.symbol(format!("other-taken{}", number.0), Sort::Bool);
                Kind::TryLock { mutex: self.address(&mutex), recursive, taken }
            }
            Kind::Sleep { condition, mutex, recursive } => {
                Kind::Sleep { condition: self.address(&condition), mutex: self.address(&mutex), recursive }
            }
            Kind::Wake { sleep, spurious, .. } => {
                let sleep = self.numbers.get(&sleep).copied().unwrap_or(sleep);
                Kind::Wake { sleep, timed_out: None, spurious }
            }
            Kind::Signal { condition } => Kind::Signal { condition: self.address(&condition) },
            Kind::Broadcast { condition } => Kind::Broadcast { condition: self.address(&condition) },
            Kind::Assume { .. } | Kind::Assert { .. } | Kind::Await { .. } => Kind::Assume { condition: truth },
            kind @ (Kind::Start | Kind::Exit | Kind::AtomicBegin | Kind::AtomicEnd | Kind::Cut | Kind::End) => kind,
        }
    }

    /// A concrete access: its location, and the values read and written.
    fn access(&mut self, access: &Access, effect: &Effect, number: EventId) -> Kind {
        let Effect::Accessed { location, read, written } = *effect else {
            return Kind::Assume { condition: self.graph.terms.truth() };
        };
        let address = self.place(location);
        let (bytes, label) = (access.bytes, access.label);
        let terms = &mut self.graph.terms;
        let old = read.map(|_| terms.symbol(format!("other{}", number.0), Sort::Bits(8 * bytes)));
        let new = written.map(|word| terms.bits(8 * bytes, word));
        let writes = terms.bool(written.is_some());
        Kind::Access(Access { label, address, bytes, old, enabled: terms.truth(), new, writes })
    }
}
