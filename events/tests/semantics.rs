//! The meaning of a graph's events, one small graph for each rule.

use events::{
    Address, Builder, Choice, Deadlock, Effect, EventGraph, EventId, Execution, Extent, Kind, Machine, Obstacle,
    Outcome, Plan, Reason, Sought, Status, Step, ThreadId, Violation, check, replay, zero_inputs,
};
use formula::{Sort, Value};
use generate::{Enumeration, Merging};
use run::ThreadName;

const MAIN: ThreadId = ThreadId(0);

/// A builder with `count` threads, which the main one forks first.
fn threads(count: u32) -> (Builder, Vec<ThreadId>) {
    let mut builder = Builder::new();
    let mut ids = vec![builder.thread(ThreadName::main())];
    for number in 1..count {
        ids.push(builder.thread(ThreadName::main().child(number)));
    }
    for &child in &ids[1..] {
        builder.fork(MAIN, child);
    }
    (builder, ids)
}

fn object(builder: &mut Builder, name: &str) -> Address {
    let object = builder.object(name, 1);
    builder.address(object, 0)
}

fn answers(graph: &EventGraph, extent: Extent) -> (Vec<u32>, bool, bool) {
    if let Err(errors) = check(graph) {
        panic!("{}", errors[0]);
    }
    let answers = Enumeration::new(graph, extent, Merging::States).unwrap().answers(graph).unwrap();
    (answers.failures.iter().map(|event| event.0).collect(), answers.deadlock, answers.passes)
}

fn executions(graph: &EventGraph) -> u64 {
    Enumeration::new(graph, Extent::Whole, Merging::Nothing).unwrap().count(graph).unwrap()
}

fn in_order(graph: &EventGraph, events: &[u32], extent: Extent) -> Result<Outcome, Violation> {
    let steps = events.iter().map(|&event| Step::from(EventId(event))).collect();
    replay(graph, &Execution { steps, inputs: zero_inputs(graph) }, extent)
}

fn reason(result: Result<Outcome, Violation>) -> Reason {
    result.unwrap_err().reason
}

#[test]
fn two_increments_can_lose_one() {
    let (mut builder, threads) = threads(3);
    let counter = object(&mut builder, "counter");
    for &thread in &threads[1..] {
        let old = builder.read(thread, counter, 1);
        let one = builder.constant(1, 1);
        let new = builder.terms().add(old, one);
        builder.write(thread, counter, new);
    }
    for &thread in &threads[1..] {
        builder.join(MAIN, thread);
    }
    let last = builder.read(MAIN, counter, 1);
    let two = builder.constant(1, 2);
    let both = builder.terms().eq(last, two);
    let assertion = builder.assert(MAIN, both);
    let graph = builder.finish();
    assert_eq!(answers(&graph, Extent::Prefix), (vec![assertion.0], false, true));
    assert_eq!(answers(&graph, Extent::Whole), (vec![assertion.0], false, true));
}

#[test]
fn every_interleaving_is_counted() {
    // Two threads of start, write and exit beside the main one's exit, after its start and two forks.
    let (mut builder, threads) = threads(3);
    let cell = object(&mut builder, "cell");
    let one = builder.constant(1, 1);
    for &thread in &threads[1..] {
        builder.write(thread, cell, one);
    }
    let graph = builder.finish();
    let mut expected = 0;
    // Before the second fork the first child may do 0 to 3 of its steps; the rest are merged freely.
    for done in 0..=3_u64 {
        let left = 3 - done;
        let factorial = |n: u64| (1..=n).product::<u64>();
        expected += factorial(left + 3 + 1) / (factorial(left) * factorial(3));
    }
    assert_eq!(executions(&graph), expected);
}

#[test]
fn a_recursive_mutex_needs_as_many_unlocks() {
    let (mut builder, threads) = threads(2);
    let mutex = object(&mut builder, "mutex");
    let locks = [builder.lock(threads[1], mutex, true), builder.lock(threads[1], mutex, true)];
    let unlock = builder.unlock(threads[1], mutex, true);
    let other = builder.lock(MAIN, mutex, true);
    let last = builder.unlock(threads[1], mutex, true);
    let graph = builder.finish();
    let begin = [0, 2, 1, locks[0].0, locks[1].0, unlock.0];
    let refused = in_order(&graph, &[&begin[..], &[other.0]].concat(), Extent::Prefix);
    assert!(matches!(reason(refused), Reason::Blocked(Obstacle::Mutex { holder: ThreadId(1), .. })));
    assert!(in_order(&graph, &[&begin[..], &[last.0, other.0]].concat(), Extent::Prefix).is_ok());
}

