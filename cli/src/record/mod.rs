//! `heddle record`: runs a program that was built with `heddle cc`, natively, and keeps the record of each run.
//!
//! The program writes a spool while it runs. After its end, the spool, the program's tables and the wait status become
//! a run file.

mod program;
mod die_with_parent;
mod child;
mod ending;
mod stdin;
mod store;
mod summary;
mod attempts;
mod recover;

use std::fs;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use run::{Cut, RecordedRun, ThreadName, ThreadRecord};

use crate::args::{Format, General, RecordArgs};
use crate::exit::{self, Problem};
use crate::files;
use crate::stderr;
use crate::terminal;
use child::Ended;
use program::Program;
use store::{Mark, Store};
use summary::{Kept, Summary};

pub use attempts::{Attempts, FailedRun};
pub use recover::is_left_spool;

/// Tells the program where to record.
pub const SPOOL_VARIABLE: &str = "HEDDLE_SPOOL";
/// Tells the program how to perturb itself.
const PERTURB_VARIABLE: &str = "HEDDLE_PERTURB";
/// Tells the program whether to record the contents of files.
const FILES_VARIABLE: &str = "HEDDLE_FILES";

/// The default limit of runs until a failure.
const RUNS_UNTIL_FAILURE: u64 = 10_000;

pub fn record(general: &General, args: &RecordArgs) -> anyhow::Result<ExitCode> {
    if let Some(spool) = &args.recover {
        return recover::recover(general, args, spool);
    }
    let started = Instant::now();
    let plan = Plan::new(general, args)?;
    let mut store = Store::open(&args.out, &plan.program.name)?;
    store.keep_program(&plan.program)?;
    let given = store.given();
    if plan.is_program {
        files::write(&given, &run::write_run(&plan.given().as_run(&plan.program.tables.identity)))?;
    }
    child::pass_signals_on()?;
    let bar = plan.is_series.then(|| progress(general, plan.runs)).flatten();
    let mut summary = Summary::new(&plan.program, &args.out);
    let mut last = None;
    for number in 0..plan.runs {
        let spool = store.spool();
        let ended = child::run(&mut plan.command(number, &spool)?, &spool, plan.timeout)?;
        let is_interrupted = child::is_interrupted();
        let kept = keep(general, &plan, &mut store, &spool, &ended, is_interrupted)?;
        last = Some(ended.status);
        let failed = kept.as_ref().map_or(!ended.status.success(), |kept| kept.mark == Mark::Failed);
        summary.add(kept, failed, is_interrupted);
        if let Some(bar) = &bar {
            bar.set_message(summary.short());
            bar.inc(1);
        }
        let no_time_is_left = plan.time.is_some_and(|time| started.elapsed() >= time);
        if is_interrupted || no_time_is_left || (failed && args.until_failure) {
            break;
        }
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    if plan.is_program {
        fs::remove_file(&given).with_context(|| format!("cannot remove {}", given.display()))?;
    }
    summary.seconds = started.elapsed().as_secs_f64();
    deliver(general, &plan, &summary)?;
    Ok(status(&plan, &summary, last))
}

/// The command, the number of runs and their options.
struct Plan {
    program: Program,
    /// The command to run: the program itself, or one that starts it.
    command: PathBuf,
    /// Whether the command is the program.
    is_program: bool,
    arguments: Vec<String>,
    runs: u64,
    /// Whether it is more than one run.
    is_series: bool,
    /// Whether stdout is reserved for the result.
    owns_stdout: bool,
    /// The time limit of one run.
    timeout: Option<Duration>,
    /// The time after which no more runs are started.
    time: Option<Duration>,
    perturb: Option<u64>,
    /// Whether the contents of the program's files are recorded.
    keeps_files: bool,
    /// The contents of stdin for every run, if known.
    stdin: Option<Vec<u8>>,
}

impl Plan {
    fn new(general: &General, args: &RecordArgs) -> anyhow::Result<Plan> {
        let (name, arguments) = args.command.split_first().context("there is no command")?;
        let command = program::find_command(name)?;
        let program = match &args.program {
            Some(file) => Program::read(file.clone(), false)?,
            None => Program::read(command.clone(), true)?,
        };
        let duration = |option: &str, seconds: Option<f64>| {
            let wrong = |seconds| {
                Problem::error(format!("{option} {seconds} is not a number of seconds"), format!("such as {option} 10"))
            };
            seconds.map(|seconds| Duration::try_from_secs_f64(seconds).map_err(|_| wrong(seconds))).transpose()
        };
        let runs = args.runs.unwrap_or(if args.until_failure { RUNS_UNTIL_FAILURE } else { 1 });
        let is_series = runs > 1;
        Ok(Plan {
            program,
            command,
            is_program: args.program.is_none(),
            arguments: arguments.to_vec(),
            runs,
            is_series,
            owns_stdout: general.output.is_none() && general.format == Format::Json,
            timeout: duration("--timeout", args.timeout)?,
            time: duration("--time", general.time)?,
            perturb: args.perturb,
            keeps_files: !args.no_files,
            stdin: stdin::of_file(is_series),
        })
    }

    fn given(&self) -> Given<'_> {
        let command = self.command.as_os_str().as_encoded_bytes();
        Given { command, arguments: &self.arguments, stdin: self.stdin.as_deref() }
    }

    fn command(&self, number: u64, spool: &Path) -> anyhow::Result<Command> {
        let mut command = Command::new(&self.command);
        command.args(&self.arguments).env(SPOOL_VARIABLE, spool);
        match self.perturb {
            Some(seed) => command.env(PERTURB_VARIABLE, seed.wrapping_add(number).to_string()),
            None => command.env_remove(PERTURB_VARIABLE),
        };
        match self.keeps_files {
            true => command.env_remove(FILES_VARIABLE),
            false => command.env(FILES_VARIABLE, "no"),
        };
        if self.owns_stdout {
            let stderr = std::io::stderr().as_fd().try_clone_to_owned().context("cannot use stderr")?;
            command.stdout(Stdio::from(stderr));
        }
        // Every run of a series reads a redirected file from its start; other inputs are consumed by the first run.
        if self.is_series
            && let Some(file) = stdin::reopened()
        {
            command.stdin(Stdio::from(file));
        }
        Ok(command)
    }
}

