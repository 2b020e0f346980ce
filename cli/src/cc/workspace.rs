//! A temporary folder: it is removed with its owner, and also when a signal ends the process.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::Context;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// The folders to remove when a signal ends the process.
static DOOMED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

pub struct Workspace {
    folder: tempfile::TempDir,
}

impl Workspace {
    pub fn new() -> anyhow::Result<Workspace> {
        remove_on_signals();
        // The signal handler waits until the folder is on the list.
        let mut doomed = DOOMED.lock().ok();
        let folder =
            tempfile::Builder::new().prefix("heddle-cc-").tempdir().context("cannot make a temporary folder")?;
        if let Some(doomed) = &mut doomed {
            doomed.push(folder.path().to_owned());
        }
        Ok(Workspace { folder })
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: &[u8]) -> anyhow::Result<PathBuf> {
        let file = self.path(name);
        std::fs::write(&file, bytes).with_context(|| format!("cannot write {}", file.display()))?;
        Ok(file)
    }
}

/// Replaces a file atomically, so that a partial file is never visible.
pub fn replace(file: &Path, with: &Path) -> anyhow::Result<()> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let beside = file.with_file_name(format!(".{name}.heddle-{}", std::process::id()));
    if let Ok(mut doomed) = DOOMED.lock() {
        doomed.push(beside.clone());
    }
    let replaced = std::fs::copy(with, &beside).and_then(|_| std::fs::rename(&beside, file));
    if replaced.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    replaced.with_context(|| format!("cannot write {}", file.display()))
}

fn remove_on_signals() {
    // Without them, a signal ends the process all the same and leaves the folder behind.
    let Ok(mut signals) = Signals::new([SIGHUP, SIGINT, SIGTERM]) else { return };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            for path in DOOMED.lock().map(|doomed| doomed.clone()).unwrap_or_default() {
                let _ = std::fs::remove_dir_all(&path).or_else(|_| std::fs::remove_file(&path));
            }
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
}
