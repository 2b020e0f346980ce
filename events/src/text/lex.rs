//! Tokens of the text form. A word extends to the next blank or bracket; a quoted word may contain any character.

use super::ParseError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// `(`, `)`, `[` or `]`.
    Bracket(char),
    Word(String),
    /// A word in quotes, possibly with a sign before it and a number after it, as in `%"a b"~2`.
    Quoted {
        sign: Option<char>,
        text: String,
        number: Option<u32>,
    },
}

/// A line that is not empty.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub number: u32,
    pub tokens: Vec<Token>,
}

pub(super) fn lex(text: &str) -> Result<Vec<Line>, ParseError> {
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let tokens = tokens(line).map_err(|message| ParseError { line: number, message })?;
        if !tokens.is_empty() {
            lines.push(Line { number, tokens });
        }
    }
    Ok(lines)
}

fn tokens(line: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let signed = matches!(first, '%' | '$') && rest[1..].starts_with('"');
        if first == '#' {
            break;
        } else if is_bracket(first) {
            tokens.push(Token::Bracket(first));
            rest = &rest[1..];
        } else if first == '"' || signed {
            let sign = signed.then_some(first);
            let (text, after) = quoted(&rest[1 + usize::from(signed)..])?;
            let (number, after) = suffix(after)?;
            tokens.push(Token::Quoted { sign, text, number });
            rest = after;
        } else {
            let end = rest.find(|c: char| c.is_whitespace() || is_bracket(c) || c == '"').unwrap_or(rest.len());
            tokens.push(Token::Word(rest[..end].to_owned()));
            rest = &rest[end..];
        }
        rest = rest.trim_start();
    }
    Ok(tokens)
}

fn is_bracket(c: char) -> bool {
    matches!(c, '(' | ')' | '[' | ']')
}

/// The text up to the closing quote, and the rest of the line.
fn quoted(rest: &str) -> Result<(String, &str), String> {
    let mut text = String::new();
    let mut chars = rest.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Ok((text, &rest[at + 1..])),
            '\\' => match chars.next().map(|(_, c)| c) {
                Some('n') => text.push('\n'),
                Some('r') => text.push('\r'),
                Some('t') => text.push('\t'),
                Some(c @ ('"' | '\\')) => text.push(c),
                _ => return Err("in quotes a backslash stands before n, r, t, a quote or a backslash".to_owned()),
            },
            c => text.push(c),
        }
    }
    Err("the quotes are not closed".to_owned())
}

/// The number after a quoted word.
fn suffix(rest: &str) -> Result<(Option<u32>, &str), String> {
    let Some(rest) = rest.strip_prefix('~') else { return Ok((None, rest)) };
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest[..end].parse().map_err(|_| "a number stands after the tilde".to_owned())?;
    Ok((Some(number), &rest[end..]))
}

/// A name as it is written in a text: in quotes only if it could not be read back without.
pub(super) fn written(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '-' | '/' | '+' | '<' | '>');
    if !name.is_empty() && name.chars().all(plain) && !name.starts_with('$') {
        return name.to_owned();
    }
    let mut text = String::from("\"");
    for c in name.chars() {
        match c {
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '"' | '\\' => text.extend(['\\', c]),
            c => text.push(c),
        }
    }
    text + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for name in ["x", "a b", "", "q\"\\\n\t\r", "%x", "$x", "x~2", "é", "(", "#", "a.b-c/d", "12"] {
            let tokens = tokens(&written(name)).unwrap();
            let found = match tokens.as_slice() {
                [Token::Word(word)] => word.clone(),
                [Token::Quoted { sign: None, text, number: None }] => text.clone(),
                other => panic!("{name}: {other:?}"),
            };
            assert_eq!(found, name);
        }
    }

    #[test]
    fn quotes_and_brackets_end_words() {
        let tokens = tokens("a[0](b%\"c d\"~2 # rest").unwrap();
        assert_eq!(tokens.len(), 7);
        assert!(super::tokens("\"open").is_err());
        assert!(super::tokens("\"a\\x\"").is_err());
        assert!(super::tokens("\"a\"~").is_err());
    }
}