#[test]
fn a_plain_mutex_locked_twice_is_a_cycle_of_one() {
    let mut builder = Builder::new();
    builder.thread(ThreadName::main());
    let mutex = object(&mut builder, "mutex");
    builder.lock(MAIN, mutex, false);
    builder.lock(MAIN, mutex, false);
    let graph = builder.finish();
    let outcome = in_order(&graph, &[0, 1], Extent::Prefix).unwrap();
    assert_eq!(outcome.deadlock, Some(Deadlock::Cycle(vec![MAIN])));
    assert_eq!(answers(&graph, Extent::Whole), (vec![], false, false));
}

#[test]
fn whoever_unlocks_frees_the_mutex() {
    let (mut builder, threads) = threads(2);
    let mutex = object(&mut builder, "mutex");
    let lock = builder.lock(MAIN, mutex, true);
    builder.lock(MAIN, mutex, true);
    builder.unlock(threads[1], mutex, true);
    let taken = builder.try_lock(threads[1], mutex, false);
    builder.assert(threads[1], taken);
    let graph = builder.finish();
    let order = [0, 2, lock.0, lock.0 + 1, 1, lock.0 + 2, lock.0 + 3, lock.0 + 4];
    assert!(in_order(&graph, &order, Extent::Prefix).unwrap().failed.is_empty());
}

#[test]
fn a_try_lock_fails_only_if_someone_holds_it() {
    let (mut builder, threads) = threads(2);
    let mutex = object(&mut builder, "mutex");
    builder.lock(MAIN, mutex, false);
    builder.unlock(MAIN, mutex, false);
    let taken = builder.try_lock(threads[1], mutex, false);
    let assertion = builder.assert(threads[1], taken);
    builder.join(MAIN, threads[1]);
    let graph = builder.finish();
    assert_eq!(answers(&graph, Extent::Prefix), (vec![assertion.0], true, true), "the main one may come too late");
    let try_first = [0, 2, 1, 5, 6];
    assert!(in_order(&graph, &try_first, Extent::Prefix).unwrap().failed.is_empty());
}

/// Two threads wait, and the main thread notifies them. Returns the sleeps.
fn two_waiters<R>(
    notify: impl FnOnce(&mut Builder, Address) -> R,
    spurious: bool,
    timed: bool,
) -> (EventGraph, [EventId; 2]) {
    let (mut builder, threads) = threads(3);
    let (mutex, condition) = (object(&mut builder, "mutex"), object(&mut builder, "condition"));
    let sleeps = [1, 2].map(|number| {
        builder.lock(threads[number], mutex, false);
        let sleep = EventId(builder.graph().events.len() as u32);
        if timed {
            builder.timed_wait(threads[number], condition, mutex, spurious);
        } else {
            builder.wait(threads[number], condition, mutex, spurious);
        }
        builder.unlock(threads[number], mutex, false);
        sleep
    });
    notify(&mut builder, condition);
    (builder.finish(), sleeps)
}

#[test]
fn a_signal_wakes_exactly_one_and_is_lost_without_sleepers() {
    let (graph, sleeps) = two_waiters(|builder, condition| builder.signal(MAIN, condition), false, false);
    assert_eq!(answers(&graph, Extent::Prefix), (vec![], true, false));
    let plan = Plan::new(&graph).unwrap();
    let mut machine = Machine::new(&plan, &[], Extent::Prefix).unwrap();
    let signal = EventId(graph.events.len() as u32 - 4);
    assert!(matches!(graph.events[signal.index()].kind, Kind::Signal { .. }));
    for event in [0, 3, 4, 1, sleeps[0].0 - 1, sleeps[0].0] {
        machine.step(EventId(event).into()).unwrap();
    }
    assert_eq!(machine.choices(signal), [Choice::Wakes(sleeps[0])]);
    assert_eq!(machine.step(signal.into()), Err(Reason::Choice(Choice::Only)));
    for event in [2, sleeps[1].0 - 1, sleeps[1].0] {
        machine.step(EventId(event).into()).unwrap();
    }
    assert_eq!(machine.choices(signal), sleeps.map(Choice::Wakes));
    let effect = machine.step(Step { event: signal, choice: Choice::Wakes(sleeps[1]) });
    assert!(matches!(effect, Ok(Effect::Notified { woken: 1, .. })));
    let Status::Blocked(stuck) = machine.status(ThreadId(1)) else { panic!("nobody woke it") };
    assert!(matches!(stuck.waits_for, Obstacle::Signal { .. }));
    assert!(matches!(machine.status(ThreadId(2)), Status::Ready(_)));
}

