//! Recognises a file of another kind that was given by mistake, so that a message can name its kind.

/// The first bytes of a run file.
pub const RUN_MAGIC: [u8; 8] = *b"heddle\0r";

/// The number of bytes examined to distinguish text from binary.
const LOOKED_AT: usize = 4096;

/// The apparent kind of these bytes, in words that follow "this is".
pub(crate) fn what_is(bytes: &[u8]) -> String {
    const BEGINNINGS: [(&[u8], &str); 9] = [
        (&RUN_MAGIC, "a run file"),
        (&wire::MAGIC, "a spool, as a program leaves it while it is recorded; `heddle record` makes a run of it"),
        (b"\x7fELF", "a program, an object file or a library (ELF)"),
        (b"BC\xc0\xde", "LLVM bitcode"),
        (b"!<arch>\n", "an archive of object files"),
        (b"heddle run ", "a run in its text form, which is for reading; give the run file that it was made from"),
        (b"heddle schedule ", "a schedule; `heddle replay` takes it"),
        (b"heddle tables ", "the tables of a recorded program"),
        (b"\x1f\x8b", "a compressed file (gzip)"),
    ];
    if bytes.is_empty() {
        return "an empty file".to_owned();
    }
    if let Some((_, what)) = BEGINNINGS.iter().find(|(beginning, _)| bytes.starts_with(beginning)) {
        return (*what).to_owned();
    }
    if bytes.iter().all(|byte| *byte == 0) {
        return "a file of zeros only".to_owned();
    }
    let begun = RUN_MAGIC.starts_with(bytes) || wire::MAGIC.starts_with(bytes);
    if begun {
        return format!("a file of only {} bytes that begins like one of heddle's", bytes.len());
    }
    let head = &bytes[..bytes.len().min(LOOKED_AT)];
    let text = match std::str::from_utf8(head) {
        Ok(text) => Some(text),
        // The last character may be truncated.
        Err(error) if error.error_len().is_none() => std::str::from_utf8(&head[..error.valid_up_to()]).ok(),
        Err(_) => None,
    };
    match text {
        Some(text) if !text.chars().any(|c| c.is_control() && !c.is_whitespace()) => "a text file".to_owned(),
        _ => "something that heddle does not know".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_apart() {
        for (bytes, expected) in [
            (&b""[..], "an empty file"),
            (b"\x7fELF\x02\x01", "a program, an object file or a library (ELF)"),
            (b"heddle\0", "a file of only 7 bytes that begins like one of heddle's"),
            (b"int main(void) {}\n", "a text file"),
            ("grüße\u{df}".as_bytes().split_last().unwrap().1, "a text file"),
            (b"\0\0\0", "a file of zeros only"),
            (b"\x01\x02\xff", "something that heddle does not know"),
        ] {
            assert_eq!(what_is(bytes), expected);
        }
    }
}
