//! Exhaustive exploration: known counts, and agreement of the four settings. The number of executions is checked
//! against exploration with sleep sets alone.

mod explore_programs;

use std::collections::BTreeSet;
use std::rc::Rc;

use explore_programs::{Shape, random_program, random_program_with_blocks, with_threads};
use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;
use run::{Header, Schedule};
use vm::explore::{Cut, Exploration, Hashing, Settings, explore};
use vm::{Code, Options, Outcome, replay};

fn code(source: &str) -> Rc<Code> {
    let program = ir::parse(source).unwrap_or_else(|error| panic!("{error}:\n{source}"));
    if let Err(errors) = ir::verify(&program) {
        panic!("{errors:?}\n{source}");
    }
    Rc::new(Code::new(&program))
}

fn options() -> Options {
    Options { step_limit: 10_000, ..Options::default() }
}

fn run(code: &Rc<Code>, reduction: bool, hashing: bool, executions: Option<u64>) -> Exploration {
    let hashing = if hashing { Hashing::On } else { Hashing::Off };
    let settings = Settings { reduction, hashing, executions, all: true, ..Settings::default() };
    explore(code, &options(), &settings, &mut |_| true)
}

/// Outcomes as a set: how runs end that pass, and where those that fail do.
fn outcomes(exploration: &Exploration) -> BTreeSet<String> {
    let mut all: BTreeSet<String> =
        exploration.finals.keys().map(|end| format!("status {} output {:?}", end.status, end.output)).collect();
    for found in &exploration.failures {
        let site = found.failure.site.frames.first().map(|frame| frame.function.0);
        all.insert(format!("{} {} in {site:?}", found.failure.kind.name(), found.failure.condition));
    }
    all
}

/// Every failure's schedule must replay to that failure. The label names the program.
fn check_schedules(code: &Rc<Code>, exploration: &Exploration, source: &str, label: &str) {
    for found in &exploration.failures {
        let header = Header {
            sources: Vec::new(),
            flags: Vec::new(),
            arguments: Vec::new(),
            options: Vec::new(),
            fingerprint: String::new(),
            outcome: String::new(),
        };
        let schedule = Schedule { header, segments: found.segments.clone(), choices: found.choices.clone() };
        let again = replay(code, &options(), &schedule).unwrap_or_else(|misfit| panic!("{label}: {misfit}\n{source}"));
        match again.outcome {
            Outcome::Failed(failure) => assert_eq!(failure.kind, found.failure.kind, "{label}:\n{source}"),
            other => panic!(
                "{label}: {other:?} instead of {:?}\n{source}\n{:?}\n{:?}\n{:?}",
                found.failure,
                found.segments.iter().map(|s| format!("{} {}", s.thread, s.until)).collect::<Vec<_>>(),
                found.choices,
                again.segments.iter().map(|s| format!("{} {}", s.thread, s.until)).collect::<Vec<_>>()
            ),
        }
    }
}

fn agree(source: &str, label: &str) {
    let code = code(source);
    let reduced = run(&code, true, false, Some(50_000));
    let hashed = run(&code, false, true, Some(50_000));
    let both = run(&code, true, true, Some(50_000));
    let plain = run(&code, false, false, Some(20_000));
    let judge = outcomes(&hashed);
    assert!(hashed.is_complete(), "{label}: {:?}\n{source}", hashed.cuts);
    assert_eq!(outcomes(&both), judge, "{label}: hashing with and without reduction\n{source}");
    assert!(both.is_complete(), "{label}: {:?}\n{source}", both.cuts);
    if reduced.is_complete() {
        assert_eq!(outcomes(&reduced), judge, "{label}: reduction and hashing\n{source}");
    }
    if plain.is_complete() {
        assert_eq!(outcomes(&plain), judge, "{label}: plain enumeration and hashing\n{source}");
    }
    let settings = Settings { hashing: Hashing::Off, executions: Some(20_000), all: true, ..Settings::default() };
    let asleep = explore(&code, &options(), &Settings { sleep_only: true, ..settings }, &mut |_| true);
    if reduced.is_complete() && asleep.is_complete() {
        assert_eq!(reduced.executions, asleep.executions, "{label}: inequivalent executions\n{source}");
    }
    for exploration in [&reduced, &hashed, &both, &plain] {
        check_schedules(&code, exploration, source, label);
    }
    // Of many random programs each has one bound.
    let one = source.len() as u32 % 3;
    let bounds = if label.starts_with("seed") { one..one + 1 } else { 0..3 };
    for preemptions in bounds {
        agree_within(&code, preemptions, &judge, source, label);
    }
}

