//! Ranges of the values of integer expressions. They decide which operations are free of undefined behaviour and which
//! need a guard. An upper bound of `i128::MAX` in `unsigned __int128` means "up to the type's maximum".

use super::integer::Integer;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub low: i128,
    pub high: i128,
}

impl Range {
    pub fn new(low: i128, high: i128) -> Range {
        Range { low, high }
    }

    pub fn exactly(value: i128) -> Range {
        Range { low: value, high: value }
    }

    pub fn of(ty: Integer) -> Range {
        Range { low: ty.min(), high: ty.max() }
    }

    pub fn contains(self, value: i128) -> bool {
        self.low <= value && value <= self.high
    }

    pub fn within(self, outer: Range) -> bool {
        outer.low <= self.low && self.high <= outer.high
    }

    pub fn union(self, other: Range) -> Range {
        Range { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The range after a conversion; conversions to a type that cannot hold the value wrap, here as in gcc and clang.
    pub fn converted(self, from: Integer, to: Integer) -> Range {
        let unbounded = from == Integer::Unsigned128 && self.high == i128::MAX;
        if from == to || (!unbounded && self.within(Range::of(to))) { self } else { Range::of(to) }
    }

    /// The exact result of `+`, `-` or `*`, if an `i128` holds it.
    pub fn arithmetic(operator: &str, a: Range, b: Range) -> Option<Range> {
        let apply = |x: i128, y: i128| match operator {
            "+" => x.checked_add(y),
            "-" => x.checked_sub(y),
            _ => x.checked_mul(y),
        };
        let corners = [apply(a.low, b.low)?, apply(a.low, b.high)?, apply(a.high, b.low)?, apply(a.high, b.high)?];
        Some(Range { low: corners.into_iter().min()?, high: corners.into_iter().max()? })
    }

    /// The result of `/` or `%`, if no pair of values makes it undefined.
    pub fn division(operator: &str, a: Range, b: Range, ty: Integer) -> Option<Range> {
        if b.contains(0) || (ty.signed() && b.contains(-1) && a.contains(ty.min())) {
            return None;
        }
        let magnitude = |range: Range| range.low.saturating_abs().max(range.high.saturating_abs());
        let mut limit = magnitude(a);
        if operator == "%" && magnitude(b) < i128::MAX {
            limit = limit.min(magnitude(b) - 1);
        }
        let low = if a.low < 0 || (operator == "/" && b.low < 0) { -limit } else { 0 };
        let high = if a.high > 0 || (operator == "/" && b.low < 0) { limit } else { 0 };
        Some(Range { low: low.max(ty.min()), high: high.min(ty.max()) })
    }

    /// The result of `<<`, if it is defined: a signed operand must not be negative and must not lose bits.
    pub fn left_shift(self, count: Range, ty: Integer) -> Option<Range> {
        if count.low < 0 || count.high >= ty.bits() as i128 {
            return None;
        }
        let factor = 1i128.checked_shl(count.high as u32).filter(|factor| *factor > 0);
        let high = factor.and_then(|factor| self.high.checked_mul(factor)).filter(|high| *high <= ty.max());
        match high {
            Some(high) if self.low >= 0 => Some(Range { low: 0, high }),
            _ if ty.signed() => None,
            _ => Some(Range::of(ty)),
        }
    }

    pub fn right_shift(self, count: Range, ty: Integer) -> Option<Range> {
        if count.low < 0 || count.high >= ty.bits() as i128 {
            return None;
        }
        Some(Range { low: self.low.min(0), high: self.high.max(-1) })
    }

    /// The result of `&`, `|` or `^` on values converted to one type.
    pub fn bitwise(operator: &str, a: Range, b: Range) -> Range {
        if operator == "&" && (a.low >= 0 || b.low >= 0) {
            let high = match (a.low >= 0, b.low >= 0) {
                (true, true) => a.high.min(b.high),
                (true, false) => a.high,
                _ => b.high,
            };
            return Range { low: 0, high };
        }
        let both = a.union(b);
        let needed = both.high.max(!both.low);
        let ones = if needed <= 0 { 0 } else { i128::MAX >> (needed.leading_zeros() - 1) };
        Range { low: if both.low < 0 { !ones } else { 0 }, high: ones }
    }
}

#[cfg(test)]
mod tests {
    use super::Range;
    use crate::sequential::integer::Integer;

    /// Every operation on small ranges, compared with its results on all values.
    #[test]
    fn ranges_hold_every_result() {
        let ranges = [(-3, 2), (0, 5), (-4, -1), (1, 1), (2, 6), (0, 0)];
        for (a, b) in ranges.iter().flat_map(|a| ranges.iter().map(move |b| (*a, *b))) {
            let (ra, rb) = (Range::new(a.0, a.1), Range::new(b.0, b.1));
            for (x, y) in (a.0..=a.1).flat_map(|x| (b.0..=b.1).map(move |y| (x, y))) {
                for (operator, result) in [("+", x + y), ("-", x - y), ("*", x * y)] {
                    assert!(Range::arithmetic(operator, ra, rb).is_some_and(|r| r.contains(result)));
                }
                for (operator, result) in [("&", x & y), ("|", x | y), ("^", x ^ y)] {
                    assert!(Range::bitwise(operator, ra, rb).contains(result), "{x} {operator} {y}");
                }
                for operator in ["/", "%"] {
                    match Range::division(operator, ra, rb, Integer::Int) {
                        Some(range) => assert!(range.contains(if operator == "/" { x / y } else { x % y })),
                        None => assert!(rb.contains(0)),
                    }
                }
                match ra.left_shift(rb, Integer::Int) {
                    Some(range) => assert!(range.contains(x << y)),
                    None => assert!(a.0 < 0 || b.0 < 0),
                }
                match ra.right_shift(rb, Integer::Int) {
                    Some(range) => assert!(range.contains(x >> y)),
                    None => assert!(b.0 < 0),
                }
            }
        }
    }
}
