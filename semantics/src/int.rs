//! Integers of 1 to 128 bits, held zero-extended in a `u128`.

use ir::{BinaryOp, IntPredicate, OverflowOp, RmwOp, UnaryOp};

use crate::domain::Trap;

#[inline(always)]
pub fn mask(bits: u32) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

#[inline(always)]
pub fn signed(value: u128, bits: u32) -> i128 {
    let shift = 128 - bits;
    ((value << shift) as i128) >> shift
}

/// The machine takes shift amounts modulo the register's width.
fn shift_amount(amount: u128, bits: u32) -> u32 {
    let width = bits.next_power_of_two().max(32);
    (amount & u128::from(width - 1)) as u32
}

#[inline(always)]
pub fn binary(op: BinaryOp, bits: u32, left: u128, right: u128) -> Result<u128, Trap> {
    let value = match op {
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Sub => left.wrapping_sub(right),
        BinaryOp::Mul if bits <= 64 => u128::from((left as u64).wrapping_mul(right as u64)),
        BinaryOp::And => return Ok(left & right),
        BinaryOp::Or => return Ok(left | right),
        BinaryOp::Xor => return Ok(left ^ right),
        _ => return rare_binary(op, bits, left, right),
    };
    Ok(value & mask(bits))
}

fn rare_binary(op: BinaryOp, bits: u32, left: u128, right: u128) -> Result<u128, Trap> {
    let value = match op {
        BinaryOp::Mul => left.wrapping_mul(right),
        BinaryOp::UnsignedDiv => left.checked_div(right).ok_or(Trap::DivisionByZero)?,
        BinaryOp::UnsignedRem => left.checked_rem(right).ok_or(Trap::DivisionByZero)?,
        BinaryOp::SignedDiv | BinaryOp::SignedRem => {
            let (a, b) = (signed(left, bits), signed(right, bits));
            if b == 0 {
                return Err(Trap::DivisionByZero);
            }
            if b == -1 && left == 1 << (bits - 1) && bits > 1 {
                return Err(Trap::DivisionOverflow);
            }
            (if op == BinaryOp::SignedDiv { a.wrapping_div(b) } else { a.wrapping_rem(b) }) as u128
        }
        BinaryOp::ShiftLeft => {
            let amount = shift_amount(right, bits);
            if amount >= bits { 0 } else { left << amount }
        }
        BinaryOp::LogicalShiftRight => {
            let amount = shift_amount(right, bits);
            if amount >= bits { 0 } else { left >> amount }
        }
        BinaryOp::ArithmeticShiftRight => {
            let amount = shift_amount(right, bits).min(bits - 1);
            (signed(left, bits) >> amount) as u128
        }
        _ => return Err(Trap::IllTyped),
    };
    Ok(value & mask(bits))
}

pub fn unary(op: UnaryOp, bits: u32, arg: u128) -> Result<u128, Trap> {
    Ok(match op {
        UnaryOp::ByteSwap => arg.swap_bytes() >> (128 - bits),
        UnaryOp::BitReverse => arg.reverse_bits() >> (128 - bits),
        UnaryOp::PopCount => u128::from(arg.count_ones()),
        UnaryOp::LeadingZeros => u128::from(arg.leading_zeros() - (128 - bits)),
        UnaryOp::TrailingZeros => u128::from(arg.trailing_zeros().min(bits)),
        _ => return Err(Trap::IllTyped),
    })
}

/// The wrapped value and whether it wrapped.
pub fn overflowing(op: OverflowOp, bits: u32, left: u128, right: u128) -> (u128, bool) {
    let (a, b) = (signed(left, bits), signed(right, bits));
    let fits_signed = |value: i128| signed(value as u128 & mask(bits), bits) == value;
    let fits_unsigned = |value: u128| value & mask(bits) == value;
    let (value, overflowed) = match op {
        OverflowOp::SignedAdd => {
            let (value, wrapped) = a.overflowing_add(b);
            (value as u128, wrapped || !fits_signed(value))
        }
        OverflowOp::SignedSub => {
            let (value, wrapped) = a.overflowing_sub(b);
            (value as u128, wrapped || !fits_signed(value))
        }
        OverflowOp::SignedMul => {
            let (value, wrapped) = a.overflowing_mul(b);
            (value as u128, wrapped || !fits_signed(value))
        }
        OverflowOp::UnsignedAdd => {
            let (value, wrapped) = left.overflowing_add(right);
            (value, wrapped || !fits_unsigned(value))
        }
        OverflowOp::UnsignedSub => (left.wrapping_sub(right), left < right),
        OverflowOp::UnsignedMul => {
            let (value, wrapped) = left.overflowing_mul(right);
            (value, wrapped || !fits_unsigned(value))
        }
    };
    (value & mask(bits), overflowed)
}

