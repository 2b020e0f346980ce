//! The executions that the search by turns returns exist and reach the goal.

use events::{Extent, Sought, Turns, parse_graph, replay};
use generate::{Enumeration, Merging, random_graph};

#[test]
fn what_is_found_is_an_execution() {
    let (mut there, mut found) = (0, 0);
    for seed in 0..600 {
        let graph = random_graph(seed, 1 + seed as usize % 12);
        let mut enumeration = Enumeration::new(&graph, Extent::Prefix, Merging::States).unwrap();
        enumeration.step_limit = 100_000;
        let Ok(answers) = enumeration.answers(&graph) else { continue };
        let failures = answers.failures.iter().map(|&event| (true, Sought::Assertion(event)));
        let any = [(!answers.failures.is_empty(), Sought::AnyAssertion), (answers.deadlock, Sought::Deadlock)];
        for (exists, sought) in failures.chain(any) {
            there += u32::from(exists);
            let Some(execution) = (Turns { sought, seed, steps: 20_000, until: None }).find(&graph) else { continue };
            found += 1;
            let outcome = replay(&graph, &execution, Extent::Prefix).unwrap();
            assert!(exists && sought.met_by(&outcome, Extent::Prefix), "seed {seed}: {outcome:?}");
        }
    }
    // Inputs are zero, and critical sections are not interrupted.
    assert!(found > there / 2, "{found} of {there}");
}

/// One thread has to read a value twelve times, each time before its neighbour overwrites it.
#[test]
fn who_needs_what_goes_away_goes_first() {
    let mut numbers = 0..;
    let mut number = || numbers.next().unwrap_or(0);
    let mut text = String::from("heddle graph 1\nobject x 4\nthread 0\n");
    text += &format!("  {} start\n  {} fork 0.1\n", number(), number());
    for round in 0..12 {
        text += &format!("  {} write x[0] bytes 4 new {}:32\n", number(), round + 1);
    }
    text += &format!("  {} exit\nthread 0.1\n  {} start\n", number(), number());
    for round in 0..12 {
        text += &format!("  {} read x[0] bytes 4 old %r{round}\n", number());
        text += &format!("  {} assume (= %r{round} {round}:32)\n", number());
    }
    text += &format!("  {} assert false\n  {} exit\n", number(), number());
    let graph = parse_graph(&text).unwrap();
    let execution =
        Turns { sought: Sought::AnyAssertion, seed: 0, steps: 2_000, until: None }.find(&graph).expect("an order");
    assert_eq!(replay(&graph, &execution, Extent::Prefix).unwrap().failed.len(), 1);
}
