//! The meaning of a formula's terms in the graph, and the decoding of an assignment into an execution.

use std::collections::HashMap;

use events::{Choice, EventGraph, EventId, Execution, Kind, Step};
use formula::{Assignment, Node, Term, Terms};

use crate::deadlock::Deadlocked;
use crate::draft::node;
use crate::goal::Failing;
use crate::happens::Happens;
use crate::waits::{Match, Waits, Wake};

#[derive(Clone, Debug)]
pub struct Legend {
    /// By event.
    happens: Vec<Term>,
    /// By event: its thread arrives there.
    arrives: Vec<Term>,
    /// By event.
    guards: Vec<Term>,
    inputs: Vec<Term>,
    /// By signal; broadcasts have no choice.
    matches: HashMap<EventId, Vec<Match>>,
    wakes: HashMap<EventId, Wake>,
    /// By sleep: waits that can end without a signal.
    impatient: HashMap<EventId, Wake>,
    /// Assertions that end the execution when they fail, with the condition that they do.
    last: HashMap<EventId, Term>,
    fails: HashMap<EventId, Term>,
    deadlocked: Deadlocked,
    /// By race candidate of the question.
    races: Vec<Term>,
}

impl Legend {
    pub(crate) fn new(
        graph: &EventGraph,
        happens: Happens,
        waits: Waits,
        failing: Vec<Failing>,
        deadlocked: Deadlocked,
        may_stop: bool,
    ) -> Legend {
        let mut matches: HashMap<EventId, Vec<Match>> = HashMap::new();
        for found in waits.matches {
            if let Kind::Signal { .. } = graph.events[found.signal.index()].kind {
                matches.entry(found.signal).or_default().push(found);
            }
        }
        let last = failing.iter().filter(|failing| may_stop && !failing.late);
        Legend {
            happens: happens.event,
            arrives: happens.arrives,
            guards: graph.events.iter().map(|event| event.guard).collect(),
            fails: failing.iter().map(|failing| (failing.event, failing.fails)).collect(),
            deadlocked,
            races: Vec::new(),
            inputs: graph.inputs.clone(),
            matches,
            impatient: waits.wakes.iter().filter(|w| !w.is_patient()).map(|&wake| (wake.sleep, wake)).collect(),
            wakes: waits.wakes.into_iter().map(|wake| (wake.event, wake)).collect(),
            last: last.map(|failing| (failing.event, failing.fails)).collect(),
        }
    }

    pub(crate) fn with_races(self, races: Vec<Term>) -> Legend {
        Legend { races, ..self }
    }

    /// By race candidate of the question, the condition that both accesses could be next.
    pub fn races(&self) -> &[Term] {
        &self.races
    }

    pub fn node_of(&self, event: EventId) -> Node {
        node(event)
    }

    pub fn happens(&self, event: EventId) -> Term {
        self.happens[event.index()]
    }

    /// The condition that both happen, the first before the second. An assertion that ends the execution is after all
    /// other events, whatever the position of its node is.
    pub fn order_literal(&self, terms: &mut Terms, first: EventId, second: EventId) -> Term {
        if first == second {
            return terms.falsehood();
        }
        let mut before = terms.before(node(first), node(second));
        if let Some(&fails) = self.last.get(&second) {
            before = terms.or2(before, fails);
        }
        let mut all = vec![self.happens(first), self.happens(second), before];
        if let Some(&fails) = self.last.get(&first) {
            all.push(terms.not(fails));
        }
        terms.and(&all)
    }

    /// The condition that the thread skipped the event, because its guard did not hold.
    pub fn skipped(&self, terms: &mut Terms, event: EventId) -> Term {
        let unguarded = terms.not(self.guards[event.index()]);
        terms.and2(self.arrives[event.index()], unguarded)
    }

    /// The condition that the event is the next one of its thread.
    pub fn stands(&self, terms: &mut Terms, event: EventId) -> Term {
        let missing = terms.not(self.happens(event));
        terms.and(&[self.arrives[event.index()], self.guards[event.index()], missing])
    }

    /// The condition that the assertion happens and fails, if it can fail and the question depends on it.
    pub fn fails(&self, assertion: EventId) -> Option<Term> {
        self.fails.get(&assertion).copied()
    }

    /// The parts of the deadlock, if the question asks for one.
    pub fn deadlocked(&self) -> &Deadlocked {
        &self.deadlocked
    }

    /// The condition that the event happens with this choice, if there is a choice.
    pub fn choice_literal(&self, terms: &mut Terms, step: Step) -> Option<Term> {
        let happens = self.happens(step.event);
        if let Some(matches) = self.matches.get(&step.event) {
            let wakes: Vec<Term> = matches.iter().map(|found| found.literal).collect();
            let chosen = matches.iter().find(|found| step.choice == Choice::Wakes(found.sleep));
            return Some(chosen.map(|found| found.literal).unwrap_or_else(|| {
                let any = terms.or(&wakes);
                let nobody = terms.not(any);
                terms.and2(happens, nobody)
            }));
        }
        if let Some(gave_up) = self.impatient.get(&step.event).and_then(|wake| wake.gave_up) {
            let chosen = if step.choice == Choice::Only { terms.not(gave_up) } else { gave_up };
            return Some(terms.and2(happens, chosen));
        }
        let wake = self.wakes.get(&step.event).filter(|wake| !wake.is_patient())?;
        let timed_out = wake.timed_out.unwrap_or(terms.falsehood());
        let (alone, told) = (terms.not(wake.signalled), terms.not(timed_out));
        Some(match step.choice {
            Choice::TimedOut => terms.and(&[happens, alone, timed_out]),
            Choice::Spurious => terms.and(&[happens, alone, told]),
            Choice::Only | Choice::Wakes(_) => terms.and2(happens, wake.signalled),
        })
    }

    /// The execution that an assignment describes; the terms are those of the formula that it satisfies.
    pub fn decode(&self, terms: &Terms, assignment: &Assignment) -> Execution {
        let mut evaluator = assignment.evaluator(terms);
        let mut events: Vec<(bool, u32, EventId)> = Vec::new();
        for (index, &happens) in self.happens.iter().enumerate() {
            if evaluator.evaluate_bool(happens) {
                let event = EventId(index as u32);
                let last = self.last.get(&event).is_some_and(|&fails| evaluator.evaluate_bool(fails));
                events.push((last, assignment.position(node(event)), event));
            }
        }
        events.sort_unstable();
        let mut steps = Vec::with_capacity(events.len());
        for (_, _, event) in events {
            let mut choice = Choice::Only;
            let matches = self.matches.get(&event).into_iter().flatten();
            if let Some(found) = matches.into_iter().find(|found| evaluator.evaluate_bool(found.literal)) {
                choice = Choice::Wakes(found.sleep);
            }
            let ending = self.wakes.get(&event).or(self.impatient.get(&event));
            if let Some(wake) = ending {
                let is_wake = wake.event == event;
                let by_itself = match (is_wake, wake.gave_up) {
                    (true, _) => !evaluator.evaluate_bool(wake.signalled),
                    (false, gave_up) => gave_up.is_some_and(|gave_up| evaluator.evaluate_bool(gave_up)),
                };
                let timed_out = wake.timed_out.is_some_and(|timed_out| evaluator.evaluate_bool(timed_out));
                choice = match () {
                    () if !by_itself => Choice::Only,
                    () if timed_out || !wake.spurious => Choice::TimedOut,
                    () => Choice::Spurious,
                };
            }
            steps.push(Step { event, choice });
        }
        let inputs = self.inputs.iter().map(|&input| evaluator.evaluate(input)).collect();
        Execution { steps, inputs }
    }
}
