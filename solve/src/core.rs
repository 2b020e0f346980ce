//! Minimal unsat cores of assumptions.
//!
//! Deletion-based: assumptions are left out one after the other; if the rest is still unsatisfiable, its core (often
//! smaller) replaces the current one, otherwise the assumption is needed. If a budget ends a question, the assumption
//! is kept and reported as not proven to be needed. A cheaper proof that an assumption is needed, if the caller has
//! one, is tried before the solver.

use std::collections::HashSet;

use formula::{Assignment, Term};

use crate::solver::{Budget, Reason, Solver, Verdict};

#[derive(Clone, Debug)]
pub enum CoreVerdict {
    Core(Core),
    /// The assumptions are satisfiable.
    Satisfiable(Assignment),
    Unknown(Reason),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core {
    /// In the order of the assumptions given.
    pub literals: Vec<Term>,
    /// Those for which a budget ended the proof that they are needed.
    pub kept: Vec<Term>,
    /// The number of questions to the solver.
    pub questions: u64,
}

impl Core {
    /// Whether every assumption was proven to be needed.
    pub fn is_minimal(&self) -> bool {
        self.kept.is_empty()
    }
}

/// A minimal unsat core of the assumptions. The limit of conflicts is per question, that of time for all of them.
pub fn minimal_core(solver: &mut dyn Solver, assumptions: &[Term], budget: &Budget) -> CoreVerdict {
    minimal_core_shown(solver, assumptions, budget, &mut |_, _| false)
}

/// As [`minimal_core`]. `shown` returns whether the second is known to be satisfiable without the first.
pub fn minimal_core_shown(
    solver: &mut dyn Solver,
    assumptions: &[Term],
    budget: &Budget,
    shown: &mut dyn FnMut(Term, &[Term]) -> bool,
) -> CoreVerdict {
    let end = budget.ends();
    let remaining = || budget.until(end);
    let mut core = match solver.solve(assumptions, &remaining()) {
        Verdict::Satisfiable(assignment) => return CoreVerdict::Satisfiable(assignment),
        Verdict::Unknown(reason) => return CoreVerdict::Unknown(reason),
        Verdict::Unsatisfiable { core } => core,
    };
    let mut questions = 1;
    let mut needed = HashSet::new();
    let mut kept = HashSet::new();
    // From the end: callers give assumptions in order of importance, so the last ones should be removed first.
    while let Some(&candidate) = core.iter().rev().find(|term| !needed.contains(*term) && !kept.contains(*term)) {
        let rest: Vec<Term> = core.iter().copied().filter(|&term| term != candidate).collect();
        if shown(candidate, &rest) {
            needed.insert(candidate);
            continue;
        }
        questions += 1;
        match solver.solve(&rest, &remaining()) {
            Verdict::Unsatisfiable { core: smaller } => core = smaller,
            Verdict::Satisfiable(_) => {
                needed.insert(candidate);
            }
            // These limits hold for the whole computation, so further questions would have no answer either.
            Verdict::Unknown(Reason::Interrupted | Reason::Time) => {
                let open = core.iter().copied().filter(|term| !needed.contains(term));
                kept.extend(open);
            }
            Verdict::Unknown(_) => {
                kept.insert(candidate);
            }
        }
    }
    let position = |term: &Term| assumptions.iter().position(|other| other == term);
    core.sort_by_key(position);
    let kept = core.iter().copied().filter(|term| kept.contains(term)).collect();
    CoreVerdict::Core(Core { literals: core, kept, questions })
}
