//! The bitcode that an object carries for the link: that of each source in it, in a section that linkers omit from
//! programs and libraries.
//!
//! `ld -r` concatenates the sections of its inputs, so a section is a list. A tool that later renames or hides symbols
//! of an object does not update the bitcode; the names of the symbols are stored beside it to detect that.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use object::{Object, ObjectSection, ObjectSymbol};

use super::clang;
use super::workspace::Workspace;
use crate::exit::Problem;

pub const OBJCOPY: &str = "llvm-objcopy-22";
const SECTION: &str = ".heddle.bc";
const MAGIC: &[u8; 8] = b"heddle\0o";

/// One source in an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// The source, as named in the command.
    pub name: String,
    /// The flags it was compiled with.
    pub flags: Vec<String>,
    pub symbols: Symbols,
    pub bitcode: Vec<u8>,
}

/// The external symbols of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    pub defined: BTreeSet<String>,
    pub needed: BTreeSet<String>,
}

impl Carried {
    /// Adds it to the object of the same source.
    pub fn add_to(mut self, object: &Path, workspace: &Workspace) -> anyhow::Result<()> {
        let bytes = std::fs::read(object)?;
        let Some(symbols) = object::File::parse(&*bytes).ok().and_then(|file| Symbols::of(&file)) else {
            // Whatever clang's product is, it is not an object for linking.
            return Ok(());
        };
        self.symbols = symbols;
        let section = workspace.write("section", &self.to_bytes())?;
        let output = clang::run_quietly(
            Command::new(OBJCOPY)
                .arg(format!("--add-section={SECTION}={}", section.display()))
                .arg(format!("--set-section-flags={SECTION}=exclude,readonly"))
                .arg(object),
        )
        .map_err(no_objcopy)?;
        if !output.status.success() {
            anyhow::bail!("{OBJCOPY}: {}", clang::complaint(&output));
        }
        Ok(())
    }

    fn to_bytes(&self) -> Vec<u8> {
        let line = |key: &str, value: &str| format!("{key} {}\n", value.replace('\n', " "));
        let mut text = line("source", &self.name);
        text.extend(self.flags.iter().map(|flag| line("flag", flag)));
        text.extend(self.symbols.defined.iter().map(|symbol| line("defines", symbol)));
        text.extend(self.symbols.needed.iter().map(|symbol| line("needs", symbol)));
        let mut bytes = MAGIC.to_vec();
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend((self.bitcode.len() as u64).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.extend(&self.bitcode);
        bytes
    }

    /// The first of a list, and the rest of it.
    fn from_bytes(bytes: &[u8]) -> Option<(Carried, &[u8])> {
        let bytes = bytes.strip_prefix(MAGIC)?;
        let (text_length, bytes) = length(bytes)?;
        let (bitcode_length, bytes) = length(bytes)?;
        let (text, bytes) = bytes.split_at_checked(text_length)?;
        let (bitcode, rest) = bytes.split_at_checked(bitcode_length)?;
        let mut carried = Carried { bitcode: bitcode.to_vec(), ..Carried::default() };
        for line in std::str::from_utf8(text).ok()?.lines() {
            match line.split_once(' ')? {
                ("source", name) => carried.name = name.to_owned(),
                ("flag", flag) => carried.flags.push(flag.to_owned()),
                ("defines", symbol) => _ = carried.symbols.defined.insert(symbol.to_owned()),
                ("needs", symbol) => _ = carried.symbols.needed.insert(symbol.to_owned()),
                _ => return None,
            }
        }
        Some((carried, rest))
    }
}

pub fn no_objcopy(error: std::io::Error) -> anyhow::Error {
    Problem::error(format!("cannot run {OBJCOPY} ({error})"), "`heddle doctor` says how to install it")
}

fn length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    Some((usize::try_from(u64::from_le_bytes(*length)).ok()?, rest))
}

/// All that an object carries; nothing, if a part of the object has no bitcode.
pub fn carried_by(object: &[u8]) -> Vec<Carried> {
    read(object).unwrap_or_default()
}

fn read(object: &[u8]) -> Option<Vec<Carried>> {
    let file = object::File::parse(object).ok()?;
    let mut rest = file.section_by_name(SECTION)?.data().ok()?;
    let mut list = Vec::new();
    while !rest.is_empty() {
        let (carried, after) = Carried::from_bytes(rest)?;
        list.push(carried);
        // Linkers may fill up between sections.
        rest = after;
        while let [0, after @ ..] = rest {
            rest = after;
        }
    }
    (Symbols::of(&file)? == Symbols::together(&list)).then_some(list)
}

impl Symbols {
    /// The symbols of an object for 64-bit x86.
    fn of(file: &object::File<'_>) -> Option<Symbols> {
        if file.kind() != object::ObjectKind::Relocatable || file.architecture() != object::Architecture::X86_64 {
            return None;
        }
        let mut symbols = Symbols::default();
        for symbol in file.symbols().filter(|symbol| !symbol.is_local()) {
            let names = if symbol.is_undefined() { &mut symbols.needed } else { &mut symbols.defined };
            names.insert(symbol.name().ok()?.to_owned());
        }
        Some(symbols)
    }

    /// The symbols of an object linked from all these.
    fn together(list: &[Carried]) -> Symbols {
        let defined: BTreeSet<String> =
            list.iter().flat_map(|carried| carried.symbols.defined.iter().cloned()).collect();
        let needed = list.iter().flat_map(|carried| &carried.symbols.needed);
        let needed = needed.filter(|symbol| !defined.contains(*symbol)).cloned().collect();
        Symbols { defined, needed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_lists_are_lists() {
        let first = Carried {
            name: "a b.c".into(),
            flags: vec!["-O2".into(), "-DX=1 2".into()],
            symbols: Symbols {
                defined: ["main".to_owned()].into(),
                needed: ["puts".to_owned(), "x".to_owned()].into(),
            },
            bitcode: b"BC\xc0\xde\0\n".to_vec(),
        };
        let second = Carried { name: "b.c".into(), ..Carried::default() };
        let bytes = [first.to_bytes(), second.to_bytes()].concat();
        let (read, rest) = Carried::from_bytes(&bytes).expect("it was just written");
        assert_eq!(read, first);
        assert_eq!(Carried::from_bytes(rest).expect("it was just written"), (second, &[][..]));
        assert_eq!(Carried::from_bytes(&bytes[..40]), None);
        assert_eq!(Carried::from_bytes(b""), None);
    }
}
