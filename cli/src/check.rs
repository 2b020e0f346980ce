//! `heddle check`: every schedule within a bound.

use analysis::check::{Arguments, Request, Symbolic, check as checked};
use analysis::{Budget, Files, Properties, Settings};

use crate::args::{CheckArgs, General, SymbolicArguments};
use crate::clashes;
use crate::exit::ExitStatus;
use crate::load::{self, read_program_file};
use crate::publisher::Publisher;
use crate::run;

pub fn check(general: &General, args: &CheckArgs, budget: &Budget) -> anyhow::Result<ExitStatus> {
    let properties = Properties::asked(&args.properties.property)?;
    let flags = run::flags(general, &args.program)?;
    let loaded = load::program(general, &args.program.files, &flags)?;
    clashes::refuse_inputs(&clashes::named(general, &args.schedule, &args.program_output), &loaded.files())?;
    let settings = Settings {
        name: loaded.program.name.clone(),
        arguments: args.arguments.iter().map(|argument| argument.clone().into_bytes()).collect(),
        stdin: if args.symbolic_stdin.is_none() { run::input(&loaded)? } else { Vec::new() },
        variables: args.env.clone(),
        files: Files::of_system(read_program_file),
        spurious: args.spurious,
        properties,
        ..Settings::default()
    };
    let request = Request { unroll: args.unroll, all: args.all, symbolic: symbolic(args), searches: true };
    let publisher =
        Publisher::new(general, args.schedule.as_deref(), &loaded.program.name, args.program_output.as_ref());
    let answer = publisher.work(budget, |context| checked(&loaded, &settings, &request, context))?;
    publisher.deliver(answer)
}

fn symbolic(args: &CheckArgs) -> Symbolic {
    let arguments = args.symbolic_args.map(|SymbolicArguments { count, length }| Arguments { count, length });
    Symbolic { stdin: args.symbolic_stdin, arguments }
}
