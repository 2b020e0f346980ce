//! The interface to CaDiCaL: its callbacks, as calls to the theory. A panic must not unwind through C++, so it is
//! caught and stored, and ends the search.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use cadical_sys::{ExternalPropagator, Terminator};

use crate::solver::Reason;
use crate::theory::{Choice, Linear, Lit, Theory};

/// The state that the engine and the propagator share.
#[derive(Clone)]
pub(crate) struct Shared(Rc<RefCell<State>>);

pub(crate) struct State {
    pub theory: Theory,
    /// The result of the last model of the clauses.
    pub order: Option<Result<Linear, Vec<Choice>>>,
    /// A clause that is being passed to the solver, last literal first.
    clause: Option<Vec<Lit>>,
    reason: Option<Vec<Lit>>,
    /// An internal error. Clauses passed to the solver since may be wrong, so this is never reset.
    pub broken: Option<String>,
}

impl Shared {
    pub fn new(theory: Theory) -> Shared {
        Shared(Rc::new(RefCell::new(State { theory, order: None, clause: None, reason: None, broken: None })))
    }

    pub fn with<T>(&self, action: impl FnOnce(&mut State) -> T) -> T {
        action(&mut self.0.borrow_mut())
    }

    /// The next literal of a reason clause, zero at its end. CaDiCaL aborts the process if the propagated literal is
    /// not in it, so a missing reason becomes the unit clause; the state is then broken, and its answers are discarded.
    fn next_of_reason(&self, follows: Lit, reason: impl FnOnce(&Theory, Lit) -> Vec<Lit>) -> Lit {
        if self.with(|state| state.reason.is_none()) {
            let clause = self.guarded(|state| reason(&state.theory, follows));
            let clause = if clause.is_empty() { vec![follows] } else { clause };
            self.with(|state| state.reason = Some(clause));
        }
        self.with(|state| {
            let next = state.reason.as_mut().and_then(Vec::pop);
            if next.is_none() {
                state.reason = None;
            }
            next.unwrap_or(0)
        })
    }

    fn guarded<T: Default>(&self, action: impl FnOnce(&mut State) -> T) -> T {
        let result = catch_unwind(AssertUnwindSafe(|| self.with(action)));
        result.unwrap_or_else(|panic| {
            let message = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let message = message.or_else(|| panic.downcast_ref::<String>().cloned());
            if let Ok(mut state) = self.0.try_borrow_mut() {
                state.broken = Some(message.unwrap_or_else(|| "the theory of order panicked".to_owned()));
            }
            T::default()
        })
    }
}

pub(crate) struct Propagator(Shared);

impl Propagator {
    pub fn new(shared: Shared) -> Propagator {
        Propagator(shared)
    }
}

impl State {
    /// Propagates all assigned literals; returns whether a clause is ready for the solver.
    fn settle(&mut self) -> bool {
        if self.clause.is_none() {
            self.theory.propagate();
            self.clause = self.theory.take_conflict();
        }
        self.clause.is_some()
    }
}

impl ExternalPropagator for Propagator {
    // Reasons can be derived again.
    fn are_reasons_forgettable(&mut self) -> bool {
        true
    }

    fn notify_assignment(&mut self, lits: &[i32]) {
        self.0.guarded(|state| lits.iter().for_each(|&lit| state.theory.assign(lit)));
    }

    fn notify_new_decision_level(&mut self) {
        self.0.guarded(|state| state.theory.new_level());
    }

    fn notify_backtrack(&mut self, new_level: usize) {
        self.0.guarded(|state| {
            state.theory.backtrack(new_level);
            state.clause = None;
        });
    }

    fn cb_check_found_model(&mut self, _model: &[i32]) -> bool {
        self.0.guarded(|state| {
            if state.settle() {
                return false;
            }
            state.order = Some(state.theory.finish());
            true
        })
    }

    fn cb_decide(&mut self) -> i32 {
        self.0.guarded(|state| if state.settle() { 0 } else { state.theory.decide().unwrap_or(0) })
    }

    fn cb_propagate(&mut self) -> i32 {
        self.0.guarded(|state| if state.settle() { 0 } else { state.theory.next_implied().unwrap_or(0) })
    }

    fn cb_add_reason_clause_lit(&mut self, propagated: i32) -> i32 {
        self.0.next_of_reason(propagated, Theory::reason)
    }

    fn cb_has_external_clause(&mut self, is_forgettable: &mut bool) -> bool {
        *is_forgettable = true;
        self.0.guarded(State::settle)
    }

    fn cb_add_external_clause_lit(&mut self) -> i32 {
        self.0.guarded(|state| {
            let lit = state.clause.as_mut().and_then(Vec::pop);
            if lit.is_none() {
                state.clause = None;
            }
            lit.unwrap_or(0)
        })
    }
}

/// Ends the search at its deadline, on request, or after an internal error.
#[derive(Clone)]
pub(crate) struct Watch {
    deadline: Rc<Cell<Option<Instant>>>,
    stop: Rc<RefCell<Option<Arc<AtomicBool>>>>,
    shared: Shared,
}

impl Watch {
    pub fn new(shared: Shared) -> Watch {
        Watch { deadline: Rc::default(), stop: Rc::default(), shared }
    }

    pub fn begin(&self, deadline: Option<Instant>, stop: Option<Arc<AtomicBool>>) {
        self.deadline.set(deadline);
        *self.stop.borrow_mut() = stop;
    }

    fn stopped(&self) -> bool {
        self.stop.borrow().as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    pub fn expired(&self) -> bool {
        self.stopped() || self.deadline.get().is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Why a search ended without an answer.
    pub fn reason(&self) -> Reason {
        match () {
            () if self.stopped() => Reason::Interrupted,
            () if self.expired() => Reason::Time,
            () => Reason::Conflicts,
        }
    }
}

impl Terminator for Watch {
    fn terminated(&mut self) -> bool {
        self.expired() || self.shared.0.try_borrow().is_ok_and(|state| state.broken.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theory::Parts;

    #[test]
    fn a_reason_that_cannot_be_found_ends_the_search_and_not_the_process() {
        let shared = Shared::new(Theory::new(Parts::default()));
        assert_eq!(shared.next_of_reason(7, |_, lit| vec![-3, lit]), 7);
        assert_eq!(shared.next_of_reason(7, |_, _| Vec::new()), -3);
        assert_eq!(shared.next_of_reason(7, |_, _| Vec::new()), 0);
        assert!(!Watch::new(shared.clone()).terminated());
        assert_eq!(shared.next_of_reason(9, |_, _| panic!("no path")), 9);
        assert_eq!(shared.next_of_reason(9, |_, _| Vec::new()), 0);
        assert_eq!(shared.with(|state| state.broken.clone()), Some("no path".to_owned()));
        assert!(Watch::new(shared).terminated());
    }
}
