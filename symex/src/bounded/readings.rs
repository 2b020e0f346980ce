//! The memory that a printing call reads, derived from its name, arguments and format.

use ir::Type;

use crate::bounded::value::Value;
use crate::output::{Told, told};

/// Memory that a call reads.
#[derive(Clone, Copy, Debug)]
pub enum Reading {
    /// A string up to its terminator, or up to this many bytes. A negative number is no limit.
    Text {
        at: Value,
        most: Option<Value>,
        /// A null pointer is printed as a word.
        nullable: bool,
    },
    Bytes {
        at: Value,
        count: Value,
    },
    /// A `std::string`.
    String(Value),
    /// A `FILE`.
    Stream(Value),
}

impl Reading {
    pub fn address(self) -> Value {
        match self {
            Reading::Text { at, .. } | Reading::Bytes { at, .. } | Reading::String(at) | Reading::Stream(at) => at,
        }
    }

    pub fn moved_to(self, at: Value) -> Reading {
        match self {
            Reading::Text { most, nullable, .. } => Reading::Text { at, most, nullable },
            Reading::Bytes { count, .. } => Reading::Bytes { at, count },
            Reading::String(_) => Reading::String(at),
            Reading::Stream(_) => Reading::Stream(at),
        }
    }
}

/// The uses of a call's arguments.
#[derive(Debug, Default)]
pub struct Uses {
    pub readings: Vec<Reading>,
    /// The numbers of the arguments that are only printed.
    pub printed: Vec<usize>,
}

type Given = [(Value, Type)];

/// The memory that a call of the function reads, if known. `text` reads a string from constant memory.
pub fn uses(function: &str, given: &Given, text: impl FnOnce(Value) -> Option<Vec<u8>>) -> Option<Uses> {
    let mut uses = if let Some(format) = format_of(function) {
        let written = text(argument(given, format)?)?;
        let is_list = function.trim_start_matches('_').starts_with('v');
        if is_list { of_list(&written)? } else { of_format(&written, given, format + 1)? }
    } else {
        Uses { readings: of_arguments(function, given)?, printed: Vec::new() }
    };
    if let (Told::Stream(number), false) = (told(function), function == "fflush") {
        uses.readings.push(Reading::Stream(argument(given, number)?));
    }
    Some(uses)
}

fn argument(given: &Given, number: usize) -> Option<Value> {
    given.get(number).map(|&(value, _)| value)
}

/// The number of the argument that is a format.
fn format_of(function: &str) -> Option<usize> {
    match function {
        "printf" | "vprintf" | "warn" | "warnx" => Some(0),
        "fprintf" | "vfprintf" | "dprintf" | "vdprintf" | "__printf_chk" | "__vprintf_chk" | "syslog" => Some(1),
        "__fprintf_chk" | "__vfprintf_chk" => Some(2),
        _ => None,
    }
}

fn of_arguments(function: &str, given: &Given) -> Option<Vec<Reading>> {
    let text = |number| Some(vec![Reading::Text { at: argument(given, number)?, most: None, nullable: false }]);
    let bytes = |at, count| Some(vec![Reading::Bytes { at: argument(given, at)?, count: argument(given, count)? }]);
    match function {
        "puts" | "fputs" | "fputs_unlocked" | "perror" => text(0),
        "psignal" => text(1),
        "write" => bytes(1, 2),
        "fwrite" => {
            let (size, count) = (argument(given, 1)?.as_word()?, argument(given, 2)?.as_word()?);
            let count = Value::word(64, size.checked_mul(count).filter(|&all| all <= u128::from(u64::MAX))?);
            Some(vec![Reading::Bytes { at: argument(given, 0)?, count }])
        }
        "putchar" | "fputc" | "putc" | "putchar_unlocked" | "putc_unlocked" | "fputc_unlocked" | "fflush" => {
            Some(Vec::new())
        }
        _ if function.starts_with("_ZNSo5writeEPKc") => bytes(1, 2),
        _ if is_by_value(function) => Some(Vec::new()),
        _ if !function.starts_with("_ZStls") => None,
        _ if ["PKc", "PKa", "PKh"].iter().any(|end| function.ends_with(end)) => text(1),
        _ if function.contains("RKNSt7__cxx1112basic_stringI") => Some(vec![Reading::String(argument(given, 1)?)]),
        _ if function.contains("St17basic_string_viewI") => bytes(2, 1),
        _ => given[1..].iter().all(|(_, ty)| *ty != Type::Ptr).then(Vec::new),
    }
}

/// Members of a stream that insert numbers, characters and manipulators, and manipulators themselves.
fn is_by_value(function: &str) -> bool {
    let starts = ["_ZNSo9_M_insert", "_ZNSo3put", "_ZNSo5flush", "_ZSt4endl", "_ZSt5flush"];
    let inserted = function.strip_prefix("_ZNSolsE");
    starts.iter().any(|start| function.starts_with(start)) || inserted.is_some_and(|given| !given.starts_with("PSt"))
}

