//! The arithmetic of the traces. An expression is a list in postfix order, so that deeply nested brackets need no
//! recursion when it is read, compared, dropped or converted to a term.

use std::fmt;
use std::sync::Arc;

use formula::{Term, Terms};
use run::ThreadName;

use crate::name::thread_name;

/// A read of some thread: its variable and its number among the thread's reads of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ReadName {
    pub thread: ThreadName,
    pub variable: Arc<str>,
    pub number: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Token {
    Read(ReadName),
    Constant(u32),
    /// A string; each distinct one is a distinct constant.
    Text(Arc<str>),
    Arithmetic(Arithmetic),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Relation {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Expression(Vec<Token>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Condition {
    pub left: Expression,
    pub relation: Relation,
    pub right: Expression,
}

impl Relation {
    fn parse(word: &str) -> Option<Relation> {
        Some(match word {
            "==" => Relation::Equal,
            "!=" => Relation::Unequal,
            "<" => Relation::Less,
            "<=" => Relation::LessOrEqual,
            ">" => Relation::Greater,
            ">=" => Relation::GreaterOrEqual,
            _ => return None,
        })
    }

    fn negation(self) -> Relation {
        match self {
            Relation::Equal => Relation::Unequal,
            Relation::Unequal => Relation::Equal,
            Relation::Less => Relation::GreaterOrEqual,
            Relation::LessOrEqual => Relation::Greater,
            Relation::Greater => Relation::LessOrEqual,
            Relation::GreaterOrEqual => Relation::Less,
        }
    }
}

impl Arithmetic {
    fn parse(word: &str) -> Option<Arithmetic> {
        Some(match word {
            "+" => Arithmetic::Add,
            "-" => Arithmetic::Subtract,
            "*" => Arithmetic::Multiply,
            "/" => Arithmetic::Divide,
            "%" => Arithmetic::Remainder,
            _ => return None,
        })
    }
}

impl Condition {
    pub fn negation(&self) -> Condition {
        Condition { relation: self.relation.negation(), ..self.clone() }
    }

    pub fn parse(text: &str) -> Result<Condition, String> {
        let inner = text.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let inner = inner.ok_or_else(|| format!("`{}` is not a condition in brackets", shortened(text)))?;
        let words = words(inner);
        let (left, relation) = operand(&words)?;
        let found = words.get(relation).copied().unwrap_or("nothing");
        let sign = Relation::parse(found).ok_or_else(|| format!("a comparison was expected, not `{found}`"))?;
        let (right, length) = operand(&words[relation + 1..])?;
        match words.get(relation + 1 + length) {
            Some(word) => Err(format!("the condition should end before `{word}`")),
            None => Ok(Condition { left, relation: sign, right }),
        }
    }

    pub fn reads(&self) -> impl Iterator<Item = &ReadName> {
        self.left.reads().chain(self.right.reads())
    }

    pub fn texts(&self) -> impl Iterator<Item = &Arc<str>> {
        self.left.texts().chain(self.right.texts())
    }

    pub fn constants(&self) -> impl Iterator<Item = u32> {
        self.left.constants().chain(self.right.constants())
    }

    pub fn term(&self, terms: &mut Terms, leaf: &impl Fn(&Token) -> Option<Term>) -> Option<Term> {
        let left = self.left.term(terms, leaf)?;
        let right = self.right.term(terms, leaf)?;
        Some(match self.relation {
            Relation::Equal => terms.eq(left, right),
            Relation::Unequal => terms.ne(left, right),
            Relation::Less => terms.slt(left, right),
            Relation::LessOrEqual => terms.sle(left, right),
            Relation::Greater => terms.slt(right, left),
            Relation::GreaterOrEqual => terms.sle(right, left),
        })
    }
}

impl Expression {
    /// The text between the dollars of a write.
    pub fn parse_value(text: &str) -> Result<Expression, String> {
        if is_integer(text) {
            return Ok(Expression(vec![Token::Constant(integer(text)?)]));
        }
        if !["(", "R-", "CONST_"].iter().any(|begin| text.starts_with(begin)) {
            return Ok(Expression(vec![Token::Text(Arc::from(text))]));
        }
        let words = words(text);
        let (expression, length) = operand(&words)?;
        match words.get(length) {
            Some(word) => Err(format!("the value should end before `{word}`")),
            None => Ok(expression),
        }
    }

    pub fn reads(&self) -> impl Iterator<Item = &ReadName> {
        self.0.iter().filter_map(|token| match token {
            Token::Read(name) => Some(name),
            _ => None,
        })
    }

    pub fn texts(&self) -> impl Iterator<Item = &Arc<str>> {
        self.0.iter().filter_map(|token| match token {
            Token::Text(text) => Some(text),
            _ => None,
        })
    }

    pub fn constants(&self) -> impl Iterator<Item = u32> {
        self.0.iter().filter_map(|token| match token {
            Token::Constant(value) => Some(*value),
            _ => None,
        })
    }

    /// A term of 32 bits; `leaf` resolves reads and strings. None if it cannot resolve one of them.
    pub fn term(&self, terms: &mut Terms, leaf: &impl Fn(&Token) -> Option<Term>) -> Option<Term> {
        let mut stack = Vec::new();
        for token in &self.0 {
            let term = match token {
                Token::Constant(value) => terms.bits(32, u128::from(*value)),
                Token::Read(_) | Token::Text(_) => leaf(token)?,
                Token::Arithmetic(sign) => {
                    let (right, left) = (stack.pop()?, stack.pop()?);
                    match sign {
                        Arithmetic::Add => terms.add(left, right),
                        Arithmetic::Subtract => terms.sub(left, right),
                        Arithmetic::Multiply => terms.mul(left, right),
                        Arithmetic::Divide => terms.sdiv(left, right),
                        Arithmetic::Remainder => terms.srem(left, right),
                    }
                }
            };
            stack.push(term);
        }
        stack.pop()
    }
}

/// The brackets and the words between them.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for word in text.split_whitespace() {
        let mut rest = word;
        while let Some(at) = rest.find(['(', ')']) {
            words.extend([&rest[..at], &rest[at..at + 1]].into_iter().filter(|word| !word.is_empty()));
            rest = &rest[at + 1..];
        }
        words.extend(Some(rest).filter(|rest| !rest.is_empty()));
    }
    words
}

/// An open bracket, and its contents so far.
#[derive(Default)]
struct Open {
    operands: u32,
    sign: Option<Arithmetic>,
}

/// The operand at the beginning of the words, and the number of its words.
fn operand(words: &[&str]) -> Result<(Expression, usize), String> {
    let mut tokens = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    for (index, &word) in words.iter().enumerate() {
        let mut finished = false;
        match (word, open.last_mut()) {
            ("(", top) if top.as_ref().is_none_or(|top| top.operands == 0 || top.sign.is_some()) => {
                open.push(Open::default());
            }
            (")", Some(Open { operands: 2, sign: Some(sign) })) => {
                tokens.push(Token::Arithmetic(*sign));
                open.pop();
                finished = true;
            }
            (_, Some(top)) if top.operands == 1 && top.sign.is_none() => {
                let sign = Arithmetic::parse(word);
                top.sign = Some(sign.ok_or_else(|| format!("an operator was expected, not `{word}`"))?);
            }
            (_, top) if top.as_ref().is_none_or(|top| top.operands < 2) && word != ")" => {
                tokens.push(leaf(word)?);
                finished = true;
            }
            _ => return Err(format!("`{word}` is out of place")),
        }
        match open.last_mut() {
            Some(top) if finished => top.operands += 1,
            None if finished => return Ok((Expression(tokens), index + 1)),
            _ => {}
        }
    }
    Err("the expression breaks off".to_owned())
}

fn leaf(word: &str) -> Result<Token, String> {
    if let Some(number) = word.strip_prefix("CONST_") {
        return Ok(Token::Constant(integer(number)?));
    }
    let read = word.strip_prefix("R-").and_then(ReadName::parse);
    read.map(Token::Read).ok_or_else(|| format!("`{}` is neither a read nor a constant", shortened(word)))
}

impl fmt::Display for ReadName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.variable, self.thread, self.number)
    }
}

