//! Runs clang as requested, and for the additional products.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Output, Stdio};

use super::Driver;
use super::command_line::{CommandLine, response_file};
use super::workspace::Workspace;

pub fn command(driver: Driver) -> Command {
    let mut command = Command::new(frontend_llvm::compile::compiler());
    if driver == Driver::CPlusPlus {
        command.arg("--driver-mode=g++");
    }
    command
}

/// Replaces this process by clang. Returns only if that is impossible.
pub fn become_clang(driver: Driver, arguments: &[OsString]) -> io::Error {
    command(driver).args(arguments).exec()
}

/// Passes arguments to a command, through a file if they came from one.
pub fn give(command: &mut Command, line: &CommandLine, workspace: &Workspace) -> anyhow::Result<()> {
    if line.has_response_files {
        give_file(command, &line.arguments(), workspace)
    } else {
        command.args(line.arguments());
        Ok(())
    }
}

pub fn give_file(command: &mut Command, arguments: &[String], workspace: &Workspace) -> anyhow::Result<()> {
    let file = workspace.write("arguments", response_file(arguments).as_bytes())?;
    let mut argument = OsString::from("@");
    argument.push(file);
    command.arg(argument);
    Ok(())
}

/// The contents of stdin, if the command reads it: several compilers will.
pub fn stdin(line: &CommandLine) -> io::Result<Option<Vec<u8>>> {
    if !line.inputs().any(|input| input.file == "-") {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Runs a command whose output goes to ours.
pub fn run(command: &mut Command, stdin: Option<&[u8]>) -> io::Result<ExitStatus> {
    let Some(bytes) = stdin else { return command.status() };
    let mut child = command.stdin(Stdio::piped()).spawn()?;
    feed(child.stdin.take(), bytes);
    child.wait()
}

/// Runs a command that talks to us instead of the user.
pub fn run_quietly(command: &mut Command) -> io::Result<Output> {
    command.stdin(Stdio::null()).output()
}

/// Errors are ignored, since a child need not read all its input.
pub fn feed(pipe: Option<std::process::ChildStdin>, bytes: &[u8]) {
    if let Some(mut pipe) = pipe {
        let _ = pipe.write_all(bytes);
    }
}

/// The first meaningful line of a tool's error message.
pub fn complaint(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let says = |line: &&str| line.contains("error") || line.contains("undefined") || line.contains("multiple");
    let line = text.lines().find(says).or_else(|| text.lines().next()).unwrap_or_default().trim().to_owned();
    if line.is_empty() { format!("it ended with {}", output.status) } else { line }
}

/// Whether a file can be written, or placed beside this file.
pub fn is_plain_file(file: &Path) -> bool {
    std::fs::metadata(file).is_ok_and(|metadata| metadata.is_file())
}
