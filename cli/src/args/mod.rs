//! The command line. One definition gives parsing, help, man page and completion.
//!
//! Compiler flags are mixed with heddle's own arguments, as in `heddle run bank.c -Iinclude -DN=3`. Clap cannot express
//! that, so they are removed before it parses.

use std::path::PathBuf;
use std::time::Duration;

use analysis::KindChoice;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use vm::FailureKind;

use crate::exit::Problem;
use crate::files::kept::RUNS;

#[derive(Debug, Parser)]
#[command(
    name = "heddle",
    version,
    about = "Explains why a multithreaded program fails",
    long_about = "Explains why a multithreaded program fails.\n\n\
                  heddle runs C and C++ programs in a virtual machine that controls the thread schedule. It searches for a \
                  schedule under which the program fails, writes it to a file, replays it as often as you like, and \
                  explains the failure by comparison with the nearest schedule that passes.",
    after_help = "Exit status: 0 nothing found within the stated bounds, 1 a failure found and replayed, \
                  2 usage or tool error or unsupported construct reached, 3 inconclusive.",
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct Heddle {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub general: General,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compile and link C for recording; takes the options of clang
    #[command(disable_help_flag = true)]
    Cc(CompilerArgs),
    /// Compile and link C++ for recording; takes the options of clang++
    #[command(name = "c++", disable_help_flag = true)]
    Cxx(CompilerArgs),
    /// Run a program that was built with `heddle cc`, and keep its record
    Record(RecordArgs),
    /// Run a program under many schedules until one fails
    Run(RunArgs),
    /// Check every schedule up to a bound on loops, and find the causes of failures
    Check(CheckArgs),
    /// Explain why a program fails: the orderings that cause the failure, and the nearest passing order
    Explain(ExplainArgs),
    /// Search for failures near passing runs: other orders, and a few flipped decisions
    Explore(ExploreArgs),
    /// Generate patches for a failure, and verify each
    Repair(RepairArgs),
    /// Find home-made synchronisation, and prove or refute it
    Sync(SyncArgs),
    /// Replay a schedule
    Replay(ReplayArgs),
    /// Remove the files that heddle keeps in .heddle
    Clean(CleanArgs),
    /// List what is missing on this machine, and how to install it
    Doctor,
    /// Print the program in heddle's IR
    #[command(hide = true)]
    Ir(IrArgs),
    /// Instrument the parts in a folder, for `heddle cc`
    #[command(hide = true)]
    Instrument(InstrumentArgs),
    /// Print a completion script for a shell
    Completions {
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print a manual page
    Man(ManArgs),
}

/// How long a check raises its bounds when the user does not say.
const CHECK: Duration = Duration::from_secs(30);

/// The default time for finding and explaining a failure.
const EXPLAIN: Duration = Duration::from_secs(60);

impl Heddle {
    /// The command as the user knows it, if a worker process does its work.
    pub fn supervised(&self) -> Option<&'static str> {
        match &self.command {
            Command::Run(_) => Some("run"),
            Command::Check(_) => Some("check"),
            Command::Explain(_) => Some("explain"),
            Command::Explore(_) => Some("explore"),
            Command::Repair(_) => Some("repair"),
            Command::Sync(_) => Some("sync"),
            Command::Replay(_) => Some("replay"),
            Command::Ir(_) => Some("ir"),
            _ => None,
        }
    }

    /// How long the command may take; `None` where nothing limits it.
    pub fn time(&self) -> anyhow::Result<Option<Duration>> {
        if let Some(seconds) = self.general.time {
            let time = Duration::try_from_secs_f64(seconds);
            let wrong = |_| Problem::error(format!("--time {seconds} is not a number of seconds"), "such as --time 60");
            return time.map(Some).map_err(wrong);
        }
        Ok(match &self.command {
            // A bound that the user has named is to be finished.
            Command::Check(CheckArgs { unroll, .. }) => unroll.is_none().then_some(CHECK),
            Command::Repair(RepairArgs { work: Some(_), .. }) => None,
            Command::Explain(_) | Command::Explore(_) | Command::Repair(_) | Command::Sync(_) => Some(EXPLAIN),
            _ => None,
        })
    }
}

