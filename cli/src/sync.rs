//! `heddle sync`: home-made synchronisation in a program.

use ::sync::{Problem as SyncProblem, Request};
use analysis::Budget;

use crate::args::{General, SyncArgs};
use crate::clashes;
use crate::exit::{ExitStatus, Problem};
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
    let (answer, problem) = publisher.work(budget, |context| ::sync::sync(&loaded, &settings, &request, context))?;
    if let Some(problem) = problem {
        let SyncProblem::NoSuchLine { .. } = problem;
        return Err(Problem::error(problem.to_string(), "name lines of the program on which statements stand"));
    }
    publisher.deliver(answer)
}
