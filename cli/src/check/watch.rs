//! The progress line, and Ctrl-C for the solver.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::args::General;
use crate::search;
use crate::terminal;

const TICK: Duration = Duration::from_millis(60);

/// Ends with the check that it belongs to.
pub struct Watch {
    /// Becomes true when the user wants the result so far.
    pub stop: Arc<AtomicBool>,
    over: Arc<AtomicBool>,
    line: ProgressBar,
}

impl Watch {
    pub fn new(general: &General) -> Watch {
        let (stop, over) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (asked, ended) = (Arc::clone(&stop), Arc::clone(&over));
        thread::spawn(move || {
            while !ended.load(Ordering::Relaxed) {
                if search::is_interrupted() {
                    asked.store(true, Ordering::Relaxed);
                }
                thread::sleep(TICK);
            }
        });
        Watch { stop, over, line: line(general) }
    }

    pub fn say(&self, message: String) {
        self.line.set_message(message);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        self.line.finish_and_clear();
    }
}

fn line(general: &General) -> ProgressBar {
    if !terminal::shows_progress(general) {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(2 * TICK);
    match ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
