//! The parent of the process that does the work.
//!
//! Compilers and solvers can crash, exceed their time and take all memory. So the work is done in a worker: the same
//! binary, under a memory limit. It streams established results through a pipe ([`frame`]). The parent writes the
//! answer. When the worker is late, too large, interrupted or dead, the parent answers with the established results,
//! and reports the reason.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus as ProcessStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use report::Stopped;
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::args::Format;
use crate::exit::ExitStatus;
use crate::files;
use crate::stderr;
use crate::terminal;
use crate::worker::frame::{Frame, Standing};
use crate::worker::{Orders, REFUSED, memory, resident};

/// The interval between two checks of the worker's memory and of the clock.
const LOOK: Duration = Duration::from_millis(10);

/// How long an interrupted worker may take to answer itself.
const GRACE: Duration = Duration::from_secs(1);

/// The time for a worker that has answered to exit.
const FAREWELL: Duration = Duration::from_secs(1);

/// A worker that dies with so large a part of its memory was probably refused more.
const NEARLY: f64 = 0.7;

/// A command that is executed by a worker.
pub struct Supervised<'a> {
    /// The user's name of the command.
    pub command: &'a str,
    pub arguments: &'a [OsString],
    pub started: Instant,
    pub time: Option<Duration>,
    pub memory: u64,
    pub format: Format,
    pub output: Option<&'a Path>,
}

/// Executes the command in a worker, and answers.
pub fn supervise(supervised: &Supervised<'_>) -> anyhow::Result<ExitStatus> {
    let interrupts = listen().context("cannot listen for signals")?;
    let mut child = supervised.start().context("cannot start the process that does the work")?;
    let frames = read_frames(&mut child)?;
    let mut watch = Watch { supervised, child, frames, interrupts, known: Known::default() };
    let end = watch.until_the_end()?;
    watch.conclude(end)
}

/// Receives signals that request the end.
fn listen() -> io::Result<Receiver<i32>> {
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || signals.forever().take_while(|&signal| sender.send(signal).is_ok()).for_each(drop));
    Ok(receiver)
}

fn read_frames(child: &mut Child) -> anyhow::Result<Receiver<Frame>> {
    let mut pipe = io::BufReader::new(child.stdout.take().context("the worker has no stdout")?);
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        while let Some(frame) = Frame::read(&mut pipe) {
            if sender.send(frame).is_err() {
                return;
            }
        }
    });
    Ok(receiver)
}

impl Supervised<'_> {
    fn start(&self) -> io::Result<Child> {
        let orders = Orders {
            time: self.time.map(|time| time.saturating_sub(self.started.elapsed())),
            memory: self.memory,
            terminal: terminal::stdout_is_terminal(),
        };
        // The executable of this process, even if its path was replaced.
        let mut command = Command::new("/proc/self/exe");
        command.args(orders.arguments()).args(self.arguments).stdout(Stdio::piped()).spawn()
    }

    /// The time at which the worker is killed. Its own stages end at the deadline; the rest of the tolerance is for
    /// answering.
    fn deadline(&self) -> Option<Instant> {
        let time = self.time?;
        let allowance = Duration::from_secs(1).max(time / 10);
        self.started.checked_add(time + allowance.mul_f64(0.6))
    }
}

/// The messages of the worker so far.
#[derive(Default)]
struct Known {
    stage: Option<String>,
    standing: Option<Standing>,
    answer: Option<(ExitStatus, Option<std::path::PathBuf>, String)>,
    /// The largest observed share of the memory limit.
    share: f64,
}

/// How the work ended.
enum End {
    /// The worker has ended.
    Ended(ProcessStatus),
    /// It was ended from here.
    Cut(Stopped),
    /// The user insists.
    Abandoned,
}

struct Watch<'a> {
    supervised: &'a Supervised<'a>,
    child: Child,
    frames: Receiver<Frame>,
    interrupts: Receiver<i32>,
    known: Known,
}

