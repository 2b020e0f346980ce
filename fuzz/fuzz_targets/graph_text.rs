//! Every text is a graph or is refused. A parsed graph can be checked and run, and its printed text can be parsed
//! again.
#![no_main]

use events::{Extent, Simulation, Sought, check, parse_graph};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &str| {
    let Ok(graph) = parse_graph(source) else { return };
    let sound = check(&graph).is_ok();
    let text = graph.to_string();
    let again = parse_graph(&text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
    assert_eq!(graph.events.len(), again.events.len(), "{text}");
    if sound {
        if let Err(errors) = check(&again) {
            panic!("{}:\n{text}", errors[0]);
        }
        for extent in [Extent::Prefix, Extent::Whole] {
            let simulation = Simulation { sought: Sought::Deadlock, extent, seed: 0, rounds: 6 };
            let _ = simulation.run(&graph);
        }
    }
});
