//! A cursor over tokens, with error messages that name the expected and the found token.

use super::error::ParseError;
use super::lex::{Kind, Token, lex, unescape};

pub(super) struct Cursor<'a> {
    source: &'a str,
    tokens: Vec<Token<'a>>,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(source: &'a str) -> Result<Cursor<'a>, ParseError> {
        Ok(Cursor { source, tokens: lex(source)?, at: 0 })
    }

    pub fn tokens(&self) -> &[Token<'a>] {
        &self.tokens
    }

    fn token(&self) -> Token<'a> {
        let end = Token { kind: Kind::End, offset: self.source.len() };
        self.tokens.get(self.at).copied().unwrap_or(end)
    }

    pub fn peek(&self) -> Kind<'a> {
        self.token().kind
    }

    pub fn offset(&self) -> usize {
        self.token().offset
    }

    pub fn advance(&mut self) {
        self.at += 1;
    }

    pub fn error_at(&self, offset: usize, message: impl Into<String>) -> ParseError {
        ParseError::at(self.source, offset, message)
    }

    /// An error at the next token, with the expected item.
    pub fn expected(&self, what: &str) -> ParseError {
        let found = match self.peek() {
            Kind::Word(word) => format!("`{}`", shortened(word)),
            Kind::Text(text) => format!("\"{}\"", shortened(text)),
            Kind::Mark(mark) => format!("`{mark}`"),
            Kind::LineEnd => "the end of the line".to_owned(),
            Kind::End => "the end of the text".to_owned(),
        };
        self.error_at(self.offset(), format!("expected {what}, found {found}"))
    }

    /// The same for a word that was read already.
    pub fn expected_at(&self, offset: usize, what: &str, found: &str) -> ParseError {
        self.error_at(offset, format!("expected {what}, found `{}`", shortened(found)))
    }

    pub fn word(&mut self, what: &str) -> Result<&'a str, ParseError> {
        let Kind::Word(word) = self.peek() else { return Err(self.expected(what)) };
        self.advance();
        Ok(word)
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek() == Kind::Word(word);
        self.at += usize::from(found);
        found
    }

    pub fn keyword(&mut self, word: &str) -> Result<(), ParseError> {
        if self.eat_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    pub fn eat_mark(&mut self, mark: char) -> bool {
        let found = self.peek() == Kind::Mark(mark);
        self.at += usize::from(found);
        found
    }

    pub fn mark(&mut self, mark: char) -> Result<(), ParseError> {
        if self.eat_mark(mark) { Ok(()) } else { Err(self.expected(&format!("`{mark}`"))) }
    }

    pub fn line_end(&mut self) -> Result<(), ParseError> {
        match self.peek() {
            Kind::LineEnd => {
                self.advance();
                Ok(())
            }
            Kind::End => Ok(()),
            _ => Err(self.expected("the end of the line")),
        }
    }

    pub fn text(&mut self, what: &str) -> Result<String, ParseError> {
        let Kind::Text(raw) = self.peek() else { return Err(self.expected(what)) };
        let text = unescape(raw).map_err(|escape| {
            let message = format!("`{}` is no escape; there are \\\\ \\\" \\n \\t \\u{{…}}", shortened(&escape));
            self.error_at(self.offset(), message)
        })?;
        self.advance();
        Ok(text)
    }

    /// A name after its sigil: bare or in quotes.
    pub fn name(&mut self, what: &str) -> Result<String, ParseError> {
        match self.peek() {
            Kind::Text(_) => self.text(what),
            _ => Ok(self.word(what)?.to_owned()),
        }
    }

    /// A number without sign, decimal or `0x…`.
    pub fn number<T: TryFrom<u128>>(&mut self, what: &str) -> Result<T, ParseError> {
        let number = match self.peek() {
            Kind::Word(word) => unsigned(word).and_then(|number| T::try_from(number).ok()),
            _ => None,
        };
        let number = number.ok_or_else(|| self.expected(what))?;
        self.advance();
        Ok(number)
    }

    pub fn signed<T: TryFrom<i128>>(&mut self, what: &str) -> Result<T, ParseError> {
        let negative = self.eat_mark('-');
        self.after_sign(negative, what)
    }

    /// The rest of a signed number after its sign.
    pub fn after_sign<T: TryFrom<i128>>(&mut self, negative: bool, what: &str) -> Result<T, ParseError> {
        let magnitude = match self.peek() {
            Kind::Word(word) => unsigned(word),
            _ => None,
        };
        let number = magnitude
            .and_then(|magnitude| match negative {
                true => 0_i128.checked_sub_unsigned(magnitude),
                false => i128::try_from(magnitude).ok(),
            })
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| self.expected(what))?;
        self.advance();
        Ok(number)
    }

    /// The index in the next word if that is the letter followed by digits, such as `v12`.
    pub fn peek_indexed(&self, letter: char) -> Option<u32> {
        let Kind::Word(word) = self.peek() else { return None };
        let digits = word.strip_prefix(letter)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
    }

    pub fn indexed(&mut self, letter: char, what: &str) -> Result<u32, ParseError> {
        let index = self.peek_indexed(letter).ok_or_else(|| self.expected(what))?;
        self.advance();
        Ok(index)
    }
}

fn unsigned(word: &str) -> Option<u128> {
    match word.strip_prefix("0x") {
        Some(digits) => u128::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

/// The text found, shortened so that a message stays one line.
fn shortened(found: &str) -> String {
    const LONGEST: usize = 40;
    match found.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", &found[..cut]),
        None => found.to_owned(),
    }
}
