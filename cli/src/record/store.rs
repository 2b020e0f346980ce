//! The folder of runs: numbered files that are never overwritten, and once beside them the module and the sources, so
//! that the folder can be explained on another machine.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::Context;

use super::program::Program;
use crate::files;

pub struct Store {
    folder: PathBuf,
    name: String,
    /// The number of the next run.
    next: u64,
}

/// The outcome in a run file's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Passed,
    Failed,
    /// The user ended it.
    Interrupted,
}

impl Mark {
    pub const ALL: [Mark; 3] = [Mark::Passed, Mark::Failed, Mark::Interrupted];

    pub fn word(self) -> &'static str {
        match self {
            Mark::Passed => "passed",
            Mark::Failed => "failed",
            Mark::Interrupted => "interrupted",
        }
    }
}

impl Store {
    pub fn open(folder: &Path, name: &str) -> anyhow::Result<Store> {
        if folder.starts_with(files::kept::FOLDER) {
            files::kept::make()?;
        }
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
        let numbers = entries.filter_map(|entry| number(entry.ok()?.file_name().to_str()?, name));
        let next = numbers.max().unwrap_or(0) + 1;
        // The program may change its directory before it opens its spool.
        let folder = std::path::absolute(folder)?;
        Ok(Store { folder, name: name.to_owned(), next })
    }

    /// Where the program records while it runs: a file that does not exist.
    pub fn spool(&self) -> PathBuf {
        self.folder.join(format!(".{}-{}-{:04}.spool", self.name, std::process::id(), self.next))
    }

    /// The initial inputs of the program, for a spool that outlives this process: a run without decisions.
    pub fn given(&self) -> PathBuf {
        given_beside(&self.spool())
    }

    /// Stores a run, and returns its path.
    pub fn keep(&mut self, mark: Mark, bytes: &[u8]) -> anyhow::Result<PathBuf> {
        loop {
            let file = |mark: Mark| self.folder.join(format!("{}-{:04}.{}.run", self.name, self.next, mark.word()));
            let taken = Mark::ALL.iter().any(|mark| file(*mark).exists());
            let wanted = file(mark);
            self.next += 1;
            if taken {
                continue;
            }
            if files::write_new(&wanted, bytes)? {
                return Ok(wanted);
            }
        }
    }

    /// Stores the module and the sources of a program, unless they exist.
    pub fn keep_program(&self, program: &Program) -> anyhow::Result<()> {
        let modules = self.folder.join("modules");
        let kept = modules.join(&program.tables.identity);
        if kept.exists() {
            return Ok(());
        }
        // Created by a rename, since other processes may look for it.
        let beside = modules.join(format!(".{}-{}", program.tables.identity, std::process::id()));
        if let Err(error) = put_program(program, &beside) {
            // Half of a module is of no use.
            _ = fs::remove_dir_all(&beside);
            return Err(error);
        }
        match fs::rename(&beside, &kept) {
            Err(_) if kept.exists() => fs::remove_dir_all(&beside).context("cannot remove a temporary folder"),
            result => result.with_context(|| format!("cannot make the folder {}", kept.display())),
        }
    }
}

/// The path of the initial inputs, beside the spool of one of its runs.
pub fn given_beside(spool: &Path) -> PathBuf {
    let name = spool.file_stem().unwrap_or_default().to_string_lossy();
    let series = name.rsplit_once('-').map_or(&*name, |(series, _)| series);
    spool.with_file_name(format!("{series}.given"))
}

/// The name of the spool's program, and the number of its run.
pub fn spool_of(spool: &Path) -> Option<(String, u64)> {
    let name = spool.file_name()?.to_str()?.strip_prefix('.')?.strip_suffix(".spool")?;
    let (name, number) = name.rsplit_once('-')?;
    let (name, process) = name.rsplit_once('-')?;
    process.parse::<u32>().ok()?;
    Some((name.to_owned(), number.parse().ok()?))
}

fn put_program(program: &Program, folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    files::write(&folder.join("module.bc"), &program.module)?;
    files::write(&folder.join("tables"), program.tables.to_string().as_bytes())?;
    // A module without readable sources is still useful.
    for source in frontend_llvm::binary::sources(&program.module).unwrap_or_default() {
        copy_source(&source, &folder.join("sources"))?;
    }
    Ok(())
}

/// Copies a file below a folder, under its name in the debug information.
fn copy_source(source: &Path, folder: &Path) -> anyhow::Result<()> {
    if !fs::metadata(source).is_ok_and(|metadata| metadata.is_file()) {
        return Ok(());
    }
    let mut copy = folder.to_owned();
    for component in source.components() {
        match component {
            Component::Normal(name) => copy.push(name),
            Component::ParentDir if copy != folder => _ = copy.pop(),
            _ => {}
        }
    }
    if let Some(parent) = copy.parent() {
        fs::create_dir_all(parent).with_context(|| format!("cannot make the folder {}", parent.display()))?;
    }
    fs::copy(source, &copy).map(|_| ()).with_context(|| format!("cannot copy {}", source.display()))
}

/// The number in the name of a run of the program.
fn number(file: &str, name: &str) -> Option<u64> {
    let rest = file.strip_prefix(name)?.strip_prefix('-')?;
    let (number, mark) = rest.strip_suffix(".run")?.split_once('.')?;
    Mark::ALL.iter().any(|known| known.word() == mark).then(|| number.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_numbered_and_never_overwritten() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("bank-0007.failed.run"), "old").expect("it can be written");
        fs::write(folder.path().join("bank-x-0012.failed.run"), "other").expect("it can be written");
        let mut first = Store::open(folder.path(), "bank").expect("it opens");
        let mut second = Store::open(folder.path(), "bank").expect("it opens");
        assert!(first.spool() == second.spool() && !first.spool().exists());
        let name = |path: PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
        assert_eq!(name(first.keep(Mark::Passed, b"1").expect("kept")).as_deref(), Some("bank-0008.passed.run"));
        assert_eq!(name(second.keep(Mark::Failed, b"2").expect("kept")).as_deref(), Some("bank-0009.failed.run"));
        assert_eq!(fs::read(folder.path().join("bank-0007.failed.run")).expect("it is there"), b"old");
    }

    #[test]
    fn names_of_spools() {
        let spool = Path::new("runs/.my-bank-4711-0012.spool");
        assert_eq!(spool_of(spool), Some(("my-bank".to_owned(), 12)));
        assert_eq!(given_beside(spool), Path::new("runs/.my-bank-4711.given"));
        for other in ["my-bank-4711-0012.spool", ".bank.spool", ".bank-x-0012.spool", ".bank-1-2.run"] {
            assert_eq!(spool_of(Path::new(other)), None, "{other}");
        }
    }

    #[test]
    fn names_of_runs() {
        assert_eq!(number("bank-0012.failed.run", "bank"), Some(12));
        for other in ["bank-12.run", "bank-0012.failed.run.txt", "banks-0012.failed.run", "bank-a.passed.run"] {
            assert_eq!(number(other, "bank"), None, "{other}");
        }
    }
}
