//! Checks that a program is well-formed, and collects all errors.
//!
//! A producer of programs (a front end, a pass, a person) verifies them; consumers then rely on the rules without
//! checking them again. A register without definition and uses is no error: passes that remove instructions leave such
//! registers behind.

use std::collections::HashMap;
use std::fmt;

mod tables;
mod dominators;
mod context;
mod operation;
mod function;

use crate::ids::BlockId;
use crate::program::Program;

/// A violation of a rule, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// The function's name; `None` for errors in the program's tables.
    pub function: Option<String>,
    pub block: Option<BlockId>,
    /// An index into the block's instructions; their number means the terminator.
    pub instruction: Option<usize>,
    pub message: String,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(function) = &self.function {
            write!(f, "in @{function}")?;
            if let Some(block) = self.block {
                write!(f, ", b{}", block.0)?;
            }
            if let Some(instruction) = self.instruction {
                write!(f, ", instruction {instruction}")?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for VerifyError {}

/// Checks every rule. The errors are in the order of the program's text form.
pub fn verify(program: &Program) -> Result<(), Vec<VerifyError>> {
    let mut errors = Errors::default();
    tables::verify(program, &mut errors);
    let mut names = HashMap::new();
    for (index, function) in program.functions.iter().enumerate() {
        errors.function = Some(function.name.clone());
        if let Some(first) = names.insert(function.name.as_str(), index) {
            errors.add(format!("functions {first} and {index} have the same name"));
        }
        function::verify(program, function, &mut errors);
    }
    if errors.found.is_empty() { Ok(()) } else { Err(errors.found) }
}

/// The errors so far, and the current position.
#[derive(Default)]
struct Errors {
    found: Vec<VerifyError>,
    function: Option<String>,
    block: Option<BlockId>,
    instruction: Option<usize>,
}

impl Errors {
    fn add(&mut self, message: impl Into<String>) {
        self.found.push(VerifyError {
            function: self.function.clone(),
            block: self.block,
            instruction: self.instruction,
            message: message.into(),
        });
    }

    fn require(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            self.add(message());
        }
    }
}
