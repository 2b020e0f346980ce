//! `heddle cc` and `heddle c++`: compilers that can replace others.
//!
//! The requested work is done by clang, with its messages and its status. In addition, objects carry the bitcode of
//! their sources ([`carried`]), and a program that is linked from such objects is built again from all their bitcode,
//! instrumented to record its decisions ([`link`]). If that fails, the plain program remains and the build goes on.

mod command_line;
mod workspace;
mod clang;
mod carried;
mod compile;
mod trace;
mod parts;
mod instrument;
mod link;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use command_line::{CommandLine, Input, Task};

pub use carried::OBJCOPY;
pub use instrument::instrument;
pub use parts::ARCHIVER;
pub use workspace::Workspace;

use crate::stderr;
use crate::terminal;

/// The names of the trial programs of autoconf and CMake.
const TRIALS: &[&str] = &["conftest", "cmTC_", "CMakeC"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    C,
    CPlusPlus,
}

impl Driver {
    pub fn from_command(command: &str) -> Option<Driver> {
        match command {
            "cc" => Some(Driver::C),
            "c++" => Some(Driver::CPlusPlus),
            _ => None,
        }
    }

    fn command(self) -> &'static str {
        match self {
            Driver::C => "cc",
            Driver::CPlusPlus => "c++",
        }
    }

    /// One line for the user about a file that cannot be recorded, or not completely.
    ///
    /// Configuration scripts that test the compiler interpret every output as a failure of their test.
    fn warn(self, file: &Path, text: &str) {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if !TRIALS.iter().any(|trial| name.starts_with(trial)) {
            let line = text.lines().next().unwrap_or_default();
            stderr::say(&format!("heddle {}: warning: {} {line}\n", self.command(), file.display()));
        }
    }
}

/// Does the requested work.
pub fn cc(driver: Driver, arguments: Vec<OsString>) -> anyhow::Result<ExitCode> {
    let words: Option<Vec<String>> = arguments.iter().map(|argument| argument.to_str().map(str::to_owned)).collect();
    let line = words.as_deref().map(CommandLine::parse);
    let status = match line {
        None => return Err(no_clang(clang::become_clang(driver, &arguments))),
        Some(line) => match line.task() {
            Task::Other => {
                if line.flags().any(|flag| flag == "--help" || flag == "-help") {
                    terminal::write_result(None, &own_help(driver))?;
                }
                let arguments: Vec<OsString> = plain_arguments(&line, words.unwrap_or_default());
                return Err(no_clang(clang::become_clang(driver, &arguments)));
            }
            Task::Compile => compile::compile(driver, &line, &Workspace::new()?)?,
            Task::Link => link::link(driver, &line, &Workspace::new()?)?,
        },
    };
    Ok(ExitCode::from(status))
}

/// The help for heddle's own options, which precedes the compiler's.
fn own_help(driver: Driver) -> String {
    let command = driver.command();
    format!(
        "heddle {command} compiles and links as clang does, with all of clang's options, and makes programs that\n\
         `heddle record` can record and `heddle explain` can explain:\n\n    \
         heddle {command} -g -pthread FILES -o PROGRAM\n    \
         heddle record --until-failure -- ./PROGRAM\n\n\
         Options of heddle's own, at compilation and at linking:\n  \
         -fheddle-hooks         let `heddle record --perturb` delay threads before every access to shared data\n  \
         -fheddle-every-branch  record all branches, not only those that may depend on other threads or inputs\n\n\
         The help of clang follows.\n\n"
    )
}

/// Compiles sources and links a program; returns the compiler's status. Errors are reported by clang.
pub fn build(driver: Driver, words: &[String]) -> anyhow::Result<u8> {
    link::link(driver, &CommandLine::parse(words), &Workspace::new()?)
}

/// Compiles a source to an object, and returns the compiler's status. clang prints its own errors.
pub fn compile(driver: Driver, words: &[String]) -> anyhow::Result<u8> {
    compile::compile(driver, &CommandLine::parse(words), &Workspace::new()?)
}

/// Whether a source is C++ by its name.
pub fn is_cplusplus(file: &Path) -> bool {
    let input = Input { file: file.display().to_string(), language: None };
    input.source_language(Driver::C).is_some_and(|language| language.starts_with("c++"))
}

/// The original words, unless some of them are only for heddle.
fn plain_arguments(line: &CommandLine, words: Vec<String>) -> Vec<OsString> {
    let arguments = if line.has_response_files || line.is_strange() { words } else { line.arguments() };
    arguments.into_iter().map(OsString::from).collect()
}

fn no_clang(error: std::io::Error) -> anyhow::Error {
    let program = frontend_llvm::compile::compiler().to_string_lossy().into_owned();
    crate::exit::Problem::error(
        format!("cannot run the compiler `{program}` ({error})"),
        "`heddle doctor` says how to install it",
    )
}
