//! Outputs that would overwrite an input of the same command or another output. They are refused before any file is
//! read or written.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::args::{Command, General};
use crate::compile_commands;
use crate::exit::Problem;
use crate::files::Target;

/// An output file, and the option that names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub option: &'static str,
    pub file: PathBuf,
}

/// Refuses the outputs of a command that are also its inputs, that are the same file, or that cannot be written.
pub fn refuse_clashes(general: &General, command: &Command) -> anyhow::Result<()> {
    let outputs = outputs(general, command);
    for (index, output) in outputs.iter().enumerate() {
        if let Some(refused) = Target::of(&output.file).refused(&output.file) {
            return Err(refused.context(format!("{} {}", output.option, output.file.display())));
        }
        if let Some(earlier) = outputs[..index].iter().find(|earlier| is_same(&earlier.file, &output.file)) {
            return Err(Problem::error(
                format!("{} and {} name the same file: {}", earlier.option, output.option, output.file.display()),
                "each output needs a file of its own",
            ));
        }
    }
    if outputs.is_empty() {
        return Ok(());
    }
    refuse_inputs(&outputs, &inputs(command))?;
    let stdin = fs::metadata("/dev/stdin").ok();
    let is_stdin = |output: &&Named| {
        stdin
            .as_ref()
            .is_some_and(|stdin| stdin.is_file() && identity(&output.file) == Some((stdin.dev(), stdin.ino())))
    };
    match outputs.iter().find(is_stdin) {
        Some(output) => Err(destroys(output, "stdin")),
        None => Ok(()),
    }
}

/// Refuses outputs that are one of these files, or a run or trace in one of these folders.
pub fn refuse_inputs(outputs: &[Named], inputs: &[PathBuf]) -> anyhow::Result<()> {
    for output in outputs {
        for input in inputs {
            if is_same(&output.file, input) || is_part_of(&output.file, input) {
                return Err(destroys(output, &input.display().to_string()));
            }
        }
    }
    Ok(())
}

fn destroys(output: &Named, input: &str) -> anyhow::Error {
    Problem::error(
        format!("{} {} would overwrite an input: {input}", output.option, output.file.display()),
        "name another file",
    )
}

/// All output files of a command's options.
fn outputs(general: &General, command: &Command) -> Vec<Named> {
    match command {
        Command::Run(args) => named(general, &args.schedule, &args.surroundings.program_output),
        Command::Check(args) => named(general, &args.schedule, &args.program_output),
        Command::Explore(args) => named(general, &args.schedule, &args.surroundings.program_output),
        Command::Repair(args) => named(general, &args.schedule, &args.surroundings.program_output),
        Command::Sync(args) => named(general, &None, &args.surroundings.program_output),
        Command::Explain(args) => named(general, &args.schedule, &args.surroundings.program_output),
        Command::Replay(args) => named(general, &None, &args.program_output),
        _ => named(general, &None, &None),
    }
}

/// The requested outputs, with their options.
pub fn named(general: &General, schedule: &Option<PathBuf>, program_output: &Option<PathBuf>) -> Vec<Named> {
    let named = [("--output", &general.output), ("--schedule", schedule), ("--program-output", program_output)];
    named.into_iter().filter_map(|(option, file)| Some(Named { option, file: file.clone()? })).collect()
}

/// The input files and folders of a command's arguments.
fn inputs(command: &Command) -> Vec<PathBuf> {
    let program = match command {
        Command::Run(args) => &args.program,
        Command::Check(args) => &args.program,
        Command::Explain(args) => &args.program,
        Command::Explore(args) => &args.program,
        Command::Repair(args) => &args.program,
        Command::Sync(args) => &args.program,
        Command::Ir(args) => &args.program,
        Command::Replay(args) => return vec![args.schedule.clone()],
        Command::Record(args) => {
            let first = args.command.first().map(PathBuf::from);
            return first.into_iter().chain(args.program.clone()).chain(args.recover.clone()).collect();
        }
        _ => return Vec::new(),
    };
    let mut inputs = program.files.clone();
    match &program.compile_commands {
        Some(database) => inputs.push(database.clone()),
        None => inputs.extend(program.files.iter().flat_map(|source| compile_commands::databases(source))),
    }
    inputs.extend(included(&program.flags));
    inputs
}

/// Files that compiler flags name.
fn included(flags: &[String]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for (index, flag) in flags.iter().enumerate() {
        for name in ["-include", "-imacros"] {
            match flag.strip_prefix(name) {
                Some("") => files.extend(flags.get(index + 1).map(PathBuf::from)),
                Some(joined) => files.push(PathBuf::from(joined)),
                None => {}
            }
        }
    }
    files
}

fn identity(file: &Path) -> Option<(u64, u64)> {
    let regular = |metadata: Metadata| metadata.is_file().then(|| (metadata.dev(), metadata.ino()));
    fs::metadata(file).ok().and_then(regular)
}

/// Whether two paths are the same regular file, or would be if it existed.
fn is_same(left: &Path, right: &Path) -> bool {
    match (identity(left), identity(right)) {
        (Some(left), Some(right)) => left == right,
        // An existing file that is not regular cannot be lost.
        _ if left.exists() || right.exists() => false,
        _ => place(left).is_some_and(|left| place(right) == Some(left)),
    }
}

/// A path without links in its folders.
fn place(file: &Path) -> Option<PathBuf> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(fs::canonicalize(folder).ok()?.join(file.file_name()?))
}

/// Whether an existing file is a part of an input folder: a run, a trace or a module.
fn is_part_of(file: &Path, folder: &Path) -> bool {
    let (Ok(folder), Ok(file)) = (fs::canonicalize(folder), fs::canonicalize(file)) else { return false };
    let Ok(below) = file.strip_prefix(&folder) else { return false };
    let name = below.file_name().unwrap_or_default().to_string_lossy();
    let is_run = name.ends_with(".run") || below.starts_with("modules") || below.starts_with("runs");
    let is_trace = name.strip_prefix('T').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    folder.is_dir() && (is_run || is_trace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_file_has_many_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a"), "x").expect("it can be written");
        fs::create_dir(at("sub")).expect("it can be made");
        fs::hard_link(at("a"), at("b")).expect("a link can be made");
        std::os::unix::fs::symlink("a", at("c")).expect("a link can be made");
        for other in ["a", "b", "c", "sub/../a"] {
            assert!(is_same(&at("a"), &at(other)), "{other}");
        }
        assert!(!is_same(&at("a"), &at("sub")));
        assert!(!is_same(&at("a"), &at("new")));
        assert!(is_same(&at("new"), &at("sub/../new")));
        assert!(!is_same(Path::new("/dev/null"), Path::new("/dev/null")));
    }

    #[test]
    fn flags_name_files() {
        let flags = ["-include", "a.h", "-DX", "-imacrosb.h"].map(str::to_owned);
        assert_eq!(included(&flags), [PathBuf::from("a.h"), PathBuf::from("b.h")]);
    }
}
