//! Translates C and C++ sources and LLVM bitcode to heddle IR.
//!
//! Files are compiled by clang without any pass ([`mod@compile`]), read, linked with the models of the C library and put
//! into registers ([`mod@module`]), and then lowered ([`mod@lower`]) with names from the debug information
//! ([`mod@debug`]). A construct that the IR cannot express becomes an [`ir::Op::Unsupported`] at its place.
//!
//! Deviation from the first design: the library models are C and C++, compiled to bitcode when heddle is built and linked
//! here, instead of programs in IR text. That needs one language less, the compiler checks them, and they have the same
//! semantics as all other code. `memcpy` is such a model, a loop of accesses, so that a copy which another thread
//! interrupts needs no partial steps in a schedule.

mod error;
mod llvm;
pub mod compile;
pub mod predicate;
pub mod binary;
mod names;
mod address;
mod libraries;
mod module;
mod debug;
mod lower;
pub mod record;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use error::Error;

/// The program to load.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// C and C++ sources, `.bc` and `.ll` files that together are the program, or a program that `heddle cc` linked.
    pub files: Vec<PathBuf>,
    /// Compiler flags for all sources. Flags of the linker are accepted and have no effect.
    pub flags: Vec<String>,
    /// Whether the compiler's messages are coloured.
    pub color: bool,
}

/// A construct that heddle cannot express, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The name of the function in reports; empty for the module itself.
    pub function: String,
    pub span: ir::SpanId,
    pub what: String,
}

#[derive(Clone, Debug)]
pub struct Loaded {
    pub program: ir::Program,
    /// The compiler's warnings.
    pub warnings: String,
    /// All unsupported constructs in the user's functions that are reachable from the entry.
    pub unsupported: Vec<Unsupported>,
}

/// Compiles, links and lowers.
pub fn load(inputs: &Inputs) -> Result<Loaded, Error> {
    Units::compile(inputs)?.load()
}

/// Files that are compiled and not yet linked: some of them can be recompiled separately.
#[derive(Clone)]
pub struct Units {
    inputs: Inputs,
    predicates: Vec<predicate::Predicate>,
    inserted: Vec<predicate::Inserted>,
    parts: Vec<(PathBuf, Arc<compile::Compiled>)>,
}

impl Units {
    pub fn compile(inputs: &Inputs) -> Result<Units, Error> {
        let (predicates, flags) = predicate::split(&inputs.flags)?;
        let inputs = Inputs { flags, ..inputs.clone() };
        let (mut compiled, inserted) = match predicates.as_slice() {
            [] => (compile_all(&inputs.files, &inputs).into_iter().collect::<Result<Vec<_>, Error>>()?, Vec::new()),
            predicates => {
                let predicate::With { parts, inserted } = predicate::compile_with(&inputs, predicates)?;
                (parts, inserted)
            }
        };
        let (sources, flags) = libraries::sources(&inputs.flags);
        let with = Inputs { flags: [inputs.flags.as_slice(), &flags].concat(), ..inputs.clone() };
        compiled.extend(compile_all(&sources, &with).into_iter().collect::<Result<Vec<_>, Error>>()?);
        let parts = compiled.into_iter().map(|(file, compiled)| (file, Arc::new(compiled))).collect();
        Ok(Units { inputs, predicates, inserted, parts })
    }

    /// The same, with these files recompiled and `flags` after their previous ones.
    pub fn again(&self, files: &[PathBuf], flags: &[String]) -> Result<Units, Error> {
        let flags = [self.inputs.flags.as_slice(), flags].concat();
        let inputs = Inputs { flags, ..self.inputs.clone() };
        if !self.predicates.is_empty() {
            let compiled = predicate::compile_with(&inputs, &self.predicates)?.parts;
            let parts = compiled.into_iter().map(|(file, compiled)| (file, Arc::new(compiled))).collect();
            return Ok(Units { parts, ..self.clone() });
        }
        let mut units = self.clone();
        for (file, compiled) in compile_all(files, &inputs).into_iter().collect::<Result<Vec<_>, Error>>()? {
            let known = units.parts.iter_mut().find(|(known, _)| *known == file);
            let Some((_, part)) = known else { continue };
            *part = Arc::new(compiled);
        }
        Ok(units)
    }

    /// The text of the predicates.
    pub fn inserted(&self) -> &[predicate::Inserted] {
        &self.inserted
    }

    /// The compiler's warnings.
    pub fn warnings(&self) -> String {
        self.parts.iter().map(|(_, compiled)| compiled.warnings.as_str()).collect()
    }

    /// Links and lowers.
    pub fn load(&self) -> Result<Loaded, Error> {
        let first = self.inputs.files.first().ok_or(Error::NoInput)?;
        let context = llvm::Context::new();
        let parts: Vec<(&Path, &[u8])> =
            self.parts.iter().map(|(file, compiled)| (file.as_path(), compiled.bitcode.as_slice())).collect();
        let module = module::prepare(&context, &parts)?;
        let name = first.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let lowered = lower::lower(&module, name, &self.inputs.files)?;
        Ok(Loaded { program: lowered.program, warnings: self.warnings(), unsupported: lowered.unsupported })
    }
}

/// The files' bitcode in their order, several at a time.
fn compile_all(files: &[PathBuf], inputs: &Inputs) -> Vec<Result<(PathBuf, compile::Compiled), Error>> {
    let at_once = std::thread::available_parallelism().map_or(1, usize::from);
    let mut results = Vec::new();
    for files in files.chunks(at_once) {
        std::thread::scope(|scope| {
            let running: Vec<_> = files.iter().map(|file| scope.spawn(|| read(file, inputs))).collect();
            for (file, thread) in files.iter().zip(running) {
                let result = thread.join().unwrap_or_else(|_| Err(Error::Internal("a compiler thread ended".into())));
                results.push(result.map(|compiled| (file.clone(), compiled)));
            }
        });
    }
    results
}

fn read(file: &Path, inputs: &Inputs) -> Result<compile::Compiled, Error> {
    let cannot_read = |reason| Error::Read { file: file.to_owned(), reason };
    if let Some(language) = compile::language(file) {
        std::fs::metadata(file).map_err(cannot_read)?;
        let flags = compile::flags_of_file(file, &inputs.files, &inputs.flags);
        return compile::compile(file, language, &flags, inputs.color);
    }
    let mut bytes = std::fs::read(file).map_err(cannot_read)?;
    if binary::is_binary(&bytes) {
        let module = binary::section(&bytes, binary::MODULE);
        bytes = module.ok_or_else(|| Error::NotRecordable { file: file.to_owned() })?.to_vec();
    }
    let is_bitcode = bytes.starts_with(b"BC\xC0\xDE") || bytes.starts_with(b"\xDE\xC0\x17\x0B");
    match file.extension().and_then(|ending| ending.to_str()) {
        _ if is_bitcode => {}
        Some("bc") => {
            return Err(Error::BadModule { file: file.to_owned(), message: "it is not LLVM bitcode".into() });
        }
        Some("ll") => {}
        _ => return Err(Error::UnknownKind { file: file.to_owned() }),
    }
    compile::check_readable(&bytes).map_err(|message| Error::BadModule { file: file.to_owned(), message })?;
    Ok(compile::Compiled { bitcode: bytes, warnings: String::new() })
}