/// The initial inputs of a program.
struct Given<'a> {
    command: &'a [u8],
    arguments: &'a [String],
    stdin: Option<&'a [u8]>,
}

impl Given<'_> {
    /// The initial inputs in the form of a record.
    fn inputs(&self) -> Vec<run::Input> {
        let arguments = self.arguments.iter().map(|argument| argument.as_bytes());
        let buffers: Vec<Vec<u8>> = std::iter::once(self.command).chain(arguments).map(<[u8]>::to_vec).collect();
        let input = |name: &str, result: usize, buffers| run::Input {
            name: name.to_owned(),
            result: result as i64,
            buffers,
            unknown_at: None,
        };
        let stdin = self.stdin.map(|bytes| input(run::STDIN, bytes.len(), vec![bytes.to_vec()]));
        std::iter::once(input(run::ARGUMENTS, buffers.len(), buffers)).chain(stdin).collect()
    }

    /// A run with only these inputs.
    fn as_run(&self, module: &str) -> RecordedRun {
        let main = ThreadRecord { inputs: self.inputs(), ..ThreadRecord::new(ThreadName::main(), "main") };
        RecordedRun { module: module.to_owned(), threads: vec![main], end: run::ProcessEnd::Unknown, cut: None }
    }
}

/// Converts a spool into a run file.
fn keep(
    general: &General,
    plan: &Plan,
    store: &mut Store,
    spool: &Path,
    ended: &Ended,
    is_interrupted: bool,
) -> anyhow::Result<Option<Kept>> {
    let Some(run) = read(general, plan, spool, ended)? else { return Ok(None) };
    let mark = match run.end.is_failure() {
        true if is_interrupted && !ended.timed_out => Mark::Interrupted,
        true => Mark::Failed,
        false => Mark::Passed,
    };
    let bytes = run::write_run(&run);
    let file = store.keep(mark, &bytes)?;
    fs::remove_file(spool).with_context(|| format!("cannot remove {}", spool.display()))?;
    Ok(Some(Kept::new(&run, mark, file, bytes.len())))
}

/// The record in a spool, combined with the wait status; none, if there is no spool.
fn read(general: &General, plan: &Plan, spool: &Path, ended: &Ended) -> anyhow::Result<Option<RecordedRun>> {
    let bytes = match fs::read(spool) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            terminal::note(general, &format!("{} has recorded nothing in this run", plan.program.name));
            return Ok(None);
        }
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", spool.display())),
    };
    let read = match run::read_spool(&bytes, &plan.program.tables) {
        Ok(read) => read,
        Err(error) => {
            terminal::note(general, &format!("{error} ({} is kept)", spool.display()));
            return Ok(None);
        }
    };
    let mut run = read.run;
    // The wait status of a program that another one has started is unknown.
    if plan.is_program {
        if let Some(main) = run.threads.first_mut() {
            main.inputs.splice(0..0, plan.given().inputs());
        }
        run.end = ending::combine(run.end, ended.status, ended.timed_out);
    } else if ended.timed_out {
        run.end = run::ProcessEnd::Hang;
    }
    run.end = ending::with_place(run.end, || plan.program.place(read.end_address?));
    if let Some(cut) = &run.cut {
        terminal::note(general, &format!("the record ends before the program does: {}", cut_in_words(cut)));
    }
    Ok(Some(run))
}

fn cut_in_words(cut: &Cut) -> String {
    match cut {
        Cut::NoSpace => "the disk is full".to_owned(),
        Cut::NoMemory => "there was no more memory for it".to_owned(),
        Cut::Exec => "the process executed another program".to_owned(),
        Cut::Damaged(what) => what.clone(),
    }
}

fn progress(general: &General, runs: u64) -> Option<ProgressBar> {
    let style = ProgressStyle::with_template("{spinner} run {human_pos} of {human_len}, {msg} {elapsed}").ok()?;
    terminal::shows_progress(general).then(|| ProgressBar::new(runs).with_style(style))
}

/// Stdout belongs to the program, as without heddle; kept runs are reported on stderr. Only the JSON result uses
/// stdout.
fn deliver(general: &General, plan: &Plan, summary: &Summary<'_>) -> anyhow::Result<()> {
    match general.format {
        Format::Json => terminal::write_result(general.output.as_deref(), &summary.json()?),
        Format::Text | Format::Dot if general.output.is_some() => {
            terminal::write_result(general.output.as_deref(), &summary.text())
        }
        Format::Text | Format::Dot if plan.is_series => {
            stderr::say(&summary.text());
            Ok(())
        }
        Format::Text | Format::Dot => {
            if let Some(kept) = summary.kept.first() {
                terminal::note(general, &summary.of_one(kept));
            }
            Ok(())
        }
    }
}

/// A single run ends as the program did, as a shell would say it.
fn status(plan: &Plan, summary: &Summary<'_>, last: Option<ExitStatus>) -> ExitCode {
    match last {
        Some(status) if !plan.is_series => ExitCode::from(exit::status_code(status)),
        _ if summary.failed > 0 => exit::ExitStatus::Failure.into(),
        _ if summary.is_interrupted => exit::ExitStatus::Inconclusive.into(),
        _ => exit::ExitStatus::NothingFound.into(),
    }
}
