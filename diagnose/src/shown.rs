//! Shows by a witness that an ordering of a cause is necessary: a passing run that has all the others.
//!
//! The two events are swapped in the failing execution (`swap`), and the graph's machine completes the run. If that
//! gives such a witness, the solver is not needed; otherwise the question is open.

use events::{EventId, Plan};

use crate::cause::Order;
use crate::failure::Replayed;
use crate::guide::follow;
use crate::swap::Swap;

pub(crate) struct Examples<'a> {
    pub plan: &'a Plan<'a>,
    pub failing: &'a Replayed,
}

impl Examples<'_> {
    /// Whether a passing run with all of these orderings was found.
    pub fn passes_without(&self, left: Order, stay: &[Order]) -> bool {
        let positions = self.failing.positions();
        let (Some(&first), Some(&second)) = (positions.get(&left.0), positions.get(&left.1)) else { return false };
        let swap = Swap { graph: self.plan.graph, failing: self.failing };
        swap.orders(first, second)
            .filter_map(|wished| follow(self.plan, &wished, &self.failing.execution.inputs))
            .any(|run| run.outcome.passes() && all_hold(stay, &run))
    }
}

/// Whether both events of each happen, in this order.
fn all_hold(orders: &[Order], run: &Replayed) -> bool {
    let positions = run.positions();
    let place = |event: EventId| positions.get(&event);
    orders.iter().all(|&(one, other)| matches!((place(one), place(other)), (Some(one), Some(other)) if one < other))
}
