//! A failure that was found and replayed, as an answer that remains valid while its cause is computed.

use report::{Bounds, Checked, Command, Found, Report, Search, Stats, Target, Timing, Verdict};
use run::Schedule;
use vm::Execution;

use crate::answer::Answer;
use crate::caveats;
use crate::context::Context;
use crate::error::Error;
use crate::program::{self, Loaded, Settings};
use crate::schedule;

/// The number of events in an early answer, which may never be needed.
const EVENTS: usize = 2_000;

/// Where the failures of one use case are established.
pub(crate) struct Established<'a> {
    command: Command,
    loaded: &'a Loaded,
    context: Context<'a>,
    /// The results of checking beside the failure.
    checked: Option<Checked>,
    /// The first failure stays the one that is shown.
    is_made: bool,
}

impl<'a> Established<'a> {
    pub fn new(
        command: Command,
        loaded: &'a Loaded,
        context: Context<'a>,
        checked: Option<Checked>,
    ) -> Established<'a> {
        Established { command, loaded, context, checked, is_made: false }
    }

    /// Publishes the first replayed failing run. `settings` are those of the run.
    pub fn failure(
        &mut self,
        found: Found,
        settings: &Settings,
        schedule: &Schedule,
        replayed: &Execution,
    ) -> Result<(), Error> {
        if std::mem::replace(&mut self.is_made, true) {
            return Ok(());
        }
        let text = schedule::text_of(self.loaded, schedule.clone(), replayed)?;
        let finding = program::finding(self.loaded, settings, replayed).map(|mut finding| {
            finding.found = Some(found);
            finding.replayed = 1;
            finding.events.drain(..finding.events.len().saturating_sub(EVENTS));
            finding
        });
        let events = replayed.events.len();
        let total = self.context.budget.started.elapsed().as_secs_f64();
        let search = total - self.loaded.seconds;
        let seconds = Timing { frontend: self.loaded.seconds, search, total, ..Timing::default() };
        let search = if self.checked.is_some() { Search::Bounded } else { Search::Replay };
        let bounds = Bounds { executions: 1, ..Bounds::new(search, settings.options(false).step_limit) };
        let target = Target::Program { name: self.loaded.title(), bounds };
        let report = Report {
            finding,
            checked: self.checked.clone(),
            caveats: caveats::caveats(self.loaded, settings, false),
            stats: Stats { threads: replayed.threads, events, steps: replayed.steps, seconds, ..Stats::default() },
            ..Report::new(self.command, target, Verdict::Failure)
        };
        let answer = Answer { schedule: Some(text), ..Answer::new(report) };
        self.context.observer.established(&answer).map_err(|_| Error::Refused)
    }
}
