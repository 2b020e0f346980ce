//! The progress line.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::args::General;
use crate::supervise;
use crate::terminal;

const TICK: Duration = Duration::from_millis(60);

/// Ends with the check that it belongs to.
pub struct Watch {
    line: ProgressBar,
}

impl Watch {
    pub fn new(general: &General) -> Watch {
        Watch { line: line(general) }
    }

    pub fn say(&self, message: String) {
        supervise::stage(&message);
        self.line.set_message(message);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
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
