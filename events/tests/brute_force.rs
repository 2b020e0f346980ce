//! Random graphs are well-formed, and what brute force finds in them does not depend on how it looks.

use events::{Answers, Enumeration, Extent, Merging, Sought, check, random_graph, replay};

fn answers(seed: u64, size: usize, extent: Extent, merging: Merging) -> Option<Answers> {
    let graph = random_graph(seed, size);
    let mut enumeration = Enumeration::new(&graph, extent, merging).unwrap();
    enumeration.step_limit = 30_000;
    enumeration.answers(&graph).ok()
}

#[test]
fn random_graphs_are_well_formed_and_small() {
    for seed in 0..3000 {
        let size = 1 + seed as usize % 14;
        let graph = random_graph(seed, size);
        if let Err(errors) = check(&graph) {
            panic!("seed {seed}: {}", errors[0]);
        }
        assert!((2..=4).contains(&graph.threads.len()), "seed {seed}");
        assert!(graph.events.len() <= size + 2 * graph.threads.len(), "seed {seed}");
    }
}

#[test]
fn merging_equal_states_changes_no_answer() {
    let mut compared = 0;
    for seed in 0..150 {
        for extent in [Extent::Prefix, Extent::Whole] {
            let Some(every) = answers(seed, 5, extent, Merging::Nothing) else { continue };
            compared += 1;
            assert_eq!(Some(every), answers(seed, 5, extent, Merging::States), "seed {seed} {extent:?}");
        }
    }
    assert!(compared > 180, "{compared}");
}

#[test]
fn what_is_found_replays() {
    let mut found = [0; 4];
    for seed in 0..200 {
        let graph = random_graph(seed, 10);
        for extent in [Extent::Prefix, Extent::Whole] {
            let enumeration = Enumeration::new(&graph, extent, Merging::States).unwrap();
            let answers = enumeration.answers(&graph).unwrap();
            let sought = answers.failures.iter().map(|&event| (0, Sought::Assertion(event)));
            let sought = sought.chain((!answers.failures.is_empty()).then_some((1, Sought::AnyAssertion)));
            let sought = sought.chain(answers.deadlock.then_some((2, Sought::Deadlock)));
            for (kind, sought) in sought.chain(answers.passes.then_some((3, Sought::Passes))) {
                let execution = enumeration.find(&graph, sought, &[]).unwrap().expect("it is among the answers");
                let outcome = replay(&graph, &execution, extent).unwrap();
                assert!(sought.met_by(&outcome, extent), "seed {seed}: {outcome:?}");
                found[kind] += 1;
            }
        }
    }
    assert!(found.iter().all(|&count| count > 20), "{found:?}");
}
