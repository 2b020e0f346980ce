//! The parts of a program with bitcode, in link order, and the treatment of their files in the final link.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use object::read::archive::ArchiveFile;

use super::carried::{Carried, carried_by};
use super::command_line::{CommandLine, Word};
use super::trace::Took;
use super::workspace::Workspace;
use super::{Driver, clang, compile};

pub const ARCHIVER: &str = "llvm-ar-22";

#[derive(Default)]
pub struct Parts {
    pub carried: Vec<Carried>,
    /// By the index of a word: its replacement in the final link.
    pub replaced: HashMap<usize, Vec<String>>,
    /// The command's own sources have unknown symbols.
    pub has_sources: bool,
}

/// An archive with linked members.
struct Archive {
    bytes: Vec<u8>,
    /// The word that named it, if all its members are linked whether they are needed or not.
    whole: Whole,
    /// Where the members begin that are linked as bitcode.
    replaced: HashSet<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Whole {
    No,
    Word(usize),
    /// It is defined, and cannot be replaced.
    Fixed,
}

/// Examines all files of a link.
pub fn find(
    driver: Driver,
    line: &CommandLine,
    took: &[Took],
    stdin: Option<&[u8]>,
    workspace: &Workspace,
) -> anyhow::Result<Parts> {
    let mut parts = Parts::default();
    let mut sources = sources(driver, line, stdin);
    parts.has_sources = sources.iter().any(|(_, carried)| carried.is_some());
    let objects = objects(driver, line);
    let mut archives: HashMap<PathBuf, Archive> = HashMap::new();
    let mut has_thin = false;
    for took in took {
        match took {
            Took::Member { archive: path, member } => {
                if !archives.contains_key(path) {
                    let Ok(bytes) = std::fs::read(path) else { continue };
                    let archive = Archive { bytes, whole: wholeness(line, path), replaced: HashSet::new() };
                    archives.insert(path.clone(), archive);
                }
                if let Some(archive) = archives.get_mut(path) {
                    parts.carried.extend(archive.take(path, member));
                }
            }
            Took::File(file) => {
                let named = objects.get(file);
                let exists = file.exists();
                if !exists && let Some((word, carried)) = sources.pop_front() {
                    parts.take_source(word, carried);
                } else if is_thin_archive(file) {
                    // Its members are files that are named without it.
                    has_thin |= wholeness(line, file) == Whole::No;
                } else if exists && (named.is_some() || has_thin) {
                    let carried = std::fs::read(file).map(|bytes| carried_by(&bytes)).unwrap_or_default();
                    if let Some(word) = named.filter(|_| !carried.is_empty()) {
                        parts.replaced.insert(*word, Vec::new());
                    }
                    parts.carried.extend(carried);
                }
            }
        }
    }
    for (word, carried) in sources {
        parts.take_source(word, carried);
    }
    for (number, (path, archive)) in archives.iter().enumerate() {
        if let (Whole::Word(word), false) = (archive.whole, archive.replaced.is_empty()) {
            let folder = workspace.path(&format!("archive-{number}"));
            let without = archive.without_replaced(path, &folder)?;
            parts.replaced.insert(word, without.map(|file| file.display().to_string()).into_iter().collect());
        }
    }
    Ok(parts)
}

impl Parts {
    fn take_source(&mut self, word: usize, carried: Option<Carried>) {
        if let Some(carried) = carried {
            self.carried.push(carried);
            self.replaced.insert(word, Vec::new());
        }
    }
}

/// The sources on the command line, each with its word and its bitcode. Other sources have none.
fn sources(driver: Driver, line: &CommandLine, stdin: Option<&[u8]>) -> VecDeque<(usize, Option<Carried>)> {
    let words = line.words.iter().enumerate();
    words
        .filter_map(|(index, word)| match word {
            Word::Input(input) if is_compiled(driver, word) => {
                Some((index, compile::bitcode(driver, line, input, stdin)))
            }
            _ => None,
        })
        .collect()
}

/// Whether clang compiles it before the link.
fn is_compiled(driver: Driver, word: &Word) -> bool {
    let Word::Input(input) = word else { return false };
    let ending = Path::new(&input.file).extension().and_then(|ending| ending.to_str());
    input.source_language(driver).is_some()
        || input.language.is_some()
        || matches!(ending, Some("s" | "S" | "sx" | "m" | "mm" | "M" | "ll" | "bc" | "mi" | "mii" | "cu" | "hip"))
}

/// Objects on the command line, by name. One that is named twice is not changed.
fn objects(driver: Driver, line: &CommandLine) -> HashMap<PathBuf, usize> {
    let mut objects = HashMap::new();
    let mut twice = HashSet::new();
    for (index, word) in line.words.iter().enumerate() {
        if let Word::Input(input) = word
            && !is_compiled(driver, word)
            && objects.insert(PathBuf::from(&input.file), index).is_some()
        {
            twice.insert(PathBuf::from(&input.file));
        }
    }
    objects.retain(|file, _| !twice.contains(file));
    objects
}

/// Whether `--whole-archive` holds for an archive.
fn wholeness(line: &CommandLine, archive: &Path) -> Whole {
    let name = archive.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_library = |library: &str| match library.strip_prefix(':') {
        Some(exact) => exact == name,
        None => name == format!("lib{library}.a"),
    };
    let mut found = Whole::No;
    for (index, word) in line.words.iter().enumerate() {
        let named_for_linker = word.linker_options().into_iter().any(|option| Path::new(option) == archive);
        let named = match word {
            Word::Input(input) => Path::new(&input.file) == archive,
            _ => word.library().is_some_and(is_library),
        };
        if (named || named_for_linker) && line.is_whole_archive(index + 1) {
            found = if named && found == Whole::No { Whole::Word(index) } else { Whole::Fixed };
        }
    }
    found
}

fn is_thin_archive(file: &Path) -> bool {
    use std::io::Read;
    let mut beginning = [0; 8];
    std::fs::File::open(file)
        .is_ok_and(|mut file| file.read_exact(&mut beginning).is_ok() && &beginning == b"!<thin>\n")
}

impl Archive {
    /// The bitcode of a member. Of members with the same name it is unknown which one was linked.
    fn take(&mut self, path: &Path, name: &str) -> Vec<Carried> {
        let Ok(archive) = ArchiveFile::parse(&*self.bytes) else { return Vec::new() };
        let named = |member: &object::read::archive::ArchiveMember<'_>| member.name() == name.as_bytes();
        let members: Vec<_> = archive.members().filter_map(Result::ok).filter(named).collect();
        let [member] = members.as_slice() else { return Vec::new() };
        let start = member.file_range().0;
        if self.whole == Whole::Fixed || self.replaced.contains(&start) {
            return Vec::new();
        }
        let carried = if member.is_thin() {
            let file = path.with_file_name("").join(name);
            std::fs::read(file).map(|bytes| carried_by(&bytes)).unwrap_or_default()
        } else {
            member.data(&*self.bytes).map(carried_by).unwrap_or_default()
        };
        if !carried.is_empty() && !member.is_thin() {
            self.replaced.insert(start);
        }
        if member.is_thin() && self.whole != Whole::No { Vec::new() } else { carried }
    }

    /// A new archive with the other members; none, if there are none.
    fn without_replaced(&self, path: &Path, folder: &Path) -> anyhow::Result<Option<PathBuf>> {
        let archive = ArchiveFile::parse(&*self.bytes).with_context(|| path.display().to_string())?;
        let without = folder.join("archive.a");
        let mut command = Command::new(ARCHIVER);
        command.arg("qcsS").arg(&without);
        let mut is_empty = true;
        for (number, member) in archive.members().filter_map(Result::ok).enumerate() {
            if self.replaced.contains(&member.file_range().0) {
                continue;
            }
            // Members may have the same name, files may not.
            let place = folder.join(number.to_string());
            std::fs::create_dir_all(&place)?;
            let name = String::from_utf8_lossy(member.name()).replace('/', "_");
            let file = place.join(name);
            std::fs::write(&file, member.data(&*self.bytes)?)?;
            command.arg(file);
            is_empty = false;
        }
        if is_empty {
            return Ok(None);
        }
        let output = clang::run_quietly(&mut command).with_context(|| format!("cannot run {ARCHIVER}"))?;
        if !output.status.success() {
            anyhow::bail!("{ARCHIVER}: {}", clang::complaint(&output));
        }
        Ok(Some(without))
    }
}
