//! Publishes the answers of one command: writes their schedules, publishes early results, and delivers the final
//! answer.

use std::cell::{Cell, RefCell};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;

use analysis::{Answer, Budget, Context, Error, Observer, Progress, Refused};
use report::{Report, Target, TextOptions, Verdict};

use crate::args::{Format, General};
use crate::exit::{ExitStatus, Problem};
use crate::load;
use crate::progress_line::ProgressLine;
use crate::schedule_file::{self, Slot};
use crate::terminal;
use crate::worker;

pub struct Publisher<'a> {
    general: &'a General,
    /// The base name of schedules.
    name: &'a str,
    slot: RefCell<Slot<'a>>,
    program_output: Option<&'a PathBuf>,
    line: ProgressLine,
    /// Why an answer was refused.
    trouble: Cell<Option<anyhow::Error>>,
}

impl<'a> Publisher<'a> {
    /// Schedules are written to the requested file, or stored under a name.
    pub fn new(
        general: &'a General,
        wanted: Option<&'a Path>,
        name: &'a str,
        program_output: Option<&'a PathBuf>,
    ) -> Publisher<'a> {
        Publisher {
            general,
            name,
            slot: RefCell::new(Slot::new(wanted, name)),
            program_output,
            line: ProgressLine::new(general),
            trouble: Cell::new(None),
        }
    }

    /// Runs a use case with this publisher as its observer.
    pub fn work<T>(&self, budget: &Budget, work: impl FnOnce(&Context<'_>) -> Result<T, Error>) -> anyhow::Result<T> {
        let general = self.general;
        let jobs = general.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
        let context = Context { budget, observer: self, seed: general.seed, jobs, all_unsupported: general.verbose };
        let result = work(&context);
        self.line.clear();
        result.map_err(|error| match (error, self.trouble.take()) {
            (Error::Refused, Some(trouble)) => trouble,
            (error, _) => error.into(),
        })
    }

    /// Writes and prints the final answer. Returns its exit status.
    pub fn deliver(self, answer: Answer) -> anyhow::Result<ExitStatus> {
        let Answer { report, schedule, others, output } = answer;
        let report = self.written(report, schedule.as_deref(), &others)?;
        if let Some(output) = output {
            terminal::show_program_output(self.general, self.program_output, &output)?;
        }
        deliver(self.general, &report)?;
        conclude(&report)
    }

    /// The report, with the names of the files that its schedules were written to.
    fn written(
        &self,
        mut report: Report,
        schedule: Option<&str>,
        others: &[(usize, String)],
    ) -> anyhow::Result<Report> {
        if let Some(text) = schedule {
            let file = self.slot.borrow_mut().put(text)?;
            if let Some(finding) = &mut report.finding {
                finding.schedule = Some((file.display().to_string(), replay_command(&file)));
            }
        }
        for (position, text) in others {
            let file = schedule_file::write(None, self.name, text)?;
            if let Some(synced) = &mut report.synced {
                if let Some(broken) = synced.syncs.get_mut(*position).and_then(|sync| sync.broken.as_mut()) {
                    broken.schedule = Some((file.display().to_string(), replay_command(&file)));
                }
                continue;
            }
            if let Some(count) = report.counts.get_mut(*position) {
                count.schedule = Some(file.display().to_string());
            }
        }
        if matches!(report.target, Target::Traces { .. }) {
            report.stats.peak_bytes = peak_bytes();
        }
        Ok(report)
    }
}

impl Observer for Publisher<'_> {
    fn stage(&self, stage: &str) {
        worker::stage(stage);
        self.line.stage(stage);
    }

    fn progress(&self, progress: Progress) {
        self.line.progress(progress);
    }

    fn note(&self, text: &str) {
        self.line.clear();
        terminal::note(self.general, text);
    }

    fn detail(&self, text: &str) {
        self.line.clear();
        terminal::detail(self.general, text);
    }

    fn established(&self, answer: &Answer) -> Result<(), Refused> {
        match self.written(answer.report.clone(), answer.schedule.as_deref(), &answer.others) {
            Ok(report) => {
                let_stand(self.general, &report);
                Ok(())
            }
            Err(error) => {
                self.trouble.set(Some(error));
                Err(Refused)
            }
        }
    }
}

/// The command that replays a schedule, for copying into a shell.
pub fn replay_command(schedule: &Path) -> String {
    let file = schedule.display().to_string();
    let quoted = shlex::try_quote(&file).map_or(file.clone(), |quoted| quoted.into_owned());
    format!("heddle replay {quoted}")
}

/// Writes the report to its destination.
fn deliver(general: &General, report: &Report) -> anyhow::Result<()> {
    // The supervisor may kill a worker that exits slowly: the status has to be correct already.
    let status = conclude(report).unwrap_or(ExitStatus::Error);
    terminal::answer(status, general.output.as_deref(), &rendered(general, report))?;
    if report.finding.as_ref().is_some_and(|finding| finding.condition == vm::UNREACHABLE) {
        let what = "the end of a C++ function that does not return its value is such code";
        terminal::note(
            general,
            &format!("{what}; with -fno-strict-return the run continues there, as it may natively"),
        );
    }
    Ok(())
}

/// Publishes the report as the answer in case the work is cut off.
fn let_stand(general: &General, report: &Report) {
    worker::standing(ExitStatus::of_verdict(report.verdict), general.output.as_deref(), |stopped| {
        rendered(general, &report.stopped_by(stopped))
    });
}

fn rendered(general: &General, report: &Report) -> String {
    let color = terminal::colors_result(general);
    let options = TextOptions { verbose: general.verbose, quiet: general.quiet, color, source_line: &source_line };
    let text = || report::text::render(report, &options);
    match general.format {
        Format::Json => report::json::render(report),
        Format::Dot => report::dot::render(report).unwrap_or_else(text),
        Format::Text => text(),
    }
}

fn source_line(file: &str, line: u32) -> Option<String> {
    let bytes = load::read_source(file)?;
    let line = bytes.split(|byte| *byte == b'\n').nth(line.checked_sub(1)? as usize)?;
    Some(String::from_utf8_lossy(line).into_owned())
}

/// The status of an answer. A reached unsupported construct is an error if it left the answer open.
fn conclude(report: &Report) -> anyhow::Result<ExitStatus> {
    match report.unsupported.iter().find(|unsupported| unsupported.reached) {
        Some(unsupported) if report.verdict == Verdict::Inconclusive => Err(unsupported_reached(unsupported)),
        _ => Ok(ExitStatus::of_verdict(report.verdict)),
    }
}

fn unsupported_reached(unsupported: &report::Unsupported) -> anyhow::Error {
    let function = unsupported.function.as_ref().map_or(String::new(), |function| format!(" in {function}"));
    let place = unsupported.at.as_ref().map_or(String::new(), |place| format!(" at {}:{}", place.file, place.line));
    let what = &unsupported.what;
    Problem::error(
        format!("the program reached a construct that heddle does not support{function}{place}: {what}"),
        unsupported_help(what),
    )
}

fn unsupported_help(what: &str) -> String {
    let all = "-v lists all such places in the program; unreachable ones do no harm";
    if what.starts_with("OpenMP") {
        return "threads of pthread.h, threads.h and the C++ library are supported; without -fopenmp the pragmas have no effect"
            .to_owned();
    }
    match what.strip_prefix("no model for the function ") {
        Some(function) => {
            format!("define {function} in a file of your own and add it to the command line; {all}")
        }
        None => all.to_owned(),
    }
}

/// The peak memory of this process, where the system reports it.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string(Path::new("/proc/self/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
