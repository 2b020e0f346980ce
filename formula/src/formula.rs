//! A formula: assertions, each of one of five families, and an order to be found.

use std::fmt;

use crate::order::Order;
use crate::term::{Term, Terms};

#[derive(Clone, Debug, Default)]
pub struct Formula {
    pub terms: Terms,
    pub order: Order,
    pub assertions: Vec<Assertion>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assertion {
    pub term: Term,
    pub family: Family,
}

/// The families of constraints of the Symbiosis paper, for statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    Path,
    Bug,
    Sync,
    ReadWrite,
    MemoryOrder,
}

impl Family {
    pub const ALL: [Family; 5] = [Family::Path, Family::Bug, Family::Sync, Family::ReadWrite, Family::MemoryOrder];
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Family::Path => "path",
            Family::Bug => "bug",
            Family::Sync => "sync",
            Family::ReadWrite => "rw",
            Family::MemoryOrder => "mo",
        })
    }
}

impl Formula {
    pub fn assert(&mut self, family: Family, term: Term) {
        self.assertions.push(Assertion { term, family });
    }
}