#[test]
fn two_signals_or_a_broadcast_wake_both() {
    let twice = |builder: &mut Builder, condition| {
        builder.signal(MAIN, condition);
        builder.signal(MAIN, condition);
    };
    let (graph, _) = two_waiters(twice, false, false);
    assert_eq!(answers(&graph, Extent::Prefix), (vec![], true, true), "they may come too early");
    let (graph, _) = two_waiters(|builder, condition| builder.broadcast(MAIN, condition), false, false);
    assert_eq!(answers(&graph, Extent::Prefix), (vec![], true, true));
    let (graph, _) = two_waiters(|_, _| (), true, false);
    assert_eq!(answers(&graph, Extent::Prefix), (vec![], false, true), "wakes without a reason need no signal");
}

#[test]
fn a_signalled_waiter_does_not_time_out() {
    let (mut builder, threads) = threads(2);
    let (mutex, condition) = (object(&mut builder, "mutex"), object(&mut builder, "condition"));
    let flag = object(&mut builder, "flag");
    builder.lock(threads[1], mutex, false);
    let timed_out = builder.timed_wait(threads[1], condition, mutex, false);
    let seen = builder.read(threads[1], flag, 1);
    let zero = builder.constant(1, 0);
    let early = builder.terms().eq(seen, zero);
    let signalled_late = builder.terms().or2(timed_out, early);
    let lost = builder.terms().not(timed_out);
    let timeless = builder.assert(threads[1], lost);
    let impossible = builder.terms().or2(timed_out, signalled_late);
    let always = builder.terms().not(early);
    let woken_means_set = builder.terms().or2(impossible, always);
    builder.assert(threads[1], woken_means_set);
    builder.lock(MAIN, mutex, false);
    let one = builder.constant(1, 1);
    builder.write(MAIN, flag, one);
    builder.signal(MAIN, condition);
    builder.unlock(MAIN, mutex, false);
    let graph = builder.finish();
    assert_eq!(answers(&graph, Extent::Prefix), (vec![timeless.0], false, true));
    assert_eq!(answers(&graph, Extent::Whole), (vec![timeless.0], false, true));
}

#[test]
fn a_signal_does_not_find_a_waiter_that_gave_up_and_only_wants_the_mutex() {
    let (mut builder, threads) = threads(2);
    let (mutex, condition) = (object(&mut builder, "mutex"), object(&mut builder, "condition"));
    let flag = object(&mut builder, "flag");
    builder.lock(threads[1], mutex, false);
    let before = builder.read(threads[1], flag, 1);
    let timed_out = builder.timed_wait(threads[1], condition, mutex, false);
    let after = builder.read(threads[1], flag, 1);
    let zero = builder.constant(1, 0);
    let terms = builder.terms();
    let (unset, set) = (terms.eq(before, zero), terms.ne(after, zero));
    let missed = terms.and(&[unset, set, timed_out]);
    let noticed = terms.not(missed);
    let assertion = builder.assert(threads[1], noticed);
    builder.lock(MAIN, mutex, false);
    let one = builder.constant(1, 1);
    builder.write(MAIN, flag, one);
    builder.signal(MAIN, condition);
    builder.unlock(MAIN, mutex, false);
    let graph = builder.finish();
    assert_eq!(answers(&graph, Extent::Whole), (vec![assertion.0], false, true));
}

#[test]
fn nobody_comes_between_in_an_atomic_block() {
    let (mut builder, threads) = threads(2);
    let cell = object(&mut builder, "cell");
    let [zero, one] = [0, 1].map(|value| builder.constant(1, value));
    builder.event(threads[1], Kind::AtomicBegin);
    builder.write(threads[1], cell, one);
    builder.write(threads[1], cell, zero);
    builder.event(threads[1], Kind::AtomicEnd);
    let seen = builder.read(MAIN, cell, 1);
    let unseen = builder.terms().eq(seen, zero);
    builder.assert(MAIN, unseen);
    let graph = builder.finish();
    assert_eq!(answers(&graph, Extent::Prefix), (vec![], false, true));
    let intruder = in_order(&graph, &[0, 2, 1, 3, 4, 7], Extent::Prefix);
    assert_eq!(reason(intruder), Reason::Atomic { owner: ThreadId(1) });
}

