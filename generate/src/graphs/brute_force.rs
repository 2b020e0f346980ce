//! Brute force: explores every step from every state of a small graph. The other engines are tested against it, so it
//! is kept simple: its one optimisation is to skip states that were visited before, and even that can be switched off.

use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use events::{
    Clash, EventGraph, EventId, Execution, Extent, GraphError, Machine, Outcome, Plan, Reason, Sought, State, Step,
};
use formula::{Sort, Value};
use thiserror::Error;

/// The outcomes of all executions of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// Assertions that fail in some execution.
    pub failures: BTreeSet<EventId>,
    pub deadlock: bool,
    pub passes: bool,
}

/// Which parts of the search are explored only once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merging {
    /// None: every interleaving is explored to its end.
    Nothing,
    /// Equal states are explored once.
    States,
}

/// The domain of each input, and the limit of work.
#[derive(Clone, Debug)]
pub struct Enumeration {
    pub extent: Extent,
    pub merging: Merging,
    /// By position in the graph's inputs.
    pub domains: Vec<Vec<Value>>,
    /// The largest number of steps, over all inputs together.
    pub step_limit: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EnumerationError {
    #[error("the graph is ill-formed: {}", .0.first().map(ToString::to_string).unwrap_or_default())]
    IllFormed(Vec<GraphError>),
    #[error("an input has more than 256 values")]
    LargeDomain,
    #[error("the search was given up after {0} steps")]
    StepLimit(u64),
    #[error("{0}")]
    Inputs(Reason),
}

impl Enumeration {
    /// All values of all inputs, if they are few enough.
    pub fn new(graph: &EventGraph, extent: Extent, merging: Merging) -> Result<Enumeration, EnumerationError> {
        let domain = |sort| match sort {
            Sort::Bool => Ok(vec![Value::Bool(false), Value::Bool(true)]),
            Sort::Bits(width @ 1..=8) => Ok((0..1 << width).map(|value| Value::Bits { width, value }).collect()),
            Sort::Bits(_) => Err(EnumerationError::LargeDomain),
        };
        let domains = graph.inputs.iter().map(|&input| domain(graph.terms.sort(input)));
        let domains = domains.collect::<Result<_, _>>()?;
        Ok(Enumeration { extent, merging, domains, step_limit: u64::MAX })
    }

    /// All outcomes of the graph.
    pub fn answers(&self, graph: &EventGraph) -> Result<Answers, EnumerationError> {
        let mut answers = Answers::default();
        self.search(graph, &[], |_, outcome, _| {
            if Sought::AnyAssertion.met_by(outcome, self.extent) {
                answers.failures.extend(&outcome.failed);
            }
            answers.deadlock |= Sought::Deadlock.met_by(outcome, self.extent);
            answers.passes |= Sought::Passes.met_by(outcome, self.extent);
            false
        })?;
        Ok(answers)
    }

    /// An execution that reaches the goal, in which both events of each pair happen, the first one first.
    pub fn find(
        &self,
        graph: &EventGraph,
        sought: Sought,
        orders: &[(EventId, EventId)],
    ) -> Result<Option<Execution>, EnumerationError> {
        let mut found = None;
        self.search(graph, orders, |machine, outcome, execution| {
            let ordered = orders.iter().all(|&(_, after)| machine.happened(after));
            if ordered && sought.met_by(outcome, self.extent) {
                found = Some(execution());
            }
            found.is_some()
        })?;
        Ok(found)
    }

    /// For each race candidate, whether some prefix without failure ends where both accesses could be next.
    pub fn races(&self, graph: &EventGraph, clashes: &[Clash]) -> Result<Vec<bool>, EnumerationError> {
        let mut met = vec![false; clashes.len()];
        self.search(graph, &[], |machine, outcome, _| {
            if outcome.failed.is_empty() {
                for (met, clash) in met.iter_mut().zip(clashes) {
                    *met = *met || machine.meets(clash);
                }
            }
            false
        })?;
        Ok(met)
    }

