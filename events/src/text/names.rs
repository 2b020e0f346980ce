//! Names that are unique in a text: among equal names all but the first carry a number.

use std::collections::HashMap;

use super::lex::{Token, written};

/// A name and its number among equal names, from 1.
pub(super) type Name = (String, u32);

/// Numbers names in the order of the calls.
#[derive(Debug, Default)]
pub(super) struct Namer {
    used: HashMap<String, u32>,
}

impl Namer {
    pub fn name(&mut self, name: &str) -> String {
        let count = self.used.entry(name.to_owned()).or_insert(0);
        *count += 1;
        if *count == 1 { written(name) } else { format!("{}~{count}", written(name)) }
    }
}

/// The name in a token, after the sign that it must have.
pub(super) fn name_of(token: &Token, sign: Option<char>) -> Option<Name> {
    match token {
        Token::Quoted { sign: found, text, number } if *found == sign => Some((text.clone(), number.unwrap_or(1))),
        Token::Word(word) => {
            let word = match sign {
                Some(sign) => word.strip_prefix(sign)?,
                None => word,
            };
            match word.rsplit_once('~') {
                Some((name, number)) => Some((name.to_owned(), number.parse().ok()?)),
                None => Some((word.to_owned(), 1)),
            }
        }
        _ => None,
    }
}
