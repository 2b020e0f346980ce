//! Arithmetic circuits on words of literals, lowest bit first.

use crate::gates::Gates;
use crate::theory::{Lit, TRUE};

pub(crate) type Word = Vec<Lit>;

impl Gates {
    pub fn constant(&self, width: u32, value: u128) -> Word {
        (0..width).map(|bit| if value >> bit & 1 == 1 { TRUE } else { -TRUE }).collect()
    }

    pub fn add_words(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> Word {
        let mut sum = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let half = self.xor(a, b);
            sum.push(self.xor(half, carry));
            carry = self.majority(a, b, carry);
        }
        sum
    }

    pub fn subtract(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        let negated: Word = b.iter().map(|bit| -bit).collect();
        self.add_words(a, &negated, TRUE)
    }

    pub fn negate(&mut self, a: &[Lit]) -> Word {
        let zero = vec![-TRUE; a.len()];
        self.subtract(&zero, a)
    }

    pub fn multiply(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        let width = a.len();
        let mut sum = vec![-TRUE; width];
        for (shift, &bit) in b.iter().enumerate() {
            if bit != -TRUE {
                let row: Word = a[..width - shift].iter().map(|&digit| self.and(digit, bit)).collect();
                let high = sum.split_off(shift);
                sum.extend(self.add_words(&high, &row, -TRUE));
            }
        }
        sum
    }

    /// Unsigned quotient and remainder; by zero: all ones, and the dividend.
    pub fn divide(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let width = a.len();
        // The remainder is smaller than the divisor, so it has no more bits, unless the divisor is zero.
        let used = b.iter().rposition(|&bit| bit != -TRUE).map_or(0, |last| last + 1);
        let mut divisor = b[..used].to_vec();
        divisor.push(-TRUE);
        let mut remainder = vec![-TRUE; used + 1];
        let mut quotient = vec![-TRUE; width];
        for bit in (0..width).rev() {
            remainder.rotate_right(1);
            remainder[0] = a[bit];
            let less = self.less(&remainder, &divisor);
            let difference = self.subtract(&remainder, &divisor);
            remainder = self.choose_word(less, &remainder, &difference);
            quotient[bit] = -less;
        }
        remainder.truncate(used);
        remainder.resize(width, -TRUE);
        let zero: Word = b.iter().map(|bit| -bit).collect();
        let by_zero = self.and_all(&zero);
        (quotient, self.choose_word(by_zero, a, &remainder))
    }

    pub fn divide_signed(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let (Some(&a_sign), Some(&b_sign)) = (a.last(), b.last()) else { return (Vec::new(), Vec::new()) };
        let (a, b) = (self.negate_if(a_sign, a), self.negate_if(b_sign, b));
        let (quotient, remainder) = self.divide(&a, &b);
        let sign = self.xor(a_sign, b_sign);
        (self.negate_if(sign, &quotient), self.negate_if(a_sign, &remainder))
    }

    fn negate_if(&mut self, condition: Lit, a: &[Lit]) -> Word {
        let flipped: Word = a.iter().map(|&bit| self.xor(bit, condition)).collect();
        let zero = vec![-TRUE; a.len()];
        self.add_words(&flipped, &zero, condition)
    }

    pub fn choose_word(&mut self, condition: Lit, then: &[Lit], otherwise: &[Lit]) -> Word {
        then.iter().zip(otherwise).map(|(&then, &otherwise)| self.ite(condition, then, otherwise)).collect()
    }

    pub fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut less = -TRUE;
        for (&a, &b) in a.iter().zip(b) {
            let differ = self.xor(a, b);
            less = self.ite(differ, b, less);
        }
        less
    }

    pub fn less_signed(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let flip = |word: &[Lit]| {
            let mut word = word.to_vec();
            word.iter_mut().last().into_iter().for_each(|sign| *sign = -*sign);
            word
        };
        self.less(&flip(a), &flip(b))
    }

    pub fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let same: Vec<Lit> = a.iter().zip(b).map(|(&a, &b)| -self.xor(a, b)).collect();
        self.and_all(&same)
    }

    /// Shifts to the left or to the right; vacated bits are `fill`.
    pub fn shift(&mut self, a: &[Lit], amount: &[Lit], left: bool, fill: Lit) -> Word {
        let width = a.len();
        let mut word = a.to_vec();
        let mut too_far = -TRUE;
        for (stage, &bit) in amount.iter().enumerate() {
            let distance = 1usize.checked_shl(stage as u32).unwrap_or(usize::MAX);
            if distance >= width {
                too_far = self.or(too_far, bit);
                continue;
            }
            let shifted: Word = (0..width)
                .map(|place| {
                    let from = if left { place.checked_sub(distance) } else { place.checked_add(distance) };
                    from.and_then(|from| word.get(from).copied()).unwrap_or(fill)
                })
                .collect();
            word = self.choose_word(bit, &shifted, &word);
        }
        word.into_iter().map(|bit| self.ite(too_far, fill, bit)).collect()
    }
}
