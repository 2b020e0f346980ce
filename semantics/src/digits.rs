//! The decimal and hexadecimal digits of floats, exactly as printf writes them.
//!
//! A finite float is an integer times a power of two, so it has an exact decimal expansion; the result is that
//! expansion rounded half to even, at any precision.

/// A magnitude as `significand × 2^exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Magnitude {
    pub significand: u64,
    pub exponent: i32,
}

impl Magnitude {
    /// Reads the 80-bit format; infinities and NaN count as zero.
    pub fn from_extended(bits: u128) -> Magnitude {
        let significand = bits as u64;
        let biased = ((bits >> 64) & 0x7fff) as i32;
        if biased == 0x7fff || significand == 0 {
            return Magnitude { significand: 0, exponent: 0 };
        }
        Magnitude { significand, exponent: biased.max(1) - 16383 - 63 }
    }
}

/// All decimal digits: `digits` are base ten, the most significant first, and the point is after `point` of them.
struct Decimal {
    digits: Vec<u8>,
    point: i32,
}

const LIMB: u64 = 1_000_000_000;

fn exact_decimal(magnitude: Magnitude) -> Decimal {
    if magnitude.significand == 0 {
        return Decimal { digits: Vec::new(), point: 0 };
    }
    let shift = magnitude.significand.trailing_zeros();
    let significand = magnitude.significand >> shift;
    let exponent = magnitude.exponent + shift as i32;
    // Little-endian limbs of nine digits. For a negative exponent the number is multiplied by ten as often as it must be
    // halved: m / 2^k = m × 5^k / 10^k.
    let mut limbs = vec![significand % LIMB, significand / LIMB % LIMB, significand / LIMB / LIMB];
    let (factor, times) = if exponent >= 0 { (2, exponent) } else { (5, -exponent) };
    for _ in 0..times {
        let mut carry = 0;
        for limb in &mut limbs {
            let value = *limb * factor + carry;
            *limb = value % LIMB;
            carry = value / LIMB;
        }
        if carry > 0 {
            limbs.push(carry);
        }
    }
    let mut text: String = limbs.iter().rev().map(|limb| format!("{limb:09}")).collect();
    let leading = text.len() - text.trim_start_matches('0').len();
    text.drain(..leading);
    let point = text.len() as i32 - if exponent < 0 { -exponent } else { 0 };
    Decimal { digits: text.bytes().map(|digit| digit - b'0').collect(), point }
}

impl Decimal {
    /// Keeps `count` digits, rounding half to even; the carry may move the point.
    fn round(&mut self, count: i32) {
        if count < 0 {
            self.digits.clear();
            return;
        }
        let count = count as usize;
        if count >= self.digits.len() {
            return;
        }
        let rest = self.digits.split_off(count);
        let half = rest[0].cmp(&5).then_with(|| {
            if rest[1..].iter().any(|&digit| digit > 0) {
                std::cmp::Ordering::Greater
            } else {
                std::cmp::Ordering::Equal
            }
        });
        let last_is_odd = self.digits.last().is_some_and(|digit| digit % 2 == 1);
        let up = half.is_gt() || (half.is_eq() && last_is_odd);
        if !up {
            return;
        }
        for digit in self.digits.iter_mut().rev() {
            if *digit < 9 {
                *digit += 1;
                return;
            }
            *digit = 0;
        }
        self.digits.insert(0, 1);
        self.point += 1;
    }

    fn digit(&self, position: i32) -> char {
        let digit = usize::try_from(position).ok().and_then(|position| self.digits.get(position)).copied().unwrap_or(0);
        char::from(b'0' + digit)
    }
}

/// The text of a magnitude under one of the conversions `e`, `f`, `g`, `a`, and `A` for the `a` of an extended float,
/// whose leading digit holds four bits. A negative precision means that none was given.
pub fn format(magnitude: Magnitude, conversion: char, precision: i32, alternate: bool) -> String {
    match conversion {
        'a' => hexadecimal(magnitude, 1, precision, alternate),
        'A' => hexadecimal(magnitude, 4, precision, alternate),
        'f' => fixed(magnitude, if precision < 0 { 6 } else { precision }, alternate),
        'g' => general(magnitude, precision, alternate),
        _ => scientific(magnitude, if precision < 0 { 6 } else { precision }, alternate).0,
    }
}

