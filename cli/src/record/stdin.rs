//! The contents of a program's stdin, which its record keeps for replays.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};

const STDIN: &str = "/dev/stdin";

/// Longer contents are not recorded.
const MOST: u64 = 1 << 20;

/// The rest of stdin if it is a file. The contents of a pipe are left to the program.
pub fn of_file(from_start: bool) -> Option<Vec<u8>> {
    let mut file = reopened()?;
    // A reopened file starts at the beginning, so the current position is needed.
    let position =
        if from_start { 0 } else { nix::unistd::lseek(std::io::stdin(), 0, nix::unistd::Whence::SeekCur).ok()? };
    file.seek(SeekFrom::Start(u64::try_from(position).ok()?)).ok()?;
    let mut bytes = Vec::new();
    file.take(MOST + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= MOST).then_some(bytes)
}

/// Stdin from its beginning, if it is a file. Opening anything else may wait.
pub fn reopened() -> Option<File> {
    let is_file = fs::metadata(STDIN).is_ok_and(|metadata| metadata.is_file());
    is_file.then(|| File::open(STDIN).ok())?
}