impl ReadName {
    /// `var-tid-n`.
    fn parse(text: &str) -> Option<ReadName> {
        let mut parts = text.rsplitn(3, '-');
        let (number, thread, variable) = (parts.next()?, parts.next()?, parts.next()?);
        let number = number.parse().ok()?;
        Some(ReadName { thread: thread_name(thread)?, variable: Arc::from(variable), number })
    }
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Signed and unsigned numbers of 32 bits.
fn integer(text: &str) -> Result<u32, String> {
    let number = text.parse::<i64>().ok().filter(|_| is_integer(text));
    let number = number.filter(|number| (i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(number));
    number.map(|number| number as u32).ok_or_else(|| format!("`{}` is not an integer of 32 bits", shortened(text)))
}

/// A prefix of a text, long enough to recognise it.
pub(super) fn shortened(text: &str) -> String {
    const LENGTH: usize = 60;
    if text.chars().count() <= LENGTH {
        return text.to_owned();
    }
    text.chars().take(LENGTH).chain("…".chars()).collect()
}

#[cfg(test)]
mod tests {
    use formula::Sort;

    use super::*;

    #[test]
    fn conditions_are_signed_and_nest() {
        let condition = Condition::parse("(((R-x_1-0-1 + CONST_-3) % CONST_2 ) >= R-$y_z_2-0.1-12 )");
        assert!(condition.is_err(), "0.1 is no name in the traces");
        let condition = Condition::parse("(((R-x_1-0-1 + CONST_-3) % CONST_2 ) >= R-$y_z_2-1.1-12 )").unwrap();
        let names: Vec<String> =
            condition.reads().map(|read| format!("{} {} {}", read.variable, read.thread, read.number)).collect();
        assert_eq!(names, ["x_1 0 1", "$y_z_2 0.1.1 12"]);
        let mut terms = Terms::default();
        let symbol = terms.symbol("s", Sort::Bits(32));
        let term = condition.term(&mut terms, &|_| Some(symbol)).unwrap();
        let negated = condition.negation().term(&mut terms, &|_| Some(symbol)).unwrap();
        assert_eq!(terms.not(term), negated);
    }

    #[test]
    fn what_is_malformed_is_refused() {
        for text in [
            "",
            "()",
            "(R-x_1-0-1 == CONST_1",
            "(R-x_1-0-1 = CONST_1)",
            "(R-x_1-0-1 == CONST_)",
            "(R-x_1-0-1 == CONST_99999999999)",
            "(R-x_1-0-1 CONST_1)",
            "(R-x_1-0-1 == CONST_1 CONST_2)",
            "((R-x_1-0-1 +) == CONST_1)",
            "((R-x_1-0-1 + CONST_1 == CONST_1)",
            "(R-x_1-0 == CONST_1)",
            "(( == CONST_1)",
            "(CONST_1 == )",
            "(CONST_1 == CONST_1))",
        ] {
            assert!(Condition::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn brackets_nest_without_end() {
        let depth = 200_000;
        let text = format!("{}CONST_1{}", "(".repeat(depth), " + CONST_1)".repeat(depth));
        let value = Expression::parse_value(&text).unwrap();
        let mut terms = Terms::default();
        let term = value.term(&mut terms, &|_| None).unwrap();
        assert_eq!(terms.as_bits(term), Some(depth as u128 + 1));
        assert!(Expression::parse_value(&"(".repeat(depth)).is_err());
    }

    #[test]
    fn values_are_numbers_expressions_or_strings() {
        let token = |text| Expression::parse_value(text).unwrap().0.remove(0);
        assert_eq!(token("-1"), Token::Constant(u32::MAX));
        assert_eq!(token("Sold"), Token::Text(Arc::from("Sold")));
        assert_eq!(token(""), Token::Text(Arc::from("")));
        assert_eq!(token("1.5"), Token::Text(Arc::from("1.5")));
        assert!(Expression::parse_value("9999999999").is_err());
        assert!(Expression::parse_value("R-x").is_err());
        assert!(Expression::parse_value("(R-x_1-0-1 + CONST_1) CONST_1").is_err());
    }
}
