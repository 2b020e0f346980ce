//! Arithmetic on words of 1 to 128 bits, in the low bits of a `u128`: the meaning of each bit-vector operation, for
//! constant folding and evaluation. Division by zero follows SMT-LIB.

pub(crate) fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

/// The word as a signed number.
pub(crate) fn signed(width: u32, value: u128) -> i128 {
    let unused = 128 - width;
    ((value << unused) as i128) >> unused
}

fn unsigned(width: u32, value: i128) -> u128 {
    value as u128 & mask(width)
}

pub(crate) fn add(width: u32, a: u128, b: u128) -> u128 {
    a.wrapping_add(b) & mask(width)
}

pub(crate) fn sub(width: u32, a: u128, b: u128) -> u128 {
    a.wrapping_sub(b) & mask(width)
}

pub(crate) fn mul(width: u32, a: u128, b: u128) -> u128 {
    a.wrapping_mul(b) & mask(width)
}

pub(crate) fn neg(width: u32, a: u128) -> u128 {
    a.wrapping_neg() & mask(width)
}

pub(crate) fn not(width: u32, a: u128) -> u128 {
    !a & mask(width)
}

pub(crate) fn and(_width: u32, a: u128, b: u128) -> u128 {
    a & b
}

pub(crate) fn or(_width: u32, a: u128, b: u128) -> u128 {
    a | b
}

pub(crate) fn xor(_width: u32, a: u128, b: u128) -> u128 {
    a ^ b
}

pub(crate) fn udiv(width: u32, a: u128, b: u128) -> u128 {
    a.checked_div(b).unwrap_or(mask(width))
}

pub(crate) fn urem(_width: u32, a: u128, b: u128) -> u128 {
    a.checked_rem(b).unwrap_or(a)
}

pub(crate) fn sdiv(width: u32, a: u128, b: u128) -> u128 {
    let (dividend, divisor) = (signed(width, a), signed(width, b));
    let quotient = match divisor {
        0 if dividend < 0 => 1,
        0 => -1,
        _ => dividend.wrapping_div(divisor),
    };
    unsigned(width, quotient)
}

pub(crate) fn srem(width: u32, a: u128, b: u128) -> u128 {
    let (dividend, divisor) = (signed(width, a), signed(width, b));
    let remainder = if divisor == 0 { dividend } else { dividend.wrapping_rem(divisor) };
    unsigned(width, remainder)
}

pub(crate) fn shl(width: u32, a: u128, by: u128) -> u128 {
    if by >= u128::from(width) { 0 } else { (a << by) & mask(width) }
}

pub(crate) fn lshr(width: u32, a: u128, by: u128) -> u128 {
    if by >= u128::from(width) { 0 } else { a >> by }
}

pub(crate) fn ashr(width: u32, a: u128, by: u128) -> u128 {
    let by = by.min(u128::from(width) - 1);
    unsigned(width, signed(width, a) >> by)
}

pub(crate) fn ult(_width: u32, a: u128, b: u128) -> bool {
    a < b
}

pub(crate) fn slt(width: u32, a: u128, b: u128) -> bool {
    signed(width, a) < signed(width, b)
}

pub(crate) fn concat(high: u128, low: u128, low_width: u32) -> u128 {
    (high << low_width) | low
}

pub(crate) fn extract(high: u32, low: u32, value: u128) -> u128 {
    (value >> low) & mask(high - low + 1)
}

pub(crate) fn sign_extend(from: u32, to: u32, value: u128) -> u128 {
    unsigned(to, signed(from, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_by_zero_is_that_of_smtlib() {
        assert_eq!(udiv(8, 7, 0), 255);
        assert_eq!(urem(8, 7, 0), 7);
        assert_eq!(sdiv(8, 7, 0), 255);
        assert_eq!(sdiv(8, 249, 0), 1);
        assert_eq!(srem(8, 249, 0), 249);
    }

    #[test]
    fn signed_division_truncates_and_wraps() {
        assert_eq!(sdiv(8, 249, 2), 253);
        assert_eq!(srem(8, 249, 2), 255);
        assert_eq!(sdiv(8, 128, 255), 128);
        assert_eq!(srem(8, 128, 255), 0);
        assert_eq!(sdiv(128, 1 << 127, u128::MAX), 1 << 127);
        assert_eq!(srem(128, 1 << 127, u128::MAX), 0);
    }

    #[test]
    fn shifts_saturate() {
        assert_eq!(shl(128, 1, 128), 0);
        assert_eq!(lshr(8, 128, 200), 0);
        assert_eq!(ashr(8, 128, 200), 255);
        assert_eq!(ashr(1, 1, 1), 1);
    }
}
