//! Loads a program from sources and flags.

use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use analysis::{Loaded, fingerprint_of_bytes};
use report::{Place, Unsupported};

use crate::args::General;
use crate::exit::Problem;
use crate::files::{self, Limit};
use crate::stderr;
use crate::terminal;
use crate::worker;

/// Compiles and loads a program.
pub fn program(general: &General, files: &[PathBuf], flags: &[String]) -> anyhow::Result<Loaded> {
    Ok(units(general, files, flags)?.1)
}

/// The same, with its files as they were compiled.
pub fn units(general: &General, files: &[PathBuf], flags: &[String]) -> anyhow::Result<(frontend_llvm::Units, Loaded)> {
    let started = Instant::now();
    worker::stage("compiling and loading the program");
    for file in files {
        check_readable(file)?;
    }
    let inputs =
        frontend_llvm::Inputs { files: files.to_vec(), flags: flags.to_vec(), color: terminal::colors_stderr(general) };
    let units = frontend_llvm::Units::compile(&inputs).map_err(explain_frontend_error)?;
    let loaded = units.load().map_err(explain_frontend_error)?;
    if !general.quiet {
        stderr::say(&loaded.warnings);
    }
    Ok((units, of_frontend(loaded, files, flags, started)))
}

/// The result of the front end, with its sources and identity.
pub fn of_frontend(loaded: frontend_llvm::Loaded, files: &[PathBuf], flags: &[String], started: Instant) -> Loaded {
    let frontend_llvm::Loaded { program, unsupported, .. } = loaded;
    Loaded {
        sources: files.iter().map(|file| file.display().to_string()).collect(),
        flags: frontend_llvm::compile::meaningful_flags(flags),
        contents: contents(&program),
        unsupported: unsupported
            .iter()
            .map(|place| not_reached(&program, place))
            .chain(calls_of_unknown_functions(&program))
            .collect(),
        code: Rc::new(vm::Code::new(&program)),
        fingerprint: ir::fingerprint(&program),
        program: Arc::new(program),
        seconds: started.elapsed().as_secs_f64(),
    }
}

fn not_reached(program: &ir::Program, place: &frontend_llvm::Unsupported) -> Unsupported {
    Unsupported {
        what: place.what.clone(),
        at: Place::of_span(program, place.span),
        function: (!place.function.is_empty()).then(|| place.function.clone()),
        reached: false,
        elsewhere: Vec::new(),
    }
}

/// Calls in the user's code of functions that neither the program nor the models define.
fn calls_of_unknown_functions(program: &ir::Program) -> Vec<Unsupported> {
    let mut calls = Vec::new();
    for function in program.functions.iter().filter(|function| function.origin == ir::Origin::User) {
        let calls_of = |block: &ir::Block| {
            let mut found: Vec<(ir::FunctionId, ir::SpanId)> = Vec::new();
            for instr in &block.instrs {
                if let ir::Op::Call { callee: ir::Callee::Direct(callee), .. } = instr.op {
                    found.push((callee, instr.span));
                }
            }
            if let ir::TerminatorKind::Invoke { callee: ir::Callee::Direct(callee), .. } = block.terminator.kind {
                found.push((callee, block.terminator.span));
            }
            found
        };
        for (callee, span) in function.blocks.iter().flat_map(calls_of) {
            let Some(callee) = program.functions.get(callee.index()).filter(|callee| !callee.is_defined()) else {
                continue;
            };
            calls.push(Unsupported {
                what: vm::undefined_function(&callee.display),
                at: Place::of_span(program, span),
                function: Some(function.display.clone()),
                reached: false,
                elsewhere: Vec::new(),
            });
        }
    }
    calls
}

fn explain_frontend_error(error: frontend_llvm::Error) -> anyhow::Error {
    use frontend_llvm::Error;
    let help = match &error {
        Error::NoCompiler { .. } => "`heddle doctor` says how to install it",
        Error::Compile { .. } => "compiler flags such as -Iinclude or -DNAME=VALUE can be given with the sources",
        Error::BadModule { .. } => "build it again: clang -g -O0 -emit-llvm -c FILE.c -o FILE.bc",
        Error::NotRecordable { .. } => "build it again: CC=\"heddle cc\" make, or heddle cc FILES -o PROGRAM",
        Error::BadPredicate(_) => {
            "a predicate is a C expression that must not hold at a line: --predicate 'queue.c:31: size < 0'"
        }
        Error::Predicate { .. } => "name a line on which a statement begins",
        Error::NoMain => "name all source files of the program",
        Error::UnknownKind { .. } => {
            "heddle reads .c, .cpp, .bc, .ll, programs built with `heddle cc`; the program's own arguments follow --"
        }
        Error::Internal(message) => return Problem::bug(message.clone()),
        _ => "",
    };
    Problem::error(error.to_string().trim_end(), help)
}

fn check_readable(file: &Path) -> anyhow::Result<()> {
    let metadata = fs::metadata(file).map_err(|error| {
        Problem::error(
            format!("cannot read {}: {error}", file.display()),
            "PROGRAM is one or more C files, .bc or .ll files; the program's own arguments follow --",
        )
    })?;
    if metadata.is_dir() {
        return Err(Problem::error(
            format!("{} is a folder", file.display()),
            "name the program's C files, or a bitcode file",
        ));
    }
    Ok(())
}

/// Fingerprints of the program's files, except those of the system.
fn contents(program: &ir::Program) -> Vec<(String, String)> {
    let of_user = program.files.iter().filter(|file| !file.starts_with("/usr/"));
    of_user.filter_map(|file| Some((file.clone(), fingerprint_of_bytes(&read_source(file)?)))).collect()
}

/// A file that debug information names: it may name anything.
pub fn read_source(file: &str) -> Option<Vec<u8>> {
    files::read_named(Path::new(file), Limit::Source).ok()
}

/// A file that the program opens. Devices have no end and no memory, so a program may only open plain files.
pub fn read_program_file(path: &str) -> Option<Vec<u8>> {
    let metadata = fs::metadata(path).ok()?;
    if metadata.is_file() { fs::read(path).ok() } else { None }
}
