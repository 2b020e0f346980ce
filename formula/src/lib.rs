//! Booleans, bit-vectors and a theory of order. A [`Formula`] is a set of constraints; an [`Assignment`] is a candidate
//! model. This crate knows neither events nor solvers: it builds, simplifies, evaluates and prints terms.

mod term;
mod word;
mod boolean;
mod vector;
mod slice;
mod compare;
mod order;
mod formula;
mod assignment;
mod judge;
mod expand;
mod smtlib;

pub use assignment::{Assignment, Evaluator, Value};
pub use formula::{Assertion, Family, Formula};
pub use judge::Violation;
pub use order::{Block, Cell, NodeInfo, Order, Read, Section, Source, Stretch, Writer};
pub use smtlib::{Naming, Printer, total_order};
pub use term::{Node, Op, Sort, Symbol, SymbolId, Term, Terms};
