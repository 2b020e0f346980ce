//! Solvers for formulas with order: the engine of CaDiCaL with a theory of order, and SMT-LIB processes for comparison.
//! The only crate that calls a solver.

mod solver;
mod gates;
mod words;
mod blast;
mod reach;
mod theory;
mod sources;
mod mode;
mod propagator;
mod engine;
mod portfolio;
mod process;
mod core;
mod optimise;

pub use crate::core::{Core, CoreVerdict, minimal_core, minimal_core_shown};
pub use engine::{Engine, Statistics};
pub use mode::Mode;
pub use optimise::{End, Optimum, Soft, optimise};
pub use portfolio::Portfolio;
pub use process::Process;
pub use solver::{Budget, Reason, Solver, Verdict};
