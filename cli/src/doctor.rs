//! `heddle doctor`: lists missing tools, and the command that installs them.

use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::Serialize;

use crate::args::{Format, General};
use crate::cc;
use crate::exit::ExitStatus;
use crate::terminal;

#[derive(Debug, Serialize)]
struct Check {
    name: String,
    fine: bool,
    /// The version, or the problem.
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    install: Option<String>,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    tool: &'static str,
    version: &'static str,
    command: &'static str,
    checks: &'a [Check],
}

pub fn doctor(general: &General) -> anyhow::Result<ExitStatus> {
    let clang = std::env::var("HEDDLE_CLANG").ok().filter(|name| !name.is_empty()).unwrap_or("clang-22".to_owned());
    let checks = [
        version_check(&clang, "clang-22"),
        version_check("clang++-22", "clang-22"),
        version_check("llvm-config-22", "llvm-22-dev"),
        // `heddle cc` uses it to add bitcode to objects and to edit archives.
        version_check(cc::OBJCOPY, "llvm-22"),
        version_check(cc::ARCHIVER, "llvm-22"),
        header_check("C headers", "c", &clang, "#include <pthread.h>\n#include <stdio.h>\n", "libc6-dev"),
        header_check("C++ headers", "c++", "clang++-22", "#include <thread>\n", "g++"),
    ];
    let text = match general.format {
        Format::Json => {
            let version = env!("CARGO_PKG_VERSION");
            let document = Document { schema: 1, tool: "heddle", version, command: "doctor", checks: &checks };
            format!("{}\n", serde_json::to_string_pretty(&document)?)
        }
        Format::Text | Format::Dot => checks.iter().map(line).collect(),
    };
    terminal::write_result(general.output.as_deref(), &text)?;
    Ok(if checks.iter().all(|check| check.fine) { ExitStatus::NothingFound } else { ExitStatus::Error })
}

fn line(check: &Check) -> String {
    let mark = if check.fine { "ok      " } else { "missing " };
    let install =
        check.install.as_ref().map_or(String::new(), |install| format!("         install it with: {install}\n"));
    format!("{mark} {}: {}\n{install}", check.name, check.detail)
}

fn version_check(name: &str, package: &str) -> Check {
    let output = Command::new(name).arg("--version").stdin(Stdio::null()).output();
    let problem = match output {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout);
            return Check {
                name: name.to_owned(),
                fine: true,
                detail: text.lines().next().unwrap_or_default().trim().to_owned(),
                install: None,
            };
        }
        Ok(output) => format!("it exits with {}", output.status),
        Err(error) => error.to_string(),
    };
    Check { name: name.to_owned(), fine: false, detail: problem, install: Some(install_command(package)) }
}

/// Whether a source text with these headers compiles.
fn header_check(name: &str, language: &str, compiler: &str, source: &str, package: &str) -> Check {
    let fine = compiles(language, compiler, source).unwrap_or(false);
    let detail = if fine { format!("{compiler} finds them") } else { format!("{compiler} does not find them") };
    Check { name: name.to_owned(), fine, detail, install: (!fine).then(|| install_command(package)) }
}

fn compiles(language: &str, compiler: &str, source: &str) -> std::io::Result<bool> {
    let mut child = Command::new(compiler)
        .args(["-fsyntax-only", "-x", language, "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(source.as_bytes())?;
    }
    Ok(child.wait()?.success())
}

/// Debian's package names; elsewhere the reader must translate them.
fn install_command(package: &str) -> String {
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    let sudo = if is_root { "" } else { "sudo " };
    if Path::new("/usr/bin/apt-get").exists() {
        return format!("{sudo}apt-get install {package}");
    }
    format!("your package manager; Debian calls it {package} (LLVM must be version 22)")
}
