//! Small graphs with known answers, one for each rule that is easily got wrong.

use encode::{EncodeError, Failure, Goal, Question, candidates, encode, locked, schedule};
use events::{Address, Builder, EventGraph, EventId, Execution, Extent, Kind, ThreadId, check, replay};
use formula::Sort;
use run::{Header, ThreadName};
use solve::{Budget, Engine, Solver, Verdict};

const ANY: Goal = Goal::Failure(Failure::AnyAssertion);
const DEADLOCK: Goal = Goal::Failure(Failure::Deadlock);

fn ask(graph: &EventGraph, question: &Question) -> Option<Execution> {
    if let Err(errors) = check(graph) {
        panic!("{}", errors[0]);
    }
    let encoding = encode(graph, question).expect("the question fits the graph");
    let mut engine = Engine::new(encoding.formula.clone());
    match engine.solve(&[], &Budget::default()) {
        Verdict::Satisfiable(assignment) => {
            assert_eq!(encoding.formula.violations(&assignment), []);
            let execution = encoding.decode(&assignment);
            replay(graph, &execution, question.extent).unwrap_or_else(|violation| panic!("{violation}"));
            Some(execution)
        }
        Verdict::Unsatisfiable { .. } => None,
        Verdict::Unknown(reason) => panic!("{reason:?}"),
    }
}

fn possible(graph: &EventGraph, goal: Goal, extent: Extent) -> bool {
    ask(graph, &Question::new(goal, extent)).is_some()
}

/// `count` threads, all forked by the first at once.
fn crew(builder: &mut Builder, count: u32) -> Vec<ThreadId> {
    let mut threads = vec![builder.thread(ThreadName::main())];
    threads.extend((1..count).map(|number| builder.thread(ThreadName::main().child(number))));
    for &child in &threads[1..] {
        builder.fork(threads[0], child);
    }
    threads
}

fn variable(builder: &mut Builder, name: &str) -> Address {
    let object = builder.object(name, 4);
    builder.address(object, 0)
}

/// Two threads add one to a variable; the main thread expects two.
fn lost_update() -> EventGraph {
    let mut builder = Builder::new();
    let threads = crew(&mut builder, 3);
    let x = variable(&mut builder, "x");
    let one = builder.constant(4, 1);
    for &thread in &threads[1..] {
        let old = builder.read(thread, x, 4);
        let new = builder.terms().add(old, one);
        builder.write(thread, x, new);
    }
    for &thread in &threads[1..] {
        builder.join(threads[0], thread);
    }
    let last = builder.read(threads[0], x, 4);
    let two = builder.constant(4, 2);
    let right = builder.terms().eq(last, two);
    builder.assert(threads[0], right);
    builder.finish()
}

#[test]
fn an_update_is_lost_unless_it_is_locked() {
    let graph = lost_update();
    let safe = locked(&graph);
    assert_eq!(check(&safe), Ok(()));
    for extent in [Extent::Prefix, Extent::Whole] {
        assert!(possible(&graph, ANY, extent));
        assert!(possible(&graph, Goal::Passes, extent));
        assert!(!possible(&safe, ANY, extent));
        assert!(possible(&safe, Goal::Passes, extent));
    }
}

#[test]
fn candidates_are_the_immediate_conflicts() {
    let graph = lost_update();
    let failing = ask(&graph, &Question::new(ANY, Extent::Whole)).expect("an update can be lost");
    let outcome = replay(&graph, &failing, Extent::Whole).expect("it was replayed before");
    let pairs = candidates(&graph, &failing, &outcome.effects);
    let thread = |event: EventId| graph.events[event.index()].thread;
    let position = |event| failing.steps.iter().position(|step| step.event == event);
    assert!(pairs.iter().all(|&(first, second)| thread(first) != thread(second) && position(first) < position(second)));
    // Each thread reads before the other writes, and the writes are ordered; pairs that a join orders are no
    // candidates.
    assert!(pairs.iter().all(|&(_, second)| thread(second) != ThreadId(0)), "{pairs:?}");
    // With these orders only failing executions remain.
    let orders = Question { orders: pairs, ..Question::new(Goal::Passes, Extent::Whole) };
    assert_eq!(ask(&graph, &orders), None);
}

#[test]
fn orders_name_events_that_happen() {
    let graph = lost_update();
    let of = |thread: u32| graph.threads[thread as usize].events[1];
    let mut question = Question::new(ANY, Extent::Whole);
    question.orders = vec![(of(1), of(2))];
    let execution = ask(&graph, &question).expect("either may read first");
    let position = |event| execution.steps.iter().position(|step| step.event == event);
    assert!(position(of(1)) < position(of(2)));
    question.orders.push((of(2), of(1)));
    assert_eq!(ask(&graph, &question), None);
}

