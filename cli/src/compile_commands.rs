//! Compiler flags from a compilation database of a build system: the flags with which a source file is built.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Deserialize;

use crate::exit::Problem;
use crate::files::{self, Limit};
use crate::stored_flags;

#[derive(Debug, Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    #[serde(default)]
    arguments: Vec<String>,
    #[serde(default)]
    command: String,
}

/// The entries of the sources in the databases.
#[derive(Debug, Default)]
pub struct Found {
    /// In order, with paths that hold from here.
    pub flags: Vec<String>,
    /// Flags that may change the meaning of the program, and are not passed on from a file.
    pub refused: Vec<String>,
    pub database: Option<PathBuf>,
}

/// The flags of the sources, from the given database or from those near each source.
pub fn flags_for(sources: &[PathBuf], database: Option<&Path>) -> anyhow::Result<Found> {
    let mut flags: Vec<Vec<String>> = Vec::new();
    let mut found = Found::default();
    for source in sources {
        let (database, entry) = match database {
            Some(database) => {
                (database.to_owned(), entry_for(database, source)?.ok_or_else(|| not_listed(database, source))?)
            }
            None => match nearest_entry(source)? {
                Some(found) => found,
                None => continue,
            },
        };
        found.database.get_or_insert(database);
        let words = if entry.arguments.is_empty() {
            shlex::split(&entry.command)
                .with_context(|| format!("the command of {} has an open quote", entry.file.display()))?
        } else {
            entry.arguments
        };
        let relevant = frontend_llvm::compile::meaningful_flags(&relevant(&words, &entry.directory));
        let (own, refused) = stored_flags::split(&relevant);
        if !flags.contains(&own) {
            flags.push(own);
        }
        found.refused.extend(refused);
    }
    found.refused.sort();
    found.refused.dedup();
    found.flags = joined(flags).ok_or_else(|| {
        Problem::error(
            "compile_commands.json gives the sources different compiler flags",
            "compile each to bitcode with its own flags (clang-22 -g -O0 -emit-llvm -c) and give heddle the .bc files",
        )
    })?;
    Ok(found)
}

/// Common flags of all sources, with one standard per language for C and C++.
fn joined(flags: Vec<Vec<String>>) -> Option<Vec<String>> {
    let is_standard = |flag: &String| flag.starts_with("-std=");
    let mut flags = flags.into_iter();
    let Some(mut all) = flags.next() else { return Some(Vec::new()) };
    for other in flags {
        let (standards, rest): (Vec<String>, Vec<String>) = other.into_iter().partition(is_standard);
        if !all.iter().filter(|flag| !is_standard(flag)).eq(&rest) {
            return None;
        }
        for standard in standards {
            let of_same_language = |flag: &&String| is_standard(flag) && flag.contains("++") == standard.contains("++");
            match all.iter().find(of_same_language) {
                Some(known) if *known != standard => return None,
                Some(_) => {}
                None => all.push(standard),
            }
        }
    }
    Some(all)
}

fn not_listed(database: &Path, source: &Path) -> anyhow::Error {
    Problem::error(
        format!("{} does not list {}", database.display(), source.display()),
        "name a database that does, or give the compiler flags on the command line",
    )
}

/// Folders in which build systems put their database.
const BUILD_FOLDERS: &[&str] = &["build", "out", "builddir", "_build"];
const BUILD_FOLDER_BEGINNING: &str = "cmake-build-";

/// The databases beside the source and in the folders above it, and in the build folders there, the nearest first.
pub fn databases(source: &Path) -> Vec<PathBuf> {
    let Ok(source) = fs::canonicalize(source) else { return Vec::new() };
    let in_folder = |folder: &Path| {
        let mut others: Vec<PathBuf> = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(BUILD_FOLDER_BEGINNING))
            })
            .collect();
        others.sort();
        let known = BUILD_FOLDERS.iter().map(|name| folder.join(name));
        let folders: Vec<PathBuf> = [folder.to_owned()].into_iter().chain(known).chain(others).collect();
        folders.into_iter().map(|folder| folder.join("compile_commands.json"))
    };
    source.ancestors().skip(1).flat_map(in_folder).filter(|file| file.is_file()).collect()
}

/// The nearest database with the source. A malformed `compile_commands.json` is an error.
fn nearest_entry(source: &Path) -> anyhow::Result<Option<(PathBuf, Entry)>> {
    for database in databases(source) {
        if let Some(entry) = entry_for(&database, source)? {
            return Ok(Some((database, entry)));
        }
    }
    Ok(None)
}

fn entry_for(database: &Path, source: &Path) -> anyhow::Result<Option<Entry>> {
    let text = files::read_given(database, Limit::CompileCommands)
        .with_context(|| format!("cannot read {}", database.display()))?;
    let entries: Vec<Entry> = serde_json::from_slice(&text).map_err(|error| {
        Problem::error(format!("{}: {error}", database.display()), "it must be a compilation database")
    })?;
    let Ok(wanted) = fs::canonicalize(source) else { return Ok(None) };
    let is_it = |entry: &Entry| fs::canonicalize(entry.directory.join(&entry.file)).is_ok_and(|file| file == wanted);
    Ok(entries.into_iter().find(is_it))
}

