//! `heddle run`: many schedules, until one fails.

use std::time::Duration;

use analysis::search::{Plan, search};
use analysis::{Budget, Files, Loaded, Properties, Settings};
use report::Search;
use vm::explore::Hashing;

use crate::args::{General, ProgramArgs, RunArgs, StrategyName, Surroundings};
use crate::clashes;
use crate::compile_commands;
use crate::exit::ExitStatus;
use crate::load::{self, read_program_file};
use crate::publisher::Publisher;
use crate::stored_flags;
use crate::terminal;

/// The default time limit of the search.
const TIME: Duration = Duration::from_secs(5);

/// The depth of PCT when the user does not say.
const DEPTH: u32 = 3;

pub fn run(general: &General, args: &RunArgs, budget: &Budget) -> anyhow::Result<ExitStatus> {
    let plan = plan(general, args);
    let flags = flags(general, &args.program)?;
    let loaded = load::program(general, &args.program.files, &flags)?;
    let program_output = &args.surroundings.program_output;
    clashes::refuse_inputs(&clashes::named(general, &args.schedule, program_output), &loaded.files())?;
    let settings = settings(&args.surroundings, &loaded)?;
    let publisher = Publisher::new(general, args.schedule.as_deref(), &loaded.program.name, program_output.as_ref());
    let answer = publisher.work(budget, |context| search(&loaded, &settings, &plan, context))?;
    publisher.deliver(answer)
}

/// Flags on the command line take precedence; without any, the build system's are used.
pub fn flags(general: &General, program: &ProgramArgs) -> anyhow::Result<Vec<String>> {
    let mut flags = Vec::new();
    if program.flags.is_empty() || program.compile_commands.is_some() {
        let found = compile_commands::flags_for(&program.files, program.compile_commands.as_deref())?;
        let from = found.database.map_or(String::new(), |database| database.display().to_string());
        if !found.flags.is_empty() {
            terminal::detail(general, &format!("flags from {from}: {}", found.flags.join(" ")));
        }
        if !found.refused.is_empty() {
            let refused: Vec<String> = found.refused.iter().map(|flag| stored_flags::shown(flag)).collect();
            let what = "not passed on, because they may run other code or write files";
            terminal::note(general, &format!("flags in {from} that are {what}: {}", refused.join(" ")));
        }
        flags = found.flags;
    }
    flags.extend(program.flags.iter().cloned());
    Ok(flags)
}

fn plan(general: &General, args: &RunArgs) -> Plan {
    let search = match args.strategy() {
        StrategyName::Portfolio => Search::Portfolio { explored: 0 },
        StrategyName::Random => Search::Random,
        StrategyName::Pct => Search::Pct { depth: args.depth.unwrap_or(DEPTH) },
        StrategyName::Exhaustive => Search::Exhaustive {
            reduction: !args.no_reduction,
            hashing: match (args.hashing, args.no_hashing) {
                (true, _) => Hashing::On,
                (false, true) => Hashing::Off,
                (false, false) => Hashing::WhenLong,
            },
            preemptions: args.preemptions,
        },
    };
    Plan {
        search,
        runs: args.runs,
        work: args.work,
        time: (args.runs.is_none() && args.work.is_none()).then_some(TIME),
        gives_up: args.runs.is_none() && general.time.is_none(),
        keep_going: args.keep_going,
    }
}

pub fn settings(given: &Surroundings, loaded: &Loaded) -> anyhow::Result<Settings> {
    Ok(Settings {
        name: loaded.program.name.clone(),
        arguments: given.arguments.iter().map(|argument| argument.clone().into_bytes()).collect(),
        stdin: input(loaded)?,
        variables: given.env.clone(),
        files: Files::of_system(read_program_file),
        steps: given.steps,
        reuse: given.reuse,
        spurious: given.spurious,
        properties: Properties::asked(&given.properties.property)?,
    })
}

/// The contents of stdin for the program.
pub fn input(loaded: &Loaded) -> anyhow::Result<Vec<u8>> {
    if reads_input(&loaded.program) { terminal::read_stdin() } else { Ok(Vec::new()) }
}

/// Whether the program can read at all. If not, there is no need to wait for the end of stdin.
fn reads_input(program: &ir::Program) -> bool {
    let mut instrs = program.functions.iter().flat_map(|function| &function.blocks).flat_map(|block| &block.instrs);
    instrs.any(|instr| matches!(instr.op, ir::Op::Primitive { primitive: ir::Primitive::FileRead, .. }))
}
