//! `heddle explain`: why a program fails, one that can be run, one of which a native run was recorded (`recorded`), or one of
//! which traces were recorded.

mod recorded;
mod native;

use std::path::Path;

use analysis::Budget;
use analysis::explain::{self, Method, Part, Request};

use crate::args::{self, AlternateMethod, ExplainArgs, General};
use crate::clashes;
use crate::exit::{ExitStatus, Problem};
use crate::load;
use crate::publisher::Publisher;
use crate::recorded_run;
use crate::repair;
use crate::run;
use crate::trace_folder;
use crate::worker;

pub use native::run_natively;

pub fn explain(general: &General, args: &ExplainArgs, budget: &Budget) -> anyhow::Result<ExitStatus> {
    if let Some(run) = &args.failed_run {
        // The limit on runs is for the native ones.
        return recorded::explain(general, &ExplainArgs { runs: None, ..args.clone() }, run, budget);
    }
    if let [path] = args.program.files.as_slice()
        && let Some(run) = recorded_run::run_file(path)
    {
        return recorded::explain(general, args, &run, budget);
    }
    match args.program.files.as_slice() {
        [folder] if folder.is_dir() || (!folder.exists() && folder.extension().is_none()) => {
            explain_traces(general, args, folder, budget)
        }
        _ => explain_program(general, args, budget),
    }
}

fn explain_program(general: &General, args: &ExplainArgs, budget: &Budget) -> anyhow::Result<ExitStatus> {
    if args.repair {
        return repair::explain_and_repair(general, args, &request(args), budget);
    }
    let flags = run::flags(general, &args.program)?;
    let loaded = load::program(general, &args.program.files, &flags)?;
    let program_output = &args.surroundings.program_output;
    clashes::refuse_inputs(&clashes::named(general, &args.schedule, program_output), &loaded.files())?;
    let settings = run::settings(&args.surroundings, &loaded)?;
    let publisher = Publisher::new(general, args.schedule.as_deref(), &loaded.program.name, program_output.as_ref());
    let answer = publisher.work(budget, |context| explain::program(&loaded, &settings, &request(args), context))?;
    publisher.deliver(answer)
}

fn explain_traces(general: &General, args: &ExplainArgs, folder: &Path, budget: &Budget) -> anyhow::Result<ExitStatus> {
    if args.repair {
        let help = "a patch needs the sources of a program: heddle repair PROGRAM…";
        return Err(Problem::error(format!("{} holds traces, which have no sources", folder.display()), help));
    }
    worker::stage("reading the traces");
    let traces = trace_folder::read(folder, args.asserting.as_deref())?;
    let name = trace_folder::program(&traces);
    let publisher = Publisher::new(general, args.schedule.as_deref(), &name, None);
    let run = args.run.as_deref();
    let answer = publisher.work(budget, |context| explain::traces(&traces, run, &request(args), context))?;
    publisher.deliver(answer)
}

fn request(args: &ExplainArgs) -> Request {
    Request {
        only: args.only.map(|part| match part {
            args::Part::Schedule => Part::Schedule,
            args::Part::Cause => Part::Cause,
            args::Part::Alternate => Part::Alternate,
        }),
        alternate: match args.alternate {
            AlternateMethod::Pair => Method::Pair,
            AlternateMethod::Optimal => Method::Optimal,
            AlternateMethod::Lexicographic => Method::Lexicographic,
            AlternateMethod::Progressive => Method::Progressive,
        },
        all_alternates: args.all_alternates,
        conflicts: args.conflicts,
        runs: args.runs,
        simulates: !args.no_simulation,
        work: None,
    }
}
