//! The arguments of `heddle repair`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::{ProgramArgs, Surroundings};

const REPAIR_HELP: &str = concat!(
    "PROGRAM may also be a schedule that heddle has written, or a run that `heddle record` has kept. Nothing is written \
     unless --apply is given. Exit status: 0 a repair was verified or nothing fails, 1 it fails and no repair was verified, \
     2 usage or tool error, 3 inconclusive within the limits.\n\n",
    compiler_help!()
);

#[derive(Clone, Debug, Args)]
#[command(after_help = REPAIR_HELP)]
pub struct RepairArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// Write the best verified patch into the sources, which must be under version control
    #[arg(long)]
    pub apply: bool,
    /// With --apply: write files that are not under version control, too
    #[arg(long, requires = "apply")]
    pub force: bool,
    /// Run the original and the patched program natively, and compare their times
    #[arg(long)]
    pub native: bool,
    /// The number of verified repairs to search for
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub most: u32,
    /// Only changes of these kinds
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = repair_kinds())]
    pub kinds: Vec<::repair::Kind>,
    /// Stop after this much counted work instead of a time, the same on every machine: an instruction counts 1, a step that
    /// other threads can observe 20 more. The solver is not used then, so there are no kill sets
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub work: Option<u64>,
    /// Pass on a schedule's compiler flags even if they may run other code or write files
    #[arg(long)]
    pub trust_flags: bool,
    /// Where the failing schedule is written, instead of .heddle/NAME.schedule
    #[arg(long, value_name = "FILE")]
    pub schedule: Option<PathBuf>,
    #[command(flatten)]
    pub surroundings: Surroundings,
}

fn repair_kinds() -> impl TypedValueParser<Value = ::repair::Kind> {
    PossibleValuesParser::new(::repair::Kind::ALL.iter().map(|kind| PossibleValue::new(kind.name())))
        .try_map(|word| ::repair::Kind::from_name(&word).ok_or_else(|| format!("{word} is not a kind of repair")))
}
