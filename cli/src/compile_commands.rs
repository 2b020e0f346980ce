//! Compiler flags from a compilation database, as build systems write it: which flags a source file is built with.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Deserialize;

use crate::exit::Problem;

#[derive(Debug, Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    #[serde(default)]
    arguments: Vec<String>,
    #[serde(default)]
    command: String,
}

/// What the database says about the sources: flags in order, each once, with paths that hold from here.
pub fn flags_for(sources: &[PathBuf], database: Option<&Path>) -> anyhow::Result<Vec<String>> {
    let mut flags: Vec<Vec<String>> = Vec::new();
    for source in sources {
        let entry = match database {
            Some(database) => Some(entry_for(database, source)?.ok_or_else(|| not_listed(database, source))?),
            None => match nearest(source) {
                Some(database) => entry_for(&database, source)?,
                None => None,
            },
        };
        let Some(entry) = entry else { continue };
        let words = if entry.arguments.is_empty() {
            shlex::split(&entry.command)
                .with_context(|| format!("the command of {} has an open quote", entry.file.display()))?
        } else {
            entry.arguments
        };
        let own = relevant(&words, &entry.directory);
        if !flags.contains(&own) {
            flags.push(own);
        }
    }
    match flags.len() {
        0 => Ok(Vec::new()),
        1 => Ok(flags.remove(0)),
        _ => Err(Problem::error(
            "compile_commands.json gives the sources different compiler flags",
            "compile each to bitcode with its own flags (clang-22 -g -O0 -emit-llvm -c) and give heddle the .bc files",
        )),
    }
}

fn not_listed(database: &Path, source: &Path) -> anyhow::Error {
    Problem::error(
        format!("{} does not list {}", database.display(), source.display()),
        "name a database that does, or give the compiler flags on the command line",
    )
}

/// Beside the source, or in one of the folders above it.
fn nearest(source: &Path) -> Option<PathBuf> {
    let source = fs::canonicalize(source).ok()?;
    source.ancestors().skip(1).map(|folder| folder.join("compile_commands.json")).find(|file| file.is_file())
}

fn entry_for(database: &Path, source: &Path) -> anyhow::Result<Option<Entry>> {
    let text = fs::read_to_string(database).with_context(|| format!("cannot read {}", database.display()))?;
    let entries: Vec<Entry> = serde_json::from_str(&text).map_err(|error| {
        Problem::error(format!("{}: {error}", database.display()), "it must be a compilation database")
    })?;
    let Ok(wanted) = fs::canonicalize(source) else { return Ok(None) };
    let is_it = |entry: &Entry| fs::canonicalize(entry.directory.join(&entry.file)).is_ok_and(|file| file == wanted);
    Ok(entries.into_iter().find(is_it))
}

/// Flags that are followed by a path, and those that are followed by something else.
const PATHS: &[&str] = &["-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros"];
const WORDS: &[&str] = &["-D", "-U", "-x"];
/// Flags that stand alone and change what the program means.
const PREFIXES: &[&str] = &["-std=", "-f", "-m", "-O", "-pthread", "-ansi", "-nostdinc"];

fn relevant(words: &[String], directory: &Path) -> Vec<String> {
    let mut flags = Vec::new();
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        let after = |flag: &&&str| word.starts_with(**flag);
        // The longest name is the flag's own: `-isystem` also begins with `-i`, and `-include` with `-I` in another case.
        if let Some(flag) = PATHS.iter().filter(after).max_by_key(|flag| flag.len()) {
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

/// A path that the compiler was given in another folder. Below the current folder it stays relative, so that a schedule
/// can be replayed on another machine.
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
    fn a_flag_without_its_value_is_dropped() {
        assert_eq!(relevant(&["cc".into(), "-I".into()], Path::new("/")), Vec::<String>::new());
    }
}
