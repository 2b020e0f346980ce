//! `heddle clean`: removes heddle's own files in `.heddle`, and no others. A file is heddle's own if both its name and
//! its first bytes match; links are never followed.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;

use crate::args::{CleanArgs, Format, General};
use crate::exit::{ExitStatus, Problem};
use crate::files::kept::{FOLDER, IGNORE, SCHEDULE};
use crate::files::{self, Limit};
use crate::record;
use crate::terminal;

/// The contents of the folder, as paths from here.
#[derive(Default)]
struct Found {
    own: Vec<PathBuf>,
    others: Vec<PathBuf>,
    /// Folders, inner ones first.
    folders: Vec<PathBuf>,
}

#[derive(Serialize)]
struct Document {
    schema: u32,
    tool: &'static str,
    version: &'static str,
    command: &'static str,
    dry_run: bool,
    removed: Vec<String>,
    left: Vec<String>,
}

pub fn clean(general: &General, args: &CleanArgs) -> anyhow::Result<ExitStatus> {
    let folder = Path::new(FOLDER);
    let mut found = Found::default();
    match fs::symlink_metadata(folder) {
        Ok(metadata) if metadata.is_dir() => found.look(folder, Kind::Kept)?,
        Ok(_) => {
            return Err(Problem::error(
                format!("{FOLDER} is not a folder, and heddle does not follow links"),
                "remove it by hand",
            ));
        }
        Err(_) => {}
    }
    if !args.dry_run {
        for file in &found.own {
            fs::remove_file(file).with_context(|| format!("cannot remove {}", file.display()))?;
        }
        for folder in &found.folders {
            // A folder with other files is kept.
            _ = fs::remove_dir(folder);
        }
    }
    terminal::write_result(general.output.as_deref(), &report(general, args, &found)?)?;
    Ok(ExitStatus::NothingFound)
}

fn report(general: &General, args: &CleanArgs, found: &Found) -> anyhow::Result<String> {
    let names = |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
    let (removed, left) = (names(&found.own), names(&found.others));
    if general.format == Format::Json {
        let (schema, tool, version) = (1, "heddle", env!("CARGO_PKG_VERSION"));
        let document = Document { schema, tool, version, command: "clean", dry_run: args.dry_run, removed, left };
        return Ok(format!("{}\n", serde_json::to_string_pretty(&document)?));
    }
    let verb = if args.dry_run { "would remove" } else { "removed" };
    let mut lines: Vec<String> = removed.iter().map(|name| format!("{verb} {name}\n")).collect();
    lines.extend(left.iter().map(|name| format!("left {name}, which is not heddle's own\n")));
    if lines.is_empty() {
        lines.push("nothing to remove\n".to_owned());
    }
    Ok(lines.concat())
}

/// The purpose of a folder.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `.heddle` itself, or a folder of runs in it.
    Kept,
    Modules,
    /// One module, with a copy of its sources.
    Module,
    Sources,
}

impl Found {
    fn look(&mut self, folder: &Path, kind: Kind) -> anyhow::Result<()> {
        let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
            if metadata.is_dir() {
                match inner(kind, &path, &name) {
                    Some(inner) => self.look(&path, inner)?,
                    None => self.others.push(path),
                }
                continue;
            }
            let is_own = metadata.is_file()
                && match kind {
                    Kind::Kept => is_own(&path, &name),
                    Kind::Modules => false,
                    Kind::Module => name == "module.bc" || name == "tables",
                    Kind::Sources => true,
                };
            if is_own { self.own.push(path) } else { self.others.push(path) }
        }
        self.folders.push(folder.to_owned());
        Ok(())
    }
}

/// The purpose of a subfolder, if heddle has created it.
fn inner(kind: Kind, path: &Path, name: &str) -> Option<Kind> {
    match kind {
        Kind::Kept if name == "runs" => Some(Kind::Kept),
        Kind::Kept if name == "modules" => Some(Kind::Modules),
        Kind::Modules => is_module(path, name).then_some(Kind::Module),
        Kind::Module if name == "sources" => Some(Kind::Sources),
        Kind::Sources => Some(Kind::Sources),
        _ => None,
    }
}

/// A module is named by the identity that its tables have.
fn is_module(folder: &Path, name: &str) -> bool {
    let tables =
        files::read_named(&folder.join("tables"), Limit::Run).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    tables.and_then(|text| run::parse_tables(&text).ok()).is_some_and(|tables| tables.identity == name)
}

fn is_own(path: &Path, name: &str) -> bool {
    let begins = |with: &[u8]| first_bytes(path, with.len() as u64).is_some_and(|bytes| bytes == with);
    match name {
        _ if is_database(name) => true,
        ".gitignore" => files::read_named(path, Limit::Source).is_ok_and(|bytes| bytes == IGNORE.as_bytes()),
        _ if name.ends_with(SCHEDULE) => begins(b"heddle schedule "),
        _ if name.ends_with(".run") || name.ends_with(".given") => begins(&run::RUN_MAGIC),
        _ if name.ends_with(".spool") => record::is_left_spool(path),
        _ => files::is_left_over(name),
    }
}

/// The path database, and SQLite's auxiliary files.
fn is_database(name: &str) -> bool {
    let rest = name.strip_prefix(store::FILE_NAME);
    rest.is_some_and(|rest| ["", "-journal", "-wal", "-shm"].contains(&rest))
}

fn first_bytes(path: &Path, count: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(count).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
