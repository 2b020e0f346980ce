//! Reads-from candidates.
//!
//! The candidates of a read are the writers of its cell, without those that no execution allows: writes after it,
//! earlier writes that are certainly overwritten, and writes of its own thread on other paths. The candidates are the
//! only part of the encoding that can be quadratic. If only one candidate remains, an equality replaces the reads-from
//! choice of the theory, and irrelevant reads are unconstrained.

use std::collections::HashMap;

use events::{EventGraph, EventId, ThreadId};
use formula::{Cell, Family, Read, Source, Term, Writer};

use crate::EncodeError;
use crate::cells::{Attempt, Shared, Touch};
use crate::conditions::Conditions;
use crate::distance::Sought;
use crate::draft::{Draft, node};
use crate::graph::thread_of;
use crate::guards::Guards;
use crate::masks::Flow;
use crate::static_order::StaticOrder;

/// Adds the cells to the theory section, with the relevant reads. Attempts read the values at the end.
pub fn reads(
    draft: &mut Draft<'_>,
    order: &StaticOrder,
    conditions: &mut Conditions,
    cells: &[Shared],
    attempts: &[Attempt],
    sought: &mut Sought,
) -> Result<Vec<Flow>, EncodeError> {
    let mut flows = Vec::new();
    let mut sources = 0;
    let mut guards = Guards::default();
    let mut at_end: HashMap<usize, Vec<&Attempt>> = HashMap::new();
    for attempt in attempts {
        at_end.entry(attempt.cell).or_default().push(attempt);
    }
    for (number, shared) in cells.iter().enumerate() {
        let relevant = |touch: &&Touch| touch.symbol.is_some_and(|symbol| conditions.is_relevant(symbol));
        let touches: Vec<Touch> = shared.touches.iter().filter(relevant).copied().collect();
        let last = at_end.remove(&number).unwrap_or_default();
        if touches.is_empty() && last.is_empty() && !sought.pairs.contains_key(&number) {
            continue;
        }
        let mut writers = Writers::new(draft, order, shared);
        for touch in touches {
            draft.in_time()?;
            let flow = writers.read(draft, order, (conditions, &mut guards), &touch);
            sources += flow.as_ref().map_or(0, |flow| flow.values.len());
            if sources > draft.question.sources {
                return Err(EncodeError::Large);
            }
            flows.extend(flow);
        }
        for attempt in last {
            flows.push(writers.read_at_end(draft, attempt));
        }
        for &pair in sought.pairs.get(&number).into_iter().flatten() {
            let term = writers.choice(draft, order, &mut guards, pair);
            sought.chosen.insert((number, pair), term);
        }
        if writers.used {
            draft.order.cells.push(Cell { writers: writers.theory });
        }
    }
    Ok(flows)
}

/// The writers of one cell.
struct Writers {
    /// The cell's number in the theory.
    cell: usize,
    theory: Vec<Writer>,
    values: Vec<Term>,
    initial: Term,
    threads: Vec<Column>,
    /// Whether any read of the theory names the cell.
    used: bool,
    /// The reads-from choices created so far.
    known: HashMap<EventId, Known>,
}

/// The writers whose value a read may observe: indices into the theory's writers, or none for the initial value.
struct Candidates {
    writers: Vec<Option<usize>>,
    /// Whether the only candidate has certainly written.
    settled: bool,
}

#[derive(Clone, Copy)]
enum Known {
    /// The number of a read in the theory.
    Group(usize),
    /// The only possible writer, an index into the theory's writers.
    Settled(Option<usize>),
}

/// One thread's writers of a cell, in program order.
struct Column {
    thread: ThreadId,
    events: Vec<EventId>,
    positions: Vec<u32>,
    /// Indices into the theory's writers.
    writers: Vec<usize>,
    /// Unconditional writes: indices into this column.
    certain: Vec<usize>,
    /// Whether each writes whenever it happens.
    sure: Vec<bool>,
}

