//! Compiles a test program with the hooks and the recorder, and runs it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::spool::Spool;

pub const LIBRARY: &str = concat!(env!("OUT_DIR"), "/libheddle_recorder.a");

pub struct Program {
    pub folder: TempDir,
    pub path: PathBuf,
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

fn run(command: &mut Command) -> Output {
    let output = command.stdin(Stdio::null()).output();
    output.unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn succeed(command: &mut Command) {
    let output = run(command);
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn compiler(driver: &str) -> Command {
    let mut command = Command::new(driver);
    command.arg("-I").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../frontend-llvm/hooks"));
    command.args(["-O1", "-g", "-Wno-null-dereference", "-Wno-infinite-recursion", "-pthread"]);
    command
}

impl Program {
    /// A program of one C file.
    pub fn of(name: &str) -> Program {
        Program::with_flags(name, &[])
    }

    pub fn with_flags(name: &str, flags: &[&str]) -> Program {
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join("program");
        let mut command = compiler("clang-22");
        command.args(flags).arg(sources().join(name)).arg(LIBRARY).arg("-o").arg(&path);
        succeed(&mut command);
        Program { folder, path }
    }

    /// The C++ program; its hooks are C.
    pub fn of_cpp(flags: &[&str]) -> Program {
        let folder = TempDir::new().expect("a folder");
        let (hooks, path) = (folder.path().join("hooks.o"), folder.path().join("program"));
        succeed(compiler("clang-22").arg("-c").arg(sources().join("cpp_hooks.c")).arg("-o").arg(&hooks));
        let mut command = compiler("clang++-22");
        command.args(flags).arg(sources().join("cpp.cpp")).arg(&hooks).arg(LIBRARY).arg("-o").arg(&path);
        succeed(&mut command);
        Program { folder, path }
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.path);
        command.args(arguments).env_remove("HEDDLE_SPOOL").current_dir(self.folder.path());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        run(&mut self.command(arguments))
    }

    pub fn spool_path(&self) -> PathBuf {
        self.folder.path().join("spool")
    }

    /// Runs it with a new spool.
    pub fn record(&self, arguments: &[&str]) -> (Output, Spool) {
        let path = self.spool_path();
        let _ = std::fs::remove_file(&path);
        let output = run(self.command(arguments).env("HEDDLE_SPOOL", &path));
        assert_ne!(output.status.code(), Some(99), "{}", String::from_utf8_lossy(&output.stderr));
        let spool = Spool::read(&path);
        assert!(!spool.threads.values().any(|thread| thread.has_rest), "something stands behind the last record");
        (output, spool)
    }

    /// Runs it with and without a spool: it must do the same.
    pub fn record_and_compare(&self, arguments: &[&str]) -> (Output, Spool) {
        let plain = self.run(arguments);
        let (recorded, spool) = self.record(arguments);
        let status = "with a spool it ends as it does without";
        assert_eq!(plain.status, recorded.status, "{status}: {}", String::from_utf8_lossy(&recorded.stderr));
        assert_eq!(String::from_utf8_lossy(&plain.stdout), String::from_utf8_lossy(&recorded.stdout));
        assert_eq!(String::from_utf8_lossy(&plain.stderr), String::from_utf8_lossy(&recorded.stderr));
        (recorded, spool)
    }

    /// The line of its source at an address relative to the base.
    pub fn function_at(&self, address: u64) -> String {
        let mut command = Command::new("llvm-symbolizer-22");
        let output = run(command.arg(format!("--obj={}", self.path.display())).arg(format!("{address:#x}")));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().next().unwrap_or_default().to_owned()
    }
}

/// Runs a script of the shell with a spool; the program is `$0`.
pub fn shell(program: &Program, script: &str, spool: &OsStr) -> Output {
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).arg(&program.path).env("HEDDLE_SPOOL", spool).current_dir(program.folder.path());
    run(&mut command)
}