#[inline(always)]
pub fn compare(predicate: IntPredicate, bits: u32, left: u128, right: u128) -> bool {
    match predicate {
        IntPredicate::Equal => left == right,
        IntPredicate::NotEqual => left != right,
        IntPredicate::UnsignedLess => left < right,
        IntPredicate::UnsignedLessEqual => left <= right,
        IntPredicate::UnsignedGreater => left > right,
        IntPredicate::UnsignedGreaterEqual => left >= right,
        IntPredicate::SignedLess => signed(left, bits) < signed(right, bits),
        IntPredicate::SignedLessEqual => signed(left, bits) <= signed(right, bits),
        IntPredicate::SignedGreater => signed(left, bits) > signed(right, bits),
        IntPredicate::SignedGreaterEqual => signed(left, bits) >= signed(right, bits),
    }
}

/// The new value of a read-modify-write; without float updates.
pub fn update(op: RmwOp, bits: u32, old: u128, value: u128) -> Option<u128> {
    let pick = |first: bool| if first { old } else { value };
    Some(match op {
        RmwOp::Exchange => value,
        RmwOp::Add => old.wrapping_add(value) & mask(bits),
        RmwOp::Sub => old.wrapping_sub(value) & mask(bits),
        RmwOp::And => old & value,
        RmwOp::Nand => !(old & value) & mask(bits),
        RmwOp::Or => old | value,
        RmwOp::Xor => old ^ value,
        RmwOp::SignedMax => pick(signed(old, bits) >= signed(value, bits)),
        RmwOp::SignedMin => pick(signed(old, bits) <= signed(value, bits)),
        RmwOp::UnsignedMax => pick(old >= value),
        RmwOp::UnsignedMin => pick(old <= value),
        RmwOp::FloatAdd | RmwOp::FloatSub => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_integers_wrap_and_extend() {
        assert_eq!(binary(BinaryOp::Add, 8, 250, 10), Ok(4));
        assert_eq!(binary(BinaryOp::SignedDiv, 8, 0xf6, 3), Ok(0xfd));
        assert_eq!(binary(BinaryOp::SignedDiv, 8, 0x80, 0xff), Err(Trap::DivisionOverflow));
        assert_eq!(binary(BinaryOp::SignedRem, 32, 7, 0), Err(Trap::DivisionByZero));
        assert_eq!(binary(BinaryOp::ArithmeticShiftRight, 16, 0x8000, 4), Ok(0xf800));
        assert_eq!(binary(BinaryOp::Mul, 128, u128::MAX, u128::MAX), Ok(1));
    }

    #[test]
    fn bits_are_counted_within_the_width() {
        assert_eq!(unary(UnaryOp::LeadingZeros, 32, 0), Ok(32));
        assert_eq!(unary(UnaryOp::TrailingZeros, 16, 0), Ok(16));
        assert_eq!(unary(UnaryOp::ByteSwap, 32, 0x0102_0304), Ok(0x0403_0201));
    }

    #[test]
    fn overflow_is_seen_at_every_width() {
        assert_eq!(overflowing(OverflowOp::SignedAdd, 32, 0x7fff_ffff, 1), (0x8000_0000, true));
        assert_eq!(overflowing(OverflowOp::UnsignedMul, 64, 1 << 63, 2), (0, true));
        assert_eq!(overflowing(OverflowOp::SignedMul, 128, 1 << 127, u128::MAX), (1 << 127, true));
        assert_eq!(overflowing(OverflowOp::UnsignedSub, 8, 3, 4), (255, true));
        assert_eq!(overflowing(OverflowOp::SignedSub, 8, 3, 4), (255, false));
    }
}
