//! Programs with known failures and causes, some of them from the ConcBugAssist paper, as graphs.

use std::collections::BTreeSet;

use diagnose::{Causes, CutReached, End, Everything, FoundFailure, Heard, Part, Sought, Wrong, cut_reachable, every};
use events::{Address, Builder, EventGraph, EventId, Kind, ThreadId};
use formula::Sort;
use run::ThreadName;
use solve::{Budget, Reason};

const MAIN: ThreadId = ThreadId(0);

/// `count` threads beside the main one, which forks them.
fn crew(builder: &mut Builder, count: u32) -> Vec<ThreadId> {
    builder.thread(ThreadName::main());
    let threads: Vec<ThreadId> = (1..=count).map(|number| builder.thread(ThreadName::main().child(number))).collect();
    for &thread in &threads {
        builder.fork(MAIN, thread);
    }
    threads
}

fn join(builder: &mut Builder, threads: &[ThreadId]) {
    for &thread in threads {
        builder.join(MAIN, thread);
    }
}

fn variable(builder: &mut Builder, name: &str) -> Address {
    let object = builder.object(name, 4);
    builder.address(object, 0)
}

fn all(graph: &EventGraph, budget: Budget) -> Everything {
    let sought = Sought { graph, site: &|event| Some(event.0), assertions: true, deadlocks: true, all: true, budget };
    every(&sought, &mut |_, _| Heard::Confirmed, &mut |_| {}).unwrap_or_else(|error| panic!("{error}"))
}

fn orders(failure: &FoundFailure) -> BTreeSet<(EventId, EventId)> {
    match &failure.causes {
        Causes::Found(cause) if cause.is_minimal() => cause.orders.iter().copied().collect(),
        other => panic!("{other:?}"),
    }
}

/// Figure 3: two threads set two variables to the same value, each its own.
#[test]
fn two_variables_that_should_be_equal() {
    let mut builder = Builder::new();
    let threads = crew(&mut builder, 2);
    let [x, y] = ["x", "y"].map(|name| variable(&mut builder, name));
    let mut writes = Vec::new();
    for (number, &thread) in threads.iter().enumerate() {
        let value = builder.constant(4, number as u128);
        writes.push([x, y].map(|address| builder.write(thread, address, value)));
    }
    join(&mut builder, &threads);
    let (x, y) = (builder.read(MAIN, x, 4), builder.read(MAIN, y, 4));
    let equal = builder.terms().eq(x, y);
    builder.assert(MAIN, equal);
    let found = all(&builder.finish(), Budget::default());
    assert_eq!((found.end, found.iterations), (End::Exhausted, 2));
    let causes: BTreeSet<_> = found.failures.iter().map(orders).collect();
    let [[x1, y1], [x2, y2]] = [writes[0], writes[1]];
    assert_eq!(causes, [[(x2, x1), (y1, y2)], [(x1, x2), (y2, y1)]].map(BTreeSet::from).into());
}

/// Each thread adds the other's number to its own, `rounds` times; an assertion bounds the numbers.
fn fibonacci(rounds: u32, limit: u128) -> EventGraph {
    let mut builder = Builder::new();
    let threads = crew(&mut builder, 2);
    let objects = ["i", "j"].map(|name| builder.object(name, 4));
    let one = builder.constant(4, 1);
    objects.iter().for_each(|&object| builder.initial(object, 0, one));
    let [i, j] = objects.map(|object| builder.address(object, 0));
    for (thread, own, other) in [(threads[0], i, j), (threads[1], j, i)] {
        for _ in 0..rounds {
            let (one, other) = (builder.read(thread, own, 4), builder.read(thread, other, 4));
            let sum = builder.terms().add(one, other);
            builder.write(thread, own, sum);
        }
    }
    let (i, j) = (builder.read(MAIN, i, 4), builder.read(MAIN, j, 4));
    let limit = builder.constant(4, limit);
    let (small, other) = (builder.terms().ult(i, limit), builder.terms().ult(j, limit));
    let both = builder.terms().and2(small, other);
    builder.assert(MAIN, both);
    builder.event(MAIN, Kind::End);
    builder.finish()
}

