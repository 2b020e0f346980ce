//! The worker's end of the pipe. Without a parent, the same calls print and write directly.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use report::Stopped;

use super::frame::{Frame, Standing};
use super::orders::is_worker;
use crate::exit::ExitStatus;

/// Frames of several threads are not mixed.
static PIPE: Mutex<()> = Mutex::new(());

/// Reports the current stage, in case it is cut off.
pub fn stage(stage: &str) {
    if is_worker() {
        send(&Frame::Stage(stage.to_owned()));
    }
}

/// Publishes an established answer, rendered for each kind of interruption. Without a parent it is not rendered.
pub fn standing(status: ExitStatus, output: Option<&Path>, render: impl Fn(Stopped) -> String) {
    if is_worker() {
        let texts = Stopped::CUTS.map(render);
        send(&Frame::Standing(Standing { status, output: output.map(Path::to_owned), texts }));
    }
}

/// Passes a result to the parent; `false` if there is none.
pub fn hand_over(status: ExitStatus, output: Option<&Path>, text: &str) -> bool {
    is_worker() && send(&Frame::Answer { status, output: output.map(Path::to_owned), text: text.to_owned() })
}

/// Passes another file to the parent; `false` if there is none.
pub fn hand_file_over(path: &Path, bytes: &[u8]) -> bool {
    is_worker() && send(&Frame::File { path: PathBuf::from(path), bytes: bytes.to_vec() })
}

/// If the parent has closed the pipe, the write ends this process.
fn send(frame: &Frame) -> bool {
    let bytes = frame.to_bytes();
    let Ok(_alone) = PIPE.lock() else { return false };
    let mut pipe = io::stdout().lock();
    pipe.write_all(&bytes).and_then(|()| pipe.flush()).is_ok()
}
