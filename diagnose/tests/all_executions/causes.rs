//! The correctness of a cause: with it no execution passes, and without any one part of it some execution does.

use diagnose::{Causes, FoundFailure, InputBit, Wrong};
use events::{EventGraph, Extent, replay};
use formula::Value;

use super::{Demand, TooMuch, domains, orders_of, passes};

/// The numbers of checks.
#[derive(Debug, Default)]
pub struct Tally {
    pub failures: u64,
    pub deadlocks: u64,
    pub orders: u64,
    pub inevitable: u64,
    pub with_inputs: u64,
    pub with_choices: u64,
    pub chosen: u64,
    pub cuts: u64,
    pub iterations: u64,
    pub most: u32,
    pub skipped: u64,
}

/// Whether two values of an input agree in a bit.
pub fn same_bit(bit: InputBit, one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Bits { value: one, .. }, Value::Bits { value: other, .. }) => {
            one >> bit.bit & 1 == other >> bit.bit & 1
        }
        (one, other) => one == other,
    }
}

/// By input, its possible values if these bits are as in the failing execution.
fn allowed(graph: &EventGraph, failure: &FoundFailure, bits: &[InputBit]) -> Vec<Vec<Value>> {
    let mut allowed = domains(graph);
    for (input, (domain, value)) in allowed.iter_mut().zip(&failure.failing.execution.inputs).enumerate() {
        if !domain.contains(value) {
            domain.push(*value);
        }
        domain.retain(|other| bits.iter().filter(|bit| bit.input == input).all(|&bit| same_bit(bit, other, value)));
    }
    allowed
}

/// Describes a wrong cause, if it is wrong.
pub fn cause_problem(
    graph: &EventGraph,
    failure: &FoundFailure,
    limit: u64,
    tally: &mut Tally,
) -> Result<Option<String>, TooMuch> {
    let cause = match &failure.causes {
        Causes::Found(cause) => cause,
        Causes::Chosen(passing) => {
            count(failure, tally);
            tally.chosen += 1;
            // Only another thread's unlock can release threads that wait for each other, or for themselves.
            let circular = failure.standstill.as_ref().is_some_and(|standstill| standstill.circular);
            let passes = replay(graph, passing, Extent::Whole).is_ok_and(|outcome| outcome.passes());
            let same = passing.inputs == failure.failing.execution.inputs;
            return Ok((!circular || !passes || !same).then(|| format!("chosen: {passing:?} for {failure:?}")));
        }
        Causes::Unknown(reason) => return Ok(Some(format!("no cause: {reason:?}"))),
    };
    let orders = orders_of(failure);
    let bits = &failure.input_bits;
    let demand =
        Demand { orders: orders.to_vec(), choices: failure.choices.clone(), inputs: allowed(graph, failure, bits) };
    if passes(graph, &demand, limit)? {
        return Ok(Some(format!("{demand:?} does not exclude passing")));
    }
    if !cause.is_minimal() {
        return Ok(Some("the cause is not minimal".to_owned()));
    }
    let exact: Vec<Vec<Value>> = failure.failing.execution.inputs.iter().map(|&value| vec![value]).collect();
    for left_out in 0..orders.len() {
        let mut fewer = Demand { inputs: exact.clone(), ..demand.clone() };
        let order = fewer.orders.remove(left_out);
        if !passes(graph, &fewer, limit)? {
            return Ok(Some(format!("{order:?} is not needed in {demand:?}")));
        }
    }
    for left_out in 0..bits.len() {
        let mut others = bits.clone();
        let bit = others.remove(left_out);
        let fewer = Demand { inputs: allowed(graph, failure, &others), ..demand.clone() };
        if !passes(graph, &fewer, limit)? {
            return Ok(Some(format!("{bit:?} is not needed in {demand:?}")));
        }
    }
    for left_out in 0..failure.choices.len() {
        let mut fewer = demand.clone();
        let choice = fewer.choices.remove(left_out);
        if !passes(graph, &fewer, limit)? {
            return Ok(Some(format!("{choice:?} is not needed in {demand:?}")));
        }
    }
    count(failure, tally);
    tally.orders += orders.len() as u64;
    tally.inevitable += u64::from(orders.is_empty() && failure.choices.is_empty());
    tally.with_inputs += u64::from(!bits.is_empty());
    tally.with_choices += u64::from(!failure.choices.is_empty());
    Ok(None)
}

fn count(failure: &FoundFailure, tally: &mut Tally) {
    tally.failures += 1;
    tally.deadlocks += u64::from(matches!(failure.wrong, Wrong::Deadlock(_)));
}
