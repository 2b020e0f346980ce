//! All files are traces or are refused with the place of the error, and an imported graph is well-formed and can be
//! run. The files are in one text, each after a line with `==` and its name; a name after `asserting` in the first line
//! is that of the asserting thread. Reading the files as a folder accepts as many or more.
#![no_main]

use events::{Extent, Simulation, Sought, check};
use libfuzzer_sys::fuzz_target;
use traces::{Options, import, read_folder};

fuzz_target!(|source: &str| {
    let mut files: Vec<(String, String)> = Vec::new();
    let mut asserting = None;
    for line in source.split_inclusive('\n') {
        if let Some(name) = line.strip_prefix("==") {
            files.push((name.trim().to_owned(), String::new()));
        } else if let Some((_, text)) = files.last_mut() {
            text.push_str(line);
        } else if let Some(thread) = line.strip_prefix("asserting") {
            asserting = Some(thread.trim().to_owned());
        }
    }
    let options = Options { asserting };
    let bytes: Vec<(String, Vec<u8>)> =
        files.iter().map(|(name, text)| (name.clone(), text.clone().into_bytes())).collect();
    let folder = read_folder(&bytes, &options);
    if let Ok(folder) = &folder {
        for graph in folder.runs().iter().map(|run| folder.graph_of_run(run)).chain([folder.merged().graph]) {
            if let Err(errors) = check(&graph) {
                panic!("{}", errors[0]);
            }
        }
    }
    let traces = match import(&files, &options) {
        Ok(traces) => traces,
        Err(error) => {
            let lines = files.iter().filter(|(name, _)| *name == error.file).map(|(_, text)| text.lines().count());
            assert!(files.is_empty() || lines.max().is_some_and(|lines| error.line as usize <= lines + 1), "{error}");
            return;
        }
    };
    if !traces.runs().is_empty() {
        assert_eq!(folder.expect("what is good is read").runs(), traces.runs());
    }
    for graph in traces.runs().iter().map(|run| traces.graph_of_run(run)).chain([traces.merged()]) {
        if let Err(errors) = check(&graph) {
            panic!("{}", errors[0]);
        }
        let simulation = Simulation { sought: Sought::AnyAssertion, extent: Extent::Whole, seed: 0, rounds: 6 };
        let _ = simulation.run(&graph);
    }
});
