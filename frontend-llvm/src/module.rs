//! From bitcode to one module that is ready to be lowered: parsed, linked with the models, its variables in registers.
//!
//! Only `sroa` runs (which includes `mem2reg` and also splits structs). Every other pass may exploit undefined
//! behaviour or move accesses, so the analysed program would differ from the written one.

use std::collections::HashSet;
use std::path::Path;

use crate::error::Error;
use crate::llvm::{Context, Linkage, Module, TypeKind, Value};
use crate::lower::frameworks::REPORTERS;
use crate::names::{ENTRY, MARKED, MODEL, RESUME};

const PASSES: &str = "function(sroa<preserve-cfg>)";

static MODELS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/models.bc"));

/// Functions of the C library that the lowering itself calls, for intrinsics and other operations.
const CALLED: &[&str] =
    &[ENTRY, RESUME, "memcpy", "memmove", "memset", "atexit", "ldexp", "ldexpf", "ldexpl", "frexp", "frexpf", "frexpl"];

/// Parses all parts, links them and the models, and runs the one pass.
pub fn prepare<'c>(context: &'c Context, parts: &[(&Path, &[u8])]) -> Result<Module<'c>, Error> {
    let mut module = link(context, parts)?;
    // The record of a marked module is of the body that the program gave.
    if module.named_metadata(MARKED).is_empty() {
        replace_error_functions(&mut module);
    }
    link_models(context, &mut module)?;
    // The standard streams are constants, unless the program assigns to them.
    for stream in STREAMS {
        if !module.is_only_loaded(stream) {
            module.make_writable(stream);
        }
    }
    into_registers(&mut module)?;
    Ok(module)
}

const STREAMS: &[&str] = &["stdin", "stdout", "stderr"];

/// Functions whose call is a failure in verification tasks, even if a task gives them a body.
const ERRORS: &[&str] = &["reach_error", "__VERIFIER_error"];

/// Redirects calls of the error functions to the models, even if the program defines them.
fn replace_error_functions(module: &mut Module<'_>) {
    let is_plain = |function: &Value<'_>| {
        let ty = function.value_type();
        ty.is_some_and(|ty| {
            ty.parameters().is_empty() && ty.result().is_some_and(|result| result.kind() == TypeKind::Void)
        })
    };
    let mut found = Vec::new();
    for function in module.functions().filter(is_plain) {
        let name = function.name();
        // A function of one file alone may have got a number when the files were linked.
        let plain = name.split('.').next().unwrap_or_default();
        let stands_for = |error: &&&str| plain == **error || plain == format!("_Z{}{error}v", error.len());
        if let Some(error) = ERRORS.iter().find(stands_for)
            && (name != **error || !function.is_declaration())
        {
            found.push((name, *error));
        }
    }
    for (name, error) in found {
        module.replace_function(&name, error);
    }
}

/// Parses all parts and links them into one program, which has a `main`.
pub fn link<'c>(context: &'c Context, parts: &[(&Path, &[u8])]) -> Result<Module<'c>, Error> {
    let mut whole: Option<Module<'c>> = None;
    for (file, bytes) in parts {
        let part = parse(context, file, bytes)?;
        whole = Some(match whole {
            None => part,
            Some(mut whole) => {
                context
                    .link(&mut whole, part)
                    .map_err(|message| Error::Link { file: (*file).to_owned(), message: plain(&message, file) })?;
                whole
            }
        });
    }
    let module = whole.ok_or(Error::NoInput)?;
    if !module.defines("main") {
        return Err(Error::NoMain);
    }
    Ok(module)
}

/// Puts variables into registers.
pub fn into_registers(module: &mut Module<'_>) -> Result<(), Error> {
    module.allow_passes();
    module.run_passes(PASSES).map_err(Error::Internal)
}

/// The functions that the models define.
pub fn model_names(context: &Context) -> Result<HashSet<String>, Error> {
    let models = context.parse_lazily(MODELS).map_err(|error| Error::Internal(error.0))?;
    Ok(models.functions().filter(|function| !function.is_declaration()).map(|function| function.name()).collect())
}

fn parse<'c>(context: &'c Context, file: &Path, bytes: &[u8]) -> Result<Module<'c>, Error> {
    let module = context
        .parse(&file.to_string_lossy(), bytes)
        .map_err(|error| Error::BadModule { file: file.to_owned(), message: plain(&error.0, file) })?;
    let layout = module.data_layout();
    let target = module.target();
    // A module without target is one that a person wrote; it gets ours.
    let fits = target.is_empty() || target.starts_with("x86_64") || target.starts_with("amd64");
    if !fits || layout.pointer_bytes() != 8 || !layout.is_little_endian() {
        return Err(Error::Target { file: file.to_owned(), target });
    }
    Ok(module)
}

/// LLVM's message without the file's name, which the error has already.
fn plain(message: &str, file: &Path) -> String {
    let message = message.trim();
    let beginning = format!("{}: error: ", file.display());
    message.strip_prefix(&beginning).unwrap_or(message).to_owned()
}

/// Links the models that the program needs.
///
/// The program's own definitions take precedence; a model that needs a model of that name keeps its own, as in the C
/// library.
fn link_models<'c>(context: &'c Context, module: &mut Module<'c>) -> Result<(), Error> {
    for name in CALLED {
        module.declare(name);
    }
    for (reporter, model) in REPORTERS {
        if module.defines(reporter) {
            module.declare(model);
        }
    }
    let mut models = context.parse_lazily(MODELS).map_err(|error| Error::Internal(error.0))?;
    models.mark_definitions(MODEL);
    models.relink(|name, linkage| match linkage {
        Linkage::LLVMExternalLinkage
        | Linkage::LLVMWeakAnyLinkage
        | Linkage::LLVMWeakODRLinkage
        | Linkage::LLVMCommonLinkage => {
            if is_defined_by_user(module, name) && is_replaceable(name) {
                Linkage::LLVMAvailableExternallyLinkage
            } else if is_defined_by_user(module, name) {
                Linkage::LLVMInternalLinkage
            } else {
                Linkage::LLVMLinkOnceODRLinkage
            }
        }
        // A library was compiled with its own copy of an inline function; the record refers to the program's copy.
        Linkage::LLVMLinkOnceODRLinkage if module.function(name).is_some_and(|copy| !copy.is_declaration()) => {
            Linkage::LLVMInternalLinkage
        }
        kept => kept,
    });
    context.link(module, models).map_err(Error::Models)
}

/// Operators `new` and `delete`: where a program has its own, the library uses them too.
fn is_replaceable(name: &str) -> bool {
    ["_Znw", "_Zna", "_Zdl", "_Zda"].iter().any(|operator| name.starts_with(operator))
}

/// Whether the program has its own definition. An inline body from a header does not count.
fn is_defined_by_user(module: &Module<'_>, name: &str) -> bool {
    let inline_only =
        module.function(name).is_some_and(|function| function.linkage() == Linkage::LLVMAvailableExternallyLinkage);
    module.defines(name) && !inline_only
}

/// The models alone, ready to be read.
#[cfg(test)]
pub fn all_models(context: &Context) -> Result<Module<'_>, Error> {
    let mut module = context.parse("models", MODELS).map_err(|error| Error::Internal(error.0))?;
    module.mark_definitions(MODEL);
    module.run_passes(PASSES).map_err(Error::Internal)?;
    Ok(module)
}