impl Writers {
    fn new(draft: &Draft<'_>, order: &StaticOrder, shared: &Shared) -> Writers {
        let mut all: Vec<(ThreadId, u32, &Touch)> = Vec::new();
        for touch in &shared.touches {
            if touch.new.is_some_and(|(_, writes)| draft.terms.as_bool(writes) != Some(false)) {
                all.push((thread_of(draft.graph, touch.event), order.position(touch.event), touch));
            }
        }
        all.sort_by_key(|&(thread, position, _)| (thread, position));
        let mut writers = Writers {
            cell: draft.order.cells.len(),
            theory: Vec::new(),
            values: Vec::new(),
            initial: shared.initial,
            threads: Vec::new(),
            used: false,
            known: HashMap::new(),
        };
        for (thread, position, touch) in all {
            let Some((value, writes)) = touch.new else { continue };
            if writers.threads.last().is_none_or(|column| column.thread != thread) {
                writers.threads.push(Column {
                    thread,
                    events: Vec::new(),
                    positions: Vec::new(),
                    writers: Vec::new(),
                    certain: Vec::new(),
                    sure: Vec::new(),
                });
            }
            let Some(column) = writers.threads.last_mut() else { continue };
            if touch.certain {
                column.certain.push(column.events.len());
            }
            column.events.push(touch.event);
            column.sure.push(touch.sure);
            column.positions.push(position);
            column.writers.push(writers.theory.len());
            writers.theory.push(Writer { node: node(touch.event), writes });
            writers.values.push(value);
        }
        writers
    }

    fn read(
        &mut self,
        draft: &mut Draft<'_>,
        order: &StaticOrder,
        (conditions, guards): (&mut Conditions, &mut Guards),
        touch: &Touch,
    ) -> Option<Flow> {
        let old = touch.old?;
        let event = touch.event;
        let Candidates { writers: candidates, settled } = self.candidates(draft.graph, order, guards, event);
        if let (true, &[only]) = (settled, &candidates[..]) {
            self.known.insert(event, Known::Settled(only));
            let value = only.map_or(self.initial, |writer| self.values[writer]);
            let same = draft.terms.eq(old, value);
            draft.assert_implies(Family::ReadWrite, touch.active, same);
            return Some(Flow { old, values: vec![value] });
        }
        let mut sources = Vec::with_capacity(candidates.len());
        let mut values = Vec::with_capacity(candidates.len());
        for writer in candidates {
            let value = writer.map_or(self.initial, |writer| self.values[writer]);
            if conditions.allow(&mut draft.terms, &draft.value_sets, old, value) {
                sources.extend(source(draft, writer, old, value));
                values.push(value);
            }
        }
        self.group(draft, Read { node: node(event), cell: self.cell, active: touch.active, sources });
        Some(Flow { old, values })
    }

    /// The reads-from candidates of the event.
    fn candidates(&self, graph: &EventGraph, order: &StaticOrder, guards: &mut Guards, event: EventId) -> Candidates {
        let own = thread_of(graph, event);
        // In each thread, the last write that is certainly before the read hides all writes that are certainly before
        // itself.
        let hides = |column: &Column| match column.hiding(order, event) {
            certain if column.thread == own => column.hiding_on_path(graph, order, guards, event).or(certain),
            certain => certain,
        };
        let hiding: Vec<Option<EventId>> = self.threads.iter().map(hides).collect();
        let mut writers = Vec::new();
        let mut settled = false;
        for column in &self.threads {
            let hidden = hiding.iter().flatten().map(|&certain| order.known_before(certain, column.thread)).max();
            let from = column.positions.partition_point(|&position| position < hidden.unwrap_or(0));
            let to = order.first_after(event, column.thread);
            let to = column.positions.partition_point(|&position| position < to);
            for index in from..to.max(from) {
                let writer = column.events[index];
                let (here, there) = (graph.events[event.index()].guard, graph.events[writer.index()].guard);
                let elsewhere = column.thread == own && guards.exclude(&graph.terms, here, there);
                if writer != event && !elsewhere {
                    settled = hiding.contains(&Some(writer));
                    writers.push(Some(column.writers[index]));
                }
            }
        }
        if hiding.iter().all(Option::is_none) {
            settled = true;
            writers.push(None);
        }
        Candidates { settled: settled && writers.len() == 1, writers }
    }