#[test]
fn a_block_is_over_where_its_stretch_is_whatever_the_guard_of_its_end() {
    let (mut builder, threads) = threads(2);
    let cell = object(&mut builder, "cell");
    let one = builder.constant(1, 1);
    let begin = builder.event(threads[1], Kind::AtomicBegin);
    let never = builder.terms().falsehood();
    builder.set_guard(never);
    builder.event(threads[1], Kind::AtomicEnd);
    let truth = builder.terms().truth();
    builder.set_guard(truth);
    builder.write(threads[1], cell, one);
    let write = builder.write(MAIN, cell, one);
    let graph = builder.finish();
    assert!(in_order(&graph, &[0, 2, 1, begin.0, write.0], Extent::Prefix).is_ok());
}

#[test]
fn a_failure_ends_a_prefix_and_is_noted_in_a_whole() {
    let (mut builder, threads) = threads(2);
    let cell = object(&mut builder, "cell");
    let never = builder.terms().falsehood();
    let failing = builder.assert(threads[1], never);
    let again = builder.assert(threads[1], never);
    let read = builder.read(MAIN, cell, 1);
    let _ = read;
    let graph = builder.finish();
    let over = in_order(&graph, &[0, 2, 1, failing.0, 5], Extent::Prefix);
    assert_eq!(reason(over), Reason::AfterFailure { assertion: failing });
    let outcome = in_order(&graph, &[0, 2, 1, failing.0], Extent::Prefix).unwrap();
    assert_eq!((outcome.failed, outcome.complete, outcome.deadlock), (vec![failing], false, None));
    let whole = [0, 2, 1, failing.0, again.0, 5, 6, 7];
    assert_eq!(in_order(&graph, &whole, Extent::Whole).unwrap().failed, [failing, again]);
    let short = in_order(&graph, &whole[..7], Extent::Whole);
    assert_eq!(reason(short), Reason::Incomplete { thread: ThreadId(1) });
    assert_eq!(answers(&graph, Extent::Prefix), (vec![failing.0], false, false));
    assert_eq!(answers(&graph, Extent::Whole), (vec![failing.0, again.0], false, false));
}

#[test]
fn assumptions_and_cuts_exclude_only_what_goes_through_them() {
    let (mut builder, threads) = threads(2);
    let never = builder.terms().falsehood();
    builder.assume(MAIN, never);
    builder.event(threads[1], Kind::Cut);
    let graph = builder.finish();
    assert_eq!(reason(in_order(&graph, &[0, 2, 3], Extent::Prefix)), Reason::Assumption);
    assert_eq!(reason(in_order(&graph, &[0, 2, 1, 4], Extent::Prefix)), Reason::Cut);
    let outcome = in_order(&graph, &[0, 2, 1], Extent::Prefix).unwrap();
    assert_eq!((outcome.complete, outcome.stuck.len(), outcome.deadlock), (false, 0, None));
    assert_eq!(answers(&graph, Extent::Whole), (vec![], false, false));
}

#[test]
fn the_process_ends_for_all() {
    let (mut builder, threads) = threads(2);
    let mutex = builder.object("mutex", 1);
    let mutex = builder.address(mutex, 0);
    let end = builder.event(MAIN, Kind::End);
    builder.lock(threads[1], mutex, false);
    builder.lock(threads[1], mutex, false);
    let never = builder.terms().falsehood();
    let failing = builder.assert(MAIN, never);
    let graph = builder.finish();
    let ended = in_order(&graph, &[0, 2, 1, 4, end.0], Extent::Prefix).unwrap();
    assert_eq!((ended.complete, ended.passes(), ended.stuck, ended.deadlock), (true, true, vec![], None));
    for later in [failing.0, 5] {
        assert_eq!(reason(in_order(&graph, &[0, 2, 1, end.0, later], Extent::Prefix)), Reason::AfterEnd { end });
    }
    // A thread before the await is not stuck; one that waits for a mutex it owns is in a cycle.
    assert_eq!(answers(&graph, Extent::Prefix), (vec![], true, true));
    // In a whole execution all threads would have to finish, and cannot.
    assert_eq!(answers(&graph, Extent::Whole), (vec![], false, false));
}

