//! Replays a schedule of traces on their graph.

use report::{Circumstances, Command, Finding, PathBounds, Report, Stats, Target, Verdict};
use run::Schedule;

use crate::answer::Answer;
use crate::error::{Error, ScheduleOf};
use crate::replay::Request;
use crate::schedule::traces::{self as schedules, Belonging};
use crate::trace_files::Selection;

/// Replays a schedule of traces. `selection` holds the files that its header names.
pub fn traces(selection: &Selection, belonging: Belonging, request: &Request<'_>) -> Result<Answer, Error> {
    let &Request { name, schedule, times, started } = request;
    check_fingerprint(name, selection, schedule, &belonging)?;
    let graph = selection.graph()?;
    let imported = started.elapsed().as_secs_f64();
    let does_not_fit = |why: String| Error::Misfit { schedule: name.to_owned(), of: ScheduleOf::Traces, why };
    let execution = schedules::execution(&graph, schedule).map_err(does_not_fit)?;
    let mut outcome = None;
    for _ in 0..times {
        let next = events::replay(&graph, &execution, belonging.extent)
            .map_err(|violation| does_not_fit(violation.to_string()))?;
        if outcome.as_ref().is_some_and(|first| *first != next) {
            return Err(Error::bug("two replays of one schedule differ"));
        }
        outcome = Some(next);
    }
    let Some(outcome) = outcome else { return Err(Error::bug("nothing was replayed")) };
    let ended = schedules::outcome(&graph, &outcome.failed);
    if ended != schedule.header.outcome {
        let recorded = schedule.header.outcome.clone();
        return Err(Error::EndsDifferently { of: ScheduleOf::Traces, ended, recorded });
    }
    let circumstances = Circumstances {
        subject: belonging.subject.clone(),
        extent: belonging.extent,
        paths: selection.paths(),
        context_switches_before: None,
        found: None,
    };
    let texts = selection.texts(&graph);
    let finding = Finding::of_graph(&graph, &execution, &outcome, &texts, circumstances).map(|mut finding| {
        finding.replayed = times;
        finding
    });
    let verdict = if finding.is_some() { Verdict::Failure } else { Verdict::NoneFound };
    let mut stats = Stats {
        threads: graph.threads.len(),
        events: graph.events.len(),
        shared_accesses: report::shared_accesses(&graph),
        ..Stats::default()
    };
    stats.seconds.import = imported;
    stats.seconds.total = started.elapsed().as_secs_f64();
    let bounds = PathBounds { runs: 1, paths: selection.files.len(), ..PathBounds::default() };
    let target = Target::Traces { folder: belonging.folder, bounds };
    Ok(Answer::new(Report { finding, stats, ..Report::new(Command::Replay, target, verdict) }))
}

fn check_fingerprint(
    name: &str,
    selection: &Selection,
    schedule: &Schedule,
    belonging: &Belonging,
) -> Result<(), Error> {
    if schedules::fingerprint(selection) == schedule.header.fingerprint {
        return Ok(());
    }
    let now = schedules::contents(selection);
    let changed: Vec<&str> =
        now.iter().filter(|content| !belonging.contents.contains(content)).map(|(file, _)| file.as_str()).collect();
    let why = match changed.as_slice() {
        [] => "it names files other than those it was made from".to_owned(),
        [one] => format!("{one} has changed"),
        [most @ .., last] => format!("{} and {last} have changed", most.join(", ")),
    };
    let (folder, asserting) = (belonging.folder.clone(), belonging.asserting.clone());
    Err(Error::ChangedTraces { schedule: name.to_owned(), folder, asserting, why })
}
