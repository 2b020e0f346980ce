//! Native runs of one program until one fails; only that one is kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::program::Program;
use super::store::{Mark, Store};
use super::{Plan, child, ending, progress, read, stdin};
use crate::args::General;
use crate::exit::Problem;

/// The command, the number of runs and their options.
pub struct Attempts<'a> {
    /// A program built by `heddle cc`.
    pub program: &'a Path,
    pub arguments: &'a [String],
    /// Added to our own environment.
    pub variables: &'a [(String, String)],
    pub runs: u64,
    /// The time after which no more runs are started.
    pub time: Option<Duration>,
    /// A longer run counts as a hang.
    pub timeout: Duration,
    /// The seed of the perturbation: run number n uses this plus n.
    pub seed: u64,
    /// Where the program records while it runs.
    pub scratch: &'a Path,
    /// The folder for the failing run.
    pub out: &'a Path,
}

/// How the attempts went.
pub struct Attempted {
    pub runs: u64,
    pub failed: Option<FailedRun>,
}

/// A run that failed.
pub struct FailedRun {
    pub file: PathBuf,
    /// How it ended, in words.
    pub end: String,
}

impl Attempts<'_> {
    /// Their own output is not shown: the one that fails is run again in the machine, which shows it.
    pub fn until_failure(&self, general: &General) -> anyhow::Result<Attempted> {
        let started = Instant::now();
        let plan = self.plan()?;
        let scratch = Store::open(self.scratch, &plan.program.name)?;
        let bar = progress(general, plan.runs);
        let mut failed = None;
        let mut runs = 0;
        while failed.is_none() && runs < plan.runs && plan.time.is_none_or(|time| started.elapsed() < time) {
            let spool = scratch.spool();
            let mut command = plan.command(runs, &spool)?;
            command.envs(self.variables.iter().cloned()).stdout(Stdio::null()).stderr(Stdio::null());
            let ended = child::run(&mut command, &spool, plan.timeout)?;
            runs += 1;
            let Some(run) = read(general, &plan, &spool, &ended)? else {
                return Err(Problem::error(
                    format!("{} cannot be recorded", plan.program.name),
                    "`heddle record` shows its messages when it runs",
                ));
            };
            fs::remove_file(&spool).with_context(|| format!("cannot remove {}", spool.display()))?;
            if run.end.is_failure() {
                let mut kept = Store::open(self.out, &plan.program.name)?;
                kept.keep_program(&plan.program)?;
                let name = kept.keep(Mark::Failed, &run::write_run(&run))?;
                let file = name.file_name().map_or(name.clone(), |name| self.out.join(name));
                failed = Some(FailedRun { file, end: ending::in_words(&run.end) });
            }
            if let Some(bar) = &bar {
                bar.set_message("none failed");
                bar.inc(1);
            }
        }
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        Ok(Attempted { runs, failed })
    }

    fn plan(&self) -> anyhow::Result<Plan> {
        Ok(Plan {
            program: Program::read(self.program.to_owned(), false)?,
            command: std::path::absolute(self.program)?,
            is_program: true,
            arguments: self.arguments.to_vec(),
            runs: self.runs,
            is_series: true,
            owns_stdout: false,
            timeout: Some(self.timeout),
            time: self.time,
            perturb: Some(self.seed),
            keeps_files: true,
            stdin: stdin::of_file(true),
        })
    }
}
