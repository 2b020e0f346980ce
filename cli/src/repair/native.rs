//! The run-time cost of a patch: the original and the patched program are compiled and run natively, at the user's
//! request. Runs that do not end are not counted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use report::{Cost, Repair};

use super::compiler::Overlay;

/// Runs of each program, in turns.
const RUNS: usize = 20;

/// A run that takes longer hangs.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Times of the patched program divided by those of the original; `None` where one of them cannot be built or does not end.
pub fn cost(overlay: &Overlay<'_>, repair: &Repair, arguments: &[String]) -> Option<Cost> {
    let changed: BTreeMap<String, String> = repair.files.iter().cloned().collect();
    let original = built(overlay, "original", &[])?;
    let file = overlay.written(&changed).ok()?;
    let patched = built(overlay, "patched", &[format!("-ivfsoverlay{}", file.display())])?;
    let mut sums = [(0.0, 0.0); 2];
    let mut counts = [0_u32; 2];
    for _ in 0..RUNS {
        for (number, program) in [&original, &patched].into_iter().enumerate() {
            if let Some((wall, cpu)) = run(program, arguments) {
                sums[number] = (sums[number].0 + wall, sums[number].1 + cpu);
                counts[number] += 1;
            }
        }
    }
    if counts.contains(&0) {
        return None;
    }
    let average = |number: usize, sum: f64| (sum / f64::from(counts[number])).max(1e-6);
    Some(Cost {
        wall_ratio: average(1, sums[1].0) / average(0, sums[0].0),
        cpu_ratio: average(1, sums[1].1) / average(0, sums[0].1),
    })
}

fn built(overlay: &Overlay<'_>, name: &str, more: &[String]) -> Option<PathBuf> {
    let program = overlay.folder.join(name);
    let is_c = |file: &PathBuf| file.extension().is_some_and(|ending| ending == "c");
    let mut compiler = Command::new(frontend_llvm::compile::compiler());
    if !overlay.files.iter().all(is_c) {
        compiler.arg("--driver-mode=g++");
    }
    compiler.args(["-O1", "-w", "-pthread"]).args(overlay.flags).args(more).args(overlay.files).arg("-o").arg(&program);
    compiler.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    compiler.status().ok()?.success().then_some(program)
}

/// Seconds of wall and CPU time of one run.
fn run(program: &Path, arguments: &[String]) -> Option<(f64, f64)> {
    let before = cpu_of_children()?;
    let started = Instant::now();
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    while started.elapsed() < TIMEOUT {
        if child.try_wait().ok()?.is_some() {
            return Some((started.elapsed().as_secs_f64(), cpu_of_children()? - before));
        }
        thread::sleep(Duration::from_micros(200));
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}

fn cpu_of_children() -> Option<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Some(seconds(usage.user_time()) + seconds(usage.system_time()))
}
