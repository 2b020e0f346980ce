//! Common parts of this crate's text forms: lines of words, values that are quoted if necessary, and errors with line
//! numbers.

use std::fmt::{self, Write};

use thiserror::Error;

use crate::recorded::Place;

/// A syntax error: its place, the problem and the remedy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {message}")]
pub struct TextError {
    /// Counted from 1.
    pub line: usize,
    pub message: String,
}

impl TextError {
    pub(crate) fn new(line: usize, message: impl Into<String>) -> TextError {
        TextError { line, message: message.into() }
    }
}

/// The lines with contents: number, and text without surrounding spaces. Empty lines and lines that begin with `;` are
/// skipped.
pub(crate) fn lines(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = (1..).zip(source.lines()).map(|(number, line)| (number, line.trim()));
    numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with(';'))
}

/// Checks the first line, `heddle KIND VERSION`; returns its number.
pub(crate) fn header(first: Option<(usize, &str)>, kind: &str, version: u32) -> Result<usize, TextError> {
    let (line, text) = first.unwrap_or((1, ""));
    let mut words = text.split_whitespace();
    if (words.next(), words.next()) != (Some("heddle"), Some(kind)) {
        let message = format!(
            "this is not a heddle {kind}: its first line must be `heddle {kind} {version}`. Give the file that \
             heddle wrote"
        );
        return Err(TextError::new(line, message));
    }
    let found = words.next().unwrap_or("");
    if found != version.to_string() || words.next().is_some() {
        let message = format!(
            "this {kind} has version `{}`, and this heddle reads version {version}: make the {kind} again, or use the \
             heddle that wrote it",
            shortened(found)
        );
        return Err(TextError::new(line, message));
    }
    Ok(line)
}

/// The first word of a line, and the rest without the spaces between.
pub(crate) fn split_word(line: &str) -> (&str, &str) {
    match line.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim_start()),
        None => (line, ""),
    }
}

/// A value, quoted if it would be misread otherwise.
pub(crate) struct Value<'a> {
    pub text: &'a str,
    /// Whether it may contain spaces without quotes, because it is the last one on its line.
    pub spaces: bool,
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let misread = |c: char| is_special(c) || (c.is_whitespace() && !(self.spaces && c == ' '));
        let plain = !self.text.is_empty()
            && self.text.trim() == self.text
            && !self.text.starts_with('"')
            && !self.text.contains(misread);
        if plain {
            return f.write_str(self.text);
        }
        f.write_char('"')?;
        for c in self.text.chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                '\t' => f.write_str("\\t")?,
                c if is_special(c) => write!(f, "\\u{{{:x}}}", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", Value { text: &self.file, spaces: false }, self.line)
    }
}

/// Characters that end lines or are invisible.
fn is_special(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// Reads a value that is the rest of its line.
pub(crate) fn value(line: usize, rest: &str) -> Result<String, TextError> {
    if rest.is_empty() {
        return Err(TextError::new(line, "a value is missing; an empty one is written \"\""));
    }
    let (value, after) = first_value(line, rest, true)?;
    match after.is_empty() {
        true => Ok(value),
        false => {
            Err(TextError::new(line, format!("nothing should follow the closing quote, found `{}`", shortened(after))))
        }
    }
}

/// Reads a value at the beginning of a text; returns the rest without the spaces between. A value without quotes
/// extends to the next space, or to the end if it may contain spaces.
pub(crate) fn first_value(line: usize, text: &str, spaces: bool) -> Result<(String, &str), TextError> {
    let Some(inside) = text.strip_prefix('"') else {
        return Ok(match spaces {
            true => (text.to_owned(), ""),
            false => {
                let (word, rest) = split_word(text);
                (word.to_owned(), rest)
            }
        });
    };
    let mut value = String::new();
    let mut rest = inside.chars();
    loop {
        match rest.next() {
            Some('"') => return Ok((value, rest.as_str().trim_start())),
            Some('\\') => {
                let (c, after) = escape(rest.as_str()).ok_or_else(|| {
                    TextError::new(line, "a backslash in quotes begins one of \\\\ \\\" \\n \\t \\u{…}, nothing else")
                })?;
                value.push(c);
                rest = after.chars();
            }
            Some(c) => value.push(c),
            None => return Err(TextError::new(line, "the closing quote is missing")),
        }
    }
}

fn escape(text: &str) -> Option<(char, &str)> {
    let mut rest = text.chars();
    let c = match rest.next()? {
        'n' => '\n',
        't' => '\t',
        c @ ('"' | '\\') => c,
        'u' => {
            let (digits, after) = rest.as_str().strip_prefix('{')?.split_once('}')?;
            return Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, after));
        }
        _ => return None,
    };
    Some((c, rest.as_str()))
}

/// Parses a word as a number or another value.
pub(crate) fn parsed<T: std::str::FromStr>(line: usize, word: &str, what: &str) -> Result<T, TextError> {
    let found = if word.is_empty() { "nothing".to_owned() } else { format!("`{}`", shortened(word)) };
    word.parse().map_err(|_| TextError::new(line, format!("expected {what}, found {found}")))
}

/// Reads a place, `FILE:LINE`, at the beginning of a text, and returns the rest.
pub(crate) fn first_place(line: usize, text: &str) -> Result<(Place, &str), TextError> {
    let bad = || TextError::new(line, format!("expected FILE:LINE, found `{}`", shortened(text)));
    let (file, number, rest) = if text.starts_with('"') {
        let (file, after) = first_value(line, text, false)?;
        let (number, rest) = split_word(after);
        (file, number.strip_prefix(':').ok_or_else(bad)?, rest)
    } else {
        let (word, rest) = split_word(text);
        let (file, number) = word.rsplit_once(':').ok_or_else(bad)?;
        (value(line, file)?, number, rest)
    };
    Ok((Place { file, line: parsed(line, number, "a line's number")? }, rest))
}

/// The text found, shortened so that a message stays one line.
pub(crate) fn shortened(found: &str) -> String {
    const LONGEST: usize = 40;
    match found.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", &found[..cut]),
        None => found.to_owned(),
    }
}