#[test]
fn conditions_about_other_threads_are_judged_at_the_end() {
    let (mut builder, threads) = threads(2);
    let cell = object(&mut builder, "cell");
    let one = builder.constant(1, 1);
    let seen = builder.read(threads[1], cell, 1);
    let condition = builder.terms().ne(seen, one);
    let assertion = builder.assert(MAIN, condition);
    let write = builder.write(MAIN, cell, one);
    let graph = builder.finish();
    assert!(Plan::new(&graph).unwrap().is_late(assertion));
    let missing = in_order(&graph, &[0, 2, assertion.0], Extent::Prefix);
    assert_eq!(reason(missing), Reason::NeverDefined { definer: EventId(3) });
    let after = in_order(&graph, &[0, 2, assertion.0, write.0, 1, 3], Extent::Prefix);
    assert_eq!(reason(after), Reason::AfterFailure { assertion });
    let passing = in_order(&graph, &[0, 2, 1, 3, assertion.0, write.0, 6, 7], Extent::Whole).unwrap();
    assert!(passing.passes());
    assert_eq!(answers(&graph, Extent::Whole), (vec![assertion.0], false, true));
    assert_eq!(answers(&graph, Extent::Prefix), (vec![], false, true), "the write comes after the assertion");
}

#[test]
fn a_cycle_is_a_deadlock_even_if_others_go_on() {
    let (mut builder, threads) = threads(3);
    let mutexes = [object(&mut builder, "one"), object(&mut builder, "other")];
    let first = builder.lock(threads[1], mutexes[0], false);
    builder.lock(threads[1], mutexes[1], false);
    let second = builder.lock(threads[2], mutexes[1], false);
    builder.lock(threads[2], mutexes[0], false);
    let graph = builder.finish();
    let outcome = in_order(&graph, &[0, 3, 4, 1, 2, first.0, second.0], Extent::Prefix).unwrap();
    assert_eq!(outcome.deadlock, Some(Deadlock::Cycle(vec![ThreadId(1), ThreadId(2)])));
    assert_eq!(outcome.stuck.len(), 2);
    assert!(!outcome.complete);
}

#[test]
fn joins_and_locks_make_cycles_together() {
    let (mut builder, threads) = threads(2);
    let mutex = object(&mut builder, "mutex");
    builder.lock(MAIN, mutex, false);
    builder.join(MAIN, threads[1]);
    builder.lock(threads[1], mutex, false);
    let graph = builder.finish();
    let outcome = in_order(&graph, &[0, 2, 3, 1], Extent::Prefix).unwrap();
    assert_eq!(outcome.deadlock, Some(Deadlock::Cycle(vec![MAIN, ThreadId(1)])));
    assert_eq!(answers(&graph, Extent::Prefix), (vec![], true, false), "an exit frees no mutex");
}

#[test]
fn a_mutex_that_another_thread_may_release_makes_no_cycle() {
    for foreign in [false, true] {
        let (mut builder, threads) = threads(2);
        let mutex = object(&mut builder, "mutex");
        let first = builder.lock(MAIN, mutex, false);
        builder.lock(MAIN, mutex, false);
        let last = builder.event(threads[1], Kind::Unlock { mutex, recursive: false, foreign });
        let graph = builder.finish();
        let outcome = in_order(&graph, &[0, 2, 1, first.0], Extent::Prefix).unwrap();
        assert_eq!(outcome.deadlock.is_some(), !foreign, "the other thread releases it");
        let outcome = in_order(&graph, &[0, 2, 1, last.0, first.0], Extent::Prefix).unwrap();
        assert_eq!(outcome.deadlock, Some(Deadlock::Cycle(vec![MAIN])), "it has come too early");
    }
}

#[test]
fn nobody_releases_a_mutex_when_the_process_is_about_to_end() {
    let (mut builder, threads) = threads(2);
    let (mutex, flag) = (object(&mut builder, "mutex"), object(&mut builder, "flag"));
    let found = builder.read(MAIN, flag, 1);
    let read = EventId(builder.graph().events.len() as u32 - 1);
    let zero = builder.constant(1, 0);
    let (ends, goes_on) = (builder.terms().eq(found, zero), builder.terms().ne(found, zero));
    builder.set_guard(ends);
    builder.event(MAIN, Kind::End);
    builder.set_guard(goes_on);
    builder.foreign_unlock(MAIN, mutex);
    let truth = builder.terms().truth();
    builder.set_guard(truth);
    let first = builder.lock(threads[1], mutex, false);
    builder.lock(threads[1], mutex, false);
    let graph = builder.finish();
    let before = in_order(&graph, &[0, 2, 1, first.0], Extent::Prefix).unwrap();
    assert_eq!(before.deadlock, None, "the flag may be set");
    let outcome = in_order(&graph, &[0, 2, 1, first.0, read.0], Extent::Prefix).unwrap();
    assert_eq!(outcome.deadlock, Some(Deadlock::Cycle(vec![ThreadId(1)])));
}