#[derive(Clone, Debug, Args)]
pub struct General {
    /// The format of the result
    #[arg(long, global = true, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    pub format: Format,
    /// Where the result is written, instead of stdout
    #[arg(long, global = true, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The first seed; run number n uses seed + n - 1
    #[arg(long, global = true, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// Stop searching after this many seconds
    #[arg(long, global = true, value_name = "SECONDS", allow_negative_numbers = true)]
    pub time: Option<f64>,
    /// The memory limit of all processes of the command together, such as 512M or 2G [default: half of the machine's, at
    /// most 8G]
    #[arg(long, global = true, value_name = "SIZE", value_parser = crate::worker::parse_size)]
    pub memory: Option<u64>,
    /// The number of parallel runs [default: the number of processors]
    #[arg(long, global = true, value_name = "N")]
    pub jobs: Option<std::num::NonZeroUsize>,
    /// Print only a short result
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Print all events, whole call stacks and all unsupported constructs
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Whether the result is coloured
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
    /// A graph for Graphviz; `explain` only
    Dot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StrategyName {
    /// Runs of several strategies in turns with exploration of all schedules: finds most failures, proves small programs
    Portfolio,
    /// Every choice is random
    Random,
    /// Priorities with a few changes at random moments: finds bugs of small depth sooner
    Pct,
    /// All schedules, one of each equivalence class: a proof for small programs
    Exhaustive,
}

/// A macro, because help texts are put together when heddle is compiled.
macro_rules! compiler_help {
    () => {
        "Compiler flags (-I -D -U -std -O -l -L -f -m -W -g -pthread -include -isystem …) may stand among the options; \
         they are also taken from a compile_commands.json beside or above the source, or in a folder build, out, builddir, \
         _build or cmake-build-* there. A -std of C holds for the C files and one of C++ for the C++ files. The \
         program's own arguments follow --. Its stdin is heddle's."
    };
}

mod explore;
mod repair;
mod sync;

pub use self::repair::RepairArgs;
pub use self::sync::SyncArgs;
pub use explore::ExploreArgs;

const COMPILER_HELP: &str = compiler_help!();

#[derive(Clone, Debug, Args)]
#[command(after_help = COMPILER_HELP)]
pub struct ProgramArgs {
    /// C and C++ source files, LLVM bitcode (.bc), LLVM assembly (.ll), or a program built with `heddle cc`
    #[arg(required = true, value_name = "PROGRAM")]
    pub files: Vec<PathBuf>,
    /// Take compiler flags from this compile_commands.json
    #[arg(long, value_name = "FILE")]
    pub compile_commands: Option<PathBuf>,
    /// The compiler flags that stood among the arguments.
    #[arg(skip)]
    pub flags: Vec<String>,
}

// Many fields: one for each option of the command.
#[derive(Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// How schedules are chosen [default: portfolio, or the strategy that another option names]
    #[arg(long, value_enum, value_name = "STRATEGY")]
    pub strategy: Option<StrategyName>,
    /// Make exactly this many runs with seeds, without exploration [default: as many as --time allows, 5 seconds if not
    /// given; exhaustive: all schedules]
    #[arg(long, value_name = "N", visible_alias = "executions")]
    pub runs: Option<u64>,
    /// Stop after this much counted work instead of a time, the same on every machine: an instruction counts 1, a step that
    /// other threads can observe 20 more
    #[arg(long, value_name = "N")]
    pub work: Option<u64>,
    /// pct: how many ordering constraints the bug may need [default: 3]
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub depth: Option<u32>,
    /// exhaustive: leave out schedules with more preemptions than this
    #[arg(long, value_name = "N")]
    pub preemptions: Option<u32>,
    /// exhaustive: hash states, and explore each once [default: only when executions get long]
    #[arg(long)]
    pub hashing: bool,
    /// exhaustive: never hash states
    #[arg(long, conflicts_with = "hashing")]
    pub no_hashing: bool,
    /// exhaustive: explore equivalent schedules, too
    #[arg(long)]
    pub no_reduction: bool,
    /// Where the failing schedule is written, instead of .heddle/NAME.schedule
    #[arg(long, value_name = "FILE")]
    pub schedule: Option<PathBuf>,
    /// Stop at the first failure (this is the default)
    #[arg(long, conflicts_with = "keep_going")]
    pub until_failure: bool,
    /// Make all runs, and count the failures
    #[arg(long, visible_alias = "all")]
    pub keep_going: bool,
    #[command(flatten)]
    pub surroundings: Surroundings,
}

