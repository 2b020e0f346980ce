//! The arguments of `heddle sync`.

use clap::{Args, ValueEnum};

use super::{ProgramArgs, Surroundings};

const SYNC_HELP: &str = concat!(
    "Finds home-made barriers, locks, events, semaphores and similar constructs. Lists the kind and place of each, and the \
     number of threads and rounds for which every order was explored, or a schedule that breaks it. Exit status: 0 nothing \
     is broken, 1 a construct is broken, 2 usage or tool error, 3 inconclusive within the limits.\n\n",
    compiler_help!()
);

#[derive(Clone, Debug, Args)]
#[command(after_help = SYNC_HELP)]
pub struct SyncArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// Prove only constructs with this many threads, such as 2..4
    #[arg(long, value_name = "N..M", value_parser = threads)]
    pub threads: Option<(usize, usize)>,
    /// Only the construct that waits at the second line for the write at the first: FILE:LINE FILE:LINE
    #[arg(long, num_args = 2, value_names = ["WRITE", "WAIT"], value_parser = line)]
    pub pair: Vec<(String, u32)>,
    /// Write a patch that tells a tool of the proven constructs: tsan, for ThreadSanitizer
    #[arg(long, value_name = "TOOL")]
    pub annotate: Option<Annotated>,
    #[command(flatten)]
    pub surroundings: Surroundings,
}

/// Tools for which there are annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Annotated {
    Tsan,
}

fn threads(text: &str) -> Result<(usize, usize), String> {
    let wrong = || format!("{text} is not a range of threads, such as 2..4");
    let (fewest, most) = text.split_once("..").unwrap_or((text, text));
    let range: (usize, usize) = (fewest.parse().map_err(|_| wrong())?, most.parse().map_err(|_| wrong())?);
    if range.0 < 2 || range.1 < range.0 || range.1 > 64 { Err(wrong()) } else { Ok(range) }
}

fn line(text: &str) -> Result<(String, u32), String> {
    let wrong = || format!("{text} is not a line, such as queue.c:31");
    let (file, line) = text.rsplit_once(':').ok_or_else(wrong)?;
    match line.parse() {
        Ok(line) if line > 0 && !file.is_empty() => Ok((file.to_owned(), line)),
        _ => Err(wrong()),
    }
}

impl SyncArgs {
    /// The lines as pairs.
    pub fn pairs(&self) -> Vec<[(String, u32); 2]> {
        self.pair.chunks_exact(2).map(|pair| [pair[0].clone(), pair[1].clone()]).collect()
    }
}
