//! Replays a schedule of a program.

use std::time::Instant;

use report::{Bounds, Command, Report, Search, Stats, Target, Timing, Unsupported, Verdict};
use vm::{Execution, Outcome};

use crate::answer::Answer;
use crate::error::{Error, ScheduleOf};
use crate::program::{self, Loaded, Settings, joined};
use crate::replay::Request;
use crate::schedule;

/// Replays a schedule of a program. `has_moved` says that the program's files have changed since the schedule was
/// written, so that places may have other lines.
pub fn program(loaded: &Loaded, settings: &Settings, request: &Request<'_>, has_moved: bool) -> Result<Answer, Error> {
    let replaying = Instant::now();
    let execution = replay_times(loaded, settings, request, has_moved)?;
    let seconds = Timing {
        frontend: loaded.seconds,
        search: replaying.elapsed().as_secs_f64(),
        total: request.started.elapsed().as_secs_f64(),
        ..Timing::default()
    };
    let report = report(loaded, settings, &execution, request.times, seconds);
    Ok(Answer { output: Some(joined(&execution.output)), ..Answer::new(report) })
}

/// The first execution, with events; checks that all others equal it and that it ends as recorded.
fn replay_times(
    loaded: &Loaded,
    settings: &Settings,
    request: &Request<'_>,
    has_moved: bool,
) -> Result<Execution, Error> {
    let &Request { name, schedule, times, .. } = request;
    let again = |events| {
        vm::replay(&loaded.code, &settings.options(events), schedule).map_err(|divergence| Error::Misfit {
            schedule: name.to_owned(),
            of: ScheduleOf::Program,
            why: divergence.to_string(),
        })
    };
    let first = again(true)?;
    let ended = schedule::outcome(&loaded.program, &first.outcome);
    if !is_same_outcome(&ended, &schedule.header.outcome, has_moved) {
        let recorded = schedule.header.outcome.clone();
        return Err(Error::EndsDifferently { of: ScheduleOf::Program, ended, recorded });
    }
    for _ in 1..times {
        let next = again(false)?;
        if next.outcome != first.outcome || next.output != first.output || next.steps != first.steps {
            return Err(Error::bug("two replays of one schedule differ"));
        }
    }
    Ok(first)
}

/// A program keeps its fingerprint when only comments move its lines; then the place may differ.
fn is_same_outcome(ended: &str, recorded: &str, moved: bool) -> bool {
    let without_place = |outcome: &str| {
        let mut words: Vec<String> = outcome.split(' ').map(str::to_owned).collect();
        if words.len() == 4 && words[2] == "thread" {
            words.remove(1);
        }
        words
    };
    ended == recorded || (moved && without_place(ended) == without_place(recorded))
}

fn report(loaded: &Loaded, settings: &Settings, execution: &Execution, times: u32, seconds: Timing) -> Report {
    let finding = program::finding(loaded, settings, execution).map(|mut finding| {
        finding.replayed = times;
        finding
    });
    let verdict = match &execution.outcome {
        Outcome::Failed(_) => Verdict::Failure,
        Outcome::Passed { .. } | Outcome::Unasked(_) => Verdict::NoneFound,
        Outcome::Unsupported { .. } | Outcome::StepLimit { .. } | Outcome::Excluded { .. } => Verdict::Inconclusive,
    };
    let bounds = Bounds {
        executions: u64::from(times),
        cut: u64::from(matches!(execution.outcome, Outcome::StepLimit { .. })),
        excluded: u64::from(matches!(execution.outcome, Outcome::Excluded { .. })),
        ..Bounds::new(Search::Replay, settings.options(false).step_limit)
    };
    let target = Target::Program { name: loaded.title(), bounds };
    Report {
        finding,
        unsupported: match &execution.outcome {
            Outcome::Unsupported { what, site } => vec![Unsupported::new(&loaded.program, what, site)],
            _ => Vec::new(),
        },
        stats: Stats {
            threads: execution.threads,
            events: execution.events.len(),
            steps: execution.steps * u64::from(times),
            seconds,
            ..Stats::default()
        },
        ..Report::new(Command::Replay, target, verdict)
    }
}