#[test]
fn a_writer_waits_for_each_reader() {
    let (mut builder, threads) = threads(3);
    let (lock, mutex) = (object(&mut builder, "lock"), object(&mut builder, "mutex"));
    for &thread in &threads[1..] {
        builder.read_lock(thread, lock, 1);
    }
    let own = builder.lock(MAIN, mutex, false);
    builder.write_lock(MAIN, lock, 1);
    builder.lock(threads[2], mutex, false);
    builder.rw_unlock(threads[1], lock, 1);
    let graph = builder.finish();
    let outcome = in_order(&graph, &[0, 3, 4, 1, 2, 5, 6, own.0], Extent::Prefix).unwrap();
    assert_eq!(outcome.deadlock, Some(Deadlock::Cycle(vec![MAIN, ThreadId(2)])), "the first reader could go on");
}

#[test]
fn a_reader_that_asks_for_the_write_lock_waits_for_itself() {
    for releases in [1, 2] {
        let (mut builder, threads) = threads(2);
        let lock = object(&mut builder, "lock");
        for _ in 0..2 {
            builder.read_lock(threads[1], lock, 1);
        }
        for _ in 0..releases {
            builder.rw_unlock(threads[1], lock, 1);
        }
        builder.write_lock(threads[1], lock, 1);
        let graph = builder.finish();
        assert_eq!(answers(&graph, Extent::Prefix).1, releases < 2, "{releases} releases");
    }
}

#[test]
fn a_function_that_runs_once_and_asks_for_itself_waits_for_itself() {
    let (mut builder, threads) = threads(2);
    let control = object(&mut builder, "control");
    builder.once(threads[1], control, 1);
    builder.once(threads[1], control, 1);
    builder.once_done(threads[1], control, 1);
    let graph = builder.finish();
    let outcome = in_order(&graph, &[0, 2, 1, 3], Extent::Prefix).unwrap();
    assert_eq!(outcome.deadlock, Some(Deadlock::Cycle(vec![ThreadId(1)])), "main could go on");
}

#[test]
fn a_woken_sleeper_without_the_mutex_waits_for_its_holder() {
    let (mut builder, threads) = threads(2);
    let (mutex, condition) = (object(&mut builder, "mutex"), object(&mut builder, "condition"));
    builder.lock(threads[1], mutex, false);
    let (sleep, _) = builder.wait(threads[1], condition, mutex, false);
    let lock = builder.lock(MAIN, mutex, false);
    let signal = builder.signal(MAIN, condition);
    builder.join(MAIN, threads[1]);
    let graph = builder.finish();
    let plan = Plan::new(&graph).unwrap();
    let mut steps: Vec<Step> = [0, 2, 1, 3, sleep.0, lock.0].map(|event| EventId(event).into()).into();
    let before = plan.replay(&Execution { steps: steps.clone(), inputs: vec![] }, Extent::Prefix).unwrap();
    assert_eq!(before.deadlock, None);
    steps.push(Step { event: signal, choice: Choice::Wakes(sleep) });
    let after = plan.replay(&Execution { steps, inputs: vec![] }, Extent::Prefix).unwrap();
    assert_eq!(after.deadlock, Some(Deadlock::Cycle(vec![MAIN, ThreadId(1)])));
}

#[test]
fn semaphores_barriers_and_locks_do_what_they_promise() {
    let (mut builder, threads) = threads(3);
    let [semaphore, barrier, flag] = ["semaphore", "barrier", "flag"].map(|name| object(&mut builder, name));
    let one = builder.constant(1, 1);
    builder.sem_wait(threads[1], semaphore, 1);
    let seen = builder.read(threads[1], flag, 1);
    let set = builder.terms().eq(seen, one);
    builder.assert(threads[1], set);
    builder.barrier(threads[1], barrier, 1, 2);
    builder.write(threads[2], flag, one);
    builder.sem_post(threads[2], semaphore, 1);
    builder.barrier(threads[2], barrier, 1, 2);
    let graph = builder.finish();
    assert_eq!(answers(&graph, Extent::Prefix), (vec![], false, true));

    let (mut builder, threads) = self::threads(3);
    let (lock, data) = (object(&mut builder, "lock"), object(&mut builder, "data"));
    let [zero, one] = [0, 1].map(|value| builder.constant(1, value));
    builder.write_lock(threads[1], lock, 1);
    builder.write(threads[1], data, one);
    builder.write(threads[1], data, zero);
    builder.rw_unlock(threads[1], lock, 1);
    builder.read_lock(threads[2], lock, 1);
    let seen = builder.read(threads[2], data, 1);
    let unseen = builder.terms().eq(seen, zero);
    builder.assert(threads[2], unseen);
    builder.rw_unlock(threads[2], lock, 1);
    let got = builder.try_write_lock(MAIN, lock, 1);
    let assertion = builder.assert(MAIN, got);
    let graph = builder.finish();
    assert_eq!(answers(&graph, Extent::Prefix), (vec![assertion.0], true, true), "the main one never lets go");
    assert_eq!(answers(&graph, Extent::Whole), (vec![assertion.0], false, true));
}

