//! One construct per file: the text of a tiny concurrent program in IR, and the text of the event graph that the engine
//! which checks programs makes of it.
//!
//! A file of `filetests` begins with comments that say what the graph must show, then comes the program, a line `====`,
//! and the graph. Behind the graph stand the failures that its assertions stand for, and its cuts. Loops are unrolled
//! twice. `HEDDLE_BLESS=1` accepts the graphs as they are now: read each before.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use events::{EventId, check, parse_graph};
use libtest_mimic::{Arguments, Failed, Trial};
use symex::bounded::{Bounds, Unrolled, unroll};
use vm::{Code, Options};

/// The unrolling bound.
const ROUNDS: u32 = 2;

const SEPARATOR: &str = "\n====\n";

fn main() {
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let files = fs::read_dir(folder).expect("the folder can be read");
    let mut files: Vec<PathBuf> = files.map(|entry| entry.expect("the entry can be read").path()).collect();
    files.sort();
    let trials = files.into_iter().map(|file| {
        let name = file.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Trial::test(name, move || compare(&file))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

fn compare(file: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(file)?;
    let (program, expected) = text.split_once(SEPARATOR).ok_or("there is no line `====`")?;
    let graph = graph_of(program)?;
    if graph == expected {
        return Ok(());
    }
    if std::env::var_os("HEDDLE_BLESS").is_some() {
        fs::write(file, format!("{program}{SEPARATOR}{graph}"))?;
        return Ok(());
    }
    let first = graph.lines().zip(expected.lines()).find(|(new, old)| new != old);
    let (new, old) = first.unwrap_or(("one of them is longer", ""));
    Err(format!("the graph differs; first\n  {new}\ninstead of\n  {old}\n\nit is now\n{graph}").into())
}

fn graph_of(source: &str) -> Result<String, Failed> {
    let program = ir::parse(source)?;
    ir::verify(&program).map_err(|errors| format!("{errors:?}"))?;
    let code = Rc::new(Code::new(&program));
    let bounds = Bounds { unroll: ROUNDS, ..Bounds::default() };
    let unrolled = unroll(&code, &Options::default(), &bounds)?;
    let problems = check(&unrolled.graph);
    if let Err(problems) = problems {
        return Err(format!("the graph is ill-formed: {problems:?}").into());
    }
    let text = unrolled.graph.to_string();
    let again = parse_graph(&text)?.to_string();
    if again != text {
        return Err(format!("the text does not come back:\n{text}\n{again}").into());
    }
    Ok(text + &notes(&unrolled))
}

/// The failures and the cuts, by event.
fn notes(unrolled: &Unrolled) -> String {
    let wrongs = unrolled.wrongs.iter().map(|(&event, wrong)| (event, format!("{:?}: {}", wrong.kind, wrong.what)));
    let unasked =
        unrolled.unasked.iter().map(|(&event, wrong)| (event, format!("unasked {:?}: {}", wrong.kind, wrong.what)));
    let cuts = unrolled.cuts.iter().map(|cut| (cut.event, format!("cut by {:?}", cut.reason)));
    let mut notes: Vec<(EventId, String)> = wrongs.chain(unasked).chain(cuts).collect();
    notes.sort();
    notes.iter().fold(String::new(), |mut text, (event, note)| {
        let _ = writeln!(text, "; {} {note}", event.0);
        text
    })
}
