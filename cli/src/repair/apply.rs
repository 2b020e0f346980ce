//! Writes a patch into the user's files: all of them or none, and only if the change can be undone.

use std::fs::{self, OpenOptions};
use std::path::Path;
use std::process::{Command, Stdio};

use report::Repair;

use crate::exit::Problem;
use crate::files;

/// Writes the files, unless one has changed, cannot be written, or has old contents that are not kept elsewhere.
pub fn apply(repair: &Repair, original: &dyn Fn(&str) -> Option<String>, force: bool) -> anyhow::Result<Vec<String>> {
    for (name, _) in &repair.files {
        let file = Path::new(name);
        let now = fs::read_to_string(file).ok();
        if now.is_none() || now != original(name) {
            let help = "nothing was written; run heddle repair again";
            return Err(Problem::error(format!("{name} has changed since the patch was made"), help));
        }
        let read_only = fs::metadata(file).is_ok_and(|metadata| metadata.permissions().readonly());
        if read_only || OpenOptions::new().append(true).open(file).is_err() {
            return Err(Problem::error(format!("{name} cannot be written"), "nothing was written"));
        }
        if !force && !is_versioned(file) {
            let help = "nothing was written; --force writes it all the same";
            return Err(Problem::error(format!("{name} is not under version control"), help));
        }
    }
    for (name, text) in &repair.files {
        files::write(Path::new(name), text.as_bytes())?;
    }
    Ok(repair.files.iter().map(|(name, _)| name.clone()).collect())
}

/// Whether git keeps the file.
fn is_versioned(file: &Path) -> bool {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Some(name) = file.file_name() else { return false };
    let mut git = Command::new("git");
    git.arg("-C").arg(folder).args(["ls-files", "--error-unmatch", "--"]).arg(name);
    git.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    git.status().is_ok_and(|status| status.success())
}