#[test]
fn a_once_control_runs_once_and_others_wait() {
    let (mut builder, threads) = threads(3);
    let (control, count) = (object(&mut builder, "control"), object(&mut builder, "count"));
    let one = builder.constant(1, 1);
    for &thread in &threads[1..] {
        let first = builder.once(thread, control, 1);
        builder.set_guard(first);
        builder.rmw(thread, count, 1, |terms, old| terms.add(old, one));
        builder.once_done(thread, control, 1);
        let truth = builder.terms().truth();
        builder.set_guard(truth);
        let seen = builder.read(thread, count, 1);
        let exactly = builder.terms().eq(seen, one);
        builder.assert(thread, exactly);
    }
    let graph = builder.finish();
    assert_eq!(answers(&graph, Extent::Prefix), (vec![], false, true));
}

#[test]
fn threads_that_nobody_forks_drop_out() {
    let mut builder = Builder::new();
    builder.thread(ThreadName::main());
    let child = builder.thread(ThreadName::main().child(1));
    let choice = builder.input("choice", Sort::Bool);
    builder.set_guard(choice);
    builder.fork(MAIN, child);
    let truth = builder.terms().truth();
    builder.set_guard(truth);
    let never = builder.terms().falsehood();
    let assertion = builder.assert(child, never);
    let graph = builder.finish();
    assert_eq!(answers(&graph, Extent::Whole), (vec![assertion.0], false, true));
    let enumeration = Enumeration::new(&graph, Extent::Whole, Merging::States).unwrap();
    let failing = enumeration.find(&graph, Sought::AnyAssertion, &[]).unwrap().unwrap();
    assert_eq!(failing.inputs, [Value::Bool(true)]);
    let ordered = [(EventId(2), assertion)];
    assert!(enumeration.find(&graph, Sought::AnyAssertion, &ordered).unwrap().is_some());
    assert!(enumeration.find(&graph, Sought::Passes, &ordered).unwrap().is_none());
    assert!(enumeration.find(&graph, Sought::AnyAssertion, &[(assertion, EventId(2))]).unwrap().is_none());
}

#[test]
fn memory_is_bytes_at_symbolic_addresses() {
    let mut builder = Builder::new();
    builder.thread(ThreadName::main());
    let array = builder.object("array", 4);
    let index = builder.object("index", 1);
    let initial = builder.terms().bits(16, 0x0201);
    builder.initial(array, 1, initial);
    let word = builder.address(array, 0);
    let whole = builder.read(MAIN, word, 4);
    let position = builder.address(index, 0);
    let offset = builder.read(MAIN, position, 1);
    let offset = builder.terms().zero_extend(offset, 32);
    let high = builder.constant(2, 0xaabb);
    let at = Address { object: word.object, offset };
    builder.write(MAIN, at, high);
    let after = builder.read(MAIN, word, 4);
    let graph = builder.finish();
    let plan = Plan::new(&graph).unwrap();
    let mut machine = Machine::new(&plan, &[], Extent::Whole).unwrap();
    for event in 0..5 {
        machine.step(EventId(event).into()).unwrap();
    }
    assert_eq!(machine.value(whole), Some(0x0002_0100));
    assert_eq!(machine.value(after), Some(0x0002_aabb));

    let mut builder = Builder::new();
    builder.thread(ThreadName::main());
    let array = builder.object("array", 2);
    let position = builder.input("position", Sort::Bits(8));
    let offset = builder.terms().zero_extend(position, 32);
    let address = Address { offset, ..builder.address(array, 0) };
    builder.read(MAIN, address, 2);
    let graph = builder.finish();
    let run = |value| {
        let steps = [0, 1, 2].map(|event| EventId(event).into()).into();
        replay(&graph, &Execution { steps, inputs: vec![Value::Bits { width: 8, value }] }, Extent::Whole)
    };
    assert!(run(0).unwrap().passes());
    assert!(matches!(reason(run(1)), Reason::OutOfBounds { bytes: 2, .. }));
}

