//! Writes a patch into the user's files: all of them or none, and only if the change can be undone.

use std::fs::{self, OpenOptions};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::exit::Problem;
use crate::files::write;

/// Writes the files, unless one has changed, cannot be written, or has old contents that are not kept elsewhere.
pub fn apply(
    files: &[(String, String)],
    original: &dyn Fn(&str) -> Option<String>,
    force: bool,
) -> anyhow::Result<Vec<String>> {
    for (name, _) in files {
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
            let help = "nothing was written; --force writes it nevertheless";
            return Err(Problem::error(format!("{name} is not under version control"), help));
        }
    }
    for (name, text) in files {
        write(Path::new(name), text.as_bytes())?;
    }
    Ok(files.iter().map(|(name, _)| name.clone()).collect())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changed_since_is_not_written_nor_is_any_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name).display().to_string();
        let patch = [(path("a.c"), "new a".to_owned()), (path("b.c"), "new b".to_owned())];
        fs::write(path("a.c"), "old a").expect("it is written");
        fs::write(path("b.c"), "edited meanwhile").expect("it is written");
        let original = |name: &str| Some(if name.ends_with("a.c") { "old a" } else { "old b" }.to_owned());
        let refused = apply(&patch, &original, true).expect_err("one has changed");
        assert!(refused.to_string().contains("b.c has changed since the patch was made"), "{refused}");
        let contents = |name: &str| fs::read_to_string(path(name)).expect("it is there");
        assert_eq!((contents("a.c").as_str(), contents("b.c").as_str()), ("old a", "edited meanwhile"));
        fs::remove_file(path("b.c")).expect("it is removed");
        assert!(apply(&patch, &original, true).is_err());
        fs::write(path("b.c"), "old b").expect("it is written");
        assert_eq!(apply(&patch, &original, true).expect("both are as they were").len(), 2);
        assert_eq!((contents("a.c").as_str(), contents("b.c").as_str()), ("new a", "new b"));
    }
}
