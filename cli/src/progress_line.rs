//! The progress line on stderr.

use std::cell::RefCell;
use std::time::Duration;

use analysis::Progress;
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::General;
use crate::terminal;

/// The interval of the spinner.
const TICK: Duration = Duration::from_millis(120);

/// The form of the line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    Stage,
    Runs { of: Option<u64> },
    Exploration,
}

/// A line that shows the present stage, or its counts. It is removed on drop.
pub struct ProgressLine {
    is_shown: bool,
    bar: RefCell<Option<(Look, ProgressBar)>>,
}

impl ProgressLine {
    pub fn new(general: &General) -> ProgressLine {
        ProgressLine { is_shown: terminal::shows_progress(general), bar: RefCell::new(None) }
    }

    pub fn stage(&self, stage: &str) {
        self.show(Look::Stage, |bar| bar.set_message(stage.to_owned()));
    }

    pub fn progress(&self, progress: Progress) {
        match progress {
            Progress::Runs { made, of, explored } => self.show(Look::Runs { of }, |bar| {
                bar.set_position(made);
                if explored > 0 {
                    bar.set_message(format!("{explored} executions explored"));
                }
            }),
            Progress::Exploration { executions, share } => self.show(Look::Exploration, |bar| {
                bar.set_position((share * 1000.0) as u64);
                bar.set_message(format!("{executions} executions"));
            }),
        }
    }

    fn show(&self, look: Look, update: impl FnOnce(&ProgressBar)) {
        if !self.is_shown {
            return;
        }
        let mut bar = self.bar.borrow_mut();
        if let Some((_, old)) = bar.take_if(|(old, _)| *old != look) {
            old.finish_and_clear();
        }
        let (_, bar) = bar.get_or_insert_with(|| (look, new_bar(look)));
        update(bar);
    }

    /// Removes the line, so that other text can be printed.
    pub fn clear(&self) {
        if let Some((_, bar)) = self.bar.borrow_mut().take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}

fn new_bar(look: Look) -> ProgressBar {
    let (bar, template) = match look {
        Look::Stage => (ProgressBar::new_spinner(), "{spinner} {elapsed} {msg}"),
        Look::Runs { of: Some(runs) } => {
            (ProgressBar::new(runs), "{spinner} {pos} of {len} runs, {per_sec}, {elapsed}")
        }
        Look::Runs { of: None } => (ProgressBar::no_length(), "{spinner} {pos} runs {msg}, {elapsed}"),
        Look::Exploration => (ProgressBar::new(1000), "{spinner} {msg}, about {percent} %, {elapsed}"),
    };
    if look == Look::Stage {
        bar.enable_steady_tick(TICK);
    }
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
