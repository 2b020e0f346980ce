//! Linking: the plain program first, whose failure is the command's, then the recorded one in its place.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::Context;
use frontend_llvm::binary;

use super::carried::{Carried, OBJCOPY, no_objcopy};
use super::command_line::{CommandLine, Word};
use super::instrument::{self, Instrumented};
use super::parts::{self, Parts};
use super::trace::{self, Took};
use super::workspace::{self, Workspace};
use super::{Driver, clang, compile};
use crate::exit::{self, Problem};
use crate::recorder_library::RECORDER;
use crate::terminal;

/// Products that are no programs of their own, or cannot contain a recorder.
const PLAIN: &[&str] = &[
    "-shared",
    "--shared",
    "-r",
    "-nostdlib",
    "--no-standard-libraries",
    "-nodefaultlibs",
    "-nostartfiles",
    "-nolibc",
    "-dynamiclib",
];
const PLAIN_FOR_LINKER: &[&str] = &["-shared", "--shared", "-Bshareable", "-r", "-i", "--relocatable"];
const STATIC: &[&str] = &["-static", "--static", "-static-pie"];

pub fn link(driver: Driver, line: &CommandLine, workspace: &Workspace) -> anyhow::Result<u8> {
    let stdin = clang::stdin(line).context("cannot read stdin")?;
    let output = PathBuf::from(line.output().unwrap_or("a.out"));
    if is_plain(line) {
        let mut command = clang::command(driver);
        clang::give(&mut command, line, workspace)?;
        return Ok(exit::status_code(clang::run(&mut command, stdin.as_deref()).map_err(super::no_clang)?));
    }
    let (status, took) = plain_link(driver, line, stdin.as_deref(), workspace)?;
    if !status.success() {
        return Ok(exit::status_code(status));
    }
    if !clang::is_plain_file(&output) {
        return Ok(0);
    }
    let recorded = match not_recordable(line) {
        Some(reason) => Err(anyhow::anyhow!(reason)),
        None => record(driver, line, &took, stdin.as_deref(), &output, workspace),
    };
    if let Err(error) = recorded {
        let help = error.downcast_ref::<Problem>().map_or(String::new(), |problem| format!("; {}", problem.help));
        driver.warn(&output, &format!("is not recorded: {error:#}{help}"));
    }
    Ok(0)
}

fn is_plain(line: &CommandLine) -> bool {
    line.flags().any(|flag| PLAIN.contains(&flag))
        || line.linker_options().any(|option| PLAIN_FOR_LINKER.contains(&option))
}

/// Why a program cannot be recorded, if the user should know.
fn not_recordable(line: &CommandLine) -> Option<String> {
    if let Some(flag) = line.flags().find(|flag| STATIC.contains(flag)) {
        return Some(format!("it is linked with {flag}"));
    }
    compile::other_instrumentation(line).map(|flag| format!("it is made with {flag}"))
}

/// Links as requested, and determines the linked files.
fn plain_link(
    driver: Driver,
    line: &CommandLine,
    stdin: Option<&[u8]>,
    workspace: &Workspace,
) -> anyhow::Result<(ExitStatus, Vec<Took>)> {
    let mut command = clang::command(driver);
    clang::give(&mut command, line, workspace)?;
    command.args(["-Wl,--trace", "-Wl,--trace"]).stdout(Stdio::piped());
    if stdin.is_some() {
        command.stdin(Stdio::piped());
    }
    let mut child = command.spawn().map_err(super::no_clang)?;
    if let Some(bytes) = stdin {
        clang::feed(child.stdin.take(), bytes);
    }
    let mut said = Vec::new();
    if let Some(mut stdout) = child.stdout.take() {
        stdout.read_to_end(&mut said)?;
    }
    let status = child.wait()?;
    let (took, rest) = trace::read(&String::from_utf8_lossy(&said), Path::exists);
    terminal::write_result(None, &rest)?;
    Ok((status, took))
}

/// Builds the recorded program, and replaces the plain one by it. Without any bitcode there is nothing to do.
fn record(
    driver: Driver,
    line: &CommandLine,
    took: &[Took],
    stdin: Option<&[u8]>,
    output: &Path,
    workspace: &Workspace,
) -> anyhow::Result<()> {
    let parts = parts::find(driver, line, took, stdin, workspace)?;
    if parts.carried.is_empty() {
        return Ok(());
    }
    if let Some(symbol) = wrapped_inside(line, &parts) {
        anyhow::bail!("the linker is told to wrap `{symbol}`, which it cannot do inside of one object");
    }
    let options = frontend_llvm::record::Options {
        every_branch: line.every_branch,
        hooks: line.hooks,
        simplify: optimisation(&parts.carried) != "-O0",
    };
    let instrumented = instrument::in_own_process(&parts.carried, options, workspace)?;
    let object = compile_instrumented(line, &parts.carried, &instrumented, workspace)?;
    add_sections(&object, &instrumented)?;
    let recorder = workspace.write("libheddle-recorder.a", RECORDER)?;
    let program = workspace.path("program");
    let (first, words) = added(line, &parts, &object, &recorder);
    let arguments = line.with_inputs(&parts.replaced, (first, &words), &program.display().to_string());
    let mut command = clang::command(driver);
    clang::give_file(&mut command, &arguments, workspace)?;
    // The libraries that the recorder needs follow it; where they are part of the C library they have no cost.
    let linked = clang::run_quietly(command.args(["-lpthread", "-ldl"]))?;
    if !linked.status.success() {
        anyhow::bail!("it cannot be linked: {}", clang::complaint(&linked));
    }
    workspace::replace(output, &program)
}

