//! Reading files with bounded memory. A file that the user names may be a pipe; one that is named inside another file
//! must be regular, because a device has no end.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// The most bytes that are read of a kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Schedule,
    Trace,
    /// A run file or a spool.
    Run,
    /// A source that is shown or fingerprinted.
    Source,
    CompileCommands,
}

impl Limit {
    pub fn bytes(self) -> u64 {
        match self {
            Limit::Schedule | Limit::CompileCommands => 256 << 20,
            Limit::Trace => 1 << 30,
            Limit::Run => 8 << 30,
            Limit::Source => 64 << 20,
        }
    }
}

/// A file that the user named.
pub fn read_given(file: &Path, limit: Limit) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(file)?;
    if metadata.is_file() {
        return read_up_to(File::open(file)?, metadata.len(), limit.bytes());
    }
    read_up_to(File::open(file)?, 0, limit.bytes())
}

/// A file that another file names.
pub fn read_named(file: &Path, limit: Limit) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(file)?;
    if !metadata.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is not a regular file"));
    }
    read_up_to(File::open(file)?, metadata.len(), limit.bytes())
}

/// The expected size is checked before the allocation. The file may grow meanwhile.
fn read_up_to(source: impl Read, expected: u64, limit: u64) -> io::Result<Vec<u8>> {
    let too_large = || io::Error::new(ErrorKind::FileTooLarge, format!("it has more than {limit} bytes"));
    if expected > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(expected).unwrap_or(usize::MAX)).map_err(|_| ErrorKind::OutOfMemory)?;
    source.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_the_limit_is_refused() {
        assert_eq!(read_up_to(&b"abc"[..], 3, 3).expect("it fits"), b"abc");
        assert_eq!(read_up_to(&b"abcd"[..], 3, 3).expect_err("it grew").kind(), ErrorKind::FileTooLarge);
        assert_eq!(read_up_to(io::repeat(0), 0, 1000).expect_err("no end").kind(), ErrorKind::FileTooLarge);
        assert_eq!(read_up_to(&b""[..], 4, 3).expect_err("too large").kind(), ErrorKind::FileTooLarge);
    }

    #[test]
    fn named_files_are_regular() {
        assert!(read_named(Path::new("/dev/zero"), Limit::Source).is_err());
        assert!(read_named(Path::new("/"), Limit::Source).is_err());
        assert_eq!(read_given(Path::new("/dev/null"), Limit::Schedule).expect("it is empty"), b"");
    }
}
