//! `heddle replay` of a schedule that belongs to traces.

use std::path::Path;
use std::time::Instant;

use report::{Circumstances, Command, Finding, PathBounds, Report, Stats, Target, Verdict};
use run::Schedule;

use super::folder::Selection;
use super::{path_files, peak_bytes, schedule};
use crate::args::{General, ReplayArgs};
use crate::exit::{ExitStatus, Problem};
use crate::pipeline;

/// The user is already where the traces are named from.
pub fn replay(general: &General, args: &ReplayArgs, schedule: &Schedule) -> anyhow::Result<ExitStatus> {
    let started = Instant::now();
    let belonging = schedule::belonging(&schedule.header)?;
    let selection = Selection::read(&schedule.header.sources, belonging.asserting.clone())?;
    check_fingerprint(&selection, schedule, &belonging, &args.schedule)?;
    let graph = selection.graph()?;
    let imported = started.elapsed().as_secs_f64();
    let file = args.schedule.display();
    let does_not_fit = |why: String| Problem::error(format!("{file} does not fit its traces: {why}"), "was it edited?");
    let execution = schedule::execution(&graph, schedule).map_err(does_not_fit)?;
    let mut outcome = None;
    for _ in 0..args.times {
        let next = events::replay(&graph, &execution, belonging.extent)
            .map_err(|violation| does_not_fit(violation.to_string()))?;
        if outcome.as_ref().is_some_and(|first| *first != next) {
            return Err(Problem::bug("two replays of one schedule differ"));
        }
        outcome = Some(next);
    }
    let Some(outcome) = outcome else { return Err(Problem::bug("nothing was replayed")) };
    let ended = schedule::outcome(&graph, &outcome.failed);
    if ended != schedule.header.outcome {
        return Err(Problem::error(
            format!("the replay ended with `{ended}`, but `{}` was recorded", schedule.header.outcome),
            "was the schedule edited?",
        ));
    }
    let circumstances = Circumstances {
        subject: belonging.subject.clone(),
        extent: belonging.extent,
        paths: path_files(&selection),
        context_switches_before: None,
        found: None,
    };
    let texts = selection.texts(&graph);
    let finding = Finding::of_graph(&graph, &execution, &outcome, &texts, circumstances).map(|mut finding| {
        finding.replayed = args.times;
        finding.schedule = Some((file.to_string(), pipeline::replay_command(&args.schedule)));
        finding
    });
    let verdict = if finding.is_some() { Verdict::Failure } else { Verdict::NoneFound };
    let mut stats = Stats {
        threads: graph.threads.len(),
        events: graph.events.len(),
        shared_accesses: report::shared_accesses(&graph),
        peak_bytes: peak_bytes(),
        ..Stats::default()
    };
    stats.seconds.import = imported;
    stats.seconds.total = started.elapsed().as_secs_f64();
    let bounds = PathBounds { runs: 1, paths: selection.files.len(), ..PathBounds::default() };
    let target = Target::Traces { folder: belonging.folder, bounds };
    pipeline::deliver(general, &Report { finding, stats, ..Report::new(Command::Replay, target, verdict) })?;
    Ok(ExitStatus::of_verdict(verdict))
}

fn check_fingerprint(
    selection: &Selection,
    schedule: &Schedule,
    belonging: &schedule::Belonging,
    file: &Path,
) -> anyhow::Result<()> {
    if schedule::fingerprint(selection) == schedule.header.fingerprint {
        return Ok(());
    }
    let now = schedule::contents(selection);
    let changed: Vec<&str> =
        now.iter().filter(|content| !belonging.contents.contains(content)).map(|(file, _)| file.as_str()).collect();
    let why = match changed.as_slice() {
        [] => "it names other files than it was made of".to_owned(),
        [one] => format!("{one} has changed"),
        [most @ .., last] => format!("{} and {last} have changed", most.join(", ")),
    };
    let asserting = belonging.asserting.as_ref().map_or(String::new(), |thread| format!(" --asserting {thread}"));
    let quoted = shlex::try_quote(&belonging.folder).map_or(belonging.folder.clone(), |quoted| quoted.into_owned());
    Err(Problem::error(
        format!("{} no longer fits the traces in {}: {why}", file.display(), belonging.folder),
        format!("look for the failure again: heddle explain {quoted}{asserting}"),
    ))
}
