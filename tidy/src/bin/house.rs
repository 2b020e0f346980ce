//! Prints the figures of a checkout, whose folder is the argument, as tables.
#![allow(clippy::print_stdout)]

use std::path::Path;
use std::process::ExitCode;

use tidy::{Tree, figures, sizes};

/// The number of types to show.
const LARGEST: usize = 10;

fn main() -> ExitCode {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let tree = match Tree::read(Path::new(&folder)) {
        Ok(tree) => tree,
        Err(error) => {
            println!("cannot read {folder}: {error}");
            return ExitCode::FAILURE;
        }
    };
    match figures::of_crates(&tree) {
        Ok(crates) => print_crates(&crates),
        Err(finding) => {
            println!("{finding}");
            return ExitCode::FAILURE;
        }
    }
    print_types(&tree);
    ExitCode::SUCCESS
}

fn print_crates(crates: &[figures::Figures]) {
    println!("| crate | lines of `src` | `pub` items | `pub(…)` items | cycles, by modules |\n|---|--:|--:|--:|---|");
    let sum = |of: fn(&figures::Figures) -> usize| crates.iter().map(of).sum::<usize>();
    for one in crates {
        let cycles: Vec<String> = one.cycles.iter().map(usize::to_string).collect();
        let cycles = if cycles.is_empty() { "–".to_owned() } else { cycles.join(", ") };
        println!("| `{}` | {} | {} | {} | {cycles} |", one.name, one.lines, one.public, one.restricted);
    }
    let (lines, public, restricted) = (sum(|one| one.lines), sum(|one| one.public), sum(|one| one.restricted));
    println!("| all | {lines} | {public} | {restricted} | {} cycles |\n", sum(|one| one.cycles.len()));
}

fn print_types(tree: &Tree) {
    let mut types = sizes::types(tree);
    types.sort_by_key(|one| (std::cmp::Reverse(one.size), one.path.clone(), one.name.clone()));
    println!("| type | fields | reason given |\n|---|--:|---|");
    for one in types.iter().take(LARGEST) {
        let reason = if one.has_reason { "yes" } else { "no" };
        println!("| `{}` in `{}` | {} | {reason} |", one.name, one.path, one.size);
    }
    let long = sizes::functions(tree).iter().filter(|function| function.size > sizes::MOST_LINES).count();
    println!("\nFunctions of more than {} lines: {long}", sizes::MOST_LINES);
}
