//! `-c`: clang's object, with bitcode in it.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::carried::Carried;
use super::command_line::{CommandLine, Input};
use super::workspace::Workspace;
use super::{Driver, clang};
use crate::exit::{self, Problem};

/// Instrumentation of sources that would be missing in a program built from bitcode.
const OTHER_INSTRUMENTATION: &[&str] = &[
    "--coverage",
    "-coverage",
    "-fcoverage-mapping",
    "-fcs-profile-generate",
    "-finstrument-functions",
    "-fprofile-arcs",
    "-fprofile-generate",
    "-fprofile-instr-generate",
    "-ftest-coverage",
    "-fxray-instrument",
    "-p",
    "-pg",
];

/// Runs the compiler as requested, then once more for the bitcode.
pub fn compile(driver: Driver, line: &CommandLine, workspace: &Workspace) -> anyhow::Result<u8> {
    let stdin = clang::stdin(line).context("cannot read stdin")?;
    let mut command = clang::command(driver);
    clang::give(&mut command, line, workspace)?;
    let status = clang::run(&mut command, stdin.as_deref()).map_err(super::no_clang)?;
    if !status.success() {
        return Ok(exit::status_code(status));
    }
    for input in line.inputs() {
        let object = line.output().map_or_else(|| default_object(input), PathBuf::from);
        if !clang::is_plain_file(&object) {
            continue;
        }
        if let Some(carried) = bitcode(driver, line, input, stdin.as_deref())
            && let Err(error) = carried.add_to(&object, workspace)
        {
            let help = error.downcast_ref::<Problem>().map_or(String::new(), |problem| format!("; {}", problem.help));
            driver.warn(&object, &format!("cannot be recorded: {error:#}{help}"));
        }
    }
    Ok(0)
}

/// The default path of clang's object.
fn default_object(input: &Input) -> PathBuf {
    let name = Path::new(&input.file).file_stem().unwrap_or_default();
    let mut object = name.to_owned();
    object.push(".o");
    PathBuf::from(object)
}

/// The bitcode of a source, if it is one that can have some.
pub fn bitcode(driver: Driver, line: &CommandLine, input: &Input, stdin: Option<&[u8]>) -> Option<Carried> {
    let language = input.source_language(driver)?;
    if other_instrumentation(line).is_some() || !is_for_this_machine(line) {
        return None;
    }
    let flags = line.compile_flags();
    let source = frontend_llvm::compile::Source {
        file: &input.file,
        language,
        cplusplus_driver: driver == Driver::CPlusPlus,
        flags: &flags,
        stdin: stdin.filter(|_| input.file == "-"),
    };
    // If the second compilation fails, the object stays without bitcode.
    let bitcode = frontend_llvm::compile::bitcode(&source).ok()?;
    Some(Carried { name: input.file.clone(), flags, bitcode, ..Carried::default() })
}

/// The flag for another kind of instrumentation.
pub fn other_instrumentation(line: &CommandLine) -> Option<String> {
    let mut sanitizers: Vec<&str> = Vec::new();
    let mut found = None;
    for flag in line.flags() {
        if let Some(names) = flag.strip_prefix("-fsanitize=") {
            sanitizers.extend(names.split(','));
        } else if let Some(names) = flag.strip_prefix("-fno-sanitize=") {
            let off: Vec<&str> = names.split(',').collect();
            sanitizers.retain(|name| !off.contains(name) && !off.contains(&"all"));
        } else if OTHER_INSTRUMENTATION.iter().any(|other| flag == *other || flag.starts_with(&format!("{other}="))) {
            found = Some(flag.to_owned());
        }
    }
    sanitizers.first().map(|name| format!("-fsanitize={name}")).or(found)
}

/// Whether it is compiled for 64-bit x86, according to its flags.
fn is_for_this_machine(line: &CommandLine) -> bool {
    let flags = line.compile_flags();
    let fits = |target: &str| target.starts_with("x86_64") || target.starts_with("amd64");
    let other_size = flags.iter().any(|flag| ["-m32", "-mx32", "-m16", "-miamcu"].contains(&flag.as_str()));
    let joined = flags.iter().filter_map(|flag| flag.strip_prefix("--target="));
    let separate = flags.iter().zip(flags.iter().skip(1)).filter(|(flag, _)| *flag == "-target");
    !other_size && joined.chain(separate.map(|(_, target)| target.as_str())).all(fits)
}
