//! All executions of a small graph, by exploring every step from every state: the failures, the causes that cover them,
//! and whether one passes under given orders. States include only those facts about the past that matter.

mod causes;

use std::collections::{BTreeSet, HashSet};

use diagnose::{FoundFailure, Standstill};
use events::{Choice, EventGraph, EventId, Extent, Kind, Machine, Plan, Reason, State, Step};
use formula::{Sort, Value};

pub use causes::{Tally, cause_problem};

/// The requirements on an execution.
#[derive(Clone, Debug, Default)]
pub struct Demand {
    pub orders: Vec<(EventId, EventId)>,
    pub choices: Vec<Step>,
    /// By input, its possible values.
    pub inputs: Vec<Vec<Value>>,
}

/// The limit was exceeded.
#[derive(Debug)]
pub struct TooMuch;

/// The outcomes of all prefixes.
#[derive(Debug, Default)]
pub struct Failures {
    pub assertions: BTreeSet<EventId>,
    pub standstills: BTreeSet<Standstill>,
    pub cuts: BTreeSet<EventId>,
    /// Failing executions that no given failure covers.
    pub uncovered: Vec<Vec<Step>>,
}

/// By input, the values to try. For inputs wider than a bit only 0 and 1 must be allowed.
pub fn domains(graph: &EventGraph) -> Vec<Vec<Value>> {
    let domain = |&input| match graph.terms.sort(input) {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::Bits(width) => vec![Value::Bits { width, value: 0 }, Value::Bits { width, value: 1 }],
    };
    graph.inputs.iter().map(domain).collect()
}