/// Within a bound on preemptions, the reduction loses no outcome, and adds none.
fn agree_within(code: &Rc<Code>, preemptions: u32, judge: &BTreeSet<String>, source: &str, label: &str) {
    let within = |reduction: bool| {
        let settings = Settings {
            reduction,
            hashing: Hashing::On,
            preemptions: Some(preemptions),
            all: true,
            printed: true,
            ..Settings::default()
        };
        explore(code, &options(), &settings, &mut |_| true)
    };
    let (plain, reduced) = (within(false), within(true));
    let met = outcomes(&reduced);
    assert!(outcomes(&plain).is_subset(&met), "{label}: {preemptions} preemptions, with reduction\n{source}");
    assert!(met.is_subset(judge), "{label}: {preemptions} preemptions\n{source}");
    assert!(!reduced.is_complete() || met == *judge, "{label}: {preemptions} preemptions are all\n{source}");
    check_schedules(code, &reduced, source, label);
}

const CASES: u64 = 500;

/// The cases are dealt to this many tests, which run side by side.
const HANDS: u64 = 4;

fn number(name: &str, otherwise: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")),
        Err(_) => otherwise,
    }
}

/// `HEDDLE_CASES` is the total number of programs, `HEDDLE_FIRST_SEED` the first seed.
fn play(hand: u64) {
    play_with(hand, random_program);
}

fn play_with(hand: u64, program: fn(u64, Shape) -> String) {
    let (cases, first) = (number("HEDDLE_CASES", CASES), number("HEDDLE_FIRST_SEED", 0));
    for seed in (first..first + cases).skip(hand as usize).step_by(HANDS as usize) {
        agree(&program(seed, Shape::of(seed)), &format!("seed {seed}"));
    }
}

#[test]
fn random_programs_whose_blocks_end_have_the_same_outcomes_in_all_settings_1() {
    play_with(0, random_program_with_blocks);
}

#[test]
fn random_programs_whose_blocks_end_have_the_same_outcomes_in_all_settings_2() {
    play_with(1, random_program_with_blocks);
}

#[test]
fn random_programs_whose_blocks_end_have_the_same_outcomes_in_all_settings_3() {
    play_with(2, random_program_with_blocks);
}

#[test]
fn random_programs_whose_blocks_end_have_the_same_outcomes_in_all_settings_4() {
    play_with(3, random_program_with_blocks);
}

#[test]
fn random_programs_have_the_same_outcomes_in_all_settings_1() {
    play(0);
}

#[test]
fn random_programs_have_the_same_outcomes_in_all_settings_2() {
    play(1);
}

#[test]
fn random_programs_have_the_same_outcomes_in_all_settings_3() {
    play(2);
}

#[test]
fn random_programs_have_the_same_outcomes_in_all_settings_4() {
    play(3);
}

