//! Minimal cores: assumptions of which none can be left out.
//!
//! By deletion: one assumption after the other is left out; if the rest still fails, its (often smaller) core is what
//! goes on, otherwise the assumption is needed. Where a budget ends a question, the assumption stays and is counted
//! among those whose need was not shown. Who has a cheaper proof that an assumption is needed is asked before the solver.

use std::collections::HashSet;

use formula::{Assignment, Term};

use crate::solver::{Budget, Reason, Solver, Verdict};

#[derive(Clone, Debug)]
pub enum CoreVerdict {
    Core(Core),
    /// The assumptions can hold together.
    Satisfiable(Assignment),
    Unknown(Reason),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core {
    /// In the order in which the assumptions were given.
    pub literals: Vec<Term>,
    /// Of these, the ones of which a budget ended the proof that they are needed.
    pub kept: Vec<Term>,
    /// How many questions were asked.
    pub questions: u64,
}

impl Core {
    /// Whether none can be left out.
    pub fn is_minimal(&self) -> bool {
        self.kept.is_empty()
    }
}

/// A minimal core of the assumptions. Conflicts are a budget of each question, time is one of the whole.
pub fn minimal_core(solver: &mut dyn Solver, assumptions: &[Term], budget: &Budget) -> CoreVerdict {
    minimal_core_shown(solver, assumptions, budget, &mut |_, _| false)
}

/// As [`minimal_core`]. `shown` says whether it is known that the second can hold without the first.
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
    // From the end: what was given last matters least to those who give assumptions in order of importance.
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
            // Both are of the whole, so no further question has an answer.
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
