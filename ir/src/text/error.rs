//! Syntax errors of the text form, with their places.

use thiserror::Error;

/// A syntax error.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ParseError {
    /// Counted from 1, as is the column, in characters.
    pub line: usize,
    pub column: usize,
    /// The expected and the found item.
    pub message: String,
}

impl ParseError {
    pub(super) fn at(source: &str, offset: usize, message: impl Into<String>) -> ParseError {
        let before = source.get(..offset).unwrap_or(source);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        ParseError { line, column, message: message.into() }
    }
}
