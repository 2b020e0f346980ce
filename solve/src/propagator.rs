//! The edge to CaDiCaL: its callbacks, as calls to the theory. A panic in here must not unwind through C++, so it is
//! caught, kept, and ends the search.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use cadical_sys::{ExternalPropagator, Terminator};

use crate::solver::Reason;
use crate::theory::{Choice, Linear, Lit, Theory};

/// What engine and propagator both see.
#[derive(Clone)]
pub(crate) struct Shared(Rc<RefCell<State>>);

pub(crate) struct State {
    pub theory: Theory,
    /// What became of the last model of the clauses.
    pub order: Option<Result<Linear, Vec<Choice>>>,
    /// A clause on its way to the solver, last literal first.
    clause: Option<Vec<Lit>>,
    reason: Option<Vec<Lit>>,
    pub broken: Option<String>,
}

impl Shared {
    pub fn new(theory: Theory) -> Shared {
        Shared(Rc::new(RefCell::new(State { theory, order: None, clause: None, reason: None, broken: None })))
    }

    pub fn with<T>(&self, action: impl FnOnce(&mut State) -> T) -> T {
        action(&mut self.0.borrow_mut())
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
    /// Takes everything into account; tells whether a clause waits for the solver.
    fn settle(&mut self) -> bool {
        if self.clause.is_none() {
            self.theory.propagate();
            self.clause = self.theory.take_conflict();
        }
        self.clause.is_some()
    }
}

impl ExternalPropagator for Propagator {
    // Conflicts can be derived again.
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
        self.0.guarded(|state| {
            let clause = state.reason.get_or_insert_with(|| state.theory.reason(propagated));
            let lit = clause.pop();
            if lit.is_none() {
                state.reason = None;
            }
            lit.unwrap_or(0)
        })
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

/// Ends the search when its time is over, when someone asks for it, or when the theory broke.
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
