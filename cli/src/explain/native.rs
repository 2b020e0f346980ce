//! `heddle explain --native`: builds the program as `heddle cc` does, runs it with different perturbations until it
//! fails, and explains the failing run. It runs only on request, because a native run has side effects.

use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use frontend_llvm::binary;
use frontend_llvm::compile::flags_of_file;

use crate::args::{ExplainArgs, General};
use crate::cc::{self, Workspace};
use crate::exit::Problem;
use crate::files;
use crate::load;
use crate::record::{Attempts, FailedRun};
use crate::run;
use crate::terminal;

/// The default number and total time of runs.
const RUNS: u64 = 200;
const TIME: Duration = Duration::from_secs(20);

/// The share of the user's time limit for native runs; the rest is for the explanation.
const SHARE: f64 = 0.6;

/// A run that takes longer counts as a hang.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The run that failed, if one did.
pub fn run_natively(general: &General, args: &ExplainArgs) -> anyhow::Result<Option<PathBuf>> {
    let started = Instant::now();
    let limits = Limits::new(general, args)?;
    let workspace = Workspace::new()?;
    let program = match args.program.files.as_slice() {
        [file] if is_recordable(file) => file.clone(),
        files => build(general, args, files, &workspace)?,
    };
    keep_input(general, &program, &workspace)?;
    let attempts = Attempts {
        program: &program,
        arguments: &args.surroundings.arguments,
        variables: &args.surroundings.env,
        runs: limits.runs,
        time: limits.time,
        timeout: TIMEOUT,
        seed: general.seed,
        scratch: &workspace.path("runs"),
        out: Path::new(files::kept::RUNS),
    };
    let attempted = attempts.until_failure(general)?;
    let Some(FailedRun { file, end }) = attempted.failed else {
        let (runs, seconds) = (attempted.runs, started.elapsed().as_secs_f64());
        let what = format!("none of {runs} native runs failed ({seconds:.1} s)");
        let help = "--runs N and --time SECONDS allow more, --seed N perturbs them differently";
        terminal::note(general, &format!("{what}; this is not a proof; {help}"));
        return Ok(None);
    };
    terminal::note(general, &format!("native run {} failed: {end}; kept as {}", attempted.runs, file.display()));
    Ok(Some(file))
}

struct Limits {
    runs: u64,
    time: Option<Duration>,
}

impl Limits {
    fn new(general: &General, args: &ExplainArgs) -> anyhow::Result<Limits> {
        let time = general.time.map(|seconds| {
            Duration::try_from_secs_f64(seconds).map_err(|_| {
                Problem::error(format!("--time {seconds} is not a number of seconds"), "such as --time 60")
            })
        });
        Ok(match (args.runs, time.transpose()?) {
            (None, None) => Limits { runs: RUNS, time: Some(TIME) },
            (runs, time) => Limits { runs: runs.unwrap_or(u64::MAX), time: time.map(|time| time.mul_f64(SHARE)) },
        })
    }
}

/// Whether a file is a program that `heddle cc` has made.
fn is_recordable(file: &Path) -> bool {
    fs::read(file).is_ok_and(|bytes| binary::section(&bytes, binary::TABLES).is_some())
}

/// The program as `heddle cc` makes it, with hooks to disturb it by.
fn build(general: &General, args: &ExplainArgs, files: &[PathBuf], workspace: &Workspace) -> anyhow::Result<PathBuf> {
    let help = "--native takes the program's C and C++ files, or a program built with `heddle cc`";
    for file in files {
        let metadata = fs::metadata(file)
            .map_err(|error| Problem::error(format!("cannot read {}: {error}", file.display()), help))?;
        if metadata.is_dir() || file.extension().is_some_and(|ending| ending == "run") {
            return Err(Problem::error(format!("{} is not a program", file.display()), help));
        }
    }
    let name = files.first().and_then(|file| file.file_stem()).and_then(|name| name.to_str()).unwrap_or("program");
    let program = workspace.path(name);
    let flags = run::flags(general, &args.program)?;
    let mut words = vec!["-g".to_owned(), "-pthread".to_owned(), "-fheddle-hooks".to_owned()];
    if files.iter().all(|file| flags_of_file(file, files, &flags) == flags) {
        words.extend(flags.iter().cloned());
        words.extend(files.iter().map(|file| file.display().to_string()));
    } else {
        let objects = compile_each(files, &words, &flags, workspace)?;
        let is_standard = |flag: &&String| flag.trim_start_matches('-').starts_with("std=");
        words.extend(flags.iter().filter(|flag| !is_standard(flag)).cloned());
        words.extend(objects);
    }
    // Libraries come after the objects that need their symbols.
    words.extend(flags.into_iter().filter(|flag| flag.starts_with("-l")));
    if files.iter().any(|file| cc::is_cplusplus(file)) {
        words.extend(["-lstdc++".to_owned(), "-lm".to_owned()]);
    }
    words.extend(["-o".to_owned(), program.display().to_string()]);
    if cc::build(cc::Driver::C, &words)? != 0 {
        return Err(does_not_build());
    }
    Ok(program)
}

/// The objects of sources in both languages. One command line has one standard for all its sources, so each source is
/// compiled alone, with the flags that fit its language.
fn compile_each(
    files: &[PathBuf],
    words: &[String],
    flags: &[String],
    workspace: &Workspace,
) -> anyhow::Result<Vec<String>> {
    let mut objects = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let object = workspace.path(&format!("{number}.o")).display().to_string();
        let mut words = words.to_vec();
        words.extend(flags_of_file(file, files, flags));
        words.extend(["-Qunused-arguments", "-c", "-o", &object].map(str::to_owned));
        words.push(file.display().to_string());
        if cc::compile(cc::Driver::C, &words)? != 0 {
            return Err(does_not_build());
        }
        objects.push(object);
    }
    Ok(objects)
}

fn does_not_build() -> anyhow::Error {
    let help = "compiler flags such as -Iinclude or -DNAME=VALUE can be given with the sources";
    Problem::error("the program does not build", help)
}

/// Gives every run, and the machine, the whole of stdin. Input from a pipe can be read only once, so it is saved to a
/// file if the program reads stdin.
fn keep_input(general: &General, program: &Path, workspace: &Workspace) -> anyhow::Result<()> {
    let comes_once = |metadata: fs::Metadata| metadata.file_type().is_fifo() || metadata.file_type().is_socket();
    if !fs::metadata("/dev/stdin").is_ok_and(comes_once) {
        return Ok(());
    }
    let loaded = load::program(general, &[program.to_owned()], &[])?;
    let file = workspace.write("stdin", &run::input(&loaded)?)?;
    let file = fs::File::open(&file).with_context(|| format!("cannot read {}", file.display()))?;
    nix::unistd::dup2_stdin(file).context("cannot use a file as stdin")
}
