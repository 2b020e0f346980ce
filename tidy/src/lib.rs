//! The rules of this repository that a compiler does not check, as functions from its files to findings.
//!
//! `cargo test -p tidy` reads the repository and checks all rules. A rule that needs forbidden words assembles them
//! from pieces, so that this crate obeys its own rules.

use std::fmt;

pub mod tree;
pub mod code;
pub mod files;
pub mod markers;
pub mod safety;
pub mod manifests;
pub mod architecture;
pub mod corpus;
pub mod standing;
pub mod sizes;
pub mod modules;
pub mod exceptions;
pub mod figures;

pub use tree::{File, Tree};

/// A violation of a rule, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// From the root of the repository, with `/` between the parts.
    pub path: String,
    /// Counted from 1; `None` when the whole file is meant.
    pub line: Option<usize>,
    pub message: String,
}

impl Finding {
    fn in_file(path: &str, message: impl Into<String>) -> Finding {
        Finding { path: path.to_owned(), line: None, message: message.into() }
    }

    fn at_line(path: &str, line: usize, message: impl Into<String>) -> Finding {
        Finding { path: path.to_owned(), line: Some(line), message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path, self.message),
            None => write!(f, "{}: {}", self.path, self.message),
        }
    }
}
