//! The recorded program: its path, its tables, and its load address.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use frontend_llvm::binary;
use run::{Place, Tables};

use crate::exit::Problem;

pub struct Program {
    pub file: PathBuf,
    /// The file's name, after which runs are called.
    pub name: String,
    pub tables: Tables,
    /// The bitcode of the program.
    pub module: Vec<u8>,
}

/// Finds a command as a shell does: a name with a slash is a path, other names are searched for in PATH.
pub fn find_command(command: &str) -> anyhow::Result<PathBuf> {
    let is_executable = |file: &Path| {
        std::fs::metadata(file).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    };
    if command.contains('/') {
        let file = PathBuf::from(command);
        let metadata = std::fs::metadata(&file).with_context(|| format!("cannot run {command}"))?;
        if metadata.is_dir() {
            return Err(Problem::error(format!("{command} is a folder"), "name a program, and its arguments after it"));
        }
        if !is_executable(&file) {
            return Err(Problem::error(
                format!("{command} cannot be executed"),
                "a command follows --: the program and its arguments",
            ));
        }
        return Ok(file);
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).map(|folder| folder.join(command)).find(|file| is_executable(file)).ok_or_else(
        || {
            let here =
                if Path::new(command).is_file() { format!("in this folder it is ./{command}") } else { String::new() };
            Problem::error(format!("there is no command `{command}` in PATH"), here)
        },
    )
}

impl Program {
    /// Reads the tables that a program carries. `is_command`: it is the command itself, and not given by `--program`.
    pub fn read(file: PathBuf, is_command: bool) -> anyhow::Result<Program> {
        let bytes = std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let sections = (binary::section(&bytes, binary::TABLES), binary::section(&bytes, binary::MODULE));
        let (Some(tables), Some(module)) = sections else {
            let help = if is_command && !binary::is_binary(&bytes) {
                "if it starts the program that you want to record, name that program: heddle record --program FILE -- …"
            } else {
                "build it again: CC=\"heddle cc\" make, or heddle cc FILES -o PROGRAM"
            };
            return Err(Problem::error(
                format!("{} was not built with `heddle cc` or `heddle c++`", file.display()),
                help,
            ));
        };
        let damaged = |reason: String| {
            Problem::error(
                format!("the tables in {} cannot be read: {reason}", file.display()),
                "build it again with this version of heddle",
            )
        };
        let tables = std::str::from_utf8(tables).map_err(|error| damaged(error.to_string()))?;
        let tables = run::parse_tables(tables).map_err(|error| damaged(error.to_string()))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Program { module: module.to_vec(), tables, name, file })
    }

    /// The source of an address, the innermost where functions were inlined.
    pub fn place(&self, address: u64) -> Option<Place> {
        let loader = addr2line::Loader::new(&self.file).ok()?;
        let mut frames = loader.find_frames(address).ok()?;
        while let Ok(Some(frame)) = frames.next() {
            if let Some(location) = frame.location
                && let (Some(file), Some(line @ 1..)) = (location.file, location.line)
            {
                return Some(Place { file: from_here(file), line });
            }
        }
        None
    }
}

/// A path below the current folder is named from there.
fn from_here(file: &str) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let path: PathBuf = Path::new(file).components().collect();
    path.strip_prefix(&here).map_or_else(|_| file.to_owned(), |below| below.display().to_string())
}