/// One thread sleeps, another signals, possibly too early.
fn sleeper(signals: usize, under_the_lock: bool) -> EventGraph {
    let mut builder = Builder::new();
    let threads = crew(&mut builder, 2);
    let (mutex, condition) = (variable(&mut builder, "mutex"), variable(&mut builder, "condition"));
    builder.lock(threads[1], mutex, false);
    builder.wait(threads[1], condition, mutex, false);
    builder.unlock(threads[1], mutex, false);
    if under_the_lock {
        builder.lock(threads[0], mutex, false);
    }
    for _ in 0..signals {
        builder.signal(threads[0], condition);
    }
    if under_the_lock {
        builder.unlock(threads[0], mutex, false);
    }
    builder.finish()
}

#[test]
fn a_signal_that_comes_too_early_is_lost() {
    for under_the_lock in [false, true] {
        let graph = sleeper(1, under_the_lock);
        assert!(possible(&graph, DEADLOCK, Extent::Prefix));
        assert!(possible(&graph, Goal::Passes, Extent::Whole));
        let early = |event: &&EventId| matches!(graph.events[event.index()].kind, Kind::Signal { .. });
        let signal = *graph.threads[0].events.iter().find(early).expect("there is a signal");
        let sleep = graph.threads[1].events[2];
        let orders = vec![(signal, sleep)];
        assert_eq!(ask(&graph, &Question { orders, ..Question::new(Goal::Passes, Extent::Whole) }), None);
    }
}

#[test]
fn whoever_was_woken_swallows_no_second_signal() {
    // The waiting thread cannot wake before the lock is free, and both signals come before that.
    let graph = sleeper(2, true);
    assert!(possible(&graph, Goal::Passes, Extent::Whole));
    let execution = ask(&graph, &Question::new(Goal::Passes, Extent::Whole)).expect("it passes");
    let woken = execution.steps.iter().filter(|step| matches!(step.choice, events::Choice::Wakes(_)));
    assert_eq!(woken.count(), 1);
}

#[test]
fn a_signal_wakes_one_and_a_broadcast_all() {
    for (all, expected) in [(false, false), (true, true)] {
        let mut builder = Builder::new();
        let threads = crew(&mut builder, 3);
        let (mutex, condition) = (variable(&mut builder, "mutex"), variable(&mut builder, "condition"));
        for &thread in &threads[1..] {
            builder.lock(thread, mutex, false);
            builder.wait(thread, condition, mutex, false);
            builder.unlock(thread, mutex, false);
        }
        if all {
            builder.broadcast(threads[0], condition);
        } else {
            builder.signal(threads[0], condition);
        }
        let graph = builder.finish();
        assert_eq!(possible(&graph, Goal::Passes, Extent::Whole), expected);
        assert!(possible(&graph, DEADLOCK, Extent::Prefix));
    }
}

#[test]
fn locks_in_opposite_orders_make_a_cycle() {
    let mut builder = Builder::new();
    let threads = crew(&mut builder, 3);
    let [a, b] = ["a", "b"].map(|name| variable(&mut builder, name));
    for (thread, first, second) in [(threads[1], a, b), (threads[2], b, a)] {
        builder.lock(thread, first, false);
        builder.lock(thread, second, false);
        builder.unlock(thread, second, false);
        builder.unlock(thread, first, false);
    }
    let graph = builder.finish();
    assert!(possible(&graph, DEADLOCK, Extent::Prefix));
    assert!(!possible(&graph, DEADLOCK, Extent::Whole));
    assert!(possible(&graph, Goal::Passes, Extent::Prefix));
}

#[test]
fn a_lock_that_is_released_on_two_paths_is_a_section_on_each() {
    let mut builder = Builder::new();
    let threads = crew(&mut builder, 3);
    let (mutex, x) = (variable(&mut builder, "mutex"), variable(&mut builder, "x"));
    let early = builder.input("early", Sort::Bool);
    let (yes, late) = (builder.terms().truth(), builder.terms().not(early));
    let (zero, one) = (builder.constant(4, 0), builder.constant(4, 1));
    builder.lock(threads[1], mutex, false);
    builder.write(threads[1], x, one);
    builder.set_guard(early);
    builder.unlock(threads[1], mutex, false);
    builder.set_guard(late);
    builder.write(threads[1], x, zero);
    builder.unlock(threads[1], mutex, false);
    builder.set_guard(yes);
    builder.lock(threads[2], mutex, false);
    let seen = builder.read(threads[2], x, 4);
    builder.unlock(threads[2], mutex, false);
    let unseen = builder.terms().eq(seen, zero);
    let condition = builder.terms().or2(unseen, early);
    builder.assert(threads[2], condition);
    let graph = builder.finish();
    let encoding = encode(&graph, &Question::new(ANY, Extent::Prefix)).expect("the question fits the graph");
    assert_eq!(encoding.formula.order.locks.len(), 1, "the mutex has sections");
    assert!(!possible(&graph, ANY, Extent::Prefix));
    assert!(possible(&graph, Goal::Passes, Extent::Whole));
}

