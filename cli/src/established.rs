//! A failure that was found and replayed, as an answer that stands while its cause is still looked for.

use report::{Bounds, Checked, Command, Found, Report, Search, Stats, Target, Timing, Verdict};
use run::Schedule;
use vm::Execution;

use crate::args::General;
use crate::budget::Budget;
use crate::caveats;
use crate::pipeline::{self, Loaded, Settings};
use crate::schedule_file::Slot;

/// An answer that may never be needed is made of the last events alone.
const EVENTS: usize = 2_000;

/// Where failures of one command are established.
pub struct Established<'a> {
    pub general: &'a General,
    pub command: Command,
    pub loaded: &'a Loaded,
    pub budget: &'a Budget,
    /// What checking says beside the failure.
    pub checked: Option<Checked>,
    pub slot: Slot<'a>,
    /// The first failure stays the one that is shown.
    pub is_made: bool,
}

impl Established<'_> {
    /// Writes the schedule of a failing run that was replayed, and lets it stand as the answer.
    pub fn failure(
        &mut self,
        found: Found,
        settings: &Settings,
        schedule: &Schedule,
        replayed: &Execution,
    ) -> anyhow::Result<()> {
        if std::mem::replace(&mut self.is_made, true) {
            return Ok(());
        }
        let text = pipeline::text_of(self.loaded, schedule.clone(), replayed)?;
        let file = self.slot.put(&text)?;
        let finding = pipeline::finding(self.loaded, settings, replayed).map(|mut finding| {
            finding.found = Some(found);
            finding.replayed = 1;
            finding.schedule = Some((file.display().to_string(), pipeline::replay_command(&file)));
            finding.events.drain(..finding.events.len().saturating_sub(EVENTS));
            finding
        });
        let events = replayed.events.len();
        let total = self.budget.started.elapsed().as_secs_f64();
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
        pipeline::let_stand(self.general, &report);
        Ok(())
    }
}
