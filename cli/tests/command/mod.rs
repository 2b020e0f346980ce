//! The heddle binary in tests: arguments in, status and texts out.

#![allow(dead_code)] // Every test file is a program of its own and uses what it needs.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

pub struct Answer {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("no JSON: {error}\n{}\n{}", self.stdout, self.stderr))
    }

    /// Panics with all output unless the status is the expected one.
    #[track_caller]
    pub fn expect_status(self, status: i32) -> Answer {
        assert_eq!(self.status, status, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }
}

pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the repository is there")
}

/// Runs heddle in a folder, with this input.
pub fn heddle_with_input<S: AsRef<OsStr>>(folder: &Path, arguments: &[S], input: &[u8]) -> Answer {
    let mut child = Command::new(env!("CARGO_BIN_EXE_heddle"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("NO_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("heddle starts");
    // A command that does not read its input closes it; that is its right.
    let _ = child.stdin.take().expect("stdin is a pipe").write_all(input);
    let output = child.wait_with_output().expect("heddle ends");
    Answer {
        status: output.status.code().expect("heddle is not killed"),
        stdout: String::from_utf8(output.stdout).expect("stdout is text"),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

pub fn heddle<S: AsRef<OsStr>>(folder: &Path, arguments: &[S]) -> Answer {
    heddle_with_input(folder, arguments, b"")
}

/// A temporary folder with these files.
pub fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().expect("it is in a folder")).expect("the folder can be made");
        fs::write(file, text).expect("the file can be written");
    }
    folder
}

/// The heddle binary, for tests that start it themselves.
pub fn binary() -> &'static str {
    env!("CARGO_BIN_EXE_heddle")
}

/// Runs another program in a folder, without input.
pub fn other<S: AsRef<OsStr>>(folder: &Path, program: &str, arguments: &[S]) -> Answer {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    let output = command.output().unwrap_or_else(|error| panic!("{program} does not start: {error}"));
    Answer {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// The content of a section of an object or a program.
pub fn section(file: &Path, name: &str) -> Option<Vec<u8>> {
    use object::{Object, ObjectSection};
    let bytes = fs::read(file).unwrap_or_else(|error| panic!("{} is not there: {error}", file.display()));
    let file = object::File::parse(&*bytes).ok()?;
    Some(file.section_by_name(name)?.data().ok()?.to_vec())
}

/// Whether a program is instrumented.
pub fn is_recorded(file: &Path) -> bool {
    section(file, ".heddle.module").is_some() && section(file, ".heddle.tables").is_some()
}