#[test]
fn an_assumption_after_the_failure_does_not_exclude_it() {
    let mut builder = Builder::new();
    let threads = crew(&mut builder, 2);
    let never = builder.terms().falsehood();
    builder.assert(threads[0], never);
    builder.assume(threads[1], never);
    let graph = builder.finish();
    assert!(possible(&graph, ANY, Extent::Prefix));
    assert!(!possible(&graph, ANY, Extent::Whole));
}

#[test]
fn halves_of_a_word_come_from_different_writes() {
    let mut builder = Builder::new();
    let threads = crew(&mut builder, 3);
    let object = builder.object("word", 2);
    let [low, high] = [0, 1].map(|offset| builder.address(object, offset));
    let one = builder.constant(1, 1);
    builder.write(threads[1], low, one);
    builder.write(threads[2], high, one);
    let word = builder.read(threads[0], low, 2);
    let both = builder.constant(2, 0x0101);
    let other = builder.terms().ne(word, both);
    builder.assert(threads[0], other);
    let graph = builder.finish();
    assert!(possible(&graph, ANY, Extent::Whole));
    assert!(possible(&graph, Goal::Passes, Extent::Whole));
}

/// Sections of two threads over the counters `x` and `y`, and an assertion of the main thread about the final value.
fn counted(sections: impl Fn(&mut Builder, &[ThreadId], [Address; 3]), expected: u128) -> EventGraph {
    let mut builder = Builder::new();
    let threads = crew(&mut builder, 3);
    let [x, y, mutex] = ["x", "y", "mutex"].map(|name| variable(&mut builder, name));
    sections(&mut builder, &threads, [x, y, mutex]);
    for &thread in &threads[1..] {
        builder.join(threads[0], thread);
    }
    let (last_x, last_y) = (builder.read(threads[0], x, 4), builder.read(threads[0], y, 4));
    let expected = builder.constant(4, expected);
    let sum = builder.terms().add(last_x, last_y);
    let right = builder.terms().eq(sum, expected);
    builder.assert(threads[0], right);
    builder.finish()
}

#[test]
fn what_was_set_before_it_was_moved_is_counted_once() {
    let sections = |builder: &mut Builder, threads: &[ThreadId], [x, y, mutex]: [Address; 3]| {
        let [zero, one, three] = [0, 1, 3].map(|value| builder.constant(4, value));
        builder.lock(threads[1], mutex, false);
        let old = builder.read(threads[1], x, 4);
        let new = builder.terms().add(old, three);
        builder.write(threads[1], x, new);
        builder.unlock(threads[1], mutex, false);
        builder.write(threads[2], y, one);
        builder.lock(threads[2], mutex, false);
        let (old, moved) = (builder.read(threads[2], x, 4), builder.read(threads[2], y, 4));
        let sum = builder.terms().add(old, moved);
        builder.write(threads[2], x, sum);
        builder.write(threads[2], y, zero);
        builder.unlock(threads[2], mutex, false);
    };
    assert!(!possible(&counted(sections, 4), ANY, Extent::Whole));
    assert!(possible(&counted(sections, 4), Goal::Passes, Extent::Whole));
    assert!(possible(&counted(sections, 3), ANY, Extent::Whole));
}

#[test]
fn what_two_sections_find_in_a_counter_differs() {
    // One adds the value of y to x, the other subtracts it; y may change in between.
    let sections = |builder: &mut Builder, threads: &[ThreadId], [x, y, mutex]: [Address; 3]| {
        let one = builder.constant(4, 1);
        for (thread, adds) in [(threads[1], true), (threads[2], false)] {
            builder.lock(thread, mutex, false);
            let (in_x, in_y) = (builder.read(thread, x, 4), builder.read(thread, y, 4));
            let terms = builder.terms();
            let new_x = if adds { terms.add(in_x, in_y) } else { terms.sub(in_x, in_y) };
            let new_y = terms.add(in_y, one);
            builder.write(thread, x, new_x);
            builder.write(thread, y, new_y);
            builder.unlock(thread, mutex, false);
        }
    };
    // The final value of y is 2, that of x is 1 or -1.
    for (expected, possible_too) in [(3, true), (1, true), (2, false)] {
        let graph = counted(sections, expected);
        assert_eq!(possible(&graph, Goal::Passes, Extent::Whole), possible_too, "{expected}");
        assert!(possible(&graph, ANY, Extent::Whole));
    }
}

