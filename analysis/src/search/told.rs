//! The report of a search.

use report::{Bounds, Caveats, Command, Range, Report, Search, Stats, Stopped, Target, Timing, Verdict};

use crate::answer::Answer;
use crate::caveats;
use crate::context::Context;
use crate::error::Error;
use crate::program::{self, Loaded, Settings, joined};
use crate::schedule;
use crate::search::{Plan, Searched};

/// Replays every failure, and reports the first. The search took `seconds`.
pub fn told(
    loaded: &Loaded,
    settings: &Settings,
    plan: &Plan,
    context: &Context<'_>,
    mut searched: Searched,
    seconds: f64,
) -> Result<Answer, Error> {
    let (mut finding, mut text) = (None, None);
    if let Some(candidate) = searched.failing.take() {
        let schedule = schedule::schedule_of(loaded, settings, &candidate);
        let replayed = schedule::confirm(loaded, settings, &schedule, &candidate.failure)?;
        text = Some(schedule::text_of(loaded, schedule, &replayed)?);
        finding = program::finding(loaded, settings, &replayed).map(|mut finding| {
            finding.found = Some(candidate.found);
            finding.replayed = 1;
            finding
        });
        searched.tried.threads = searched.tried.threads.max(replayed.threads);
        searched.outputs.passing = Some(joined(&replayed.output));
    }
    let mut others = Vec::new();
    for (position, candidate) in (1..searched.counts.len()).zip(&searched.others) {
        let schedule = schedule::schedule_of(loaded, settings, candidate);
        let replayed = schedule::confirm(loaded, settings, &schedule, &candidate.failure)?;
        others.push((position, schedule::text_of(loaded, schedule, &replayed)?));
    }
    let events = finding.as_ref().map_or(0, |finding| finding.events.len());
    let total = context.budget.started.elapsed().as_secs_f64();
    let seconds = Timing { frontend: loaded.seconds, search: seconds, total, ..Timing::default() };
    let stats =
        Stats { threads: searched.tried.threads, events, steps: searched.tried.steps, seconds, ..Stats::default() };
    let verdict = match &finding {
        Some(_) => Verdict::Failure,
        None if is_inconclusive(settings, plan, &searched) => Verdict::Inconclusive,
        None => Verdict::NoneFound,
    };
    let target = Target::Program { name: loaded.title(), bounds: bounds(settings, plan, context, &searched) };
    let report = Report {
        finding,
        counts: if plan.keep_going { std::mem::take(&mut searched.counts) } else { Vec::new() },
        unsupported: loaded.unsupported(&searched.unsupported, context.all_unsupported),
        caveats: caveats(loaded, settings, &mut searched, verdict),
        stats,
        ..Report::new(Command::Run, target, verdict)
    };
    Ok(Answer { report, schedule: text, others, output: searched.output() })
}

/// For a search without failure: whether the requested bounds were not reached. A limit set by the user is no such
/// case.
fn is_inconclusive(settings: &Settings, plan: &Plan, searched: &Searched) -> bool {
    let promised = match plan.search {
        Search::Exhaustive { .. } => searched.stopped.is_some() || (searched.tried.cut > 0 && settings.steps.is_none()),
        _ => match searched.stopped {
            Some(Stopped::Interrupted | Stopped::Memory | Stopped::Crashed) => true,
            Some(_) => plan.runs.is_some(),
            None => false,
        },
    };
    promised || !searched.has_ended() || !searched.unsupported.is_empty()
}

/// The bounds of the search.
pub fn bounds(settings: &Settings, plan: &Plan, context: &Context<'_>, searched: &Searched) -> Bounds {
    let last = context.seed.wrapping_add(searched.tried.seeded.saturating_sub(1));
    let search = match plan.search.clone() {
        Search::Portfolio { .. } => Search::Portfolio { explored: searched.tried.explored },
        other => other,
    };
    Bounds {
        complete: searched.complete,
        executions: searched.tried.executions,
        undisturbed: searched.tried.undisturbed,
        seeds: (searched.tried.seeded > 0).then_some(Range { first: context.seed, last }),
        cut: searched.tried.cut,
        excluded: searched.tried.excluded,
        stopped: searched.stopped,
        states: searched.tried.states,
        left_out: searched.left_out.clone(),
        ..Bounds::new(search, settings.options(false).step_limit)
    }
}

/// The limits of the verdict.
pub fn caveats(loaded: &Loaded, settings: &Settings, searched: &mut Searched, verdict: Verdict) -> Caveats {
    let passes = verdict == Verdict::NoneFound;
    Caveats {
        unasked: std::mem::take(&mut searched.unasked),
        one_run: searched.one_run,
        ..caveats::caveats(loaded, settings, passes)
    }
}
