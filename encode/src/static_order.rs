//! The order that all executions have in common: program order, and fork and join edges where each is unique; with the
//! question's orderings between unconditional events, the order common to the executions asked for.
//!
//! An edge is *certain* if its target happens only after its source did. Vector clocks over certain edges exclude
//! reads-from candidates, and let most inter-thread order be asserted unconditionally.

use events::{EventGraph, EventId, Kind, ThreadId};

use crate::question::Question;

/// Positions are indices into a thread's list of events.
#[derive(Debug)]
pub struct StaticOrder {
    threads: usize,
    position: Vec<u32>,
    thread: Vec<ThreadId>,
    /// By event and thread, the number of the thread's events that are certainly before it.
    before: Vec<u32>,
    /// By event and thread, the position of the first event that is certainly after it.
    after: Vec<u32>,
    /// The edges between threads.
    pub edges: Vec<(EventId, EventId)>,
}

impl StaticOrder {
    pub fn new(graph: &EventGraph) -> StaticOrder {
        StaticOrder::with(graph, Vec::new())
    }

    pub fn holding(graph: &EventGraph, question: &Question) -> StaticOrder {
        if question.held.is_empty() || question.may_stop() {
            return StaticOrder::new(graph);
        }
        let certain = certain_threads(graph);
        let happens = |event: EventId| {
            let event = &graph.events[event.index()];
            certain[event.thread.index()] && graph.terms.as_bool(event.guard) == Some(true)
        };
        let held = question.held.iter().copied().filter(|&(first, second)| happens(first) && happens(second));
        StaticOrder::with(graph, held.collect())
    }

    fn with(graph: &EventGraph, held: Vec<(EventId, EventId)>) -> StaticOrder {
        let mut position = vec![0; graph.events.len()];
        for thread in &graph.threads {
            for (index, event) in thread.events.iter().enumerate() {
                position[event.index()] = index as u32;
            }
        }
        let mut edges = certain_edges(graph);
        let own = edges.len();
        edges.extend(held);
        // The question's orderings may contradict certain edges. A thread may also join another before it forks it:
        // such events never happen, but events before them do.
        let mut sorted = sort(graph, &edges);
        for fewer in [own, 0] {
            if sorted.is_none() {
                edges.truncate(fewer);
                sorted = sort(graph, &edges);
            }
        }
        let sorted = sorted.unwrap_or_default();
        let threads = graph.threads.len();
        let thread = graph.events.iter().map(|event| event.thread).collect();
        let mut order = StaticOrder { threads, position, thread, before: Vec::new(), after: Vec::new(), edges };
        order.before = order.clocks_before(graph, &sorted);
        order.after = order.clocks_after(graph, &sorted);
        order
    }

    /// The event's position in its thread.
    pub fn position(&self, event: EventId) -> u32 {
        self.position[event.index()]
    }

    pub fn thread(&self, event: EventId) -> ThreadId {
        self.thread[event.index()]
    }

    /// The number of the thread's events that are certainly before this one.
    pub fn known_before(&self, event: EventId, thread: ThreadId) -> u32 {
        self.before[event.index() * self.threads + thread.index()]
    }

    /// The position of the thread's first event that is certainly after this one; the length of its list if there is
    /// none.
    pub fn first_after(&self, event: EventId, thread: ThreadId) -> u32 {
        self.after[event.index() * self.threads + thread.index()]
    }

    /// Whether the first is certainly before the second, if both happen.
    pub fn is_before(&self, graph: &EventGraph, first: EventId, second: EventId) -> bool {
        self.position(first) < self.known_before(second, graph.events[first.index()].thread)
    }

    fn clocks_before(&self, graph: &EventGraph, sorted: &[EventId]) -> Vec<u32> {
        let mut clocks = vec![0; graph.events.len() * self.threads];
        let incoming = Adjacent::new(graph.events.len(), self.edges.iter().map(|&(from, to)| (to, from)));
        for &event in sorted {
            let thread = graph.events[event.index()].thread;
            let position = self.position(event) as usize;
            let previous = position.checked_sub(1).map(|previous| graph.threads[thread.index()].events[previous]);
            for source in incoming.of(event).iter().copied().chain(previous) {
                for other in 0..self.threads {
                    let known = clocks[source.index() * self.threads + other];
                    let own = &mut clocks[event.index() * self.threads + other];
                    *own = (*own).max(known);
                }
                let from = graph.events[source.index()].thread.index();
                let own = &mut clocks[event.index() * self.threads + from];
                *own = (*own).max(self.position(source) + 1);
            }
        }
        clocks
    }

