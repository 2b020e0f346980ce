//! Programs compiled and run natively. The schedule is the machine's; the outcome is returned.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// The time after which a run counts as stuck. Only a deadlock takes so long, under any load.
const PATIENCE: &str = "60";
/// The limit for programs with known deadlocks, where it adds no information.
const SHORT_PATIENCE: &str = "0.5";

const SIGABRT: i32 = 6;
const SIGKILL: i32 = 9;
/// The status of `timeout` for a program that it had to kill. If the program dies by another signal, `timeout` does
/// too.
const KILLED: i32 = 128 + SIGKILL;

/// How a native run ended.
#[derive(Debug)]
pub enum Native {
    Ended(i32, Vec<u8>),
    /// The line of the assertion that failed.
    Asserted(u32),
    Aborted,
    Stuck,
    /// By this signal.
    Died(i32),
}

/// Compiles the program and runs it that often.
pub fn run(source: &str, folder: &Path, runs: u64, may_stop: bool) -> Result<Vec<Native>, String> {
    let (file, program) = (folder.join("native.c"), folder.join("native"));
    std::fs::write(&file, source).expect("a file can be written");
    let compiled = Command::new("clang-22")
        .args(["-std=gnu17", "-w", "-O0", "-pthread", "-o"])
        .args([&program, &file])
        .arg("-latomic")
        .output()
        .expect("clang-22 is installed");
    if !compiled.status.success() {
        return Err(format!("clang: {}", String::from_utf8_lossy(&compiled.stderr)));
    }
    let patience = if may_stop { SHORT_PATIENCE } else { PATIENCE };
    let mut ends = Vec::new();
    for _ in 0..runs {
        let end = run_once(&program, patience);
        let stuck = matches!(end, Native::Stuck);
        ends.push(end);
        if stuck {
            break;
        }
    }
    Ok(ends)
}

fn run_once(program: &Path, patience: &str) -> Native {
    let run = Command::new("timeout").args(["--signal=KILL", patience]).arg(program).stdin(Stdio::null()).output();
    let run = run.expect("the program starts");
    match (run.status.code(), run.status.signal()) {
        (Some(code), _) if code != KILLED => Native::Ended(code, run.stdout),
        (_, Some(SIGABRT)) => asserted(&String::from_utf8_lossy(&run.stderr)).map_or(Native::Aborted, Native::Asserted),
        (_, Some(signal)) if signal != SIGKILL => Native::Died(signal),
        _ => Native::Stuck,
    }
}

/// `program: file.c:LINE: function: Assertion …`
fn asserted(errors: &str) -> Option<u32> {
    let line = errors.lines().find(|line| line.contains("Assertion `"))?;
    line.split(".c:").nth(1)?.split(':').next()?.parse().ok()
}