impl RunArgs {
    /// The strategy that is named, or to which an option belongs that is given.
    pub fn strategy(&self) -> StrategyName {
        let tunes_exhaustive = self.preemptions.is_some() || self.hashing || self.no_hashing || self.no_reduction;
        match self.strategy {
            Some(strategy) => strategy,
            None if self.depth.is_some() => StrategyName::Pct,
            None if tunes_exhaustive => StrategyName::Exhaustive,
            None => StrategyName::Portfolio,
        }
    }
}

/// What a program that is run can see, and what counts as a failure.
#[derive(Clone, Debug, Args)]
pub struct Surroundings {
    /// The step limit of one run
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    #[command(flatten)]
    pub properties: PropertyArgs,
    /// Let malloc reuse freed addresses
    #[arg(long)]
    pub reuse: bool,
    /// Let waits on conditions wake up without a signal
    #[arg(long)]
    pub spurious: bool,
    /// Where the program's own output goes, instead of stderr
    #[arg(long, value_name = "FILE")]
    pub program_output: Option<PathBuf>,
    /// Set an environment variable of the program; it sees no others
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub env: Vec<(String, String)>,
    /// The program's own arguments
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<String>,
}

/// Which failures count, for every command that looks for them.
#[derive(Clone, Debug, Default, Args)]
pub struct PropertyArgs {
    /// Search only for these kinds of failure; +KIND adds one to the default, no-KIND removes one, and `all` is every kind
    /// [default: all but race]
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kinds())]
    pub property: Vec<KindChoice>,
}

/// One word of `--property`.
fn kind_choice(word: &str) -> Option<KindChoice> {
    if word == "all" {
        return Some(KindChoice::All);
    }
    let (make, name): (fn(FailureKind) -> KindChoice, &str) = match (word.strip_prefix('+'), word.strip_prefix("no-")) {
        (Some(name), _) => (KindChoice::Too, name),
        (None, Some(name)) => (KindChoice::Not, name),
        (None, None) => (KindChoice::Only, word),
    };
    FailureKind::from_name(name).map(make)
}

const SHOWN_KINDS: &[&str] = &["assertion", "abort", "memory", "exception", "deadlock", "hang", "race", "exit", "all"];

const SIGNED_KINDS: &[&str] = &[
    "+assertion",
    "+abort",
    "+memory",
    "+exception",
    "+deadlock",
    "+hang",
    "+race",
    "+exit", //
    "no-assertion",
    "no-abort",
    "no-memory",
    "no-exception",
    "no-deadlock",
    "no-hang",
    "no-race",
    "no-exit",
];

/// Help and messages list the kinds; the words with a sign are accepted and completed too.
fn kinds() -> impl TypedValueParser<Value = KindChoice> {
    let shown = SHOWN_KINDS.iter().map(PossibleValue::new);
    let signed = SIGNED_KINDS.iter().map(|word| PossibleValue::new(word).hide(true));
    PossibleValuesParser::new(shown.chain(signed))
        .try_map(|word| kind_choice(&word).ok_or_else(|| format!("{word} is not a kind of failure")))
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// The unrolling bound: iterations of each loop, and nested calls of a function [default: 1, 2, 4 … as far as --time
    /// allows, 30 seconds if not given]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub unroll: Option<u32>,
    /// Find every failure with every cause, not only the first
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub properties: PropertyArgs,
    /// Where the failing schedule is written, instead of .heddle/NAME.schedule
    #[arg(long, value_name = "FILE")]
    pub schedule: Option<PathBuf>,
    /// Let waits on conditions wake up without a signal
    #[arg(long)]
    pub spurious: bool,
    /// Check every stdin of up to this many bytes, instead of the given one
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub symbolic_stdin: Option<u32>,
    /// Check every list of up to COUNT arguments, each of up to LENGTH bytes [default: 4], instead of the given ones
    #[arg(long, value_name = "COUNT[,LENGTH]", value_parser = symbolic_arguments, conflicts_with = "arguments")]
    pub symbolic_args: Option<SymbolicArguments>,
    /// Where the program's own output goes, instead of stderr
    #[arg(long, value_name = "FILE")]
    pub program_output: Option<PathBuf>,
    /// Set an environment variable of the program; it sees no others
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub env: Vec<(String, String)>,
    /// The program's own arguments
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<String>,
}

/// Arguments of a program that is checked, of which every list is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolicArguments {
    pub count: u32,
    pub length: u32,
}