impl Watch<'_> {
    fn until_the_end(&mut self) -> anyhow::Result<End> {
        let mut deadline = self.supervised.deadline().map(|deadline| (deadline, Stopped::Time));
        let sooner = |deadline: &mut Option<(Instant, Stopped)>, at: Instant, why| {
            if deadline.is_none_or(|(known, _)| at < known) {
                *deadline = Some((at, why));
            }
        };
        let mut is_interrupted = false;
        loop {
            match self.frames.recv_timeout(LOOK) {
                Ok(frame) => {
                    self.take(frame)?;
                    if self.known.answer.is_some() {
                        let at = Instant::now() + FAREWELL;
                        sooner(&mut deadline, at, Stopped::Time);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                // The pipe is closed when the worker ends, and it has no other reason to close it.
                Err(RecvTimeoutError::Disconnected) => return Ok(End::Ended(self.child.wait()?)),
            }
            if self.interrupts.try_recv().is_ok() {
                if is_interrupted {
                    self.kill();
                    return Ok(End::Abandoned);
                }
                is_interrupted = true;
                self.pass_interrupt_on();
                sooner(&mut deadline, Instant::now() + GRACE, Stopped::Interrupted);
            }
            let late = deadline.filter(|(at, _)| Instant::now() >= *at).map(|(_, why)| why);
            let large = self.is_too_large().then_some(Stopped::Memory);
            if let Some(why) = late.or(large) {
                self.kill();
                return Ok(End::Cut(why));
            }
        }
    }

    fn take(&mut self, frame: Frame) -> anyhow::Result<()> {
        match frame {
            Frame::Stage(stage) => self.known.stage = Some(stage),
            Frame::Standing(standing) => self.known.standing = Some(standing),
            Frame::Answer { status, output, text } => self.known.answer = Some((status, output, text)),
            Frame::File { path, bytes } => files::write(&path, &bytes)?,
        }
        Ok(())
    }

    fn is_too_large(&mut self) -> bool {
        let family = memory::family(self.child.id());
        let all = family.into_iter().chain([std::process::id()]).map(resident).sum::<u64>();
        self.known.share = self.known.share.max(all as f64 / self.supervised.memory as f64);
        all > self.supervised.memory
    }

    /// The terminal sends its signals to the worker too, which does not mind a second one.
    fn pass_interrupt_on(&self) {
        let _ = kill(Pid::from_raw(self.child.id() as i32), Signal::SIGINT);
    }

    /// Kills the worker first, so that it starts no further processes.
    fn kill(&mut self) {
        let family = memory::family(self.child.id());
        let _ = self.child.kill();
        for &process in &family[1..] {
            let _ = kill(Pid::from_raw(process as i32), Signal::SIGKILL);
        }
        let _ = self.child.wait();
    }

    fn conclude(mut self, end: End) -> anyhow::Result<ExitStatus> {
        // Messages that were sent before the worker was killed count.
        while let Ok(frame) = self.frames.recv_timeout(LOOK) {
            self.take(frame)?;
        }
        if let Some((status, output, text)) = self.known.answer.take() {
            terminal::write_result(output.as_deref(), &text)?;
            return Ok(match end {
                End::Ended(status) => ExitStatus::of_process(status).unwrap_or(ExitStatus::Error),
                End::Cut(_) | End::Abandoned => status,
            });
        }
        match end {
            End::Abandoned => Ok(ExitStatus::Interrupted),
            End::Cut(why) => self.answer_with_what_stood(why),
            End::Ended(status) => self.after_death(status),
        }
    }

    /// The worker ended without an answer: it has reported an error, or it died.
    fn after_death(self, status: ProcessStatus) -> anyhow::Result<ExitStatus> {
        use std::os::unix::process::ExitStatusExt;
        if status.code() == Some(i32::from(REFUSED)) {
            return self.answer_with_what_stood(Stopped::Memory);
        }
        if let Some(signal) = status.signal() {
            // A signal of the terminal may reach a worker that does not handle it yet, or cannot end early.
            if [SIGINT, SIGTERM].contains(&signal) {
                return self.answer_with_what_stood(Stopped::Interrupted);
            }
            let aborted = [Signal::SIGABRT as i32, Signal::SIGKILL as i32].contains(&signal);
            if aborted && self.known.share >= NEARLY {
                return self.answer_with_what_stood(Stopped::Memory);
            }
            let name = Signal::try_from(signal).map_or("a signal", Signal::as_str);
            let stage = self.known.stage.as_deref().unwrap_or("at work");
            stderr::say(&format!(
                "error: heddle's worker process was killed by {name} ({stage}); this is a bug in heddle or in LLVM, not in your \
                 program\nhelp: please report it, with the program and the command line\n"
            ));
            return self.answer_with_what_stood(Stopped::Crashed);
        }
        match ExitStatus::of_process(status) {
            // It has reported an error, but a failure that was found before remains valid.
            Some(ExitStatus::Error) if self.known.standing.is_some() => self.answer_with_what_stood(Stopped::Crashed),
            Some(status) => Ok(status),
            None => self.answer_with_what_stood(Stopped::Crashed),
        }
    }

    fn answer_with_what_stood(self, why: Stopped) -> anyhow::Result<ExitStatus> {
        let position = Stopped::CUTS.iter().position(|cut| *cut == why).unwrap_or_default();
        if let Some(Standing { status, output, mut texts }) = self.known.standing {
            terminal::write_result(output.as_deref(), &std::mem::take(&mut texts[position]))?;
            let is_failure = status == ExitStatus::Failure;
            return Ok(if why == Stopped::Crashed && !is_failure { ExitStatus::Error } else { status });
        }
        let stage = self.known.stage.as_deref().unwrap_or("starting");
        let text = match self.supervised.format {
            Format::Json => report::json::nothing_established(self.supervised.command, why, stage),
            Format::Text | Format::Dot => {
                let (limit, help) = self.in_words(why);
                format!("inconclusive: {limit} ({stage})\n{help}")
            }
        };
        terminal::write_result(self.supervised.output, &text)?;
        Ok(if why == Stopped::Crashed { ExitStatus::Error } else { ExitStatus::Inconclusive })
    }

    fn in_words(&self, why: Stopped) -> (String, String) {
        let help = |option: &str| format!("  note  there are no partial results; {option} allows more\n");
        match why {
            Stopped::Time => (why.in_words().to_owned(), help("--time SECONDS")),
            Stopped::Memory => {
                let megabytes = self.supervised.memory >> 20;
                (format!("the memory limit of {megabytes} MiB was reached"), help("--memory SIZE"))
            }
            _ => (why.in_words().to_owned(), String::new()),
        }
    }
}