#[test]
fn the_largest_fibonacci_number_needs_every_turn() {
    let found = all(&fibonacci(3, 21), Budget::default());
    assert_eq!((found.end, found.iterations), (End::Exhausted, 2));
    assert!(found.failures.iter().all(|failure| orders(failure).len() >= 5));
    assert_eq!(all(&fibonacci(3, 22), Budget::default()).failures.len(), 0);
}

#[test]
fn what_a_budget_leaves_open_is_told() {
    let found = all(&fibonacci(5, 145), Budget { conflicts: Some(20), ..Budget::default() });
    assert_eq!((found.end, found.failures.len()), (End::Budget(Reason::Conflicts), 0));
    assert_eq!(found.open.first(), Some(&(Part::Assertions, Reason::Conflicts)));
    let stopped = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let found = all(&fibonacci(5, 144), Budget { stop: Some(stopped), ..Budget::default() });
    assert_eq!((found.end, found.failures.len()), (End::Budget(Reason::Interrupted), 0));
    let late = Budget { deadline: Some(std::time::Instant::now()), ..Budget::default() };
    let found = all(&fibonacci(2, 8), late.clone());
    assert_eq!((found.end, found.failures.len()), (End::Budget(Reason::Time), 0));
    assert_eq!(cut_reachable(&fibonacci(2, 8), &late).ok(), Some(CutReached::Never), "there is none");
}

#[test]
fn what_the_program_does_not_do_ends_it() {
    let graph = fibonacci(2, 8);
    let budget = Budget::default();
    let site = |event: EventId| Some(event.0);
    let sought = Sought { graph: &graph, site: &site, assertions: true, deadlocks: true, all: true, budget };
    let found = every(&sought, &mut |_, _| Heard::Refuted("no".to_owned()), &mut |_| {}).unwrap();
    assert!(matches!(found.end, End::Refuted { why, .. } if why == "no"));
    assert_eq!(found.failures.len(), 0);
}

/// Setters write one variable and then another; a checker must not see one of them alone.
#[test]
fn every_setter_is_a_cause_of_its_own() {
    for setters in 1..=5 {
        let mut builder = Builder::new();
        let threads = crew(&mut builder, setters + 1);
        let [a, b] = ["a", "b"].map(|name| variable(&mut builder, name));
        let one = builder.constant(4, 1);
        let (checker, others) = threads.split_last().unwrap();
        for &thread in others {
            builder.write(thread, a, one);
            builder.write(thread, b, one);
        }
        let (a, b) = (builder.read(*checker, a, 4), builder.read(*checker, b, 4));
        let equal = builder.terms().eq(a, b);
        builder.assert(*checker, equal);
        join(&mut builder, &threads);
        let found = all(&builder.finish(), Budget::default());
        let causes: BTreeSet<_> = found.failures.iter().map(orders).collect();
        // Whichever value it read of one, it read the other before any write.
        assert_eq!((causes.len() as u32, found.iterations), (2 * setters, 2 * setters));
        assert!(causes.iter().all(|cause| cause.len() as u32 == setters + 1), "{causes:?}");
    }
}

#[test]
fn philosophers_take_one_fork_each() {
    for count in 2..=6_usize {
        let mut builder = Builder::new();
        let threads = crew(&mut builder, count as u32);
        let forks: Vec<Address> = (0..count).map(|_| variable(&mut builder, "fork")).collect();
        for (number, &thread) in threads.iter().enumerate() {
            let (left, right) = (forks[number], forks[(number + 1) % count]);
            builder.lock(thread, left, false);
            builder.lock(thread, right, false);
            builder.unlock(thread, right, false);
            builder.unlock(thread, left, false);
        }
        join(&mut builder, &threads);
        let found = all(&builder.finish(), Budget::default());
        assert_eq!((&found.end, found.iterations), (&End::Exhausted, 1));
        assert_eq!(found.failures[0].wrong, Wrong::Deadlock(threads));
        assert_eq!(orders(&found.failures[0]).len(), count);
    }
}

