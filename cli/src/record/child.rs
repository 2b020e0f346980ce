//! One run of the command: it starts, is told about signals that were meant for it, is ended when it takes too long.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use anyhow::Context;
use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::siginfo::Cause;

/// How long a program that does not end may take to say where it is, before it is killed.
const GRACE: Duration = Duration::from_secs(2);

/// The process that runs now. Whoever sends it a signal holds the lock, so that it is never another one with its number.
static RUNNING: Mutex<Option<Pid>> = Mutex::new(None);

/// Whether the user does not want any more.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

pub struct Ended {
    pub status: ExitStatus,
    pub timed_out: bool,
}

/// From here on signals end the program and not us: what it has recorded is kept.
///
/// The terminal sends its signals to both of us. What was sent to us alone is passed on.
pub fn pass_signals_on() -> anyhow::Result<()> {
    let mut signals =
        SignalsInfo::<WithOrigin>::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM]).context("cannot listen for signals")?;
    std::thread::spawn(move || {
        for origin in signals.forever() {
            if origin.signal != SIGQUIT {
                INTERRUPTED.store(true, Ordering::Relaxed);
            }
            if !matches!(origin.cause, Cause::Kernel)
                && let Ok(signal) = Signal::try_from(origin.signal)
            {
                send(signal);
            }
        }
    });
    Ok(())
}

fn send(signal: Signal) {
    if let Ok(running) = RUNNING.lock()
        && let Some(process) = *running
    {
        let _ = kill(process, signal);
    }
}

/// Runs a command to its end.
pub fn run(command: &mut Command, spool: &Path, timeout: Option<Duration>) -> anyhow::Result<Ended> {
    let program = command.get_program().to_string_lossy().into_owned();
    let child = command.spawn().with_context(|| format!("cannot run {program}"))?;
    let process = Pid::from_raw(i32::try_from(child.id()).context("a process has no such number")?);
    if let Ok(mut running) = RUNNING.lock() {
        *running = Some(process);
    }
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

/// Waits without taking the process away: until then its number means nobody else.
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
        *running = None;
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
    // What a script has started outlives it otherwise.
    send_to_others(Signal::SIGKILL, spool);
    true
}

/// Processes that were started on the way are known by the name of the spool in their environment.
fn send_to_others(signal: Signal, spool: &Path) {
    let variable = [super::SPOOL_VARIABLE.as_bytes(), b"=", spool.as_os_str().as_encoded_bytes()].concat();
    let running = RUNNING.lock().map(|running| *running).unwrap_or_default();
    let Ok(processes) = fs::read_dir("/proc") else { return };
    for process in processes.filter_map(Result::ok) {
        let Some(number) = process.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let Ok(environment) = fs::read(process.path().join("environ")) else { continue };
        if environment.split(|byte| *byte == 0).any(|one| one == variable) && running != Some(Pid::from_raw(number)) {
            let _ = kill(Pid::from_raw(number), signal);
        }
    }
}
