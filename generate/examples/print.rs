//! Prints the program of a seed: `cargo run -p generate --example print -- sequential 17`. With a count after the seed
//! and a folder it writes that many programs, for checks against other compilers.

use std::io::Write;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| arguments.get(index).and_then(|text| text.parse::<u64>().ok());
    let source = |seed: u64| match arguments.first().map(String::as_str) {
        Some("sequential") => Some(generate::sequential_c(seed)),
        Some("concurrent") => Some(generate::concurrent_c(seed).source),
        Some("richer") => Some(generate::concurrent_c_richer(seed, 300_000).source),
        Some("costly") => Some(generate::costly(seed).source),
        Some("texts") => Some(generate::concurrent_c_with_texts(seed)),
        Some("stranger") => Some(generate::stranger_c(seed, 60_000).source),
        _ => None,
    };
    let Some(text) = number(1).and_then(source) else {
        return writeln!(
            std::io::stderr(),
            "usage: print sequential|concurrent|richer|costly|texts|stranger SEED [COUNT FOLDER]"
        );
    };
    let (Some(first), Some(count), Some(folder)) = (number(1), number(2), arguments.get(3)) else {
        return std::io::stdout().write_all(text.as_bytes());
    };
    for seed in first..first + count {
        let is_cpp = arguments[0] == "costly" && generate::costly(seed).is_cpp;
        let ending = if is_cpp { "cpp" } else { "c" };
        std::fs::write(format!("{folder}/{seed}.{ending}"), source(seed).unwrap_or_default())?;
    }
    Ok(())
}
