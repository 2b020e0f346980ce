//! The answers of a solver process: S-expressions and values.

use formula::Value;

/// Answers are shallow; a text that is nested deeper is malformed.
const DEEPEST: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expression {
    Atom(String),
    List(Vec<Expression>),
}

/// Collects lines until they form one whole expression.
#[derive(Debug, Default)]
pub(super) struct Reader {
    open: Vec<Vec<Expression>>,
}

impl Reader {
    /// Returns an expression once a line completes it, or a syntax error. Nothing follows an answer on its line.
    pub(super) fn line(&mut self, line: &str) -> Result<Option<Expression>, String> {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let complete = match first {
                '(' => {
                    if self.open.len() == DEEPEST {
                        return Err("an answer that nests too deeply".to_string());
                    }
                    self.open.push(Vec::new());
                    rest = &rest[1..];
                    None
                }
                ')' => {
                    rest = &rest[1..];
                    let list = self.open.pop().ok_or_else(|| format!("an answer with too many `)`: {line}"))?;
                    Some(Expression::List(list))
                }
                _ => {
                    let end = atom_end(rest, first);
                    let atom = Expression::Atom(rest[..end].to_string());
                    rest = &rest[end..];
                    Some(atom)
                }
            };
            rest = rest.trim_start();
            if let Some(expression) = complete {
                match self.open.last_mut() {
                    Some(list) => list.push(expression),
                    None => return Ok(Some(expression)),
                }
            }
        }
        Ok(None)
    }
}

/// The end of an atom: after its closing quote if it has one, otherwise at the next delimiter.
fn atom_end(text: &str, first: char) -> usize {
    if first == '"' || first == '|' {
        return text[1..].find(first).map_or(text.len(), |end| end + 2);
    }
    text.find(|c: char| c.is_whitespace() || c == '(' || c == ')').unwrap_or(text.len())
}

/// A boolean or a bit-vector.
pub(super) fn value(expression: &Expression) -> Option<Value> {
    match expression {
        Expression::Atom(atom) => match atom.as_str() {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => {
                let (digits, radix, bits_per_digit) = match atom.split_at_checked(2)? {
                    ("#b", digits) => (digits, 2, 1),
                    ("#x", digits) => (digits, 16, 4),
                    _ => return None,
                };
                let width = digits.len() as u32 * bits_per_digit;
                (width <= 128).then_some(())?;
                Some(Value::Bits { width, value: u128::from_str_radix(digits, radix).ok()? })
            }
        },
        Expression::List(parts) => match parts.as_slice() {
            [Expression::Atom(underscore), Expression::Atom(number), Expression::Atom(width)] if underscore == "_" => {
                let value = number.strip_prefix("bv")?.parse().ok()?;
                Some(Value::Bits { width: width.parse().ok()?, value })
            }
            _ => None,
        },
    }
}

pub(super) fn integer(expression: &Expression) -> Option<i128> {
    match expression {
        Expression::Atom(atom) => atom.parse().ok(),
        Expression::List(parts) => match parts.as_slice() {
            [Expression::Atom(minus), Expression::Atom(number)] if minus == "-" => {
                number.parse::<i128>().ok()?.checked_neg()
            }
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Option<Expression> {
        let mut reader = Reader::default();
        let (last, first) = lines.split_last()?;
        for line in first {
            assert_eq!(reader.line(line), Ok(None));
        }
        reader.line(last).ok()?
    }

    fn atom(text: &str) -> Expression {
        Expression::Atom(text.to_string())
    }

    #[test]
    fn answers_may_take_several_lines() {
        assert_eq!(read(&["sat"]), Some(atom("sat")));
        let pairs = Expression::List(vec![
            Expression::List(vec![atom("a"), atom("#x0f")]),
            Expression::List(vec![atom("b"), Expression::List(vec![atom("-"), atom("1")])]),
        ]);
        assert_eq!(read(&["", "((a #x0f)", " (b (- 1)))"]), Some(pairs));
        let error = Expression::List(vec![atom("error"), atom("\"a ) b\"")]);
        assert_eq!(read(&["(error \"a ) b\")"]), Some(error));
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        assert!(Reader::default().line(")").is_err());
        assert!(Reader::default().line(&"(".repeat(1000)).is_err());
    }

    #[test]
    fn values_are_read() {
        let of = |text: &str| value(&read(&[text]).unwrap_or(Expression::List(Vec::new())));
        assert_eq!(of("true"), Some(Value::Bool(true)));
        assert_eq!(of("#b101"), Some(Value::Bits { width: 3, value: 5 }));
        assert_eq!(of("#xff"), Some(Value::Bits { width: 8, value: 255 }));
        assert_eq!(of("(_ bv7 12)"), Some(Value::Bits { width: 12, value: 7 }));
        assert_eq!(of("ü"), None);
        assert_eq!(of("#q1"), None);
        assert_eq!(integer(&atom("12")), Some(12));
        assert_eq!(integer(&Expression::List(vec![atom("-"), atom("3")])), Some(-3));
    }
}
