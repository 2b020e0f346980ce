//! The question for failing executions, which is strengthened by every known cause. These constraints can be disabled
//! again: executions with a known cause may still fail at new places.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use encode::{Encoding, Failure, Goal, Legend, Question, encode};
use events::{EventGraph, EventId, Execution, Extent, Kind};
use formula::{Assignment, Sort, Term};
use solve::{Budget, Engine, Mode, Solver, Verdict};

use super::place::Standstill;
use super::reasons::{Reasons, stuck_in};
use crate::diagnosis::DiagnoseError;
use crate::failure::Replayed;

pub struct Failing<'g> {
    graph: &'g EventGraph,
    engine: Engine,
    legend: Legend,
    /// Under this no known cause holds.
    unexplained: Term,
    /// Under this no known standstill is the one.
    unseen: Term,
    /// The assertions of each place.
    sites: BTreeMap<u32, Vec<EventId>>,
    seen: BTreeSet<u32>,
    standstills: Vec<Standstill>,
}

/// How a new execution must differ from known ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// No known cause explains it.
    Cause,
    /// A failure at a new place.
    Place,
}

impl<'g> Failing<'g> {
    pub fn new(
        graph: &'g EventGraph,
        failure: Failure,
        site: &dyn Fn(EventId) -> Option<u32>,
        budget: &Budget,
    ) -> Result<Failing<'g>, DiagnoseError> {
        let question = Question::new(Goal::Failure(failure), Extent::Prefix).until(budget.ends());
        let Encoding { formula, legend } = encode(graph, &question)?;
        // Failing executions are often rare; guided decisions do not help then.
        let mut engine = Engine::with_mode(formula, Mode::Plain);
        let [unexplained, unseen] = ["unexplained", "unseen"].map(|name| engine.terms().symbol(name, Sort::Bool));
        let mut sites: BTreeMap<u32, Vec<EventId>> = BTreeMap::new();
        for number in 0..graph.events.len() as u32 {
            let event = EventId(number);
            if legend.fails(event).is_some()
                && let Some(site) = site(event)
            {
                sites.entry(site).or_default().push(event);
            }
        }
        let (seen, standstills) = (BTreeSet::new(), Vec::new());
        Ok(Failing { graph, engine, legend, unexplained, unseen, sites, seen, standstills })
    }

    pub fn conflicts(&self) -> u64 {
        self.engine.conflicts()
    }

    pub fn ask(&mut self, failure: Failure, news: News, budget: &Budget) -> Verdict {
        let assumption = match (news, failure) {
            (News::Cause, _) => self.unexplained,
            (News::Place, Failure::Deadlock) => self.unseen,
            (News::Place, _) => {
                let unseen = self.sites.iter().filter(|(site, _)| !self.seen.contains(site));
                let fails: Vec<Term> =
                    unseen.flat_map(|(_, events)| events).filter_map(|&event| self.legend.fails(event)).collect();
                self.engine.terms().or(&fails)
            }
        };
        self.engine.solve(&[assumption], budget)
    }

    pub fn execution(&self, assignment: &Assignment) -> Execution {
        self.legend.decode(&self.engine.formula().terms, assignment)
    }

    /// The first deadlock that is new, or else the first.
    pub fn standstill(&self, failing: &Replayed) -> Option<Standstill> {
        let all = Standstill::all(&failing.outcome);
        all.iter().find(|standstill| !self.standstills.contains(standstill)).or(all.first()).cloned()
    }

    /// Records a failing assertion; returns whether it is new.
    pub fn see_assertion(&mut self, assertion: EventId) -> bool {
        let site = self.sites.iter().find(|(_, events)| events.contains(&assertion));
        site.map(|(&site, _)| site).is_some_and(|site| self.seen.insert(site))
    }

    /// Records a deadlock; returns whether it is new.
    pub fn see_standstill(&mut self, standstill: &Standstill) -> bool {
        if self.standstills.contains(standstill) {
            return false;
        }
        self.standstills.push(standstill.clone());
        let parts = self.legend.deadlocked().clone();
        let falsehood = self.engine.terms().falsehood();
        let stuck = |event: &EventId| parts.stuck.get(event).copied().unwrap_or(falsehood);
        let mut together: Vec<Term> = Vec::new();
        if standstill.circular {
            // Each thread waits for one of the set. If there is another cycle too, it is found as the only one that
            // counts.
            for event in &standstill.events {
                let inside = parts.waits_for.get(event).into_iter().flatten();
                let inside = inside.filter(|(thread, _)| standstill.threads.contains(thread)).map(|&(_, waits)| waits);
                let inside: Vec<Term> = inside.collect();
                together.push(self.engine.terms().or(&inside));
            }
            let members = standstill.threads.iter().filter_map(|thread| parts.members.get(thread.index()).copied());
            let circle: Vec<Term> = together.iter().copied().chain(members).collect();
            self.exclude(self.unseen, &circle);
        } else {
            together.extend(standstill.events.iter().map(stuck));
            let mut others: Vec<EventId> = parts.stuck.keys().copied().collect();
            others.retain(|event| !standstill.events.contains(event));
            others.sort_unstable();
            let others: Vec<Term> = others.iter().map(stuck).collect();
            let any = self.engine.terms().or(&others);
            together.push(self.engine.terms().not(any));
        }
        together.push(parts.everyone.unwrap_or(falsehood));
        self.exclude(self.unseen, &together);
        true
    }

    /// Demands that not all of these hold together, under the condition.
    fn exclude(&mut self, condition: Term, together: &[Term]) {
        let terms = self.engine.terms();
        let all = terms.and(together);
        let never = terms.not(all);
        let demand = terms.implies(condition, never);
        self.engine.assert(demand);
    }

    /// From now on executions with all these reasons are explained. The assignment is that of the failing one.
    pub fn explained(
        &mut self,
        failing: &Replayed,
        assignment: &Assignment,
        reasons: &Reasons,
    ) -> Result<(), DiagnoseError> {
        let literals = self.literals(failing, reasons);
        let mut evaluator = assignment.evaluator(&self.engine.formula().terms);
        if !literals.iter().all(|&literal| evaluator.evaluate_bool(literal)) {
            return Err(DiagnoseError::Uncovered);
        }
        self.exclude(self.unexplained, &literals);
        Ok(())
    }

    fn literals(&mut self, failing: &Replayed, reasons: &Reasons) -> Vec<Term> {
        let done: HashSet<EventId> = failing.execution.steps.iter().map(|step| step.event).collect();
        let stuck = stuck_in(failing);
        let (legend, terms) = (&self.legend, self.engine.terms());
        let mut literals = Vec::new();
        for &(first, second) in &reasons.orders {
            let ordered = legend.order_literal(terms, first, second);
            if done.contains(&first) {
                literals.push(legend.happens(first));
            } else {
                literals.push(to_come(legend, terms, first));
            }
            if stuck.contains(&second) {
                literals.push(legend.stands(terms, second));
            } else {
                literals.push(to_come(legend, terms, second));
                literals.push(terms.implies(legend.happens(second), ordered));
            }
        }
        for &step in &reasons.choices {
            let Some(chosen) = legend.choice_literal(terms, step) else { continue };
            if done.contains(&step.event) {
                literals.push(chosen);
            } else {
                literals.push(to_come(legend, terms, step.event));
                literals.push(terms.implies(legend.happens(step.event), chosen));
            }
        }
        for &event in &reasons.stands {
            literals.push(legend.stands(terms, event));
        }
        for bit in &reasons.inputs {
            literals.push(bit.literal(self.graph, terms, &failing.execution.inputs));
        }
        literals
    }
}

/// That the thread has not gone by without doing this: it has done it, or still may.
fn to_come(legend: &Legend, terms: &mut formula::Terms, event: EventId) -> Term {
    let skipped = legend.skipped(terms, event);
    terms.not(skipped)
}

/// The graph in which failures of other kinds only end executions: these neither pass nor fail.
pub fn asked_of(graph: &EventGraph, site: &dyn Fn(EventId) -> Option<u32>) -> EventGraph {
    let mut asked = graph.clone();
    for (number, event) in asked.events.iter_mut().enumerate() {
        if let Kind::Assert { condition } = event.kind
            && site(EventId(number as u32)).is_none()
        {
            event.kind = Kind::Assume { condition };
        }
    }
    asked
}