/// Flags followed by a path, and those followed by another value.
const PATHS: &[&str] = &["-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros"];
const WORDS: &[&str] = &["-D", "-U", "-x"];
/// Flags that are left out together with their value, which is no flag of the compiler's driver.
const LEFT_OUT_WITH_VALUE: &[&str] =
    &["-o", "-MF", "-MT", "-MQ", "-MJ", "-Xclang", "-Xlinker", "-Xpreprocessor", "-Xassembler", "-mllvm"];
/// Flags without a value that affect the meaning of the program.
const PREFIXES: &[&str] = &["-std=", "-f", "-m", "-O", "-pthread", "-ansi", "-nostdinc"];

fn relevant(words: &[String], directory: &Path) -> Vec<String> {
    let mut flags = Vec::new();
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        let after = |flag: &&&str| word.starts_with(**flag);
        // The longest name is the flag's own: `-isystem` also begins with `-i`, and `-include` with `-I` in another case.
        if LEFT_OUT_WITH_VALUE.contains(&word.as_str()) {
            words.next();
        } else if let Some(flag) = PATHS.iter().filter(after).max_by_key(|flag| flag.len()) {
            let joined = &word[flag.len()..];
            let Some(path) = (if joined.is_empty() { words.next().map(String::as_str) } else { Some(joined) }) else {
                break;
            };
            flags.push((*flag).to_owned());
            flags.push(from_here(directory, path));
        } else if let Some(flag) = WORDS.iter().find(|flag| word.starts_with(**flag)) {
            flags.push(word.clone());
            if word == flag {
                flags.extend(words.next().cloned());
            }
        } else if PREFIXES.iter().any(|prefix| word.starts_with(prefix)) {
            flags.push(word.clone());
        }
    }
    flags
}

/// A path relative to another folder. Below the current folder it stays relative, so that a schedule can be replayed on
/// another machine.
fn from_here(directory: &Path, path: &str) -> String {
    let path = directory.join(path);
    let path = fs::canonicalize(&path).unwrap_or(path);
    let here = std::env::current_dir().and_then(fs::canonicalize).unwrap_or_default();
    match path.strip_prefix(&here) {
        Ok(below) if below.as_os_str().is_empty() => ".".to_owned(),
        Ok(below) => below.display().to_string(),
        Err(_) => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_flags_that_matter_are_taken() {
        let line = "cc -Wall -DN=3 -D M -I inc -Isrc -isystem /opt/x -std=gnu11 -pthread -MD -MF a.d -g -o a.o -c a.c";
        let words = shlex::split(line).expect("no open quotes");
        let flags = relevant(&words, Path::new("/no/such/place"));
        let wanted = "-DN=3 -D M -I /no/such/place/inc -I /no/such/place/src -isystem /opt/x -std=gnu11 -pthread";
        assert_eq!(flags.join(" "), wanted);
    }

    #[test]
    fn sources_may_differ_in_the_standard_of_their_language() {
        let sets = |texts: &[&str]| texts.iter().map(|text| shlex::split(text).expect("no quotes")).collect();
        let flags = joined(sets(&["-DN -std=c11", "-DN -std=c++17", "-DN -std=c11", "-DN"]));
        assert_eq!(flags.map(|flags| flags.join(" ")).as_deref(), Some("-DN -std=c11 -std=c++17"));
        assert_eq!(joined(sets(&["-DN -std=c11", "-DN -std=c99"])), None);
        assert_eq!(joined(sets(&["-DN -std=c11", "-DM -std=c++17"])), None);
        assert_eq!(joined(Vec::new()), Some(Vec::new()));
    }

    #[test]
    fn databases_of_build_folders_are_found_the_nearest_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = fs::canonicalize(folder.path()).expect("it is there");
        for file in ["src/a.c", "cmake-build-debug/compile_commands.json", "build/compile_commands.json", "src/out/x"] {
            fs::create_dir_all(root.join(file).parent().expect("a folder")).expect("it can be made");
            fs::write(root.join(file), "[]").expect("it can be written");
        }
        let found = databases(&root.join("src/a.c"));
        let below: Vec<&Path> = found.iter().filter_map(|file| file.strip_prefix(&root).ok()).collect();
        assert_eq!(
            below,
            [Path::new("build/compile_commands.json"), Path::new("cmake-build-debug/compile_commands.json")]
        );
    }

    #[test]
    fn a_flag_without_its_value_is_dropped() {
        assert_eq!(relevant(&["cc".into(), "-I".into()], Path::new("/")), Vec::<String>::new());
    }
}