/// (name, program, inequivalent executions, different ends)
fn known() -> Vec<(String, String, u64, usize)> {
    let mut table = Vec::new();
    let mut add = |name: &str, source: String, inequivalent: u64, ends: usize| {
        table.push((name.to_owned(), source, inequivalent, ends));
    };
    // Each thread writes its own variable and reads the other's: of four results (0,0) needs a weak memory.
    let store_buffering = with_threads(
        &["x", "y", "a", "b"],
        &[
            "store i32 1 to $x\n$1: i32 = load $y\nstore $1 to $a",
            "store i32 1 to $y\n$1: i32 = load $x\nstore $1 to $b",
        ],
    );
    add("store buffering", store_buffering, 3, 3);
    // The message is written before the flag: (flag 1, message 0) is not seen.
    let message_passing = with_threads(
        &["data", "flag", "a", "b"],
        &[
            "store i32 1 to $data\nstore i32 1 to $flag",
            "$1: i32 = load $flag\nstore $1 to $a\n$2: i32 = load $data\nstore $2 to $b",
        ],
    );
    add("message passing", message_passing, 3, 3);
    let mut factorial = 1;
    for writers in 1..=5_u64 {
        factorial *= writers;
        // n writers to one variable: n! orders, n results.
        let texts: Vec<String> = (1..=writers).map(|value| format!("store i32 {value} to $x")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        add(&format!("{writers} writers of one variable"), with_threads(&["x"], &texts), factorial, writers as usize);
        // n writers to n variables: one.
        let names = ["a", "b", "d", "e", "f"];
        let texts: Vec<String> =
            names[..writers as usize].iter().map(|name| format!("store i32 1 to ${name}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        add(&format!("{writers} independent writers"), with_threads(&names[..writers as usize], &texts), 1, 1);
        // n threads that each take one lock: the orders of the sections.
        let section = "$1: i32 = mutex.lock($m, null)\n$2: i32 = load $x\n$3: i32 = add $2, i32 1\nstore $3 to $x\n$4: i32 = mutex.unlock($m, null)";
        let texts = vec![section; writers as usize];
        add(&format!("{writers} critical sections"), with_threads(&["x"], &texts), factorial, 1);
    }
    // Setters of a and then b, and one reader of b and then a: the orders of the accesses to each that have no circle.
    for (setters, inequivalent) in [(1, 3), (2, 22), (3, 300)] {
        let mut texts = vec!["store i32 1 to $a\nstore i32 1 to $b"; setters];
        texts.push("$1: i32 = load $b\n$2: i32 = load $a");
        add(&format!("reorder with {setters}"), with_threads(&["a", "b"], &texts), inequivalent, 1);
    }
    // One producer and one consumer with a semaphore: there is one execution.
    let producer = with_threads(
        &["x", "a"],
        &["store i32 7 to $x\n$1: i32 = sem.post($s)", "$1: i32 = sem.wait($s)\n$2: i32 = load $x\nstore $2 to $a"],
    );
    add("producer and consumer", producer, 1, 1);
    add_clocks(&mut add);
    table
}

const READ_TIME: &str = "$1: i64 = input.clock()\nstore $1 to $x";

fn add_clocks(add: &mut impl FnMut(&str, String, u64, usize)) {
    // If the clock is never read, sleeps are independent.
    let sleep = "thread.sleep(i64 5000000)";
    add("sleeps that nobody measures", with_threads(&["x"], &[sleep, sleep, sleep]), 1, 1);
    // A reading comes before the sleep begins, before it ends, or after it.
    add("a sleep and a reading", with_threads(&["x"], &[sleep, READ_TIME]), 3, 2);
    // Readings have an order, deadlines have none.
    let (other, late) = (READ_TIME.replace("$x", "$y"), format!("clock.pass(i64 {})", vm::clock::START + 7_000_000));
    add("two readings", with_threads(&["x", "y"], &[READ_TIME, &other]), 2, 2);
    add("two deadlines", with_threads(&["x"], &[&late, &late]), 1, 1);
    add("two deadlines and a reading", with_threads(&["x"], &[&late, &late, READ_TIME]), 4, 2);
    // Sleeps of five and five: the clock is read after the first, after both one after the other, or after both at once.
    let both = format!("{sleep}\n{READ_TIME}");
    add("two sleeps and a reading", with_threads(&["x"], &[&both, sleep]), 6, 2);
}

#[test]
fn known_programs_have_their_known_numbers() {
    for (name, source, inequivalent, ends) in known() {
        let code = code(&source);
        for (reduction, hashing) in [(false, false), (true, false), (false, true), (true, true)] {
            let limit = Some(100_000);
            let exploration = run(&code, reduction, hashing, limit);
            if !reduction && !hashing && exploration.cuts == [Cut::Executions(100_000)] {
                continue;
            }
            assert!(exploration.is_complete(), "{name}: {:?}", exploration.cuts);
            assert_eq!(outcomes(&exploration).len(), ends, "{name}, reduction {reduction}, hashing {hashing}");
            if reduction && !hashing {
                assert_eq!(exploration.executions, inequivalent, "{name}");
            }
        }
    }
}

/// Threads that sleep, read the clock and pass deadlines, and now and then see of each other how far they are.
fn random_times(seed: u64, shape: Shape) -> String {
    let mut generator = Pcg64Mcg::seed_from_u64(seed);
    let mut below = |count: u64| generator.next_u64() % count;
    let mut texts = Vec::new();
    for _ in 0..shape.threads {
        let (mut text, mut register) = (String::new(), 0);
        for _ in 0..shape.operations {
            let variable = ["x", "y", "z"][below(3) as usize];
            let time = 1_000_000 * below(4) as i64;
            let kind = below(6);
            register += u32::from(!matches!(kind, 0 | 1 | 4));
            text.push_str(&match kind {
                0 | 1 => format!("thread.sleep(i64 {time})\n"),
                2 | 3 => format!("${register}: i64 = input.clock()\nstore ${register} to ${variable}\n"),
                4 => format!("clock.pass(i64 {})\n", vm::clock::START + 2 * time),
                _ => format!("${register}: i64 = load ${variable}\nstore ${register} to $a\n"),
            });
        }
        texts.push(text.trim_end().to_owned());
    }
    with_threads(&["x", "y", "z", "a"], &texts.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn programs_that_read_the_clock_have_the_same_outcomes_in_all_settings() {
    // Most of their steps depend on each other, so that a few of them have many orders.
    for seed in 0..number("HEDDLE_CASES", CASES) / 16 {
        agree(&random_times(seed, Shape::of(seed % 4)), &format!("seed {seed}"));
    }
}

/// Along every execution each reading is later than the one before, and a sleep takes its time.
#[test]
fn time_goes_on_from_thread_to_thread() {
    let first = "thread.sleep(i64 9000000)\n$1: i64 = input.clock()\nstore $1 to $x\n$2: i32 = sem.post($s)";
    let second = "$1: i64 = input.clock()\n$2: i32 = sem.wait($s)\n$3: i64 = input.clock()\n$4: i64 = load $x\n$5: i64 = sub $3, $4\nstore $5 to $a\n$6: i64 = sub $3, $1\n$7: i1 = compare sge $6, i64 9000000\n$8: i32 = zext $7\nstore $8 to $b";
    let source =
        with_threads(&["a", "b"], &[first, second]).replace("global $m ", "global $x size 8 align 8\nglobal $m ");
    agree(&source, "times");
    let found = run(&code(&source), true, false, None);
    // The second thread may have read the clock after the first slept, and after it read.
    let elapsed = |output: &[u8]| i32::from_le_bytes(output[..4].try_into().expect("four bytes"));
    assert!(found.finals.keys().all(|end| elapsed(&end.output) > 0), "{:?}", found.finals);
    assert!(found.finals.keys().any(|end| end.output[4] == 1), "{:?}", found.finals);
}

#[test]
fn a_loop_that_sleeps_while_it_waits_is_not_tried_in_every_number_of_rounds() {
    let poll = "function @t0 -> (ptr) {\nb0(v0: ptr, v1: ptr):\n  jump b1\nb1:\n  thread.sleep(i64 1000)\n  v2: i32 = load $x\n  v3: i1 = compare eq v2, i32 0\n  branch v3, b1, b2\nb2:\n  return null\n}\n";
    let set = "function @t1 -> (ptr) {\nb0(v0: ptr, v1: ptr):\n  store i32 1 to $x\n  return null\n}\n";
    let silent = explore_programs::assemble(&["x"], &format!("{poll}{set}"), 2);
    assert!(run(&code(&silent), true, false, None).is_complete());
    let timed = silent.replace("  store i32 1 to $x\n", "  store i32 1 to $x\n  v2: i64 = input.clock()\n");
    let found = run(&code(&timed), true, false, None);
    assert_eq!((found.cuts, found.failures.len()), (vec![Cut::Sleeps], 0));
}

#[test]
fn philosophers_deadlock_in_one_way() {
    for count in 2..=4 {
        let texts: Vec<String> = (0..count)
            .map(|left| {
                let right = (left + 1) % count;
                format!(
                    "$1: i32 = mutex.lock($f{left}, null)\n$2: i32 = mutex.lock($f{right}, null)\n$3: i32 = mutex.unlock($f{right}, null)\n$4: i32 = mutex.unlock($f{left}, null)"
                )
            })
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let names: Vec<String> = (0..count).map(|fork| format!("f{fork}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let source = with_threads(&names, &texts);
        let code = code(&source);
        for (reduction, hashing) in [(true, false), (false, true), (true, true)] {
            let exploration = run(&code, reduction, hashing, None);
            assert!(exploration.is_complete());
            assert_eq!(exploration.failures.len(), 1, "{count} philosophers");
            assert_eq!(exploration.finals.len(), 1);
            check_schedules(&code, &exploration, &source, &format!("{count} philosophers"));
        }
    }
}

#[test]
fn a_loop_that_polls_under_a_lock_is_explored_to_its_end() {
    // One thread reads the flag under the lock repeatedly, the other sets it.
    let poll = "function @t0 -> (ptr) {\nb0(v0: ptr, v1: ptr):\n  jump b1\nb1:\n  v2: i32 = mutex.lock($m, null)\n  v3: i32 = load $x\n  v4: i32 = mutex.unlock($m, null)\n  v5: i1 = compare eq v3, i32 0\n  branch v5, b1, b2\nb2:\n  return null\n}\n";
    let set = "function @t1 -> (ptr) {\nb0(v0: ptr, v1: ptr):\n  v2: i32 = mutex.lock($m, null)\n  store i32 1 to $x\n  v3: i32 = mutex.unlock($m, null)\n  return null\n}\n";
    let code = code(&explore_programs::assemble(&["x"], &format!("{poll}{set}"), 2));
    let settings = Settings { all: true, ..Settings::default() };
    let exploration = explore(&code, &Options::default(), &settings, &mut |_| true);
    assert!(exploration.is_complete(), "{:?}", exploration.cuts);
    assert!(exploration.failures.is_empty());
    assert_eq!(exploration.finals.len(), 1);
}

#[test]
fn a_failure_is_shown_with_the_fewest_switches() {
    // One thread must be interrupted between its read and its write: main, one, the other, the first again, main.
    let increment = "$1: i32 = load $x\n$2: i32 = add $1, i32 1\nstore $2 to $x";
    let both = with_threads(&["x"], &[increment, increment]);
    let source = both.replace(
        "  process.exit(i32 0)\n  unreachable",
        "  v12: i32 = load $x\n  v13: i1 = compare eq v12, i32 2\n  branch v13, b1, b2\nb1:\n  process.exit(i32 0)\n  unreachable\nb2:\n  process.fail(null, null, i32 0, null)\n  unreachable",
    );
    let code = code(&source);
    for (reduction, hashing) in [(true, false), (false, true), (true, true)] {
        let exploration = run(&code, reduction, hashing, None);
        assert_eq!(exploration.failures.len(), 1);
        assert_eq!(exploration.failures[0].segments.len(), 5);
        check_schedules(&code, &exploration, &source, "a lost update");
    }
}

/// Each philosopher leaves a mark on a fork while holding it, so that every order of meals ends differently.
#[test]
fn philosophers_eat_in_every_order() {
    for (count, orders) in [(2, 2), (3, 6), (4, 14)] {
        let texts: Vec<String> = (0..count)
            .map(|left| {
                let right = (left + 1) % count;
                format!(
                    "$1: i32 = mutex.lock($f{left}, null)\n$2: i32 = mutex.lock($f{right}, null)\nstore i32 {left} to $a{left}\nstore i32 {left} to $a{right}\n$3: i32 = mutex.unlock($f{right}, null)\n$4: i32 = mutex.unlock($f{left}, null)"
                )
            })
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let names: Vec<String> = (0..count).map(|fork| format!("a{fork}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let forks: String = (0..count).map(|fork| format!("global $f{fork} size 40 align 8\n")).collect();
        let source = with_threads(&names, &texts).replace("global $m ", &format!("{forks}global $m "));
        let code = code(&source);
        for (reduction, hashing) in [(true, false), (false, true), (true, true)] {
            let exploration = run(&code, reduction, hashing, None);
            assert_eq!(exploration.finals.len(), orders, "{count} philosophers {reduction} {hashing}");
            assert_eq!(exploration.failures.len(), 1);
            if reduction && !hashing {
                assert_eq!(exploration.executions, orders as u64 + 1, "{count} philosophers");
            }
        }
    }
}

#[test]
fn preemptions_are_tried_from_none_upwards() {
    let increment = "$1: i32 = load $x\n$2: i32 = add $1, i32 1\nstore $2 to $x";
    let code = code(&with_threads(&["x"], &[increment, increment]));
    let bounded = |preemptions: u32| {
        let settings = Settings { preemptions: Some(preemptions), all: true, ..Settings::default() };
        explore(&code, &options(), &settings, &mut |_| true)
    };
    // Without a preemption no update is lost; with one it can be; with many the search is complete.
    assert_eq!((bounded(0).finals.len(), bounded(0).cuts), (1, vec![Cut::Preemptions(0)]));
    assert_eq!(bounded(1).finals.len(), 2);
    assert!(bounded(50).is_complete());
}

/// A block that one thread publishes and frees while another accesses it: in every setting, the other may come before
/// the block is published, find it live, or find it freed.
#[test]
fn a_block_is_found_alive_and_freed() {
    let give = "$1: ptr = memory.alloc(i64 8, i64 8, i32 1)\nstore $1 to $p\nmemory.free($1)";
    for (use_of_it, fails) in [
        ("store i32 1 to $1", "freed memory written"),
        ("$2: i64 = memory.size($1)", "freed memory measured"),
        ("$2: i32 = mutex.trylock($1, null)", "freed memory locked"),
        ("$2: i32 = sem.post($1)\n$3: i32 = sem.wait($1)", "freed memory waited for"),
        ("memory.free($1)", "memory freed twice"),
    ] {
        let take = format!("$1: ptr = load $p\n{use_of_it}\nstore i32 1 to $x");
        let source = with_threads(&["x"], &[give, &take]);
        agree(&source, use_of_it);
        let found = outcomes(&run(&code(&source), true, false, None));
        assert!(found.iter().any(|outcome| outcome.contains(fails)), "{use_of_it}: {found:?}");
        assert!(found.iter().any(|outcome| outcome.starts_with("status")), "{use_of_it}: {found:?}");
    }
}

/// A local that is lent to another thread: it is used in time, too early and too late.
#[test]
fn a_local_is_found_alive_and_ended() {
    let lend = "function @lend {\nb0:\n  v0: ptr = local i64 8 align 8\n  store v0 to $p\n  return\n}\n";
    let give =
        "function @t0 -> (ptr) {\nb0(v0: ptr, v1: ptr):\n  call @lend()\n  store i32 1 to $y\n  return null\n}\n";
    let take = "function @t1 -> (ptr) {\nb0(v0: ptr, v1: ptr):\n  v2: ptr = load $p\n  store i32 1 to v2\n  store i32 1 to $x\n  return null\n}\n";
    let source = explore_programs::assemble(&["x", "y"], &format!("{lend}{give}{take}"), 2);
    agree(&source, "a lent local");
    let found = outcomes(&run(&code(&source), true, false, None));
    assert_eq!(found.len(), 3, "{found:?}");
}

/// A read, a write and another read: with the writer in the sleep set, an initial of the sequence is the other reader.
#[test]
fn a_write_between_two_reads_is_tried_where_the_writer_sleeps() {
    let source = with_threads(
        &["x", "a", "b"],
        &[
            "store i32 1 to $x",
            "$1: i32 = mutex.lock($m, null)\n$2: i32 = mutex.unlock($m, null)\n$3: i32 = load $x\nstore $3 to $a",
            "$1: i32 = load $x\nstore $1 to $b",
        ],
    );
    agree(&source, "two readers");
    assert_eq!(run(&code(&source), true, false, None).finals.len(), 4);
}

/// Four threads acquire their locks in a cycle, each after steps of its own. In the failure found the first thread
/// closes the cycle. With the fewest switches main starts all threads, the first runs up to its lock, the others
/// acquire one lock each, and the first acquires its own. There are more states on the way than machines are stored.
#[test]
fn the_fewest_switches_are_found_among_many_states() {
    let locks = ["m", "n", "o", "l"];
    let texts: Vec<String> = (0..4)
        .map(|thread| {
            let (left, right) = (locks[thread], locks[(thread + 1) % 4]);
            let own: String = (0..3).map(|step| format!("store i32 {step} to $a{thread}\n")).collect();
            format!(
                "{own}$1: i32 = mutex.lock(${left}, null)\n$2: i32 = mutex.lock(${right}, null)\n\
                 $3: i32 = mutex.unlock(${right}, null)\n$4: i32 = mutex.unlock(${left}, null)"
            )
        })
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let source = with_threads(&["a0", "a1", "a2", "a3"], &texts);
    let source = source.replace("global $m ", "global $l size 40 align 8\nglobal $m ");
    let code = code(&source);
    let exploration = explore(&code, &options(), &Settings::default(), &mut |_| true);
    let [found] = &exploration.failures[..] else { panic!("{:?}", exploration.failures) };
    assert_eq!(found.failure.kind.name(), "deadlock");
    assert_eq!(found.segments.len(), 6, "{:?}", found.segments);
    check_schedules(&code, &exploration, &source, "a circle of four");
}
