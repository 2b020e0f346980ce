//! Numbers of variable length: seven bits per byte, the lowest ones first; the eighth bit marks that more bytes follow.

/// The largest number of bytes of a number.
pub const LONGEST: usize = 10;

/// Writes a number to the front of `out`; returns its length, or none if there is no room.
pub fn write(mut value: u64, out: &mut [u8]) -> Option<usize> {
    let mut length = 0;
    loop {
        let byte = out.get_mut(length)?;
        length += 1;
        if value < 0x80 {
            *byte = value as u8;
            return Some(length);
        }
        *byte = value as u8 | 0x80;
        value >>= 7;
    }
}

/// The number at the front of `bytes` and its length; none if it does not end, or is too large.
pub fn read(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0_u64;
    for (index, &byte) in bytes.iter().enumerate().take(LONGEST) {
        let part = u64::from(byte & 0x7f);
        let shifted = part << (7 * index);
        if shifted >> (7 * index) != part {
            return None;
        }
        value |= shifted;
        if byte < 0x80 {
            return Some((value, index + 1));
        }
    }
    None
}

/// Maps small numbers of either sign to small unsigned numbers.
pub fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

pub fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for value in [0, 1, 0x7f, 0x80, 300, 1 << 35, u64::MAX - 1, u64::MAX] {
            let mut room = [0; LONGEST];
            let length = write(value, &mut room).expect("there is room");
            assert_eq!(read(&room[..length]), Some((value, length)));
            assert_eq!(read(&room[..length - 1]), None, "{value} cut short");
        }
        for value in [0, -1, 1, i64::MIN, i64::MAX] {
            assert_eq!(unzigzag(zigzag(value)), value);
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        assert_eq!(read(&[0xff; 10]), None);
        assert_eq!(read(&[0x80, 0x80]), None);
        assert_eq!(write(300, &mut [0]), None);
    }
}
