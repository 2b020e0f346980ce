//! The tables that give the numbers in a spool their meaning: names that were collected when the program was linked,
//! and the module's identity. They are in the program's file, as text, so that a spool only needs numbers.
//!
//! ```text
//! heddle tables 1
//! identity 03087b68b4691f7b7d003dcc415af442
//! function transfer
//! input read
//! place bank.c:61 compress
//! ```
//!
//! Lines of one kind are in the order of their indices.

use std::fmt;

use crate::recorded::Place;
use crate::text::{TextError, Value, first_place, header, lines, shortened, split_word, value};

/// The version that is written, and the only one that can be read.
pub const VERSION: u32 = 1;

/// The number of hexadecimal digits of an identity.
const IDENTITY_DIGITS: usize = 32;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tables {
    /// Of the module: 32 hexadecimal digits.
    pub identity: String,
    /// The functions that can be called through pointers.
    pub functions: Vec<String>,
    /// The functions whose answers are recorded.
    pub inputs: Vec<String>,
    /// The calls of functions without a known effect.
    pub places: Vec<CallPlace>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallPlace {
    /// The called function.
    pub function: String,
    pub at: Place,
}

impl fmt::Display for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "heddle tables {VERSION}")?;
        writeln!(f, "identity {}", Value { text: &self.identity, spaces: false })?;
        for function in &self.functions {
            writeln!(f, "function {}", Value { text: function, spaces: true })?;
        }
        for input in &self.inputs {
            writeln!(f, "input {}", Value { text: input, spaces: true })?;
        }
        for CallPlace { function, at } in &self.places {
            writeln!(f, "place {at} {}", Value { text: function, spaces: true })?;
        }
        Ok(())
    }
}

/// Reads tables from their text form.
pub fn parse_tables(source: &str) -> Result<Tables, TextError> {
    let mut lines = lines(source);
    let mut last = header(lines.next(), "tables", VERSION)?;
    let mut identity = None;
    let mut tables = Tables::default();
    for (line, text) in lines {
        last = line;
        let (key, rest) = split_word(text);
        match key {
            "identity" if identity.is_none() => identity = Some(self::identity(line, rest)?),
            "identity" => return Err(TextError::new(line, "`identity` was given before")),
            "function" => tables.functions.push(value(line, rest)?),
            "input" => tables.inputs.push(value(line, rest)?),
            "place" => {
                let (at, function) = first_place(line, rest)?;
                tables.places.push(CallPlace { function: value(line, function)?, at });
            }
            _ => {
                let keys = "`identity`, `function`, `input` or `place`";
                let message = format!("a line begins with {keys}, and not with `{}`", shortened(key));
                return Err(TextError::new(line, message));
            }
        }
    }
    let missing = || TextError::new(last, "the tables end without a line `identity …`: are they complete?");
    tables.identity = identity.ok_or_else(missing)?;
    Ok(tables)
}

/// Whether a text is the identity of a module, and thus safe as a part of a path.
pub fn is_identity(text: &str) -> bool {
    text.len() == IDENTITY_DIGITS && text.chars().all(|c| c.is_ascii_hexdigit())
}

fn identity(line: usize, text: &str) -> Result<String, TextError> {
    if !is_identity(text) {
        let message = format!("expected {IDENTITY_DIGITS} hexadecimal digits, found `{}`", shortened(text));
        return Err(TextError::new(line, message));
    }
    Ok(text.to_ascii_lowercase())
}
