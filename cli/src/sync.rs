//! `heddle sync`: home-made synchronisation in a program.

use std::path::Path;

use ::sync::{Problem as SyncProblem, Request};
use analysis::Budget;
use report::{Annotation, Synced};

use crate::args::{General, SyncArgs};
use crate::clashes;
use crate::exit::{ExitStatus, Problem};
use crate::files::{self, Limit};
use crate::load;
use crate::publisher::Publisher;
use crate::run;

pub fn sync(general: &General, args: &SyncArgs, budget: &Budget) -> anyhow::Result<ExitStatus> {
    let flags = run::flags(general, &args.program)?;
    let loaded = load::program(general, &args.program.files, &flags)?;
    let program_output = &args.surroundings.program_output;
    clashes::refuse_inputs(&clashes::named(general, &None, program_output), &loaded.files())?;
    let settings = run::settings(&args.surroundings, &loaded)?;
    let publisher = Publisher::new(general, None, &loaded.program.name, program_output.as_ref());
    let request = Request { threads: args.threads, pairs: args.pairs() };
    let (mut answer, problem) =
        publisher.work(budget, |context| ::sync::sync(&loaded, &settings, &request, context))?;
    if let Some(problem) = problem {
        let SyncProblem::NoSuchLine { .. } = problem;
        return Err(Problem::error(problem.to_string(), "name lines of the program that hold statements"));
    }
    if let (Some(_), Some(synced)) = (args.annotate, &mut answer.report.synced) {
        synced.annotation = Some(annotation(synced, &loaded.program.name)?);
    }
    publisher.deliver(answer)
}

/// Writes the patch with the annotations.
fn annotation(synced: &Synced, name: &str) -> anyhow::Result<Annotation> {
    let read = |file: &str| {
        let text = files::read_named(Path::new(file), Limit::Source).ok()?;
        String::from_utf8(text).ok()
    };
    let annotated = ::sync::annotate(synced, &read);
    let changes = annotated.files.iter().filter_map(|(file, new)| Some(repair::unified(file, &read(file)?, new)));
    let diff: String = changes.collect();
    let patch = match diff.is_empty() {
        true => None,
        false => Some(files::kept::keep(name, ".tsan.patch", &diff)?.file.display().to_string()),
    };
    Ok(Annotation { tool: "ThreadSanitizer", patch, diff, left_out: annotated.left_out })
}