/// Large inputs are not gone through one by one.
#[test]
fn inputs_matter_by_their_bits() {
    let mut builder = Builder::new();
    let threads = crew(&mut builder, 1);
    let size = builder.input("size", Sort::Bits(32));
    let other = builder.input("other", Sort::Bits(32));
    let flag = variable(&mut builder, "flag");
    let unused = variable(&mut builder, "unused");
    builder.write(threads[0], unused, other);
    let one = builder.constant(4, 1);
    builder.write(threads[0], flag, one);
    let seen = builder.read(MAIN, flag, 4);
    let limit = builder.constant(4, 1000);
    let terms = builder.terms();
    let (small, set) = (terms.ult(size, limit), terms.eq(seen, one));
    let fine = terms.or2(small, set);
    builder.assert(MAIN, fine);
    join(&mut builder, &threads);
    let found = all(&builder.finish(), Budget::default());
    assert_eq!(found.end, End::Exhausted);
    assert!((2..40).contains(&found.iterations), "{}", found.iterations);
    assert!(found.failures.iter().all(|failure| failure.inputs_used == [0]));
}

/// One signal and two sleeping threads: waking the wrong one shows in the order afterwards.
#[test]
fn whom_a_signal_wakes_is_told_by_what_comes_of_it() {
    let mut builder = Builder::new();
    let threads = crew(&mut builder, 2);
    let [condition, mutex, woken, asleep] =
        ["condition", "mutex", "woken", "asleep"].map(|name| variable(&mut builder, name));
    for (number, &thread) in threads.iter().enumerate() {
        builder.lock(thread, mutex, false);
        let one = builder.constant(4, 1);
        builder.rmw(thread, asleep, 4, |terms, old| terms.add(old, one));
        builder.wait(thread, condition, mutex, false);
        let value = builder.constant(4, number as u128 + 1);
        builder.rmw(thread, woken, 4, |terms, old| {
            let shifted = terms.add(old, old);
            terms.add(shifted, value)
        });
        builder.unlock(thread, mutex, false);
    }
    let two = builder.constant(4, 2);
    builder.spin(MAIN, asleep, 4, |terms, old| terms.eq(old, two));
    builder.lock(MAIN, mutex, false);
    builder.signal(MAIN, condition);
    builder.unlock(MAIN, mutex, false);
    let zero = builder.constant(4, 0);
    let first = builder.spin(MAIN, woken, 4, |terms, old| terms.ne(old, zero));
    builder.broadcast(MAIN, condition);
    let fine = builder.terms().ne(first, two);
    builder.assert(MAIN, fine);
    join(&mut builder, &threads);
    let found = all(&builder.finish(), Budget::default());
    assert_eq!((&found.end, found.iterations), (&End::Exhausted, 1));
    assert_eq!((orders(&found.failures[0]).len(), found.failures[0].choices.len()), (1, 0));
}

#[test]
fn a_cut_behind_a_failure_is_not_reached() {
    for fails in [false, true] {
        let mut builder = Builder::new();
        crew(&mut builder, 1);
        let fine = builder.terms().bool(!fails);
        builder.assert(MAIN, fine);
        let cut = builder.event(MAIN, Kind::Cut);
        match cut_reachable(&builder.finish(), &Budget::default()).unwrap() {
            CutReached::Never => assert!(fails),
            CutReached::Cut { cut: found, .. } => assert_eq!((found, fails), (cut, false)),
            CutReached::Unknown(reason) => panic!("{reason:?}"),
        }
    }
}
