//! The folder `.heddle` in the current folder, which holds heddle's files unless another place is given: schedules, and
//! recorded runs with their modules. A `.gitignore` in it keeps it out of the user's repository.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::{Limit, read_named, write_new};
use crate::exit::Problem;

pub const FOLDER: &str = ".heddle";

/// The folder of recorded runs.
pub const RUNS: &str = ".heddle/runs";

/// The contents of the `.gitignore`.
pub const IGNORE: &str = "*\n";

/// How schedules end.
pub const SCHEDULE: &str = ".schedule";

/// Creates the folder, if it does not exist.
pub fn make() -> anyhow::Result<()> {
    let folder = Path::new(FOLDER);
    match fs::symlink_metadata(folder) {
        Ok(metadata) if metadata.is_dir() => return Ok(()),
        Ok(_) => {
            return Err(Problem::error(
                format!("{FOLDER} is not a folder, and heddle does not write through links"),
                "remove it, or name another place with --schedule FILE or --out DIR",
            ));
        }
        Err(_) => {}
    }
    fs::create_dir_all(folder).map_err(|error| {
        Problem::error(format!("cannot make the folder {FOLDER}: {error}"), "name another place with --schedule FILE")
    })?;
    write_new(&folder.join(".gitignore"), IGNORE.as_bytes())?;
    Ok(())
}

/// A stored schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    pub file: PathBuf,
    /// It was not there before.
    pub is_new: bool,
}

/// Stores a schedule as `NAME.schedule`, `NAME-2.schedule`, …: the first name that is free, or that of an identical
/// file. Returns which.
pub fn keep_schedule(name: &str, text: &str) -> anyhow::Result<Kept> {
    keep(name, SCHEDULE, text).context("the schedule cannot be kept; --schedule FILE names another place")
}

/// Stores a text as `NAME` with a suffix, as [`keep_schedule`] does.
pub fn keep(name: &str, suffix: &str, text: &str) -> anyhow::Result<Kept> {
    make()?;
    for file in names(name, suffix) {
        let is_new = write_new(&file, text.as_bytes())?;
        if is_new || holds(&file, text) {
            return Ok(Kept { file, is_new });
        }
    }
    Err(Problem::error(format!("there is no free name for {name}{suffix} in {FOLDER}"), "`heddle clean` makes room"))
}

/// Replaces a schedule that was just stored, unless another file has the same text.
pub fn replace_schedule(before: &Path, name: &str, text: &str) -> anyhow::Result<Kept> {
    let existing = names(name, SCHEDULE).take_while(|file| fs::symlink_metadata(file).is_ok());
    if let Some(file) = existing.filter(|file| file != before).find(|file| holds(file, text)) {
        fs::remove_file(before).with_context(|| format!("cannot remove {}", before.display()))?;
        return Ok(Kept { file, is_new: false });
    }
    super::write(before, text.as_bytes())?;
    Ok(Kept { file: before.to_owned(), is_new: true })
}

/// The names that a file may have, in order.
fn names(name: &str, suffix: &str) -> impl Iterator<Item = PathBuf> {
    let count = |number: u64| if number == 1 { String::new() } else { format!("-{number}") };
    (1..).map(move |number| Path::new(FOLDER).join(format!("{name}{}{suffix}", count(number))))
}

fn holds(file: &Path, text: &str) -> bool {
    read_named(file, Limit::Schedule).is_ok_and(|old| old == text.as_bytes())
}
