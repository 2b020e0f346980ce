//! The path of a schedule's file.

use std::path::{Path, PathBuf};

use crate::files::{self, kept::Kept};
use crate::worker;

/// Writes to the requested file, or else to a new name in heddle's folder. Returns the path.
pub fn write(wanted: Option<&Path>, name: &str, text: &str) -> anyhow::Result<PathBuf> {
    match wanted {
        Some(file) => write_wanted(file, text).map(|()| file.to_owned()),
        None => files::kept::keep_schedule(name, text).map(|kept| kept.file),
    }
}

/// Files that are not regular are written by the parent, since stdout is not that of the worker.
fn write_wanted(file: &Path, text: &str) -> anyhow::Result<()> {
    if files::is_stream(file) && worker::hand_file_over(file, text.as_bytes()) {
        return Ok(());
    }
    files::write(file, text.as_bytes())
}

/// The file of one schedule, which may be replaced by a better one during the work.
pub struct Slot<'a> {
    wanted: Option<&'a Path>,
    name: &'a str,
    made: Option<Kept>,
    /// The final contents for a stream, which cannot be rewritten.
    last: Option<String>,
}

impl<'a> Slot<'a> {
    pub fn new(wanted: Option<&'a Path>, name: &'a str) -> Slot<'a> {
        Slot { wanted, name, made: None, last: None }
    }

    /// Writes the schedule, replacing the previous one. Returns the path.
    pub fn put(&mut self, text: &str) -> anyhow::Result<PathBuf> {
        if let Some(file) = self.wanted {
            match files::is_stream(file) {
                true => self.last = Some(text.to_owned()),
                false => write_wanted(file, text)?,
            }
            return Ok(file.to_owned());
        }
        let kept = match self.made.take() {
            // A schedule that was there before is not ours to replace.
            Some(before) if before.is_new => files::kept::replace_schedule(&before.file, self.name, text)?,
            _ => files::kept::keep_schedule(self.name, text)?,
        };
        let file = kept.file.clone();
        self.made = Some(kept);
        Ok(file)
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        if let (Some(file), Some(text)) = (self.wanted, self.last.take())
            && let Err(error) = write_wanted(file, &text)
        {
            crate::stderr::say(&crate::exit::describe(&error));
        }
    }
}
