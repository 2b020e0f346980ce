//! Splits the text form into tokens. Line ends are tokens, since an item is one line.

use super::error::ParseError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    /// Letters, digits, `_` and `.`: names, keywords and numbers alike.
    Word(&'a str),
    /// The text between the quotes, with escapes.
    Text(&'a str),
    Mark(char),
    LineEnd,
    End,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub kind: Kind<'a>,
    /// Its offset in bytes.
    pub offset: usize,
}

pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.'
}

const MARKS: &str = "@$!#:,=+-*()[]{}>";

/// All tokens, with an `End` as the last one. Empty lines leave no token.
pub(super) fn lex(source: &str) -> Result<Vec<Token<'_>>, ParseError> {
    let bytes = source.as_bytes();
    let mut tokens: Vec<Token<'_>> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let offset = at;
        let kind = match byte {
            b' ' | b'\t' | b'\r' => {
                at += 1;
                continue;
            }
            b';' => {
                at += bytes[at..].iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len() - at);
                continue;
            }
            b'\n' => {
                at += 1;
                if tokens.last().is_none_or(|token| token.kind == Kind::LineEnd) {
                    continue;
                }
                Kind::LineEnd
            }
            b'"' => {
                let inside = text_length(&source[at + 1..]).ok_or_else(|| {
                    ParseError::at(source, offset, "expected a closing `\"` on this line, found its end")
                })?;
                at += inside + 2;
                Kind::Text(&source[offset + 1..offset + 1 + inside])
            }
            byte if is_word_byte(byte) => {
                at += bytes[at..].iter().position(|byte| !is_word_byte(*byte)).unwrap_or(bytes.len() - at);
                Kind::Word(&source[offset..at])
            }
            _ => match source[at..].chars().next() {
                Some(mark) if MARKS.contains(mark) => {
                    at += mark.len_utf8();
                    Kind::Mark(mark)
                }
                other => {
                    let found = other.unwrap_or('?').escape_debug();
                    return Err(ParseError::at(source, offset, format!("no item has the character `{found}`")));
                }
            },
        };
        tokens.push(Token { kind, offset });
    }
    tokens.push(Token { kind: Kind::End, offset: source.len() });
    Ok(tokens)
}

/// The length of the text before the closing quote.
fn text_length(rest: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'\n' => return None,
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at),
            _ => {}
        }
    }
    None
}

/// Replaces the escapes of a text. On failure: the invalid escape.
pub(super) fn unescape(raw: &str) -> Result<String, String> {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        match rest.next() {
            Some('"') => text.push('"'),
            Some('\\') => text.push('\\'),
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('u') => {
                let (digits, after) = rest
                    .as_str()
                    .strip_prefix('{')
                    .and_then(|digits| digits.split_once('}'))
                    .ok_or_else(|| "\\u".to_owned())?;
                let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                text.push(c.ok_or_else(|| format!("\\u{{{digits}}}"))?);
                rest = after.chars();
            }
            other => return Err(format!("\\{}", other.map_or(String::new(), |c| c.to_string()))),
        }
    }
    Ok(text)
}
