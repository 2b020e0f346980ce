//! A recorded program dies with the process that records it, and gets the signals that arrive while it starts.
//!
//! The kernel sends the signal when the *thread* that created the process ends, so programs are started by the main
//! thread. Descendants of the program are not covered, nor is a program that changes its user.

#![allow(unsafe_code)]

use std::os::unix::process::CommandExt;
use std::process::Command;

use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::{SigHandler, SigSet, Signal, signal};
use nix::unistd::{getpid, getppid};

/// Arranges that the command is killed when this process ends. `handled` are the signals that this process handles and
/// has blocked, `mask` is the previous mask.
pub fn arrange(command: &mut Command, handled: [Signal; 4], mask: SigSet) {
    let parent = getpid();
    let between = move || {
        set_pdeathsig(Signal::SIGKILL)?;
        // A parent that ended earlier would send no signal.
        if getppid() != parent {
            return Err(std::io::ErrorKind::Interrupted.into());
        }
        for number in handled {
            // SAFETY: the default action is no function of ours. Our handler would take the program's signals away.
            unsafe { signal(number, SigHandler::SigDfl) }?;
        }
        mask.thread_set_mask()?;
        Ok(())
    };
    // SAFETY: between fork and exec only functions may be called that are safe in signal handlers. These are system calls
    // or thin wrappers of them, and errors of these kinds take no memory.
    unsafe { command.pre_exec(between) };
}