const TRACES_HELP: &str = concat!(
    "PROGRAM may also be a run that `heddle record` has kept, or a folder of runs, of which the newest failing one is \
     explained. Or it is a folder of recorded traces: one with `symbolic/` below it, or one that holds the traces itself: \
     files T0_1234_5678, one per thread and path (those in `sts/` were synthesised), or T0, one per thread.\n\n",
    compiler_help!()
);

// Many fields: one for each option of the command.
#[derive(Clone, Debug, Args)]
#[command(after_help = TRACES_HELP)]
pub struct ExplainArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// The most schedules tried until one fails [default: as many as the time allows, in turns with exploration and the
    /// solver]; with --native, the most native runs [default: 200 in at most 20 seconds]
    #[arg(long, value_name = "N", visible_alias = "executions")]
    pub runs: Option<u64>,
    /// Build the program and run it natively until it fails, with all its side effects; a run of more than 10 seconds is a
    /// hang
    #[arg(long, conflicts_with_all = ["no_simulation", "asserting", "run"])]
    pub native: bool,
    /// Traces: the thread whose last condition is the failure, where they do not mark it
    #[arg(long, value_name = "T")]
    pub asserting: Option<String>,
    /// Traces: use this run only
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    pub run: Option<String>,
    /// The failing run of the native runs that were made already
    #[arg(long, hide = true, requires = "native", value_name = "RUN")]
    pub failed_run: Option<PathBuf>,
    /// Search with the solver only
    #[arg(long)]
    pub no_simulation: bool,
    /// Stop after this part
    #[arg(long, value_enum, value_name = "PART")]
    pub only: Option<Part>,
    /// How the passing order is searched for
    #[arg(long, value_enum, value_name = "METHOD", default_value_t = AlternateMethod::Progressive)]
    pub alternate: AlternateMethod,
    /// List every passing order made by a swapped pair, not only the first
    #[arg(long)]
    pub all_alternates: bool,
    /// The solver's conflict limit for each question of the diagnosis
    #[arg(long, value_name = "N")]
    pub conflicts: Option<u64>,
    /// Also search for a patch, with half of the time, and show the best one below the explanation
    #[arg(long, conflicts_with = "only")]
    pub repair: bool,
    /// Where the failing schedule is written, instead of .heddle/NAME.schedule
    #[arg(long, value_name = "FILE")]
    pub schedule: Option<PathBuf>,
    #[command(flatten)]
    pub surroundings: Surroundings,
}

/// How far an explanation goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The failing schedule
    Schedule,
    /// Its cause
    Cause,
    /// A passing schedule near it
    Alternate,
}

/// How an alternate is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AlternateMethod {
    /// Swap two events of the cause, the nearest first
    Pair,
    /// The fewest differences of all kinds together
    Optimal,
    /// The fewest differences in data flow, then in segments, then in switches
    Lexicographic,
    /// The same, but only near the failure where that suffices
    Progressive,
}

#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// A schedule that `heddle run` or `heddle explain` wrote
    #[arg(value_name = "SCHEDULE")]
    pub schedule: PathBuf,
    /// Pass on the schedule's compiler flags even if they may run other code or write files
    #[arg(long)]
    pub trust_flags: bool,
    /// The number of replays
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub times: u32,
    /// Where the program's own output goes, instead of stderr
    #[arg(long, value_name = "FILE")]
    pub program_output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct CompilerArgs {
    /// The arguments for clang. -fheddle-every-branch records all branches, and -fheddle-hooks makes a program that
    /// `heddle record --perturb` can perturb at every access to shared data
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    pub arguments: Vec<String>,
}

const RECORD_HELP: &str = "The program's output goes where it would go without heddle, and the names of kept runs are printed on \
                           stderr; with --format json the result goes to stdout and the program's output to stderr. With \
                           one run the exit status is the program's (128 + N for signal N). With several it is 1 if a run \
                           failed: a signal, a failed assertion, the time-out, or an exit status other than 0.";

