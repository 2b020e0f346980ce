//! One run of the command: it is started, gets its signals forwarded, and is ended after a time limit.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use anyhow::Context;
use nix::errno::Errno;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::siginfo::Cause;

use super::die_with_parent;

/// The time for a program that was asked to end to record its position, before it is killed.
const GRACE: Duration = Duration::from_secs(2);

/// Signals that are forwarded to the program.
const PASSED_ON: [Signal; 4] = [Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT, Signal::SIGTERM];

/// The lock is held while a signal is sent to the program, so that its process id cannot be reused meanwhile.
static RUNNING: Mutex<Running> = Mutex::new(Running { process: None, waiting: Vec::new() });

struct Running {
    /// The process that runs now.
    process: Option<Pid>,
    /// Signals that arrived while no process was running. The next one gets them.
    waiting: Vec<Signal>,
}

/// Whether the user interrupted the recording.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

pub struct Ended {
    pub status: ExitStatus,
    pub timed_out: bool,
}

/// From now on signals end the program and not this process, so the record is kept.
///
/// The terminal sends its signals to both processes. A signal to this process alone is forwarded.
pub fn pass_signals_on() -> anyhow::Result<()> {
    let mut signals =
        SignalsInfo::<WithOrigin>::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM]).context("cannot listen for signals")?;
    // The listening thread blocks the signals: those that arrive while a program starts are handled by the thread that
    // starts it.
    let blocked = Blocked::new()?;
    std::thread::spawn(move || {
        for origin in signals.forever() {
            if let Ok(signal) = Signal::try_from(origin.signal) {
                note(signal);
                pass_on(signal, matches!(origin.cause, Cause::Kernel));
            }
        }
    });
    drop(blocked);
    Ok(())
}

fn note(signal: Signal) {
    if signal != Signal::SIGQUIT {
        INTERRUPTED.store(true, Ordering::Relaxed);
    }
}

/// A program that runs has its own copy of the terminal's signals.
fn pass_on(signal: Signal, is_of_terminal: bool) {
    let Ok(mut running) = RUNNING.lock() else { return };
    match running.process {
        Some(_) if is_of_terminal => {}
        Some(process) => _ = kill(process, signal),
        None => running.waiting.push(signal),
    }
}

/// Sends a signal to the process that runs, if one does.
fn send(signal: Signal) {
    if let Ok(running) = RUNNING.lock()
        && let Some(process) = running.process
    {
        let _ = kill(process, signal);
    }
}

/// As long as this lives, the thread's signals wait.
struct Blocked {
    /// The previous mask.
    before: SigSet,
    /// The descriptor from which blocked signals can be read.
    waiting: SignalFd,
}

impl Blocked {
    fn new() -> anyhow::Result<Blocked> {
        let signals: SigSet = PASSED_ON.into_iter().collect();
        let waiting = SignalFd::with_flags(&signals, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)
            .context("cannot look at waiting signals")?;
        let before = signals.thread_swap_mask(SigmaskHow::SIG_BLOCK).context("cannot block signals")?;
        Ok(Blocked { before, waiting })
    }

    fn next(&self) -> Option<Signal> {
        let signal = self.waiting.read_signal().ok()??;
        Signal::try_from(i32::try_from(signal.ssi_signo).ok()?).ok()
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        let _ = self.before.thread_set_mask();
    }
}

/// Starts a command. Signals that arrive before `exec` would be lost, so they are sent to it afterwards. It is killed
/// with this process, so that `kill -9` leaves no program running.
fn start(command: &mut Command) -> anyhow::Result<(Child, Pid)> {
    let program = command.get_program().to_string_lossy().into_owned();
    let blocked = Blocked::new()?;
    die_with_parent::arrange(command, PASSED_ON, blocked.before);
    let child = command.spawn().with_context(|| format!("cannot run {program}"))?;
    let process = Pid::from_raw(i32::try_from(child.id()).context("not a process id")?);
    if let Ok(mut running) = RUNNING.lock() {
        running.process = Some(process);
        for signal in running.waiting.drain(..) {
            let _ = kill(process, signal);
        }
        while let Some(signal) = blocked.next() {
            note(signal);
            let _ = kill(process, signal);
        }
    }
    Ok((child, process))
}

/// Runs a command to its end.
pub fn run(command: &mut Command, spool: &Path, timeout: Option<Duration>) -> anyhow::Result<Ended> {
    let (child, process) = start(command)?;
    let Some(timeout) = timeout else {
        return Ok(Ended { status: reap(child, process)?, timed_out: false });
    };
    let (ended, has_ended) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let guard = scope.spawn(move || end_in_time(&has_ended, timeout, spool));
        let status = wait(process).and_then(|()| {
            drop(ended);
            reap(child, process)
        });
        let timed_out = guard.join().unwrap_or(false);
        Ok(Ended { status: status?, timed_out })
    })
}

/// Waits without reaping the process, so that its id is not reused.
fn wait(process: Pid) -> anyhow::Result<()> {
    loop {
        match waitid(Id::Pid(process), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT) {
            Ok(_) => return Ok(()),
            Err(Errno::EINTR) => {}
            Err(error) => return Err(error).context("cannot wait for the program"),
        }
    }
}

fn reap(mut child: Child, process: Pid) -> anyhow::Result<ExitStatus> {
    wait(process)?;
    if let Ok(mut running) = RUNNING.lock() {
        running.process = None;
    }
    child.wait().context("cannot wait for the program")
}

/// Whether the program had to be ended.
fn end_in_time(has_ended: &mpsc::Receiver<()>, timeout: Duration, spool: &Path) -> bool {
    if has_ended.recv_timeout(timeout) != Err(RecvTimeoutError::Timeout) {
        return false;
    }
    send(Signal::SIGQUIT);
    send_to_others(Signal::SIGQUIT, spool);
    if has_ended.recv_timeout(GRACE) == Err(RecvTimeoutError::Timeout) {
        send(Signal::SIGKILL);
    }
    // Processes started by a script would outlive it.
    send_to_others(Signal::SIGKILL, spool);
    true
}

/// Sends a signal to processes that the program has started.
fn send_to_others(signal: Signal, spool: &Path) {
    let running = RUNNING.lock().ok().and_then(|running| running.process);
    for process in recorded_processes(spool) {
        if running != Some(process) {
            let _ = kill(process, signal);
        }
    }
}

/// Whether a process records into this spool.
pub fn is_recording(spool: &Path) -> bool {
    !recorded_processes(spool).is_empty()
}

/// Processes that record are known by the name of the spool in their environment.
fn recorded_processes(spool: &Path) -> Vec<Pid> {
    let variable = [super::SPOOL_VARIABLE.as_bytes(), b"=", spool.as_os_str().as_encoded_bytes()].concat();
    let records = |process: fs::DirEntry| {
        let number = process.file_name().to_str()?.parse().ok()?;
        let environment = fs::read(process.path().join("environ")).ok()?;
        environment.split(|byte| *byte == 0).any(|one| one == variable).then(|| Pid::from_raw(number))
    };
    fs::read_dir("/proc").into_iter().flatten().filter_map(|process| records(process.ok()?)).collect()
}