    /// The number of executions that cannot be continued.
    pub fn count(&self, graph: &EventGraph) -> Result<u64, EnumerationError> {
        let mut count = 0;
        self.search(graph, &[], |machine, _, _| {
            let over = machine.extent() == Extent::Prefix && !machine.failed().is_empty();
            count += u64::from(over || machine.steps().is_empty());
            false
        })?;
        Ok(count)
    }

    /// Calls `visit` with every prefix that is an execution, until it returns true. Prefixes in which the second event
    /// of a pair happens before the first are skipped.
    fn search(
        &self,
        graph: &EventGraph,
        orders: &[(EventId, EventId)],
        mut visit: impl FnMut(&Machine<'_>, &Outcome, &dyn Fn() -> Execution) -> bool,
    ) -> Result<(), EnumerationError> {
        let plan = Plan::new(graph).map_err(EnumerationError::IllFormed)?;
        let mut taken = 0;
        let mut odometer = vec![0; self.domains.len()];
        if self.domains.iter().any(Vec::is_empty) {
            return Ok(());
        }
        loop {
            let inputs: Vec<Value> =
                self.domains.iter().zip(&odometer).map(|(domain, &position)| domain[position]).collect();
            let first = Machine::new(&plan, &inputs, self.extent).map_err(EnumerationError::Inputs)?;
            if self.search_from(first, &inputs, orders, &mut taken, &mut visit)? || !self.advance(&mut odometer) {
                return Ok(());
            }
        }
    }

    /// The next combination of inputs, if there is one.
    fn advance(&self, odometer: &mut [usize]) -> bool {
        for (position, domain) in odometer.iter_mut().zip(&self.domains) {
            *position += 1;
            if *position < domain.len() {
                return true;
            }
            *position = 0;
        }
        false
    }

    fn search_from(
        &self,
        first: Machine<'_>,
        inputs: &[Value],
        orders: &[(EventId, EventId)],
        taken: &mut u64,
        visit: &mut impl FnMut(&Machine<'_>, &Outcome, &dyn Fn() -> Execution) -> bool,
    ) -> Result<bool, EnumerationError> {
        let mut seen: HashSet<State, BuildHasherDefault<Mixer>> = HashSet::default();
        let mut path: Vec<Step> = Vec::new();
        let mut stack: Vec<(Machine<'_>, Vec<Step>)> = Vec::new();
        let mut arrived = Some(first);
        loop {
            if let Some(machine) = arrived.take() {
                if let Ok(outcome) = machine.conclude()
                    && visit(&machine, &outcome, &|| Execution { steps: path.clone(), inputs: inputs.to_vec() })
                {
                    return Ok(true);
                }
                let steps = machine.steps();
                stack.push((machine, steps));
            }
            let Some((machine, steps)) = stack.last_mut() else { return Ok(false) };
            let Some(step) = steps.pop() else {
                stack.pop();
                path.pop();
                continue;
            };
            if *taken >= self.step_limit {
                return Err(EnumerationError::StepLimit(*taken));
            }
            *taken += 1;
            let early = |&(before, after): &(EventId, EventId)| after == step.event && !machine.happened(before);
            if orders.iter().any(early) {
                continue;
            }
            let mut next = machine.clone();
            if next.step(step).is_err() || seen.contains(next.state()) {
                continue;
            }
            if self.merging == Merging::States {
                seen.insert(next.state().clone());
            }
            path.push(step);
            arrived = Some(next);
        }
    }
}

/// Hashing states takes half of the time with the standard library's hash, whose resistance to attacks is not needed
/// here.
#[derive(Clone, Copy, Debug, Default)]
struct Mixer(u64);

impl Mixer {
    fn mix(&mut self, word: u64) {
        // An odd constant with well spread bits, from the golden ratio.
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        (self.0 ^ (self.0 >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, word: u8) {
        self.mix(u64::from(word));
    }

    fn write_u32(&mut self, word: u32) {
        self.mix(u64::from(word));
    }

    fn write_u64(&mut self, word: u64) {
        self.mix(word);
    }

    fn write_u128(&mut self, word: u128) {
        self.mix(word as u64);
        self.mix((word >> 64) as u64);
    }

    fn write_usize(&mut self, word: usize) {
        self.mix(word as u64);
    }

    fn write_isize(&mut self, word: isize) {
        self.mix(word as u64);
    }
}
