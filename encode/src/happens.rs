//! Which events happen. In a whole execution: events whose guards hold, of all threads that are forked; terms without
//! new symbols, constants for a straight trace. In a prefix each thread may stop anywhere: a literal for each event,
//! which implies its guard and that the thread arrives there.

use events::{EventGraph, EventId, Kind};
use formula::{Family, Node, Term};

use crate::draft::{Draft, name, node};
use crate::static_order::StaticOrder;

#[derive(Debug)]
pub struct Happens {
    /// By event.
    pub event: Vec<Term>,
    /// By event: the thread was forked, and executed all earlier events whose guards hold, without a failure.
    pub arrives: Vec<Term>,
    /// By thread: it was forked.
    pub alive: Vec<Term>,
    /// By thread: it was forked and executed all its events.
    pub finished: Vec<Term>,
    /// The node after all events, for a prefix.
    pub end: Option<Node>,
}

impl Happens {
    pub fn of(&self, event: EventId) -> Term {
        self.event[event.index()]
    }

    /// The condition that the event is the next of its thread.
    pub fn stands_before(&self, draft: &mut Draft<'_>, event: EventId) -> Term {
        let missing = draft.terms.not(self.of(event));
        draft.terms.and(&[self.arrives[event.index()], draft.graph.events[event.index()].guard, missing])
    }
}

/// Defines which events happen, creates nodes and chains, and orders threads by fork and join.
pub fn happens(draft: &mut Draft<'_>, order: &StaticOrder) -> Happens {
    let forks = forks(draft.graph);
    let happens = if draft.question.may_stop() { prefix(draft, &forks) } else { whole(draft, &forks) };
    for (index, &term) in happens.event.iter().enumerate() {
        let event = EventId(index as u32);
        draft.node(name(draft.graph, event), term);
    }
    for thread in &draft.graph.threads {
        draft.order.chains.push(thread.events.iter().copied().map(node).collect());
    }
    let mut happens = happens;
    if draft.question.may_stop() {
        happens.end = Some(end(draft));
    }
    fork_and_join(draft, &happens, &forks, order);
    happens
}

/// By thread, the events that fork it.
fn forks(graph: &EventGraph) -> Vec<Vec<EventId>> {
    let mut forks = vec![Vec::new(); graph.threads.len()];
    for (index, event) in graph.events.iter().enumerate() {
        if let Kind::Fork { child } = event.kind {
            forks[child.index()].push(EventId(index as u32));
        }
    }
    forks
}

fn whole(draft: &mut Draft<'_>, forks: &[Vec<EventId>]) -> Happens {
    let graph = draft.graph;
    let mut alive: Vec<Option<Term>> = vec![None; graph.threads.len()];
    let mut event = vec![draft.terms.falsehood(); graph.events.len()];
    let mut circular = Vec::new();
    loop {
        // Parents come before children; of threads that fork each other in a cycle, one is given a symbol.
        let known = |&fork: &EventId| alive[graph.events[fork.index()].thread.index()].is_some();
        let ready = |&thread: &usize| alive[thread].is_none() && (thread == 0 || forks[thread].iter().all(known));
        let next = (0..graph.threads.len()).find(ready);
        let Some(thread) = next.or_else(|| alive.iter().position(Option::is_none)) else { break };
        let forked = if thread == 0 {
            draft.terms.truth()
        } else if next.is_some() {
            let terms: Vec<Term> = forks[thread].iter().map(|fork| event[fork.index()]).collect();
            draft.terms.or(&terms)
        } else {
            circular.push(thread);
            draft.literal()
        };
        alive[thread] = Some(forked);
        for &id in &graph.threads[thread].events {
            event[id.index()] = draft.terms.and2(forked, graph.events[id.index()].guard);
        }
    }
    let alive: Vec<Term> = alive.into_iter().map(|term| term.unwrap_or(draft.terms.truth())).collect();
    for thread in circular {
        let terms: Vec<Term> = forks[thread].iter().map(|fork| event[fork.index()]).collect();
        let forked = draft.terms.or(&terms);
        let same = draft.terms.iff(alive[thread], forked);
        draft.assert(Family::Path, same);
    }
    let arrives = graph.events.iter().map(|event| alive[event.thread.index()]).collect();
    Happens { event, arrives, finished: alive.clone(), alive, end: None }
}

