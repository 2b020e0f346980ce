//! Terminal output: results to stdout or a file, all other texts to stderr.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::args::{Color, General};
use crate::exit::ExitStatus;
use crate::files;
use crate::stderr::say;
use crate::worker;

/// A note for the user, unless quiet output was requested.
pub fn note(general: &General, text: &str) {
    if !general.quiet {
        say(&format!("note: {text}\n"));
    }
}

/// A detail, only for verbose output.
pub fn detail(general: &General, text: &str) {
    if general.verbose {
        say(&format!("note: {text}\n"));
    }
}

/// The answer of a command: through the supervising parent, or directly.
pub fn answer(status: ExitStatus, output: Option<&Path>, text: &str) -> anyhow::Result<()> {
    if worker::hand_over(status, output, text) { Ok(()) } else { write_result(output, text) }
}

/// The result: to the file that `--output` names, or to stdout.
pub fn write_result(output: Option<&Path>, text: &str) -> anyhow::Result<()> {
    match output {
        Some(file) => files::write(file, text.as_bytes()),
        None => match io::stdout().lock().write_all(text.as_bytes()) {
            // The reader of the pipe needs no more output.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => other.context("cannot write to stdout"),
        },
    }
}

/// Whether the command's stdout is a terminal: the parent's, where there is one.
pub fn stdout_is_terminal() -> bool {
    worker::orders_of_parent().map_or_else(|| io::stdout().is_terminal(), |orders| orders.terminal)
}

/// Whether the result is coloured.
pub fn colors_result(general: &General) -> bool {
    colors(general, general.output.is_none() && stdout_is_terminal())
}

/// Whether stderr is coloured.
pub fn colors_stderr(general: &General) -> bool {
    colors(general, io::stderr().is_terminal())
}

fn colors(general: &General, is_terminal: bool) -> bool {
    let welcome = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    match general.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => welcome && is_terminal,
    }
}

/// Whether stderr is a terminal for a progress line.
pub fn shows_progress(general: &General) -> bool {
    !general.quiet && io::stderr().is_terminal()
}

/// The program's input: all of stdin, unless it is a terminal, whose user may not know that the program reads.
pub fn read_stdin() -> anyhow::Result<Vec<u8>> {
    let mut stdin = io::stdin();
    let mut bytes = Vec::new();
    if !stdin.is_terminal() {
        io::Read::read_to_end(&mut stdin, &mut bytes).context("cannot read stdin, the program's input")?;
    }
    Ok(bytes)
}

/// The program's own output: to a file, or to stderr.
pub fn show_program_output(general: &General, file: Option<&PathBuf>, bytes: &[u8]) -> anyhow::Result<()> {
    if let Some(file) = file {
        return if worker::hand_file_over(file, bytes) { Ok(()) } else { files::write(file, bytes) };
    }
    if !general.quiet && !bytes.is_empty() {
        let _ = io::stderr().lock().write_all(bytes);
        if bytes.last() != Some(&b'\n') {
            say("\n");
        }
    }
    Ok(())
}