#[derive(Debug, Args)]
#[command(after_help = RECORD_HELP)]
pub struct RecordArgs {
    /// The number of runs [default: 1, or at most 10000 with --until-failure]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub runs: Option<u64>,
    /// Stop after the first run that fails
    #[arg(long)]
    pub until_failure: bool,
    /// End a run that takes longer than this many seconds; it counts as a hang
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub timeout: Option<f64>,
    /// Delay threads at random before they lock, unlock, wait, signal, create or join, and before every access to
    /// shared data in a program built with -fheddle-hooks; run number n uses seed + n - 1
    #[arg(long, value_name = "SEED")]
    pub perturb: Option<u64>,
    /// Do not keep the contents of files that the program opens
    #[arg(long)]
    pub no_files: bool,
    /// The folder in which runs are kept
    #[arg(long, value_name = "DIR", default_value = RUNS)]
    pub out: PathBuf,
    /// Make a run file of the spool that a killed `heddle record` has left; COMMAND is then the recorded command, if its
    /// arguments are unknown
    #[arg(long, value_name = "SPOOL", conflicts_with_all = ["runs", "until_failure", "timeout", "perturb", "no_files", "out"])]
    pub recover: Option<PathBuf>,
    /// The program that is recorded, where COMMAND only starts it
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// The program and its arguments
    #[arg(
        required_unless_present = "recover",
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "COMMAND"
    )]
    pub command: Vec<String>,
}

#[derive(Debug, Args)]
pub struct InstrumentArgs {
    pub folder: PathBuf,
    #[arg(long)]
    pub every_branch: bool,
    #[arg(long)]
    pub hooks: bool,
    #[arg(long)]
    pub simplify: bool,
}

#[derive(Debug, Args)]
pub struct IrArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
}

#[derive(Debug, Args)]
pub struct CleanArgs {
    /// Only list what would be removed
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// The command whose page is printed, instead of that of heddle
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
    /// Write all pages into this folder
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub all: Option<PathBuf>,
}

fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("it must look like NAME=VALUE".to_owned()),
    }
}

fn symbolic_arguments(text: &str) -> Result<SymbolicArguments, String> {
    let (count, length) = text.split_once(',').unwrap_or((text, "4"));
    let number = |text: &str, least: u32, most: u32, what: &str| match text.parse::<u32>() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => Err(format!("the {what} must be a number from {least} to {most}, as in 2 or 2,8")),
    };
    Ok(SymbolicArguments { count: number(count, 1, 64, "count")?, length: number(length, 0, 4096, "length")? })
}

/// General options without effect on a command: help, man pages and completions omit them.
const MEANINGLESS: &[(&str, &[&str])] = &[
    ("record", &["seed", "memory", "jobs", "color", "verbose"]),
    ("replay", &["seed", "jobs"]),
    ("clean", &["seed", "memory", "time", "jobs", "quiet", "verbose", "color"]),
    ("doctor", &["seed", "memory", "time", "jobs", "quiet", "verbose", "color"]),
    ("completions", &["format", "seed", "memory", "time", "jobs", "quiet", "verbose", "color"]),
    ("man", &["format", "seed", "memory", "time", "jobs", "quiet", "verbose", "color"]),
];

/// The definition, with only the effective options of each command.
pub fn command() -> clap::Command {
    let whole = Heddle::command();
    let general: Vec<clap::Arg> = whole.get_arguments().cloned().collect();
    // An option that a command defines itself is not given to it again.
    let without = |command: clap::Command, options: &[&str]| {
        let hidden = general.iter().filter(|option| options.contains(&option.get_id().as_str()));
        command.args(hidden.map(|option| option.clone().hide(true)))
    };
    // With imported runs no program need be named.
    let optional = |files: clap::Arg| files.index(1).required(false).required_unless_present("import");
    let whole = whole.mut_subcommand("explore", |explore| {
        explore.mut_arg("files", optional).mut_arg("arguments", |arguments| arguments.index(2))
    });
    MEANINGLESS
        .iter()
        .fold(whole, |whole, (name, options)| whole.mut_subcommand(name, |command| without(command, options)))
}

/// Parses the process's arguments, or explains and exits as clap does.
pub fn parse(arguments: Vec<String>) -> Heddle {
    let (own, flags) = split_compiler_flags(arguments);
    let mut matches = command().get_matches_from(own);
    let mut heddle =
        Heddle::from_arg_matches_mut(&mut matches).unwrap_or_else(|error| error.format(&mut command()).exit());
    match &mut heddle.command {
        Command::Run(RunArgs { program, .. })
        | Command::Check(CheckArgs { program, .. })
        | Command::Explain(ExplainArgs { program, .. })
        | Command::Explore(ExploreArgs { program, .. })
        | Command::Repair(RepairArgs { program, .. })
        | Command::Sync(SyncArgs { program, .. })
        | Command::Ir(IrArgs { program }) => program.flags = flags,
        _ => {}
    }
    heddle
}

