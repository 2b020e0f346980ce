//! The arguments of `heddle explore`.

use std::path::PathBuf;

use clap::Args;

use super::{Part, ProgramArgs, Surroundings};

const RUNS_HELP: &str = concat!(
    "PROGRAM may also be a folder of runs that `heddle record` has kept, or one such run. Only passing runs are used; \
     `heddle explain` explains failing ones. Runs of other versions of the program and damaged runs are listed and not \
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
    /// Flip only the D decisions nearest to the failure [default: all]
    #[arg(long, value_name = "D")]
    pub window: Option<u32>,
    /// Flip at most K decisions [default: as many as are needed]
    #[arg(long, value_name = "K")]
    pub flips: Option<u32>,
    /// Of the runs that continue after a flipped decision, use the N shortest [default: all]
    #[arg(long, value_name = "N")]
    pub paths: Option<usize>,
    /// Make arguments and stdin symbolic, within the recorded length
    #[arg(long, conflicts_with_all = ["window", "asserting"])]
    pub vary_input: bool,
    /// Search for all different failures, and at most one deadlock; the first is explained
    #[arg(long, conflicts_with = "asserting")]
    pub all: bool,
    /// Search for executions in which this C expression holds when the line is reached; may be given more than once. With
    /// recorded runs, name the sources behind them
    #[arg(long, value_name = "FILE:LINE: CONDITION")]
    pub predicate: Vec<String>,
    /// Merge the runs of this folder, or of the path database in it, into .heddle/paths.sqlite, and explore from all runs
    /// there; may be given more than once
    #[arg(long, value_name = "DIR", conflicts_with = "asserting")]
    pub import: Vec<PathBuf>,
    /// Stop after this part
    #[arg(long, value_enum, value_name = "PART")]
    pub only: Option<Part>,
    /// Where the failing schedule is written, instead of .heddle/NAME.schedule
    #[arg(long, value_name = "FILE")]
    pub schedule: Option<PathBuf>,
    #[command(flatten)]
    pub surroundings: Surroundings,
}
