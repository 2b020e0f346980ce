//! The parent's orders to its worker, as arguments.

use std::ffi::OsString;
use std::sync::OnceLock;
use std::time::Duration;

use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::unistd::{Pid, getppid};

use super::memory;

/// The argument that marks a worker.
const WORD: &str = "--worker-of";

/// The parent's orders to its worker, besides the user's own arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Orders {
    /// The remaining time.
    pub time: Option<Duration>,
    /// Bytes that all processes of the command may have together.
    pub memory: u64,
    /// Whether the parent's stdout is a terminal.
    pub terminal: bool,
}

impl Orders {
    /// The arguments that precede the user's.
    pub fn arguments(&self) -> Vec<OsString> {
        let time = self.time.map_or("-".to_owned(), |time| time.as_millis().to_string());
        let terminal = if self.terminal { "terminal" } else { "file" };
        let words = [WORD, &std::process::id().to_string(), &time, &self.memory.to_string(), terminal];
        words.map(OsString::from).to_vec()
    }
}

static PARENT: OnceLock<Orders> = OnceLock::new();

/// Removes the parent's orders from the arguments, if this process is a worker.
pub fn take_orders(arguments: &mut Vec<OsString>) {
    let Some(orders) = orders(arguments, getppid()) else { return };
    arguments.drain(1..6);
    // The answer is for the parent: without it the work is useless.
    let _ = prctl::set_pdeathsig(Signal::SIGKILL);
    memory::limit_this_process(orders.memory);
    let _ = PARENT.set(orders);
}

fn orders(arguments: &[OsString], parent: Pid) -> Option<Orders> {
    let words: Vec<&str> = arguments.get(1..6)?.iter().filter_map(|word| word.to_str()).collect();
    let &[WORD, process, time, memory, terminal] = words.as_slice() else { return None };
    if process.parse() != Ok(parent.as_raw()) {
        return None;
    }
    Some(Orders {
        time: time.parse().ok().map(Duration::from_millis),
        memory: memory.parse().ok()?,
        terminal: terminal == "terminal",
    })
}

/// Whether this process is a worker.
pub fn is_worker() -> bool {
    PARENT.get().is_some()
}

/// The parent's orders; `None` if this process answers itself.
pub fn orders_of_parent() -> Option<&'static Orders> {
    PARENT.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read_as_they_were_given() {
        let given = Orders { time: Some(Duration::from_millis(1500)), memory: 1 << 30, terminal: true };
        let mut arguments = vec![OsString::from("heddle")];
        arguments.extend(given.arguments());
        arguments.push("run".into());
        let own = Pid::this();
        assert_eq!(orders(&arguments, own), Some(given));
        // Another process did not order this.
        assert_eq!(orders(&arguments, Pid::from_raw(1)), None);
        assert_eq!(orders(&arguments[..4], own), None);
    }
}
