//! The heddle command: parses its arguments, executes one command, and ends with its exit status.

mod stderr;
mod exit;
mod worker;
mod files;
mod args;
mod terminal;
mod limits;
mod stored_flags;
mod compile_commands;
mod clashes;
mod supervise;
mod load;
mod recorded_run;
mod trace_folder;
mod schedule_file;
mod progress_line;
mod publisher;
mod recorder_library;
mod cc;
mod record;
mod run;
mod check;
mod replay;
mod repair;
mod explain;
mod explore;
mod sync;
mod doctor;
mod clean;
mod manual;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use args::{Command, Format, General, Heddle, IrArgs};
use exit::{ExitStatus, Problem};

#[global_allocator]
static ALLOCATOR: worker::Allocator = worker::Allocator;

fn main() -> ExitCode {
    exit::install_panic_hook();
    match heddle() {
        Ok(status) => status,
        Err(error) => {
            stderr::say(&exit::describe(&error));
            ExitStatus::Error.into()
        }
    }
}

fn heddle() -> anyhow::Result<ExitCode> {
    // The arguments of `heddle cc` are the compiler's, whatever they look like.
    let mut given = std::env::args_os().skip(1);
    if let Some(driver) = given.next().and_then(|command| cc::Driver::from_command(command.to_str()?)) {
        return cc::cc(driver, given.collect());
    }
    let started = Instant::now();
    let mut given: Vec<OsString> = std::env::args_os().collect();
    worker::take_orders(&mut given);
    let heddle = args::parse(texts(&given)?);
    let (time, supervised) = (heddle.time()?, heddle.supervised());
    let Heddle { command, general } = heddle;
    if general.format == Format::Dot
        && !matches!(command, Command::Explain(_) | Command::Explore(_) | Command::Record(_))
    {
        return Err(Problem::error(
            "only answers of `heddle explain` and `heddle explore` can be drawn",
            "use --format text or --format json",
        ));
    }
    let memory = general.memory.unwrap_or_else(worker::default_limit);
    let orders = worker::orders_of_parent();
    if orders.is_none() {
        clashes::refuse_clashes(&general, &command)?;
    }
    if let (Some(name), None) = (supervised, orders) {
        let mut arguments = given[1..].to_vec();
        if let Command::Explain(args) = &command
            && args.native
        {
            match explain::run_natively(&general, args)? {
                Some(run) => name_failed_run(&mut arguments, &run),
                None => return Ok(ExitStatus::Inconclusive.into()),
            }
        }
        let (format, output) = (general.format, general.output.as_deref());
        let supervised =
            supervise::Supervised { command: name, arguments: &arguments, started, time, memory, format, output };
        return supervise::supervise(&supervised).map(ExitCode::from);
    }
    let time = orders.map_or(time, |orders| orders.time);
    let limits = limits::Limits { time, is_named: general.time.is_some(), memory: orders.map(|orders| orders.memory) };
    // It handles signals, so only the commands that use it create it: `record` has handlers of its own.
    let budget = || limits::budget(started, limits);
    let status = match command {
        Command::Cc(args) => return cc::cc(cc::Driver::C, args.arguments.into_iter().map(Into::into).collect()),
        Command::Cxx(args) => {
            return cc::cc(cc::Driver::CPlusPlus, args.arguments.into_iter().map(Into::into).collect());
        }
        Command::Record(args) => return record::record(&general, &args),
        Command::Run(args) => run::run(&general, &args, &budget()),
        Command::Check(args) => check::check(&general, &args, &budget()),
        Command::Explain(args) => explain::explain(&general, &args, &budget()),
        Command::Explore(args) => explore::explore(&general, &args, &budget()),
        Command::Repair(args) => repair::repair(&general, &args, &budget()),
        Command::Sync(args) => sync::sync(&general, &args, &budget()),
        Command::Replay(args) => replay::replay(&general, &args),
        Command::Doctor => doctor::doctor(&general),
        Command::Clean(args) => clean::clean(&general, &args),
        Command::Ir(args) => print_ir(&general, &args),
        Command::Instrument(args) => cc::instrument(&args).map(|()| ExitStatus::NothingFound),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut args::command(), "heddle", &mut script);
            print(&general, &String::from_utf8_lossy(&script))
        }
        Command::Man(args) => manual::man(&general, &args),
    };
    status.map(ExitCode::from)
}

fn texts(arguments: &[OsString]) -> anyhow::Result<Vec<String>> {
    let text = |argument: &OsString| {
        let problem = || {
            let what = format!("{} is not UTF-8", argument.display());
            Problem::error(what, "rename it, or link to it under another name")
        };
        argument.to_str().map(str::to_owned).ok_or_else(problem)
    };
    arguments.iter().map(text).collect()
}

/// Tells a worker which native run failed, by an option directly after the command.
fn name_failed_run(arguments: &mut Vec<OsString>, run: &Path) {
    let command = arguments.iter().position(|word| word == "explain").unwrap_or_default();
    let mut option = OsString::from("--failed-run=");
    option.push(run);
    arguments.insert(command + 1, option);
}

fn print(general: &General, text: &str) -> anyhow::Result<ExitStatus> {
    terminal::answer(ExitStatus::NothingFound, general.output.as_deref(), text)?;
    Ok(ExitStatus::NothingFound)
}

fn print_ir(general: &General, args: &IrArgs) -> anyhow::Result<ExitStatus> {
    let flags = run::flags(general, &args.program)?;
    let program = load::program(general, &args.program.files, &flags)?.program;
    print(general, &program.to_string())
}
