//! The messages from the worker to its parent, through a pipe.
//!
//! A frame is a tag, the number of its parts, and each part with its length. A worker can die while it writes a frame:
//! an incomplete one at the end is ignored.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use crate::exit::ExitStatus;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// The current stage of the worker.
    Stage(String),
    /// The answer if the work ends here.
    Standing(Standing),
    /// The result, for stdout or the file that `--output` names.
    Answer { status: ExitStatus, output: Option<PathBuf>, text: String },
    /// Another file requested by the user.
    File { path: PathBuf, bytes: Vec<u8> },
}

/// An established answer, rendered once for each kind of interruption: time, memory, user, crash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    pub status: ExitStatus,
    pub output: Option<PathBuf>,
    pub texts: [String; 4],
}

/// The largest part, so that a length alone cannot cause a large allocation.
const LARGEST: u64 = 1 << 32;

impl Frame {
    pub fn to_bytes(&self) -> Vec<u8> {
        let path = |path: &Option<PathBuf>| match path {
            // An empty path names no file, so it can mean stdout.
            Some(path) => path.as_os_str().as_bytes().to_vec(),
            None => Vec::new(),
        };
        let (tag, parts) = match self {
            Frame::Stage(stage) => (b'g', vec![stage.clone().into_bytes()]),
            Frame::Standing(standing) => {
                let texts = standing.texts.iter().map(|text| text.clone().into_bytes());
                (b's', [vec![standing.status as u8], path(&standing.output)].into_iter().chain(texts).collect())
            }
            Frame::Answer { status, output, text } => {
                (b'a', vec![vec![*status as u8], path(output), text.clone().into_bytes()])
            }
            Frame::File { path, bytes } => (b'f', vec![path.as_os_str().as_bytes().to_vec(), bytes.clone()]),
        };
        let mut frame = vec![tag, parts.len() as u8];
        for part in parts {
            frame.extend((part.len() as u64).to_le_bytes());
            frame.extend(part);
        }
        frame
    }

    /// The next frame, or `None` at the end.
    pub fn read(from: &mut impl Read) -> Option<Frame> {
        let mut head = [0; 2];
        from.read_exact(&mut head).ok()?;
        let mut parts = (0..head[1]).map(|_| part(from)).collect::<io::Result<Vec<Vec<u8>>>>().ok()?.into_iter();
        let mut next = || parts.next();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let output = |bytes: Vec<u8>| (!bytes.is_empty()).then(|| PathBuf::from(OsString::from_vec(bytes)));
        Some(match head[0] {
            b'g' => Frame::Stage(text(next()?)),
            b's' => {
                let (status, output) = (ExitStatus::from_code(*next()?.first()?)?, output(next()?));
                let texts = [text(next()?), text(next()?), text(next()?), text(next()?)];
                Frame::Standing(Standing { status, output, texts })
            }
            b'a' => Frame::Answer {
                status: ExitStatus::from_code(*next()?.first()?)?,
                output: output(next()?),
                text: text(next()?),
            },
            b'f' => Frame::File { path: output(next()?)?, bytes: next()? },
            _ => return None,
        })
    }
}

fn part(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 8];
    from.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    let mut bytes = Vec::new();
    let read = from.take(length.min(LARGEST)).read_to_end(&mut bytes)?;
    if read as u64 == length { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames() -> Vec<Frame> {
        let texts = ["time", "memory", "", "crash\n"].map(str::to_owned);
        vec![
            Frame::Stage("compiling".to_owned()),
            Frame::Standing(Standing { status: ExitStatus::Failure, output: None, texts }),
            Frame::Answer { status: ExitStatus::NothingFound, output: Some("a/b.json".into()), text: "{}".to_owned() },
            Frame::File { path: "out".into(), bytes: vec![0, 255, 10] },
        ]
    }

    #[test]
    fn frames_are_read_as_they_were_written() {
        let bytes: Vec<u8> = frames().iter().flat_map(Frame::to_bytes).collect();
        let mut from = bytes.as_slice();
        let again: Vec<Frame> = std::iter::from_fn(|| Frame::read(&mut from)).collect();
        assert_eq!(again, frames());
    }

    #[test]
    fn a_frame_that_is_cut_is_none() {
        for frame in frames() {
            let bytes = frame.to_bytes();
            for length in 0..bytes.len() {
                assert_eq!(Frame::read(&mut &bytes[..length]), None, "{frame:?} up to {length}");
            }
        }
        let mut endless = vec![b'g', 1];
        endless.extend(u64::MAX.to_le_bytes());
        assert_eq!(Frame::read(&mut endless.as_slice()), None);
    }
}
