//! Damaged files: a few random edits of an intact one.

use crate::random::Random;

/// A file with one to four edits. Some of them insert `words`, which are meaningful in this kind of file.
pub fn mutated(bytes: &[u8], words: &[&str], seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut bytes = bytes.to_vec();
    for _ in 0..random.between(1, 4) {
        edit(&mut bytes, words, &mut random);
    }
    bytes
}

/// Numbers at the edges of their types.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775808",
    "18446744073709551615",
    "99999999999999999999",
];

fn edit(bytes: &mut Vec<u8>, words: &[&str], random: &mut Random) {
    let at = random.below(bytes.len());
    let length = random.below(24).min(bytes.len() - at);
    match random.below(9) {
        0 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        1 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = random.word() as u8;
            }
        }
        2 => drop(bytes.drain(at..at + length)),
        3 => {
            let again = bytes[at..at + length].to_vec();
            bytes.splice(at..at, again);
        }
        4 if random.chance(30) => bytes.truncate(at),
        5 => drop(bytes.splice(at..at, random.pick(NUMBERS).bytes())),
        6 if !words.is_empty() => {
            let word = random.pick(words);
            bytes.splice(at..at, word.bytes());
        }
        7 => replace_number(bytes, at, random),
        _ => edit_lines(bytes, random),
    }
}

/// The first number behind a place becomes another.
fn replace_number(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit).map(|skipped| at + skipped) else { return };
    let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    bytes.splice(start..start + length, random.pick(NUMBERS).bytes());
}

/// A line goes, comes twice, or changes places with another.
fn edit_lines(bytes: &mut Vec<u8>, random: &mut Random) {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    if lines.is_empty() {
        return;
    }
    let (one, other) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(3) {
        0 => drop(lines.remove(one)),
        1 => lines.insert(other, lines[one]),
        _ => lines.swap(one, other),
    }
    *bytes = lines.concat();
}

#[cfg(test)]
mod tests {
    use super::mutated;

    #[test]
    fn a_seed_is_a_file_and_most_seeds_change_it() {
        let sound = b"one 1\ntwo 22\nthree 333\n";
        let other = |seed: u64| mutated(sound, &["word"], seed);
        assert!((0..50).all(|seed| other(seed) == other(seed)));
        assert!((0..50).filter(|seed| other(*seed) != sound).count() > 40);
        assert!((0..50).all(|seed| mutated(b"", &[], seed).len() < 200));
    }
}