/// The precision of a conversion: a bound for the length of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Precision {
    None,
    Fixed(u64),
    /// The number is an argument.
    Given,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Conversion {
    has_given_width: bool,
    precision: Precision,
    is_long: bool,
    kind: u8,
}

/// The conversions of a format. `None` where arguments are numbered or the format ends in the middle of one.
fn conversions(format: &[u8]) -> Option<Vec<Conversion>> {
    let mut found = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.iter().position(|&byte| byte == b'%') {
        rest = skip(&rest[at + 1..], b"-+ #0'I");
        let has_given_width = rest.first() == Some(&b'*');
        rest = if has_given_width { &rest[1..] } else { skip(rest, b"0123456789") };
        let mut precision = Precision::None;
        if let Some(after) = rest.strip_prefix(b".") {
            let digits = skip(after, b"0123456789");
            let number = std::str::from_utf8(&after[..after.len() - digits.len()]).ok()?;
            (precision, rest) = match after.first() {
                Some(b'*') => (Precision::Given, &after[1..]),
                Some(b'-') => (Precision::None, skip(&after[1..], b"0123456789")),
                _ if number.is_empty() => (Precision::Fixed(0), digits),
                _ => (Precision::Fixed(number.parse().ok()?), digits),
            };
        }
        let after = skip(rest, b"hlLqjzZt");
        let is_long = rest[..rest.len() - after.len()].contains(&b'l');
        let (&kind, after) = after.split_first()?;
        if kind == b'$' {
            return None;
        }
        rest = after;
        found.push(Conversion { has_given_width, precision, is_long, kind });
    }
    Some(found)
}

fn skip<'t>(text: &'t [u8], these: &[u8]) -> &'t [u8] {
    let count = text.iter().take_while(|byte| these.contains(byte)).count();
    &text[count..]
}

/// The uses of the arguments from number `first` on by a call with this format.
fn of_format(format: &[u8], given: &Given, first: usize) -> Option<Uses> {
    let mut uses = Uses::default();
    let mut next = first;
    for Conversion { has_given_width, precision, is_long, kind } in conversions(format)? {
        next += usize::from(has_given_width);
        let most = match precision {
            Precision::None => None,
            Precision::Fixed(most) => Some(Value::word(32, u128::from(most.min(i32::MAX as u64)))),
            Precision::Given => {
                next += 1;
                Some(argument(given, next - 1)?)
            }
        };
        match kind {
            b's' if !is_long => {
                uses.readings.push(Reading::Text { at: argument(given, next)?, most, nullable: true });
            }
            b's' | b'S' | b'n' => return None,
            _ if b"diuoxXcCpeEfFgGaA".contains(&kind) => uses.printed.push(next),
            // The other conversions take no argument.
            _ => continue,
        }
        next += 1;
    }
    Some(uses)
}

/// For an argument list it is only known whether a conversion would read memory.
fn of_list(format: &[u8]) -> Option<Uses> {
    let reads = |conversion: &Conversion| b"sSn".contains(&conversion.kind);
    (!conversions(format)?.iter().any(reads)).then(Uses::default)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_by(format: &str, count: u128) -> Option<(Vec<u128>, Vec<usize>)> {
        let given: Vec<(Value, Type)> = (0..count).map(|number| (Value::word(64, number), Type::Ptr)).collect();
        let uses = of_format(format.as_bytes(), &given, 1)?;
        let addresses = uses.readings.iter().filter_map(|reading| reading.address().as_word()).collect();
        Some((addresses, uses.printed))
    }

    #[test]
    fn a_format_says_which_arguments_are_read() {
        assert_eq!(read_by("no conversion, 100%%", 1), Some((vec![], vec![])));
        assert_eq!(read_by("%d %s %-8lu|%5.3f%c\n", 6), Some((vec![2], vec![1, 3, 4, 5])));
        assert_eq!(read_by("%*d %.*s %m %s", 6), Some((vec![4, 5], vec![2])));
        assert_eq!(read_by("%.3s %p", 3), Some((vec![1], vec![2])));
        for followed in ["%ls", "%S", "%n", "%1$s", "%", "%-5l", "%s %s"] {
            assert_eq!(read_by(followed, 2), None, "{followed}");
        }
    }

    #[test]
    fn a_precision_limits_what_is_read_of_a_text() {
        let given = [(Value::word(32, 7), Type::I32), (Value::word(64, 1 << 16), Type::Ptr)];
        for (format, limit) in [("%s", None), ("%.s", Some(0)), ("%.12s", Some(12)), ("%.-3s", None), ("%9s", None)] {
            let uses = of_format(format.as_bytes(), &given, 1).expect(format);
            let [Reading::Text { most, .. }] = uses.readings[..] else { panic!("{format}") };
            assert_eq!(most.and_then(Value::as_word), limit, "{format}");
        }
        let uses = of_format(b"%.*s", &given, 0).expect("a given precision");
        assert!(matches!(uses.readings[..], [Reading::Text { most: Some(most), .. }] if most.as_word() == Some(7)));
    }
}
