//! C's integer types on x86-64 Linux: width, sign, rank, promotion, the usual arithmetic conversions, literals. `long`
//! and `long long` are distinct here although equally wide, as in C.

use crate::random::Random;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integer {
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    Unsigned,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Int128,
    Unsigned128,
}

use Integer::*;

/// Every type but the 128-bit ones, which few constructs accept.
pub const UP_TO_64: [Integer; 12] = [
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    Unsigned,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
];

impl Integer {
    /// The common types come up more often.
    pub fn any(random: &mut Random) -> Integer {
        match random.below(10) {
            0 => Int128,
            1 => Unsigned128,
            2 => Int,
            3 => Unsigned,
            _ => random.pick(&UP_TO_64),
        }
    }

    pub fn bits(self) -> u32 {
        match self {
            Bool => 1,
            Char | SignedChar | UnsignedChar => 8,
            Short | UnsignedShort => 16,
            Int | Unsigned => 32,
            Long | UnsignedLong | LongLong | UnsignedLongLong => 64,
            Int128 | Unsigned128 => 128,
        }
    }

    pub fn signed(self) -> bool {
        matches!(self, Char | SignedChar | Short | Int | Long | LongLong | Int128)
    }

    fn rank(self) -> u32 {
        match self {
            Bool => 0,
            Char | SignedChar | UnsignedChar => 1,
            Short | UnsignedShort => 2,
            Int | Unsigned => 3,
            Long | UnsignedLong => 4,
            LongLong | UnsignedLongLong => 5,
            Int128 | Unsigned128 => 6,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Bool => "_Bool",
            Char => "char",
            SignedChar => "signed char",
            UnsignedChar => "unsigned char",
            Short => "short",
            UnsignedShort => "unsigned short",
            Int => "int",
            Unsigned => "unsigned",
            Long => "long",
            UnsignedLong => "unsigned long",
            LongLong => "long long",
            UnsignedLongLong => "unsigned long long",
            Int128 => "__int128",
            Unsigned128 => "unsigned __int128",
        }
    }

    /// One of the names that the type has in a program.
    pub fn spelling(self, random: &mut Random) -> &'static str {
        let other = match self {
            SignedChar => "int8_t",
            UnsignedChar => "uint8_t",
            Short => "int16_t",
            UnsignedShort => "uint16_t",
            Int => "int32_t",
            Unsigned => "uint32_t",
            Long => "int64_t",
            UnsignedLong => random.pick(&["uint64_t", "size_t"]),
            _ => return self.name(),
        };
        if random.chance(40) { other } else { self.name() }
    }

    /// The type's name as a part of an identifier.
    pub fn tag(self) -> &'static str {
        match self {
            Bool => "bool",
            Char => "char",
            SignedChar => "schar",
            UnsignedChar => "uchar",
            Short => "short",
            UnsignedShort => "ushort",
            Int => "int",
            Unsigned => "uint",
            Long => "long",
            UnsignedLong => "ulong",
            LongLong => "llong",
            UnsignedLongLong => "ullong",
            Int128 => "int128",
            Unsigned128 => "uint128",
        }
    }

    /// The length modifier and conversion of printf; 128-bit types have none.
    pub fn conversion(self) -> (&'static str, char) {
        let sign = if self.signed() { 'd' } else { 'u' };
        match self {
            Bool => ("", 'd'),
            Char | SignedChar | UnsignedChar => ("hh", sign),
            Short | UnsignedShort => ("h", sign),
            Int | Unsigned => ("", sign),
            Long | UnsignedLong => ("l", sign),
            LongLong | UnsignedLongLong | Int128 | Unsigned128 => ("ll", sign),
        }
    }

    pub fn promoted(self) -> Integer {
        if self.rank() < Int.rank() { Int } else { self }
    }

    /// The type of `a + b`.
    pub fn common(a: Integer, b: Integer) -> Integer {
        let (a, b) = (a.promoted(), b.promoted());
        if a == b {
            return a;
        }
        let (high, low) = if a.rank() >= b.rank() { (a, b) } else { (b, a) };
        if a.signed() == b.signed() {
            return high;
        }
        if !high.signed() {
            high
        } else if a.rank() == b.rank() || high.bits() == low.bits() {
            high.unsigned()
        } else {
            high
        }
    }

    pub fn unsigned(self) -> Integer {
        match self {
            Char | SignedChar => UnsignedChar,
            Short => UnsignedShort,
            Int => Unsigned,
            Long => UnsignedLong,
            LongLong => UnsignedLongLong,
            Int128 => Unsigned128,
            other => other,
        }
    }

    pub fn min(self) -> i128 {
        if self.signed() { -1i128 << (self.bits() - 1) } else { 0 }
    }

    /// The greatest value; of `unsigned __int128` the greatest that an `i128` holds.
    pub fn max(self) -> i128 {
        match self {
            Int128 | Unsigned128 => i128::MAX,
            _ if self.signed() => (1i128 << (self.bits() - 1)) - 1,
            _ => (1i128 << self.bits()) - 1,
        }
    }

    /// A value that is likely to matter: small, at an edge, near a power of two, or anything.
    pub fn interesting(self, random: &mut Random) -> i128 {
        let wide = ((random.word() as i128) << 64) | random.word() as i128;
        let value = match random.below(8) {
            0 | 1 => random.between(0, 20) as i128,
            2 => random.between(-20, 300) as i128,
            3 => self.max().wrapping_sub(random.below(3) as i128),
            4 => self.min().wrapping_add(random.below(3) as i128),
            5 => (1i128 << random.below(127)).wrapping_add(random.between(-1, 1) as i128),
            _ => wide >> random.below(100),
        };
        self.wrap(value)
    }

    fn wrap(self, value: i128) -> i128 {
        match self {
            Bool => value & 1,
            Int128 => value,
            Unsigned128 => value & i128::MAX,
            _ if self.signed() => (value << (128 - self.bits())) >> (128 - self.bits()),
            _ => value & self.max(),
        }
    }

    /// `value` as an expression of exactly this type.
    pub fn literal(self, value: i128, random: &mut Random) -> String {
        match self {
            Int | Unsigned | Long | UnsignedLong | LongLong | UnsignedLongLong => self.plain_literal(value, random),
            Int128 | Unsigned128 => {
                let (high, low) = ((value >> 64) as u64, value as u64);
                if value >= 0 && high == 0 {
                    return format!("(({}){low}UL)", self.name());
                }
                let both = format!("(((unsigned __int128)0x{high:x}UL << 64) | 0x{low:x}UL)");
                if self == Int128 { format!("((__int128){both})") } else { both }
            }
            _ => format!("({}){value}", self.name()).replace(")-", ") -"),
        }
    }

    fn plain_literal(self, value: i128, random: &mut Random) -> String {
        let suffix = match self {
            Unsigned => random.pick(&["u", "U"]),
            Long => random.pick(&["l", "L"]),
            UnsignedLong => random.pick(&["ul", "UL"]),
            LongLong => "LL",
            UnsignedLongLong => "ULL",
            _ => "",
        };
        if self.signed() && value == self.min() {
            return format!("(-{}{suffix} - 1)", self.max());
        }
        if value < 0 {
            return format!("(-{}{suffix})", -value);
        }
        match random.below(6) {
            0 | 1 => format!("0x{value:x}{suffix}"),
            2 => format!("0{value:o}{suffix}"),
            3 if self == Int && (32..127).contains(&value) && !matches!(value, 34 | 39 | 63 | 92) => {
                format!("'{}'", value as u8 as char)
            }
            _ => format!("{value}{suffix}"),
        }
    }
}