/// Flags whose value may be the next argument.
const WITH_VALUE: &[&str] =
    &["-I", "-D", "-U", "-L", "-l", "-x", "-include", "-imacros", "-isystem", "-iquote", "-idirafter"];

/// How the other flags begin.
const PREFIXES: &[&str] = &["-std=", "-O", "-f", "-m", "-W", "-w", "-g", "-pthread", "-ansi", "-pedantic", "-nostdinc"];

fn is_compiler_flag(argument: &str) -> bool {
    let begins = |prefix: &&str| argument.starts_with(prefix);
    !argument.starts_with("--") && (WITH_VALUE.iter().any(begins) || PREFIXES.iter().any(begins))
}

/// (clap's arguments, the compiler's). Only commands that take a program have compiler flags, and only before `--`.
fn split_compiler_flags(arguments: Vec<String>) -> (Vec<String>, Vec<String>) {
    let is_command = |argument: &&String| Heddle::command().find_subcommand(argument).is_some();
    if !matches!(
        arguments.iter().skip(1).find(is_command).map(String::as_str),
        Some("run" | "check" | "ir" | "explain" | "explore" | "repair" | "sync")
    ) {
        return (arguments, Vec::new());
    }
    let mut own = Vec::new();
    let mut flags = Vec::new();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        if argument == "--" {
            own.push(argument);
            break;
        }
        if !is_compiler_flag(&argument) {
            own.push(argument);
            continue;
        }
        let value = if WITH_VALUE.contains(&argument.as_str()) { arguments.next() } else { None };
        flags.push(argument);
        flags.extend(value);
    }
    own.extend(arguments);
    (own, flags)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn the_definition_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn options_without_meaning_are_hidden_and_parsed() {
        let heddle = parse(words("heddle doctor --seed 7 -q --format json"));
        assert!(heddle.general.quiet && heddle.general.seed == 7 && heddle.general.format == Format::Json);
        let heddle = parse(words("heddle -q replay a --seed 7 --color never"));
        assert!(heddle.general.quiet && heddle.general.seed == 7 && heddle.general.color == Color::Never);
        let mut whole = command();
        whole.build();
        let mut help = |name: &str| whole.find_subcommand_mut(name).expect("it is there").render_help().to_string();
        for (name, options) in MEANINGLESS {
            for option in *options {
                assert!(!help(name).contains(&format!("--{option}")), "{name}: {option}");
            }
        }
        assert!(Heddle::command().get_arguments().count() >= 8);
    }

    #[test]
    fn compiler_flags_are_taken_from_between() {
        let line = "heddle run a.c -Iinclude -I more b.c -DN=3 -std=c11 -O2 --runs 5 -lm -pthread -q -- -DNOT -lmine";
        let (own, flags) = split_compiler_flags(words(line));
        assert_eq!(own, words("heddle run a.c b.c --runs 5 -q -- -DNOT -lmine"));
        assert_eq!(flags, words("-Iinclude -I more -DN=3 -std=c11 -O2 -lm -pthread"));
    }

    #[test]
    fn flags_and_options_end_up_in_their_places() {
        let heddle =
            parse(words("heddle run a.c -include x.h --property +race,no-exit --env A=b=c --seed 9 -v -- one -two"));
        assert_eq!((heddle.general.seed, heddle.general.verbose), (9, true));
        let Command::Run(run) = heddle.command else { panic!("it is a run") };
        assert_eq!(run.program.flags, words("-include x.h"));
        let asked = [KindChoice::Too(FailureKind::Race), KindChoice::Not(FailureKind::Exit)];
        assert_eq!(run.surroundings.properties.property, asked);
        assert_eq!(run.surroundings.env, [("A".to_owned(), "b=c".to_owned())]);
        assert_eq!(run.surroundings.arguments, words("one -two"));
    }

    #[test]
    fn other_commands_keep_their_arguments() {
        let line = words("heddle replay -fine.schedule");
        assert_eq!(split_compiler_flags(line.clone()), (line, Vec::new()));
        let line = words("heddle record --runs 3 ./run -fast run -O2");
        assert_eq!(split_compiler_flags(line.clone()), (line.clone(), Vec::new()));
        let Command::Record(record) = parse(line).command else { panic!("it is a record") };
        assert_eq!(record.command, words("./run -fast run -O2"));
    }
}