    /// The condition that the read reads from the write, or the initial value.
    fn choice(
        &mut self,
        draft: &mut Draft<'_>,
        order: &StaticOrder,
        guards: &mut Guards,
        (read, write): (EventId, Option<EventId>),
    ) -> Term {
        let writer = write.map(|write| self.theory.iter().position(|writer| writer.node == node(write)));
        // A write that does not write this cell is no candidate.
        let writer = match writer {
            Some(None) => return draft.terms.falsehood(),
            Some(found) => found,
            None => None,
        };
        match self.known.get(&read) {
            Some(&Known::Settled(only)) => draft.terms.bool(only == writer),
            Some(&Known::Group(group)) => {
                let found = draft.order.reads[group].sources.iter().find(|source| source.writer == writer);
                found.map_or(draft.terms.falsehood(), |source| source.chosen)
            }
            None => {
                let Candidates { writers, settled } = self.candidates(draft.graph, order, guards, read);
                if settled || !writers.contains(&writer) {
                    return draft.terms.bool(writers.contains(&writer));
                }
                let chosen = draft.literal();
                let sources = vec![Source { writer, chosen, implies: draft.terms.truth() }];
                draft.order.reads.push(Read { node: node(read), cell: self.cell, active: chosen, sources });
                self.used = true;
                chosen
            }
        }
    }

    /// Adds a read after all events.
    fn read_at_end(&mut self, draft: &mut Draft<'_>, attempt: &Attempt) -> Flow {
        let end = formula::Node(draft.graph.events.len() as u32);
        let mut sources = Vec::with_capacity(self.theory.len() + 1);
        for writer in (0..self.theory.len()).map(Some).chain([None]) {
            let value = writer.map_or(self.initial, |writer| self.values[writer]);
            sources.extend(source(draft, writer, attempt.old, value));
        }
        self.group(draft, Read { node: end, cell: self.cell, active: attempt.active, sources });
        let values = self.values.iter().copied().chain([self.initial]).collect();
        Flow { old: attempt.old, values }
    }

    fn group(&mut self, draft: &mut Draft<'_>, read: Read) {
        if draft.terms.as_bool(read.active) != Some(false) {
            self.known.insert(EventId(read.node.0), Known::Group(draft.order.reads.len()));
            draft.order.reads.push(read);
            self.used = true;
        }
    }
}

impl Column {
    /// The last write that is on every path to the event of the same thread, and writes this cell.
    fn hiding_on_path(
        &self,
        graph: &EventGraph,
        order: &StaticOrder,
        guards: &mut Guards,
        event: EventId,
    ) -> Option<EventId> {
        let earlier = self.positions.partition_point(|&position| position < order.position(event));
        let guard = |event: EventId| graph.events[event.index()].guard;
        let mut on_path = |index: &usize| {
            self.sure[*index] && guards.imply(&graph.terms, guard(event), guard(event), guard(self.events[*index]))
        };
        (0..earlier).rev().find(&mut on_path).map(|index| self.events[index])
    }

    /// The last write that certainly happens before the event, if the event happens.
    fn hiding(&self, order: &StaticOrder, event: EventId) -> Option<EventId> {
        let known = order.known_before(event, self.thread);
        let count = self.certain.partition_point(|&index| self.positions[index] < known);
        count.checked_sub(1).map(|last| self.events[self.certain[last]])
    }
}

fn source(draft: &mut Draft<'_>, writer: Option<usize>, old: Term, value: Term) -> Option<Source> {
    let implies = draft.terms.eq(old, value);
    (draft.terms.as_bool(implies) != Some(false)).then(|| Source { writer, chosen: draft.literal(), implies })
}
