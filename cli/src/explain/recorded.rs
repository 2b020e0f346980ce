//! A run that was recorded natively: its file, and the module beside it.

use std::path::Path;

use analysis::explain::{OfRecorded, recorded, recorded_settings, unrecorded_readers};
use analysis::{Budget, Settings};
use report::Command;
use run::RecordedRun;

use super::request;
use crate::args::{ExplainArgs, Format, General};
use crate::exit::{ExitStatus, Problem};
use crate::publisher::Publisher;
use crate::recorded_run;
use crate::repair;
use crate::run as runs;
use crate::terminal;

pub fn explain(general: &General, args: &ExplainArgs, file: &Path, budget: &Budget) -> anyhow::Result<ExitStatus> {
    let run = recorded_run::read(general, file)?;
    if !run.end.is_failure() {
        return Err(Problem::error(
            format!("{} has not failed", file.display()),
            "`heddle record --until-failure -- COMMAND` runs it until it fails; --perturb SEED makes failures likelier",
        ));
    }
    let loaded = recorded_run::load(general, file, &run)?;
    let settings = recorded_settings(runs::settings(&args.surroundings, &loaded)?, &run);
    let name = file.file_name().and_then(|name| name.to_str()).and_then(|name| name.split('.').next());
    let output = args.surroundings.program_output.as_ref();
    let publisher = Publisher::new(general, args.schedule.as_deref(), name.unwrap_or("run"), output);
    let title = file.display().to_string();
    let subject = args.repair.then(|| repair::recorded_subject(general, args, file)).transpose()?;
    let part = match (&subject, budget.left()) {
        (Some(_), Some(left)) => budget.within(left / 2),
        _ => budget.clone(),
    };
    let told = publisher.work(&part, |context| recorded(&title, &run, &loaded, &settings, &request(args), context))?;
    match told {
        OfRecorded::Explained(answer) => {
            let answer = match &subject {
                Some(subject) => repair::with_patch(subject, *answer, &publisher, budget)?,
                None => *answer,
            };
            return publisher.deliver(answer);
        }
        OfRecorded::Unexplained(why) => {
            let text = match general.format {
                Format::Json => report::json::unexplained(&why),
                _ => report::text::unexplained(&why),
            };
            terminal::answer(ExitStatus::Inconclusive, general.output.as_deref(), &text)?;
        }
        OfRecorded::NotFound(stopped) => {
            let what =
                "no interleaving found that reproduces the recorded failure; this does not prove that none exists";
            terminal::note(general, &format!("{title}: {what}"));
            if general.format == Format::Json {
                let reached = "looking for an order of the recorded paths";
                let text = report::json::nothing_established(Command::Explain.name(), stopped, reached);
                terminal::answer(ExitStatus::Inconclusive, general.output.as_deref(), &text)?;
            }
        }
    }
    ask_for_input(general, &run, &settings);
    Ok(ExitStatus::Inconclusive)
}

/// Asks for input that the program read and that was not recorded.
fn ask_for_input(general: &General, run: &RecordedRun, settings: &Settings) {
    let asked = unrecorded_readers(run, settings);
    if !asked.is_empty() {
        let what = "the program read input that was not recorded, with";
        let how = "provide the same input: heddle explain RUN < FILE, with its files in their places";
        terminal::note(general, &format!("{what} {}; {how}", asked.join(", ")));
    }
}
