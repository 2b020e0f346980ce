//! Small C programs: written to a temporary folder, loaded, and printed function by function.
#![allow(dead_code)]

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use frontend_llvm::{Error, Inputs, Loaded};
use ir::{Function, Op, Program};

/// A folder that is removed in the end.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).expect("a file can be written");
        path
    }

    /// Runs a compiler; `None` when it is not installed.
    pub fn compile(&self, compiler: &str, arguments: &[&str]) -> Option<()> {
        let output = Command::new(compiler).current_dir(self.0.path()).args(arguments).output().ok()?;
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{compiler} {arguments:?} failed:\n{said}");
        Some(())
    }
}

pub fn try_load(files: &[PathBuf], flags: &[&str]) -> Result<Loaded, Error> {
    let flags = flags.iter().map(|&flag| flag.to_owned()).collect();
    frontend_llvm::load(&Inputs { files: files.to_vec(), flags, color: false })
}

/// Loads files and checks properties of all programs.
pub fn load_files(files: &[PathBuf], flags: &[&str]) -> Loaded {
    let loaded = try_load(files, flags).unwrap_or_else(|error| panic!("{error}"));
    if let Err(errors) = ir::verify(&loaded.program) {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        panic!("{files:?} is not well-formed:\n{}", errors.join("\n"));
    }
    let text = loaded.program.to_string();
    let again = ir::parse(&text).unwrap_or_else(|error| panic!("{files:?}: {error}"));
    assert!(again == loaded.program, "{files:?} does not survive its text form");
    loaded
}

/// Loads one C source.
pub fn load(source: &str) -> Loaded {
    let folder = Folder::new();
    let file = folder.write("snippet.c", source);
    load_files(&[file], &["-w"])
}

pub fn function<'p>(program: &'p Program, name: &str) -> &'p Function {
    let found = program.functions.iter().find(|function| function.name == name);
    found.unwrap_or_else(|| panic!("there is no function `{name}`"))
}

/// The body of a function in the text form, without places in the source.
pub fn body(program: &Program, name: &str) -> String {
    let text = program.to_string();
    let start = format!("\nfunction @{name} ");
    let at = text.find(&start).unwrap_or_else(|| panic!("there is no function `{name}`"));
    let rest = &text[at + 1..];
    let end = rest.find("\n}").expect("a function ends");
    let lines = rest[..end].lines().skip(1).map(|line| {
        let line = line.split("  ; ").next().unwrap_or_default();
        let place = line.rfind(" !").filter(|&at| line[at + 2..].bytes().all(|byte| byte.is_ascii_digit()));
        place.map_or(line, |at| &line[..at]).to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The source texts of all accesses of a function, in order; a dash where there is none.
pub fn places(program: &Program, name: &str) -> Vec<String> {
    let instrs = function(program, name).blocks.iter().flat_map(|block| &block.instrs);
    let texts = instrs.filter_map(|instr| match &instr.op {
        Op::Load { place, .. }
        | Op::Store { place, .. }
        | Op::Rmw { place, .. }
        | Op::CompareExchange { place, .. } => Some(*place),
        _ => None,
    });
    texts.map(|place| place.map_or("-".to_owned(), |place| program.texts[place.index()].clone())).collect()
}

/// All unsupported constructs in a function.
pub fn unsupported(program: &Program, name: &str) -> Vec<String> {
    let instrs = function(program, name).blocks.iter().flat_map(|block| &block.instrs);
    let texts = instrs.filter_map(|instr| match &instr.op {
        Op::Unsupported { what } => Some(what.clone()),
        _ => None,
    });
    texts.collect()
}