fn inputs(domains: &[Vec<Value>]) -> Vec<Vec<Value>> {
    let mut all = vec![Vec::new()];
    for domain in domains {
        let longer = |values: &Vec<Value>| {
            domain.iter().map(|&value| values.iter().copied().chain([value]).collect()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// The graph in which failures of other kinds only end executions.
pub fn asked(graph: &EventGraph, site: &dyn Fn(EventId) -> Option<u32>) -> EventGraph {
    let mut graph = graph.clone();
    for number in 0..graph.events.len() {
        let asked = site(EventId(number as u32)).is_some();
        let event = &mut graph.events[number];
        if let (Kind::Assert { condition }, false) = (&event.kind, asked) {
            event.kind = Kind::Assume { condition: *condition };
        }
    }
    graph
}

/// Whether the environment chose alike. When a sleep gives up is one choice; how its wait ends is the wake's.
fn same_choice(graph: &EventGraph, one: Step, other: Step) -> bool {
    match graph.events[one.event.index()].kind {
        Kind::Sleep { .. } => (one.choice == Choice::Only) == (other.choice == Choice::Only),
        _ => one.choice == other.choice,
    }
}

/// Whether a whole execution with these requirements passes, if the limit of steps suffices to decide.
pub fn passes(graph: &EventGraph, demand: &Demand, limit: u64) -> Result<bool, TooMuch> {
    let plan = Plan::new(graph).expect("it is well-formed");
    let mut taken = 0;
    for inputs in inputs(&demand.inputs) {
        let mut open = vec![Machine::new(&plan, &inputs, Extent::Whole).expect("inputs fit")];
        let mut seen: HashSet<State> = HashSet::new();
        while let Some(machine) = open.pop() {
            let happened = |event| machine.happened(event);
            let done = demand.orders.iter().all(|&(_, second)| happened(second))
                && demand.choices.iter().all(|step| happened(step.event));
            if done && machine.conclude().is_ok_and(|outcome| outcome.passes()) {
                return Ok(true);
            }
            for step in machine.steps() {
                taken += 1;
                if taken > limit {
                    return Err(TooMuch);
                }
                let early = |&(first, second): &(EventId, EventId)| second == step.event && !happened(first);
                let other = |wanted: &Step| wanted.event == step.event && !same_choice(graph, *wanted, step);
                if demand.orders.iter().any(early) || demand.choices.iter().any(other) {
                    continue;
                }
                let mut next = machine.clone();
                if next.step(step).is_ok() && seen.insert(next.state().clone()) {
                    open.push(next);
                }
            }
        }
    }
    Ok(false)
}

/// By order and by choice of each failure: whether it is still as there.
type Past = Vec<(Vec<bool>, Vec<bool>)>;

/// The outcomes of all prefixes, compared with the failures found.
pub fn failures(graph: &EventGraph, found: &[FoundFailure], limit: u64) -> Result<Failures, TooMuch> {
    let plan = Plan::new(graph).expect("it is well-formed");
    let orders: Vec<&[(EventId, EventId)]> = found.iter().map(orders_of).collect();
    let mut result = Failures::default();
    let mut taken = 0;
    for inputs in inputs(&domains(graph)) {
        let first = Machine::new(&plan, &inputs, Extent::Prefix).expect("inputs fit");
        let fresh: Past = found
            .iter()
            .zip(&orders)
            .map(|(failure, orders)| (vec![true; orders.len()], vec![true; failure.choices.len()]))
            .collect();
        let mut seen: HashSet<(State, Past)> = HashSet::new();
        let mut open = vec![(first, fresh, Vec::<Step>::new())];
        while let Some((machine, past, path)) = open.pop() {
            if let Ok(outcome) = machine.conclude() {
                let standstills = Standstill::all(&outcome);
                let fails = outcome.failed.len() == 1 || !standstills.is_empty();
                if outcome.failed.len() == 1 {
                    result.assertions.extend(&outcome.failed);
                }
                result.standstills.extend(standstills);
                let covers = |(number, failure): (usize, &FoundFailure)| {
                    covered(&machine, &inputs, failure, orders[number], &past[number])
                };
                if fails && !found.iter().enumerate().any(covers) {
                    result.uncovered.push(path.clone());
                }
            }
            for step in machine.steps() {
                taken += 1;
                if taken > limit {
                    return Err(TooMuch);
                }
                let mut next = machine.clone();
                match next.step(step) {
                    Ok(_) => {}
                    Err(Reason::Cut) => {
                        result.cuts.insert(step.event);
                        continue;
                    }
                    Err(_) => continue,
                }
                let mut past = past.clone();
                for (number, failure) in found.iter().enumerate() {
                    for (place, &(first, second)) in orders[number].iter().enumerate() {
                        past[number].0[place] &= second != step.event || machine.happened(first);
                    }
                    for (place, choice) in failure.choices.iter().enumerate() {
                        past[number].1[place] &= choice.event != step.event || same_choice(graph, *choice, step);
                    }
                }
                if seen.insert((next.state().clone(), past.clone())) {
                    let path = path.iter().copied().chain([step]).collect();
                    open.push((next, past, path));
                }
            }
        }
    }
    Ok(result)
}

pub fn orders_of(failure: &FoundFailure) -> &[(EventId, EventId)] {
    match &failure.causes {
        diagnose::Causes::Found(cause) => &cause.orders,
        _ => &[],
    }
}

/// Whether the execution has the cause of a failure, or fails like one without a cause.
fn covered(
    machine: &Machine<'_>,
    inputs: &[Value],
    failure: &FoundFailure,
    orders: &[(EventId, EventId)],
    (kept, chosen): &(Vec<bool>, Vec<bool>),
) -> bool {
    let graph = machine.plan().graph;
    if !matches!(failure.causes, diagnose::Causes::Found(_)) {
        let outcome = machine.conclude();
        return outcome.is_ok_and(|outcome| match (&failure.standstill, &failure.wrong) {
            (Some(standstill), _) => Standstill::all(&outcome).contains(standstill),
            (None, diagnose::Wrong::Assertion(assertion)) => outcome.failed.contains(assertion),
            (None, diagnose::Wrong::Deadlock(_)) => false,
        });
    }
    let done = |event: EventId| failure.failing.execution.steps.iter().any(|step| step.event == event);
    let outcome = &failure.failing.outcome;
    let stuck = |event: EventId| outcome.deadlock.is_some() && outcome.stuck.iter().any(|stuck| stuck.event == event);
    let happened = |event: EventId| machine.happened(event);
    let to_come = |event: EventId| {
        let thread = graph.events[event.index()].thread;
        let list = &graph.threads[thread.index()].events;
        let place = |event: EventId| list.iter().position(|&other| other == event);
        happened(event) || machine.next(thread).is_some_and(|next| place(next) <= place(event))
    };
    let stands = |event: EventId| {
        let thread = graph.events[event.index()].thread;
        machine.status(thread) != events::Status::NotForked && machine.next(thread) == Some(event)
    };
    let as_there = |event: EventId| if done(event) { happened(event) } else { to_come(event) };
    let ordered = orders.iter().zip(kept).all(|(&(first, second), &kept)| {
        let second_fits = if stuck(second) { stands(second) } else { to_come(second) };
        kept && as_there(first) && second_fits
    });
    let decided = failure.choices.iter().zip(chosen).all(|(step, &chosen)| chosen && as_there(step.event));
    let values = &failure.failing.execution.inputs;
    let same_inputs =
        failure.input_bits.iter().all(|bit| causes::same_bit(*bit, &inputs[bit.input], &values[bit.input]));
    ordered && decided && same_inputs
}
