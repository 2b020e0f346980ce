//! Tries the engine on a folder of traces: `cargo bench -p solve --bench engine -- FOLDER QUESTION MODE`.
#![allow(clippy::print_stdout, clippy::print_stderr)]
use std::path::Path;
use std::time::Instant;
use events::{Extent, import};
use encode::{Failure, Goal, Question, encode};
use solve::*;

fn read(dir: &Path, prefix: &str, files: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() { read(&entry.path(), &format!("{prefix}{name}/"), files); continue; }
        files.push((format!("{prefix}{name}"), std::fs::read_to_string(entry.path()).unwrap_or_default()));
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let dir = Path::new(&args[0]);
    let what = args[1].as_str();
    let mode = match args[2].as_str() { "t" => Mode::Turns, "s" => Mode::Sequence, _ => Mode::Plain };
    let mut files = Vec::new();
    read(dir, "", &mut files);
    let asserting = args.get(3).cloned();
    let t = Instant::now();
    let traces = import::import(&files, &import::Options { asserting }).unwrap();
    eprintln!("import {:?} runs {} paths {}", t.elapsed(), traces.runs().len(), traces.paths());
    let mut graphs: Vec<_> = traces.runs().iter().map(|run| traces.graph_of_run(run)).collect();
    if what.starts_with('m') { graphs = vec![traces.merged()]; }
    for graph in graphs {
        let graph = if what.contains('l') { encode::locked(&graph) } else { graph };
        let goal = if what.contains('p') { Goal::Passes } else { Goal::Failure(Failure::AnyAssertion) };
        let t = Instant::now();
        let encoding = encode(&graph, &Question::new(goal, Extent::Whole)).unwrap();
        let e = t.elapsed();
        let sources: usize = encoding.formula.order.reads.iter().map(|r| r.sources.len()).sum();
        let t = Instant::now();
        let mut engine = Engine::with_mode(encoding.formula.clone(), mode);
        let b = t.elapsed();
        let t = Instant::now();
        let verdict = engine.solve(&[], &Budget { time: Some(std::time::Duration::from_secs(60)), ..Budget::default() });
        let s = t.elapsed();
        let word = match &verdict {
            Verdict::Satisfiable(a) => {
                let ex = encoding.decode(a);
                format!("sat {:?}", events::replay(&graph, &ex, Extent::Whole).map(|o| (o.failed.len(), o.complete)))
            }
            Verdict::Unsatisfiable{..} => "unsat".into(),
            Verdict::Unknown(r) => format!("{r:?}"),
        };
        println!("{} {what} {mode:?} events {} reads {} sources {sources} enc {e:?} build {b:?} solve {s:?} {word} {:?}", args[0], graph.events.len(), encoding.formula.order.reads.len(), engine.statistics());
    }
}
