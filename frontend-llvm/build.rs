//! Compiles the models of the C and C++ libraries into one bitcode file that the crate carries with it.
//!
//! The bitcode holds no path of the machine that built it: the models are compiled from inside their folder, under the
//! invented directory name `<heddle>`.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

const PACKAGES: &str = "install the packages `clang-22`, `llvm-22-dev` and `g++`";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=models");
    println!("cargo::rerun-if-changed=hooks");
    println!("cargo::rerun-if-env-changed=HEDDLE_CLANG");
    if let Err(message) = build() {
        for line in message.lines() {
            println!("cargo::error={line}");
        }
        std::process::exit(1);
    }
}

fn build() -> Result<(), String> {
    let folder = PathBuf::from(variable("CARGO_MANIFEST_DIR")?).join("models");
    let out = PathBuf::from(variable("OUT_DIR")?);
    let clang = env::var_os("HEDDLE_CLANG").unwrap_or_else(|| "clang-22".into());
    let mut objects = Vec::new();
    for name in sources(&folder)? {
        println!("cargo::rerun-if-changed=models/{name}");
        if name.ends_with(".h") {
            continue;
        }
        let object = out.join(format!("{name}.bc"));
        compile(&clang, &folder, &name, &object)?;
        objects.push(object);
    }
    let linked = out.join("models.bc");
    let mut link = Command::new("llvm-link-22");
    link.args(&objects).arg("-o").arg(&linked);
    run(link, "llvm-link-22")?;
    compile_hooks(&clang, "hooks.c", &out.join("hooks.bc"))?;
    compile_hooks(&clang, "order.c", &out.join("order.bc"))
}

fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|_| format!("cargo did not set {name}"))
}

/// The files of the models' folder in the order of their names, so that every build links them alike.
fn sources(folder: &Path) -> Result<Vec<String>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| [".c", ".cpp", ".h"].iter().any(|ending| name.ends_with(ending)))
        .collect();
    names.sort();
    Ok(names)
}

fn compile(clang: &OsStr, folder: &Path, name: &str, object: &Path) -> Result<(), String> {
    let mut command = Command::new(clang);
    command.current_dir(folder).args(["-O1", "-Xclang", "-disable-llvm-passes", "-fno-builtin", "-g"]);
    if name.ends_with(".cpp") {
        // The library's templates are instantiated here, for programs that expect them in the library. Aliases of
        // constructors could not be linked one by one.
        command.args(["--driver-mode=g++", "-std=gnu++20"]);
        command.args(["-Xclang", "-mno-constructor-aliases", "-fno-threadsafe-statics"]);
    } else {
        command.arg("-std=gnu17");
    }
    command.args(["-fdebug-compilation-dir=<heddle>", "-c", "-emit-llvm", name, "-o"]).arg(object);
    run(command, "clang-22")
}

/// Compiles the functions that instrumented code calls. Without debug information, so that calls of them need no place.
fn compile_hooks(clang: &OsStr, name: &str, object: &Path) -> Result<(), String> {
    let mut command = Command::new(clang);
    command.current_dir(PathBuf::from(variable("CARGO_MANIFEST_DIR")?).join("hooks"));
    command.args(["-O2", "-Xclang", "-disable-llvm-passes", "-std=gnu17", "-fno-stack-protector", "-fexceptions"]);
    command.args(["-c", "-emit-llvm", name, "-o"]).arg(object);
    run(command, "clang-22")
}

fn run(mut command: Command, tool: &str) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("cannot run {tool} ({error}): {PACKAGES}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{tool} failed on the models:\n{}", String::from_utf8_lossy(&output.stderr)))
}