fn prefix(draft: &mut Draft<'_>, forks: &[Vec<EventId>]) -> Happens {
    let graph = draft.graph;
    let mut event = Vec::with_capacity(graph.events.len());
    for info in &graph.events {
        // No failure needs the end of the process, so it is left out of prefixes.
        let never = draft.terms.as_bool(info.guard) == Some(false)
            || matches!(info.kind, Kind::Await { .. } | Kind::Cut | Kind::End);
        event.push(if never { draft.terms.falsehood() } else { draft.literal() });
    }
    let mut arrives = vec![draft.terms.falsehood(); graph.events.len()];
    let mut alive = Vec::new();
    let mut finished = Vec::new();
    for (thread, info) in graph.threads.iter().enumerate() {
        let forked: Vec<Term> = forks[thread].iter().map(|fork| event[fork.index()]).collect();
        let mut running = if thread == 0 { draft.terms.truth() } else { draft.terms.or(&forked) };
        alive.push(running);
        for &id in &info.events {
            let (guard, happens) = (graph.events[id.index()].guard, event[id.index()]);
            arrives[id.index()] = running;
            let allowed = draft.terms.and2(running, guard);
            draft.assert_implies(Family::Path, happens, allowed);
            // The thread stops after an assertion that fails.
            let passes = match graph.events[id.index()].kind {
                Kind::Assert { condition } => draft.terms.and2(happens, condition),
                _ => happens,
            };
            // An event implies that its thread arrived there, so `passes` need not repeat `running`.
            let skip = draft.terms.not(guard);
            let skipped = draft.terms.and2(running, skip);
            running = draft.terms.or2(passes, skipped);
        }
        finished.push(running);
    }
    Happens { event, arrives, alive, finished, end: None }
}

/// A node after the last event of each thread.
fn end(draft: &mut Draft<'_>) -> Node {
    let truth = draft.terms.truth();
    let end = draft.node("end".to_owned(), truth);
    for thread in &draft.graph.threads {
        if let Some(&last) = thread.events.last() {
            let before = draft.terms.before(node(last), end);
            draft.assert(Family::MemoryOrder, before);
        }
    }
    draft.order.chains.push(vec![end]);
    end
}

fn fork_and_join(draft: &mut Draft<'_>, happens: &Happens, forks: &[Vec<EventId>], order: &StaticOrder) {
    let graph = draft.graph;
    for &(from, to) in &order.edges {
        let before = draft.before(from, to);
        draft.assert(Family::MemoryOrder, before);
    }
    for (thread, forks) in forks.iter().enumerate() {
        let mut terms: Vec<Term> = forks.iter().map(|&fork| happens.of(fork)).collect();
        if thread == 0 {
            // The main thread needs no fork.
            terms.push(draft.terms.truth());
        }
        draft.assert_at_most_one(Family::Sync, &terms);
        for &fork in forks {
            if let Some(&first) = graph.threads[thread].events.first()
                && !order.is_before(graph, fork, first)
            {
                let before = draft.before(fork, first);
                draft.assert_implies(Family::MemoryOrder, happens.of(fork), before);
            }
        }
    }
    let exits = exits(graph);
    for (index, event) in graph.events.iter().enumerate() {
        let Kind::Join { child } = event.kind else { continue };
        let join = EventId(index as u32);
        let mut ways = Vec::new();
        for &exit in &exits[child.index()] {
            let before =
                if order.is_before(graph, exit, join) { draft.terms.truth() } else { draft.before(exit, join) };
            ways.push(draft.terms.and2(happens.of(exit), before));
        }
        let exited = draft.terms.or(&ways);
        draft.assert_implies(Family::MemoryOrder, happens.of(join), exited);
    }
}

/// By thread, its exits.
pub fn exits(graph: &EventGraph) -> Vec<Vec<EventId>> {
    let mut exits = vec![Vec::new(); graph.threads.len()];
    for (index, event) in graph.events.iter().enumerate() {
        if let Kind::Exit = event.kind {
            exits[event.thread.index()].push(EventId(index as u32));
        }
    }
    exits
}