    fn clocks_after(&self, graph: &EventGraph, sorted: &[EventId]) -> Vec<u32> {
        let lengths = graph.threads.iter().map(|thread| thread.events.len() as u32);
        let mut clocks: Vec<u32> = lengths.cycle().take(graph.events.len() * self.threads).collect();
        let outgoing = Adjacent::new(graph.events.len(), self.edges.iter().copied());
        for &event in sorted.iter().rev() {
            let thread = graph.events[event.index()].thread;
            let next = graph.threads[thread.index()].events.get(self.position(event) as usize + 1).copied();
            for target in outgoing.of(event).iter().copied().chain(next) {
                for other in 0..self.threads {
                    let known = clocks[target.index() * self.threads + other];
                    let own = &mut clocks[event.index() * self.threads + other];
                    *own = (*own).min(known);
                }
                let to = graph.events[target.index()].thread.index();
                let own = &mut clocks[event.index() * self.threads + to];
                *own = (*own).min(self.position(target));
            }
        }
        clocks
    }
}

/// The threads that are forked in every whole execution.
fn certain_threads(graph: &EventGraph) -> Vec<bool> {
    let mut certain = vec![false; graph.threads.len()];
    let mut next = vec![0];
    while let Some(thread) = next.pop() {
        if certain.get(thread).is_none_or(|&known| known) {
            continue;
        }
        certain[thread] = true;
        for event in graph.threads[thread].events.iter().map(|event| &graph.events[event.index()]) {
            if let Kind::Fork { child } = event.kind
                && graph.terms.as_bool(event.guard) == Some(true)
            {
                next.push(child.index());
            }
        }
    }
    certain
}

/// Edges from a unique fork to the first event of the child, and from a unique exit to an unconditional join.
fn certain_edges(graph: &EventGraph) -> Vec<(EventId, EventId)> {
    let mut forks = vec![Vec::new(); graph.threads.len()];
    let mut exits = vec![Vec::new(); graph.threads.len()];
    let mut joins = Vec::new();
    for (index, event) in graph.events.iter().enumerate() {
        let id = EventId(index as u32);
        match event.kind {
            Kind::Fork { child } => forks[child.index()].push(id),
            Kind::Exit => exits[event.thread.index()].push(id),
            Kind::Join { child } if graph.terms.as_bool(event.guard) == Some(true) => joins.push((child, id)),
            _ => {}
        }
    }
    let mut edges = Vec::new();
    for (child, thread) in graph.threads.iter().enumerate() {
        if let (true, [fork], Some(&first)) = (child > 0, &forks[child][..], thread.events.first()) {
            edges.push((*fork, first));
        }
    }
    for (child, join) in joins {
        if let [exit] = exits[child.index()][..] {
            edges.push((exit, join));
        }
    }
    edges
}

/// A topological order of all events, or none if there is a cycle.
fn sort(graph: &EventGraph, edges: &[(EventId, EventId)]) -> Option<Vec<EventId>> {
    let outgoing = Adjacent::new(graph.events.len(), edges.iter().copied());
    let mut open = vec![0_u32; graph.events.len()];
    for &(_, to) in edges {
        open[to.index()] += 1;
    }
    let mut next = vec![0; graph.threads.len()];
    let mut sorted = Vec::with_capacity(graph.events.len());
    let mut ready: Vec<usize> = (0..graph.threads.len()).rev().collect();
    while let Some(thread) = ready.pop() {
        while let Some(&event) = graph.threads[thread].events.get(next[thread]) {
            if open[event.index()] > 0 {
                break;
            }
            next[thread] += 1;
            sorted.push(event);
            for &target in outgoing.of(event) {
                open[target.index()] -= 1;
                let waiting = graph.events[target.index()].thread.index();
                if waiting != thread && graph.threads[waiting].events.get(next[waiting]) == Some(&target) {
                    ready.push(waiting);
                }
            }
        }
    }
    (sorted.len() == graph.events.len()).then_some(sorted)
}

/// Adjacency lists, stored in one vector.
struct Adjacent {
    starts: Vec<u32>,
    targets: Vec<EventId>,
}

impl Adjacent {
    fn new(events: usize, edges: impl Iterator<Item = (EventId, EventId)> + Clone) -> Adjacent {
        let mut starts = vec![0; events + 1];
        for (from, _) in edges.clone() {
            starts[from.index() + 1] += 1;
        }
        for index in 0..events {
            starts[index + 1] += starts[index];
        }
        let mut free = starts.clone();
        let mut targets = vec![EventId(0); starts[events] as usize];
        for (from, to) in edges {
            targets[free[from.index()] as usize] = to;
            free[from.index()] += 1;
        }
        Adjacent { starts, targets }
    }

    fn of(&self, event: EventId) -> &[EventId] {
        &self.targets[self.starts[event.index()] as usize..self.starts[event.index() + 1] as usize]
    }
}
