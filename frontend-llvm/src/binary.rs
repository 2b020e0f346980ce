//! Programs linked by `heddle cc`: the module and the tables that they carry, in sections that are not loaded.

use std::path::{Component, Path, PathBuf};

use object::{Object, ObjectSection};

use crate::error::Error;
use crate::llvm::Context;

/// The section with the program's module, as bitcode.
pub const MODULE: &str = ".heddle.module";
/// The section with the tables for the program's records, as text.
pub const TABLES: &str = ".heddle.tables";

pub fn is_binary(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF")
}

/// The content of a section of a program.
pub fn section<'b>(binary: &'b [u8], name: &str) -> Option<&'b [u8]> {
    let file = object::File::parse(binary).ok()?;
    file.section_by_name(name)?.data().ok()
}

/// The source files of a module's functions, except those of the system.
pub fn sources(module: &[u8]) -> Result<Vec<PathBuf>, Error> {
    let context = Context::new();
    let broken = |message| Error::BadModule { file: PathBuf::from(MODULE), message };
    let module = context.parse(MODULE, module).map_err(|error| broken(error.0))?;
    let mut files: Vec<PathBuf> = Vec::new();
    for function in module.functions() {
        let Some(file) = function.subprogram().and_then(|subprogram| subprogram.file()) else { continue };
        let Some((name, directory)) = file.file_name().filter(|_| !crate::debug::is_system_file(file)) else {
            continue;
        };
        let path = Path::new(&directory).join(name);
        let path: PathBuf = path.components().filter(|component| *component != Component::CurDir).collect();
        if !files.contains(&path) {
            files.push(path);
        }
    }
    Ok(files)
}