fn fixed(magnitude: Magnitude, precision: i32, alternate: bool) -> String {
    let mut decimal = exact_decimal(magnitude);
    let keep = decimal.point.saturating_add(precision);
    decimal.round(keep);
    if keep < 0 {
        decimal.point = 0;
    }
    let mut text = String::new();
    if decimal.point <= 0 {
        text.push('0');
    }
    for position in 0..decimal.point {
        text.push(decimal.digit(position));
    }
    if precision > 0 || alternate {
        text.push('.');
    }
    for place in 0..precision {
        text.push(decimal.digit(decimal.point.saturating_add(place)));
    }
    text
}

/// The text, and the decimal exponent after rounding.
fn scientific(magnitude: Magnitude, precision: i32, alternate: bool) -> (String, i32) {
    let mut decimal = exact_decimal(magnitude);
    decimal.round(precision.saturating_add(1));
    let exponent = if decimal.digits.is_empty() { 0 } else { decimal.point - 1 };
    let mut text = String::new();
    text.push(decimal.digit(0));
    if precision > 0 || alternate {
        text.push('.');
    }
    for place in 1..=precision {
        text.push(decimal.digit(place));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    text.push_str(&format!("e{sign}{:02}", exponent.abs()));
    (text, exponent)
}

fn general(magnitude: Magnitude, precision: i32, alternate: bool) -> String {
    let precision = match precision {
        p if p < 0 => 6,
        0 => 1,
        p => p,
    };
    let (text, exponent) = scientific(magnitude, precision - 1, alternate);
    let text = if exponent < -4 || exponent >= precision {
        text
    } else {
        fixed(magnitude, precision - 1 - exponent, alternate)
    };
    if alternate || !text.contains('.') {
        return text;
    }
    let (number, suffix) = match text.find('e') {
        Some(at) => text.split_at(at),
        None => (text.as_str(), ""),
    };
    format!("{}{suffix}", number.trim_end_matches('0').trim_end_matches('.'))
}

/// The leading digit holds `lead` bits of the significand; 16 more digits may follow.
fn hexadecimal(magnitude: Magnitude, lead: u32, precision: i32, alternate: bool) -> String {
    let mut value = u128::from(magnitude.significand);
    let mut exponent = 0;
    if value != 0 {
        let shift = value.leading_zeros() - 64;
        value <<= shift + lead;
        exponent = magnitude.exponent + 64 - (shift + lead) as i32;
    }
    let digits = if precision < 0 { 16 - (value.trailing_zeros().min(64) / 4) as i32 } else { precision };
    if digits < 16 {
        let drop = (16 - digits) as u32 * 4;
        let half = 1_u128 << (drop - 1);
        let rest = value & ((1 << drop) - 1);
        value >>= drop;
        if rest > half || (rest == half && value & 1 == 1) {
            value += 1;
        }
        value <<= drop;
        if value >> 68 != 0 {
            value >>= 4;
            exponent += 4;
        }
    }
    let mut text = format!("0x{:x}", value >> 64);
    if digits > 0 || alternate {
        text.push('.');
    }
    for place in 1..=digits {
        let nibble = if place <= 16 { (value >> (64 - 4 * place)) & 0xf } else { 0 };
        text.push_str(&format!("{nibble:x}"));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    text.push_str(&format!("p{sign}{}", exponent.abs()));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extended;

    fn text(x: f64, conversion: char, precision: i32) -> String {
        format(Magnitude::from_extended(extended::from_f64(x)), conversion, precision, false)
    }

    #[test]
    fn fixed_agrees_with_the_standard_library() {
        for x in [0.0, 0.5, 1.5, 2.5, 0.1, 123456.789, 1e22, 5e-324, 1.7976931348623157e308, 0.05, 9.995, 0.0004] {
            for precision in 0..20 {
                assert_eq!(text(x, 'f', precision), format!("{x:.*}", precision as usize), "{x} {precision}");
            }
        }
    }

    #[test]
    fn conversions_read_as_printf_writes_them() {
        assert_eq!(text(0.0, 'e', -1), "0.000000e+00");
        assert_eq!(text(12345.678, 'e', 3), "1.235e+04");
        assert_eq!(text(9.9999e9, 'e', 2), "1.00e+10");
        assert_eq!(text(100000.0, 'g', -1), "100000");
        assert_eq!(text(1000000.0, 'g', -1), "1e+06");
        assert_eq!(text(0.0001, 'g', -1), "0.0001");
        assert_eq!(text(0.00001234, 'g', 3), "1.23e-05");
        assert_eq!(text(0.0, 'g', -1), "0");
        assert_eq!(text(3.0, 'a', -1), "0x1.8p+1");
        assert_eq!(text(3.0, 'A', -1), "0xcp-2");
        assert_eq!(text(1.999, 'a', 1), "0x2.0p+0");
    }
}
