//! The report of a search near recorded runs.

use std::collections::HashMap;

use report::{Bounds, Command, Report, Search, Stats, Target, Timing, Verdict};
use run::Schedule;

use crate::answer::Answer;
use crate::context::Context;
use crate::error::Error;
use crate::established::Established;
use crate::explain::program::Subject;
use crate::explore::Request;
use crate::program::{Loaded, Settings};
use crate::search::{self, Plan, Searched};

/// The results of a search.
pub struct Said {
    pub searched: Searched,
    pub explored: report::Explored,
    /// A passing order of the nearest run, if its paths differ from those of the failing execution.
    pub beside: Option<Schedule>,
}

pub fn tell(
    loaded: &Loaded,
    settings: &Settings,
    request: &Request,
    context: &Context<'_>,
    said: Said,
) -> Result<Answer, Error> {
    let Said { mut searched, explored, beside } = said;
    if searched.failing.is_some() {
        let plan =
            Plan { search: Search::Near, runs: Some(1), work: None, time: None, gives_up: false, keep_going: false };
        let subject =
            Subject { command: Command::Explore, loaded, settings, request: &request.explain, context, beside };
        let mut established = Established::new(Command::Explore, loaded, *context, None);
        let mut answer = subject.tell(&plan, searched, &mut established)?;
        answer.report.explored = Some(explored);
        return Ok(answer);
    }
    let verdict = match searched.stopped {
        _ if !searched.unsupported.is_empty() => Verdict::Inconclusive,
        Some(_) => Verdict::Inconclusive,
        None if explored.distinct == 0 && !searched.has_ended() => Verdict::Inconclusive,
        None => Verdict::NoneFound,
    };
    let total = context.budget.started.elapsed().as_secs_f64();
    let seconds = Timing { frontend: loaded.seconds, search: total - loaded.seconds, total, ..Timing::default() };
    let bounds = Bounds {
        executions: explored.runs,
        stopped: searched.stopped,
        ..Bounds::new(Search::Near, settings.options(false).step_limit)
    };
    let report = Report {
        unsupported: loaded.unsupported(&searched.unsupported, context.all_unsupported),
        caveats: search::caveats(loaded, settings, &mut searched, verdict),
        stats: Stats { threads: searched.tried.threads, steps: searched.tried.steps, seconds, ..Stats::default() },
        explored: Some(explored),
        ..Report::new(Command::Explore, Target::Program { name: loaded.title(), bounds }, verdict)
    };
    Ok(Answer { output: searched.output(), ..Answer::new(report) })
}

/// Combines the answers of two groups of runs. If both found failures, those of the second are listed after the
/// first's.
pub fn together(mut before: Answer, mut after: Answer) -> Answer {
    if before.report.finding.is_some() {
        add_failures(&mut before, after);
        return before;
    }
    let (Some(first), Some(second)) = (&before.report.explored, &mut after.report.explored) else { return after };
    second.skipped.extend(first.skipped.iter().cloned());
    second.runs += first.runs;
    second.distinct += first.distinct;
    second.tries += first.tries;
    second.decisions += first.decisions;
    if after.report.finding.is_some() {
        return after;
    }
    if before.report.verdict == Verdict::Inconclusive {
        after.report.verdict = Verdict::Inconclusive;
    }
    let stopped = match &before.report.target {
        Target::Program { bounds, .. } => bounds.stopped,
        _ => None,
    };
    if let Target::Program { bounds, .. } = &mut after.report.target {
        bounds.executions = second.runs;
        bounds.stopped = bounds.stopped.or(stopped);
    }
    for more in before.report.unsupported {
        if !after.report.unsupported.contains(&more) {
            after.report.unsupported.push(more);
        }
    }
    after
}

/// Adds the failures of another group that are not listed yet.
fn add_failures(answer: &mut Answer, more: Answer) {
    let mut schedules: HashMap<usize, String> = more.others.into_iter().collect();
    schedules.extend(more.schedule.map(|text| (0, text)));
    for (position, count) in more.report.counts.into_iter().enumerate() {
        if answer.report.counts.iter().any(|known| known.is_same(&count)) {
            continue;
        }
        if let Some(text) = schedules.remove(&position) {
            answer.others.push((answer.report.counts.len(), text));
        }
        answer.report.counts.push(count);
    }
    if let (Some(first), Some(second)) = (&mut answer.report.explored, more.report.explored) {
        first.runs += second.runs;
        first.distinct += second.distinct;
        first.tries += second.tries;
        first.stopped = first.stopped.or(second.stopped);
    }
}