/// A symbol of a part that the linker should redirect (`--wrap`). Within one object there is no reference left to
/// redirect.
fn wrapped_inside<'l>(line: &'l CommandLine, parts: &Parts) -> Option<&'l str> {
    let mut wrapped = Vec::new();
    let mut options = line.linker_options();
    while let Some(option) = options.next() {
        match option.trim_start_matches('-').split_once('=') {
            Some(("wrap", symbol)) => wrapped.push(symbol),
            None if option.trim_start_matches('-') == "wrap" => wrapped.extend(options.next()),
            _ => {}
        }
    }
    let is_inside = |symbol: &&str| parts.carried.iter().any(|carried| carried.symbols.defined.contains(*symbol));
    wrapped.into_iter().find(|symbol| parts.has_sources || is_inside(symbol))
}

/// The new object replaces the first old one, or else comes before all other inputs. The recorder follows it as a
/// library, of which only the needed members are linked.
fn added(line: &CommandLine, parts: &Parts, object: &Path, recorder: &Path) -> (usize, Vec<String>) {
    let is_linked = |word: &Word| matches!(word, Word::Input(_)) || word.library().is_some();
    let first = parts.replaced.keys().min().copied().or_else(|| line.words.iter().position(is_linked));
    let first = first.unwrap_or_default();
    let mut words = vec![object.display().to_string(), recorder.display().to_string()];
    if line.is_whole_archive(first) {
        words.insert(1, "-Wl,--no-whole-archive".to_owned());
        words.push("-Wl,--whole-archive".to_owned());
    }
    (first, words)
}

/// Flags that affect code generation and are not stored in bitcode.
const BACK_END: &[&str] = &[
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-tree-vectorize",
    "-fno-unroll-loops",
    "-funroll-loops",
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-jump-tables",
    "-femulated-tls",
    "-fno-integrated-as",
    "-mcmodel=small",
    "-mcmodel=medium",
    "-mcmodel=large",
    "-mno-red-zone",
];

fn compile_instrumented(
    line: &CommandLine,
    parts: &[Carried],
    instrumented: &Instrumented,
    workspace: &Workspace,
) -> anyhow::Result<PathBuf> {
    let object = workspace.path("program.o");
    let mut command = clang::command(Driver::C);
    command.arg(optimisation(parts)).arg(if is_position_dependent(line) { "-fno-pie" } else { "-fPIE" });
    let in_most =
        |flag: &&&str| 2 * parts.iter().filter(|part| part.flags.iter().any(|own| own == **flag)).count() > parts.len();
    command.args(BACK_END.iter().filter(in_most));
    command
        .args(["-w", "-fno-crash-diagnostics", "-c", "-x", "ir"])
        .arg(&instrumented.instrumented)
        .arg("-o")
        .arg(&object);
    let output = clang::run_quietly(&mut command)?;
    if !output.status.success() {
        anyhow::bail!("it cannot be compiled: {}", clang::complaint(&output));
    }
    Ok(object)
}

/// The level that most parts were compiled with.
fn optimisation(parts: &[Carried]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for part in parts {
        let level = part.flags.iter().rev().find(|flag| flag.starts_with("-O")).map_or("-O0", String::as_str);
        match counts.iter_mut().find(|(known, _)| *known == level) {
            Some((_, count)) => *count += 1,
            None => counts.push((level, 1)),
        }
    }
    // Among equally frequent ones, the first.
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or_default();
    counts.iter().find(|(_, count)| *count == most).map_or("-O0", |(level, _)| level).to_owned()
}

/// Whether the program is linked for a fixed address. Code that can be moved could stay there too, but is slower.
fn is_position_dependent(line: &CommandLine) -> bool {
    let last = line.flags().filter(|flag| ["-pie", "-no-pie", "-nopie", "--pie", "--no-pie"].contains(flag)).last();
    last.is_some_and(|flag| flag.contains("no"))
}

/// Adds the data that heddle reads from the program, in sections that are not loaded.
fn add_sections(object: &Path, instrumented: &Instrumented) -> anyhow::Result<()> {
    let output = clang::run_quietly(
        Command::new(OBJCOPY)
            .arg(format!("--add-section={}={}", binary::MODULE, instrumented.module.display()))
            .arg(format!("--add-section={}={}", binary::TABLES, instrumented.tables.display()))
            .arg(format!("--set-section-flags={}=readonly", binary::MODULE))
            .arg(format!("--set-section-flags={}=readonly", binary::TABLES))
            .arg(object),
    )
    .map_err(no_objcopy)?;
    if !output.status.success() {
        anyhow::bail!("{OBJCOPY}: {}", clang::complaint(&output));
    }
    Ok(())
}
