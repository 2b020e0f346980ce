//! The arguments of `heddle explore`.

use std::path::PathBuf;

use clap::Args;

use super::{Part, ProgramArgs, Surroundings};

const RUNS_HELP: &str = concat!(
    "PROGRAM may also be a folder of runs that `heddle record` has kept, or one such run: passing runs are explored from, \
     failing ones are for `heddle explain`. Runs of other versions of the program and damaged runs are named and not \
     used.\n\n",
    compiler_help!()
);

#[derive(Clone, Debug, Args)]
#[command(after_help = RUNS_HELP)]
pub struct ExploreArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// Traces: the thread whose last condition is the failure, where they do not mark it
    #[arg(long, value_name = "T")]
    pub asserting: Option<String>,
    /// Only the D decisions nearest to the failure may go another way [default: all]
    #[arg(long, value_name = "D")]
    pub window: Option<u32>,
    /// At most K decisions may go another way [default: as many as are needed]
    #[arg(long, value_name = "K")]
    pub flips: Option<u32>,
    /// Of the runs that continue a decision another way, use the N shortest [default: all]
    #[arg(long, value_name = "N")]
    pub paths: Option<usize>,
    /// Let arguments and stdin have any value, no longer than the recorded ones
    #[arg(long, conflicts_with_all = ["window", "asserting"])]
    pub vary_input: bool,
    /// Look for all different failures, and at most one deadlock; the first is explained
    #[arg(long, conflicts_with = "asserting")]
    pub all: bool,
    /// Look for executions in which this C expression holds when the line is reached; may be given more than once. With
    /// recorded runs, name the sources behind them
    #[arg(long, value_name = "FILE:LINE: CONDITION")]
    pub predicate: Vec<String>,
    /// Merge the runs of this folder, or those of the path database in it, into .heddle/paths.sqlite, and explore from all that
    /// are there; may be given more than once
    #[arg(long, value_name = "DIR", conflicts_with = "asserting")]
    pub import: Vec<PathBuf>,
    /// Stop there
    #[arg(long, value_enum, value_name = "PART")]
    pub only: Option<Part>,
    /// Where the failing schedule is written, instead of .heddle/NAME.schedule
    #[arg(long, value_name = "FILE")]
    pub schedule: Option<PathBuf>,
    #[command(flatten)]
    pub surroundings: Surroundings,
}
