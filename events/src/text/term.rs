//! Terms in the text form: `(add %x 1:8)`. The constructors of terms require matching sorts, so these are checked
//! first. Open brackets are kept on an explicit stack, so that they may nest to any depth.

use std::collections::HashMap;

use formula::{Sort, Term, Terms};

use super::lex::Token;
use super::names::{Name, name_of};

/// The names that terms may use.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub symbols: HashMap<Name, Term>,
    pub named: HashMap<String, Term>,
}

/// An open bracket.
struct Open<'t> {
    operation: &'t str,
    numbers: Vec<u32>,
    operands: Vec<Term>,
}

/// Parses one term at the beginning of the tokens; also returns the number of tokens it has.
pub(super) fn parse_term(terms: &mut Terms, known: &Known, tokens: &[Token]) -> Result<(Term, usize), String> {
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        let term = match token {
            Token::Bracket('(') => {
                let Some(Token::Word(operation)) = tokens.get(at) else {
                    return Err("an operation follows the bracket".to_owned());
                };
                at += 1;
                let numbers =
                    tokens[at..].iter().take(numbers_of(operation)).map(number).collect::<Result<Vec<_>, _>>()?;
                at += numbers.len();
                open.push(Open { operation, numbers, operands: Vec::new() });
                continue;
            }
            Token::Bracket(')') => {
                let closed = open.pop().ok_or("a bracket is closed that is not open")?;
                apply(terms, closed)?
            }
            Token::Bracket(bracket) => return Err(format!("`{bracket}` is out of place in a term")),
            token => leaf(terms, known, token)?,
        };
        match open.last_mut() {
            Some(open) => open.operands.push(term),
            None => return Ok((term, at)),
        }
    }
    Err("the term breaks off".to_owned())
}

fn numbers_of(operation: &str) -> usize {
    match operation {
        "extract" => 2,
        "zext" | "sext" => 1,
        _ => 0,
    }
}

fn number(token: &Token) -> Result<u32, String> {
    match token {
        Token::Word(word) => word.parse().map_err(|_| format!("`{word}` is not a number")),
        _ => Err("a number is missing".to_owned()),
    }
}

fn leaf(terms: &mut Terms, known: &Known, token: &Token) -> Result<Term, String> {
    if let Some(name) = name_of(token, Some('%')) {
        let symbol = known.symbols.get(&name).copied();
        return symbol.ok_or_else(|| format!("nothing defines the symbol `{}` number {}", name.0, name.1));
    }
    let Token::Word(word) = token else { return Err("a term was expected".to_owned()) };
    if word == "true" || word == "false" {
        return Ok(terms.bool(word == "true"));
    }
    if let Some(name) = word.strip_prefix('$') {
        return known.named.get(name).copied().ok_or_else(|| format!("`{word}` has not been given a meaning"));
    }
    constant(terms, word).ok_or_else(|| format!("`{word}` is no term"))
}

/// `value:width`.
fn constant(terms: &mut Terms, word: &str) -> Option<Term> {
    let (value, width) = word.split_once(':')?;
    let width: u32 = width.parse().ok().filter(|width| (1..=128).contains(width))?;
    let value = match value.strip_prefix("0x") {
        Some(digits) => u128::from_str_radix(digits, 16).ok()?,
        None => value.parse().ok()?,
    };
    (width == 128 || value >> width == 0).then(|| terms.bits(width, value))
}

fn apply(terms: &mut Terms, closed: Open<'_>) -> Result<Term, String> {
    let Open { operation, numbers, operands } = closed;
    let sorts: Vec<Sort> = operands.iter().map(|&operand| terms.sort(operand)).collect();
    let all_booleans = sorts.iter().all(|&sort| sort == Sort::Bool);
    let term = match (operation, operands.as_slice()) {
        ("not", &[a]) if all_booleans => terms.not(a),
        ("and", operands) if all_booleans => terms.and(operands),
        ("or", operands) if all_booleans => terms.or(operands),
        ("implies", &[a, b]) if all_booleans => terms.implies(a, b),
        ("xor", &[a, b]) if all_booleans => terms.xor(a, b),
        ("iff", &[a, b]) if all_booleans => terms.iff(a, b),
        ("ite", &[condition, a, b]) if sorts[0] == Sort::Bool && sorts[1] == sorts[2] => terms.ite(condition, a, b),
        ("=", &[a, b]) if sorts[0] == sorts[1] => terms.eq(a, b),
        ("!=", &[a, b]) if sorts[0] == sorts[1] => terms.ne(a, b),
        (_, &[a, b]) if sorts[0] == sorts[1] && !all_booleans && operation != "concat" => {
            let constructor = binary(operation).ok_or_else(|| misuse(operation, &sorts))?;
            constructor(terms, a, b)
        }
        ("bitnot", &[a]) if !all_booleans => terms.bit_not(a),
        ("neg", &[a]) if !all_booleans => terms.neg(a),
        ("concat", &[high, low]) => match (sorts[0], sorts[1]) {
            (Sort::Bits(a), Sort::Bits(b)) if a + b <= 128 => terms.concat(high, low),
            _ => return Err(misuse(operation, &sorts)),
        },
        ("extract", &[of]) => match (sorts[0], numbers.as_slice()) {
            (Sort::Bits(width), &[high, low]) if low <= high && high < width => terms.extract(of, high, low),
            _ => return Err(misuse(operation, &sorts)),
        },
        ("zext" | "sext", &[of]) => match (sorts[0], numbers.as_slice()) {
            (Sort::Bits(from), &[to]) if from <= to && to <= 128 => match operation {
                "zext" => terms.zero_extend(of, to),
                _ => terms.sign_extend(of, to),
            },
            _ => return Err(misuse(operation, &sorts)),
        },
        _ => return Err(misuse(operation, &sorts)),
    };
    Ok(term)
}

fn misuse(operation: &str, sorts: &[Sort]) -> String {
    let sorts: Vec<String> = sorts
        .iter()
        .map(|sort| match sort {
            Sort::Bool => "a boolean".to_owned(),
            Sort::Bits(width) => format!("{width} bits"),
        })
        .collect();
    format!(
        "`{operation}` cannot be applied to {}",
        if sorts.is_empty() { "nothing".to_owned() } else { sorts.join(" and ") }
    )
}

fn binary(operation: &str) -> Option<fn(&mut Terms, Term, Term) -> Term> {
    Some(match operation {
        "ult" => Terms::ult,
        "ule" => Terms::ule,
        "slt" => Terms::slt,
        "sle" => Terms::sle,
        "add" => Terms::add,
        "sub" => Terms::sub,
        "mul" => Terms::mul,
        "udiv" => Terms::udiv,
        "urem" => Terms::urem,
        "sdiv" => Terms::sdiv,
        "srem" => Terms::srem,
        "bitand" => Terms::bit_and,
        "bitor" => Terms::bit_or,
        "bitxor" => Terms::bit_xor,
        "shl" => Terms::shl,
        "lshr" => Terms::lshr,
        "ashr" => Terms::ashr,
        _ => return None,
    })
}
