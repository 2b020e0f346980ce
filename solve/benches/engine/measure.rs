//! CPU time of this process and of child processes, and the format of figures.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};

/// CPU seconds of this process.
fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The cost of a computation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    pub cpu: f64,
    pub wall: f64,
}

pub fn measure<T>(action: impl FnOnce() -> T) -> (T, Cost) {
    let (before, begin) = (cpu(), Instant::now());
    let result = action();
    (result, Cost { cpu: cpu() - before, wall: begin.elapsed().as_secs_f64() })
}

/// The peak memory of this process in megabytes.
pub fn peak_megabytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}

pub fn seconds(value: f64) -> String {
    match value {
        value if value < 0.01 => format!("{:.4}", value),
        value if value < 1.0 => format!("{value:.3}"),
        value => format!("{value:.1}"),
    }
}

/// The answer of z3, and its CPU seconds.
#[derive(Clone, Debug)]
pub struct Z3 {
    /// `sat`, `unsat`, or none if it was stopped.
    pub answer: Option<String>,
    pub cpu: f64,
}

impl Z3 {
    pub fn text(&self) -> String {
        match &self.answer {
            Some(_) => seconds(self.cpu),
            None => format!("cut at {:.0}", self.cpu),
        }
    }

    /// The ratio of its time to ours.
    pub fn ratio(&self, ours: f64) -> String {
        let ratio = self.cpu / ours.max(1e-6);
        let ratio = if ratio < 10.0 { format!("{ratio:.1}") } else { format!("{ratio:.0}") };
        if self.answer.is_some() { ratio } else { format!("> {ratio}") }
    }
}

/// The limit of z3 in CPU seconds.
pub fn z3_limit() -> u64 {
    std::env::var("HEDDLE_Z3_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(120)
}

/// Runs z3 on a script, or on the output of a shell command.
pub fn z3(input: Input<'_>) -> Option<Z3> {
    let source = match input {
        Input::Script(_) => "cat".to_owned(),
        Input::Compressed(path) => format!("xzcat '{path}'"),
    };
    let limit = z3_limit();
    let command = format!(
        "{source} > \"$1\"; TIMEFORMAT='%U %S'; time {{ ulimit -t {limit}; z3 \"$1\" 2>/dev/null; }} > \"$1.out\"; \
         cat \"$1.out\"; rm -f \"$1\" \"$1.out\""
    );
    let file = std::env::temp_dir().join(format!("heddle-bench-{}.smt2", std::process::id()));
    let mut child = Command::new("bash")
        .args(["-c", &format!("({command})"), "bash"])
        .arg(&file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    if let (Some(mut stdin), Input::Script(script)) = (child.stdin.take(), input) {
        stdin.write_all(script.as_bytes()).ok()?;
    }
    let output = child.wait_with_output().ok()?;
    let answers = String::from_utf8_lossy(&output.stdout).into_owned();
    let answer = answers.lines().find(|line| matches!(*line, "sat" | "unsat")).map(str::to_owned);
    let times = String::from_utf8_lossy(&output.stderr).into_owned();
    let cpu = times.lines().last()?.split_whitespace().filter_map(|part| part.parse::<f64>().ok()).sum();
    Some(Z3 { answer, cpu })
}

#[derive(Clone, Copy)]
pub enum Input<'a> {
    Script(&'a str),
    Compressed(&'a str),
}