#[test]
fn a_long_straight_trace_has_few_terms_beside_its_sources() {
    let (threads, rounds) = (8, 25);
    let mut builder = Builder::new();
    let crew = crew(&mut builder, threads + 1);
    let (x, settled) = (variable(&mut builder, "x"), variable(&mut builder, "settled"));
    let one = builder.constant(4, 1);
    for &thread in &crew[1..] {
        for _ in 0..rounds {
            builder.read(thread, settled, 4);
            let old = builder.read(thread, x, 4);
            let new = builder.terms().add(old, one);
            builder.write(thread, x, new);
        }
    }
    for &thread in &crew[1..] {
        builder.join(crew[0], thread);
    }
    let last = builder.read(crew[0], x, 4);
    let all = builder.constant(4, u128::from(threads * rounds));
    let right = builder.terms().eq(last, all);
    builder.assert(crew[0], right);
    let graph = builder.finish();
    let encoding = encode(&graph, &Question::new(ANY, Extent::Whole)).expect("the question fits the graph");
    let formula = &encoding.formula;
    let (threads, rounds) = (threads as usize, rounds as usize);
    // A variable without writers has no reads-from choice; a read has all writes of other threads and the last one of
    // its own as candidates.
    assert_eq!(formula.order.reads.len(), threads * rounds + 1);
    let sources: usize = formula.order.reads.iter().map(|read| read.sources.len()).sum();
    assert_eq!(sources, threads * rounds * ((threads - 1) * rounds + 1) + threads);
    assert!(formula.order.nodes.iter().all(|node| formula.terms.as_bool(node.happens) == Some(true)));
    assert!(formula.terms.len() < 2 * sources + 20 * graph.events.len());
    assert!(formula.assertions.len() < 3 * graph.events.len());
}

#[test]
fn a_schedule_says_who_runs_how_far() {
    let graph = lost_update();
    let execution = ask(&graph, &Question::new(ANY, Extent::Whole)).expect("an update can be lost");
    let header = Header {
        sources: Vec::new(),
        flags: Vec::new(),
        arguments: Vec::new(),
        options: Vec::new(),
        fingerprint: String::new(),
        outcome: "assertion".to_owned(),
    };
    let schedule = schedule(&graph, &execution, header);
    for (thread, info) in graph.threads.iter().enumerate() {
        let last = schedule.segments.iter().rfind(|segment| segment.thread == info.name);
        assert_eq!(last.map(|segment| segment.until), Some(info.events.len() as u64), "thread {thread}");
    }
    assert!(schedule.segments.windows(2).all(|pair| pair[0].thread != pair[1].thread));
}

#[test]
fn questions_that_do_not_fit_are_refused() {
    let graph = lost_update();
    let event = EventId(graph.events.len() as u32);
    let mut question = Question::new(Goal::Passes, Extent::Whole);
    question.orders = vec![(EventId(0), event)];
    assert_eq!(encode(&graph, &question).err(), Some(EncodeError::NoSuchEvent { event }));
    let event = EventId(0);
    let question = Question::new(Goal::Failure(Failure::Assertion(event)), Extent::Prefix);
    assert_eq!(encode(&graph, &question).err(), Some(EncodeError::NoAssertion { event }));
}

#[test]
fn an_address_that_can_be_anywhere_is_refused() {
    let mut builder = Builder::new();
    let main = builder.thread(ThreadName::main());
    let object = builder.object("heap", 1 << 20);
    let index = builder.input("index", Sort::Bits(32));
    let mut address = builder.address(object, 0);
    address.offset = index;
    builder.read(main, address, 1);
    let graph = builder.finish();
    let event = EventId(1);
    let question = Question::new(Goal::Passes, Extent::Whole);
    assert_eq!(encode(&graph, &question).err(), Some(EncodeError::Address { event }));
}

#[test]
fn a_formula_that_nobody_waits_for_is_not_written() {
    let graph = lost_update();
    let late = Question::new(ANY, Extent::Whole).until(Some(std::time::Instant::now()));
    assert_eq!(encode(&graph, &late).err(), Some(EncodeError::Late));
    let in_time = late.until(None);
    assert!(encode(&graph, &in_time).is_ok());
}
