//! The instrumentation of a program, in a separate process: it reads bitcode with LLVM, which aborts on some modules,
//! and that must not abort the build.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use frontend_llvm::record::{Options, Part};
use run::{CallPlace, Place, Tables};

use super::carried::Carried;
use super::clang;
use super::workspace::Workspace;
use crate::args::InstrumentArgs;

/// The files that the process writes to the folder.
pub struct Instrumented {
    /// The stored module: marked, and otherwise unchanged.
    pub module: PathBuf,
    pub tables: PathBuf,
    /// The module that is compiled.
    pub instrumented: PathBuf,
}

impl Instrumented {
    fn in_folder(folder: &Path) -> Instrumented {
        Instrumented {
            module: folder.join("module.bc"),
            tables: folder.join("tables"),
            instrumented: folder.join("instrumented.bc"),
        }
    }
}

/// Instruments parts that are linked in this order.
pub fn in_own_process(parts: &[Carried], options: Options, workspace: &Workspace) -> anyhow::Result<Instrumented> {
    let folder = workspace.path("instrument");
    fs::create_dir(&folder)?;
    let mut names = String::new();
    for (number, part) in parts.iter().enumerate() {
        fs::write(folder.join(format!("{number}.bc")), &part.bitcode)?;
        names.push_str(&part.name.replace('\n', " "));
        names.push('\n');
    }
    fs::write(folder.join("names"), names)?;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("instrument").arg(&folder);
    command.args(options.every_branch.then_some("--every-branch"));
    command.args(options.hooks.then_some("--hooks"));
    command.args(options.simplify.then_some("--simplify"));
    let output = clang::run_quietly(&mut command)?;
    if !output.status.success() {
        let complaint = clang::complaint(&output);
        anyhow::bail!("{}", complaint.strip_prefix("error: ").unwrap_or(&complaint));
    }
    Ok(Instrumented::in_folder(&folder))
}

/// The process itself: reads the parts in the folder and writes the results there.
pub fn instrument(args: &InstrumentArgs) -> anyhow::Result<()> {
    let read = |name: &str| {
        let file = args.folder.join(name);
        fs::read(&file).with_context(|| format!("cannot read {}", file.display()))
    };
    let names = String::from_utf8(read("names")?)?;
    let parts = names
        .lines()
        .enumerate()
        .map(|(number, name)| Ok(Part { name: PathBuf::from(name), bitcode: read(&format!("{number}.bc"))? }))
        .collect::<anyhow::Result<Vec<Part>>>()?;
    let options = Options { every_branch: args.every_branch, hooks: args.hooks, simplify: args.simplify };
    let recordable = frontend_llvm::record::instrument(&parts, &options)?;
    let places = recordable.unknown.into_iter();
    let tables = Tables {
        identity: recordable.identity.iter().map(|byte| format!("{byte:02x}")).collect(),
        functions: recordable.functions,
        inputs: recordable.inputs,
        places: places
            .map(|call| CallPlace { function: call.function, at: Place { file: call.file, line: call.line } })
            .collect(),
    };
    let files = Instrumented::in_folder(&args.folder);
    fs::write(files.module, recordable.module)?;
    fs::write(files.instrumented, recordable.instrumented)?;
    fs::write(files.tables, tables.to_string())?;
    Ok(())
}
