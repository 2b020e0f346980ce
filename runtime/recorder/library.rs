//! Builds the static library that `heddle cc` links into programs. Two build scripts use this file: that of `cli`,
//! which carries the library, and that of this crate, whose tests link it.
//!
//! It is built with rustc rather than cargo, because it needs another panic strategy and other symbols than the rest of
//! the workspace. All code ends up in one object, so that the interposed functions are linked as a whole.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds `libheddle_recorder.a` in the folder `out`, from the sources below the repository's `root`.
pub fn build(root: &Path, out: &Path) -> Result<PathBuf, String> {
    let wire = root.join("wire/src");
    let recorder = root.join("runtime/recorder/src");
    for folder in [&wire, &recorder, &root.join("runtime/recorder/library.rs")] {
        println!("cargo::rerun-if-changed={}", folder.display());
    }
    let wire_library = out.join("libwire.rlib");
    let mut command = rustc(root);
    command.args(["--crate-name", "wire", "--crate-type", "rlib"]).arg(wire.join("lib.rs"));
    run(command.arg("-o").arg(&wire_library))?;

    let library = out.join("libheddle_recorder.a");
    let mut command = rustc(root);
    command.args(["--crate-name", "recorder", "--crate-type", "staticlib", "--cfg", "heddle_static"]);
    command.args(["-C", "lto=fat", "--extern"]).arg(with_path("wire=", &wire_library)).arg(recorder.join("lib.rs"));
    run(command.arg("-o").arg(&library))?;
    leave_builtins_out(&library)?;
    Ok(library)
}

/// Removes Rust's own versions of C's mathematical and arithmetic functions, which would replace the program's. The
/// recorder uses those of the C library and the compiler's runtime.
fn leave_builtins_out(library: &Path) -> Result<(), String> {
    let mut list = Command::new("llvm-ar-22");
    let listed = list.arg("t").arg(library).output().map_err(|error| format!("cannot run llvm-ar-22: {error}"))?;
    let members = String::from_utf8_lossy(&listed.stdout).into_owned();
    let builtins: Vec<&str> = members.lines().filter(|member| !member.contains("recorder")).collect();
    if builtins.is_empty() {
        return Ok(());
    }
    run(Command::new("llvm-ar-22").arg("d").arg(library).args(builtins))
}

/// Unwind tables are needed because the library's functions have frames in threads that others unwind. No path of this
/// machine remains.
fn rustc(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.args(["--edition", "2024", "-C", "opt-level=3", "-C", "codegen-units=1", "-C", "panic=abort"]);
    command.args(["-C", "relocation-model=pic", "-C", "force-unwind-tables=yes", "-C", "debuginfo=0"]);
    let mut remap = with_path("--remap-path-prefix=", root);
    remap.push("=<heddle>");
    command.arg(remap);
    if let Some(target) = std::env::var_os("TARGET") {
        command.arg("--target").arg(target);
    }
    command
}

fn with_path(before: &str, path: &Path) -> OsString {
    let mut argument = OsString::from(before);
    argument.push(path);
    argument
}

fn run(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("cannot run {program}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{program} failed on the recorder:\n{}", String::from_utf8_lossy(&output.stderr)))
}