#[test]
fn steps_out_of_turn_are_refused() {
    let (mut builder, threads) = threads(2);
    let cell = object(&mut builder, "cell");
    let read = builder.read(threads[1], cell, 1);
    let _ = read;
    let graph = builder.finish();
    let prefix = |events: &[u32]| reason(in_order(&graph, events, Extent::Prefix));
    assert_eq!(prefix(&[99]), Reason::NoSuchEvent);
    assert_eq!(prefix(&[1]), Reason::NotForked);
    assert_eq!(prefix(&[2]), Reason::NotNext { expected: EventId(0) });
    assert_eq!(prefix(&[0, 2, 4, 4]), Reason::Finished);
    let extra = Execution { steps: vec![], inputs: vec![Value::Bool(true)] };
    assert_eq!(reason(replay(&graph, &extra, Extent::Prefix)), Reason::Inputs { expected: 0, found: 1 });
}

/// One thread reads two flags until one of them is set; another sets the first, and resets it if `takes_back`.
fn two_flags(takes_back: bool) -> (EventGraph, [EventId; 3]) {
    let (mut builder, threads) = threads(3);
    let (first, second) = (object(&mut builder, "first"), object(&mut builder, "second"));
    let one = builder.read(threads[1], first, 1);
    let read = EventId(builder.graph().events.len() as u32 - 1);
    let two = builder.read(threads[1], second, 1);
    let round = vec![read, EventId(read.0 + 1)];
    let (zero, set) = (builder.constant(1, 0), builder.constant(1, 1));
    let terms = builder.terms();
    let (one, two) = (terms.eq(one, zero), terms.eq(two, zero));
    let idle = terms.and2(one, two);
    builder.set_guard(idle);
    let waits = builder.event(threads[1], Kind::Await { round });
    let truth = builder.terms().truth();
    builder.set_guard(truth);
    let sets = builder.write(threads[2], first, set);
    if takes_back {
        builder.write(threads[2], first, zero);
    }
    (builder.finish(), [read, waits, sets])
}

#[test]
fn an_idle_round_is_no_part_of_a_whole_execution() {
    let (graph, [read, waits, sets]) = two_flags(false);
    assert_eq!(answers(&graph, Extent::Prefix), (vec![], false, true));
    let steps = |machine: &mut Machine<'_>, events: &[u32]| {
        events.iter().all(|&event| machine.step(Step::from(EventId(event))).is_ok())
    };
    let plan = Plan::new(&graph).unwrap();
    let mut machine = Machine::new(&plan, &[], Extent::Prefix).unwrap();
    let starts = [0, 3, 4, 1, 2];
    assert!(steps(&mut machine, &starts) && steps(&mut machine, &[read.0, read.0 + 1]));
    assert!(matches!(machine.status(ThreadId(1)), Status::Blocked(stuck) if stuck.waits_for == Obstacle::Repetition));
    assert_eq!(machine.step(Step::from(waits)), Err(Reason::Blocked(Obstacle::Repetition)));
    assert!(steps(&mut machine, &[sets.0]));
    assert_eq!(machine.status(ThreadId(1)), Status::Ready(waits));
    assert_eq!(machine.step(Step::from(waits)), Err(Reason::Idle));
}

#[test]
fn a_loop_whose_flags_stay_down_hangs() {
    let (graph, _) = two_flags(true);
    assert_eq!(answers(&graph, Extent::Prefix), (vec![], true, true));
}

#[test]
fn a_try_lock_is_awaited_until_somebody_releases_the_mutex() {
    for releases in [false, true] {
        let (mut builder, threads) = threads(3);
        let mutex = object(&mut builder, "mutex");
        let taken = builder.try_lock(threads[1], mutex, false);
        let round = vec![EventId(builder.graph().events.len() as u32 - 1)];
        let refused = builder.terms().not(taken);
        builder.set_guard(refused);
        builder.event(threads[1], Kind::Await { round });
        let truth = builder.terms().truth();
        builder.set_guard(truth);
        builder.lock(threads[2], mutex, false);
        if releases {
            builder.unlock(threads[2], mutex, false);
        }
        // If the try-lock fails, the other thread waits for ever.
        let graph = builder.finish();
        assert!(answers(&graph, Extent::Prefix).1);
        let held = [0, 3, 4, 1, 2, 7, 5];
        let held = if releases { &[0, 3, 4, 1, 2, 7, 5, 8][..] } else { &held };
        let outcome = in_order(&graph, held, Extent::Prefix).unwrap();
        assert_eq!(outcome.stuck.iter().any(|stuck| stuck.waits_for == Obstacle::Repetition), !releases);
    }
}
