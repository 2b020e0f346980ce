//! Small programs in IR text, one for each property of the machine.

use std::rc::Rc;

use run::{Header, Schedule};
use vm::strategy::{Pct, Random};
use vm::{Code, Execution, FailureKind, Options, Outcome, execute, replay};

fn code(source: &str) -> Rc<Code> {
    let program = ir::parse(source).unwrap_or_else(|error| panic!("{error}:\n{source}"));
    if let Err(errors) = ir::verify(&program) {
        panic!("{errors:?}");
    }
    Rc::new(Code::new(&program))
}

fn options() -> Options {
    Options { step_limit: 100_000, ..Options::default() }
}

fn schedule_of(execution: &Execution) -> Schedule {
    let header = Header {
        sources: Vec::new(),
        flags: Vec::new(),
        arguments: Vec::new(),
        options: Vec::new(),
        fingerprint: String::new(),
        outcome: String::new(),
    };
    Schedule { header, segments: execution.segments.clone(), choices: execution.choices.clone() }
}

/// All failures within 200 runs of each strategy; every run must replay to the same end.
fn failures(source: &str) -> Vec<(FailureKind, String)> {
    let code = code(source);
    let mut found = Vec::new();
    for seed in 0..200 {
        let runs = [
            execute(&code, &options(), &mut Random::new(seed)),
            execute(&code, &options(), &mut Pct::new(seed, 3, 20)),
        ];
        for execution in runs {
            let again = replay(&code, &options(), &schedule_of(&execution)).expect("a run's own schedule fits");
            assert_eq!(again.outcome, execution.outcome, "seed {seed}");
            assert_eq!(again.segments, execution.segments, "seed {seed}");
            if let Outcome::Failed(failure) = execution.outcome {
                let failure = (failure.kind, failure.condition);
                if !found.contains(&failure) {
                    found.push(failure);
                }
            }
        }
    }
    found
}

/// A main that starts `count` threads with `@worker`, joins them, and then runs `after`, whose registers are vA and vB.
fn with_workers(count: u32, globals: &str, worker: &str, after: &str) -> String {
    let mut main = String::from("b0:\n  v0: ptr = local i64 64 align 8\n");
    let mut next = 1;
    for thread in 0..count {
        main.push_str(&format!(
            "  v{}: ptr = address v0, {}\n  v{}: i32 = thread.create(v{}, @worker, null, ptr {thread})\n",
            next,
            8 * thread,
            next + 1,
            next
        ));
        next += 2;
    }
    for thread in 0..count {
        main.push_str(&format!(
            "  v{}: ptr = address v0, {}\n  v{}: i64 = load v{}\n  v{}: i32 = thread.join(v{}, null)\n",
            next,
            8 * thread,
            next + 1,
            next,
            next + 2,
            next + 1
        ));
        next += 3;
    }
    let after = after.replace("vA", &format!("v{next}")).replace("vB", &format!("v{}", next + 1));
    format!(
        "heddle ir 1\nentry @main\n{globals}\nfunction @worker -> (ptr) {{\n{worker}\n}}\nfunction @main {{\n{main}{after}\n}}\n"
    )
}

const INCREMENT: &str =
    "b0(v0: ptr, v1: ptr):\n  v2: i32 = load $x\n  v3: i32 = add v2, i32 1\n  store v3 to $x\n  return null";

const CHECK_TWO: &str = "  vA: i32 = load $x\n  vB: i1 = compare eq vA, i32 2\n  branch vB, b1, b2\nb1:\n  process.exit(i32 0)\n  unreachable\nb2:\n  process.fail(null, null, i32 0, null)\n  unreachable";

#[test]
fn an_update_is_lost() {
    let source = with_workers(2, "global $x size 4 align 4", INCREMENT, CHECK_TWO);
    assert_eq!(failures(&source), [(FailureKind::Assertion, String::new())]);
}

#[test]
fn a_lock_keeps_the_update() {
    let worker = "b0(v0: ptr, v1: ptr):\n  v4: i32 = mutex.lock($m, null)\n  v2: i32 = load $x\n  v3: i32 = add v2, i32 1\n  store v3 to $x\n  v5: i32 = mutex.unlock($m, null)\n  return null";
    let source = with_workers(2, "global $x size 4 align 4\nglobal $m size 40 align 8", worker, CHECK_TWO);
    assert_eq!(failures(&source), []);
}

#[test]
fn locks_in_both_orders_are_a_deadlock() {
    let worker = "b0(v0: ptr, v1: ptr):\n  v2: i1 = compare eq v1, null\n  v3: ptr = select v2, $a, $b\n  v4: ptr = select v2, $b, $a\n  v5: i32 = mutex.lock(v3, null)\n  v6: i32 = mutex.lock(v4, null)\n  v7: i32 = mutex.unlock(v4, null)\n  v8: i32 = mutex.unlock(v3, null)\n  return null";
    let globals = "global $a size 40 align 8\nglobal $b size 40 align 8";
    let source = with_workers(2, globals, worker, "  process.exit(i32 0)\n  unreachable");
    assert_eq!(failures(&source), [(FailureKind::Deadlock, "2 threads wait for each other".to_owned())]);
}

/// The failures that exploration finds.
fn explored(source: &str) -> Vec<(FailureKind, String)> {
    let settings = vm::explore::Settings { all: true, ..vm::explore::Settings::default() };
    let exploration = vm::explore::explore(&code(source), &options(), &settings, &mut |_| true);
    let found = exploration.failures.into_iter().map(|found| (found.failure.kind, found.failure.condition));
    found.collect()
}

#[test]
fn a_mutex_that_another_thread_releases_is_no_deadlock() {
    let globals = "global $x size 4 align 4\nglobal $a size 40 align 8\nglobal $b size 40 align 8";
    let after = "  process.exit(i32 0)\n  unreachable";
    let begin = "b0(v0: ptr, v1: ptr):\n  v2: i1 = compare eq v1, null\n  branch v2, b1, b2\nb1:\n  v3: i32 = mutex.lock($a, null)\n  \
        store i32 1 to $x\n";
    let release = "b3:\n  v7: i32 = load $x\n  v8: i1 = compare eq v7, i32 0\n  branch v8, b3, b4\nb4:\n  \
        v9: i32 = mutex.unlock($a, null)\n  return null\n";
    let kept = "b3:\n  v7: i32 = load $x\n  v8: i1 = compare eq v7, i32 0\n  jump b4\nb4:\n  v9: i32 = load $x\n  \
        return null\n";
    // One thread waits for itself until another thread releases the mutex.
    let itself = format!(
        "{begin}  v4: i32 = mutex.lock($a, null)\n  v5: i32 = mutex.unlock($a, null)\n  return null\nb2:\n  \
         v6: i1 = compare eq v1, null\n  jump b3\n"
    );
    let source = with_workers(2, globals, &format!("{itself}{release}"), after);
    assert_eq!((failures(&source), explored(&source)), (Vec::new(), Vec::new()));
    let source = with_workers(2, globals, &format!("{itself}{kept}"), after);
    let expected = vec![(FailureKind::Deadlock, "a thread waits for itself".to_owned())];
    assert_eq!((failures(&source), explored(&source)), (expected.clone(), expected));
    // Two threads wait for each other until a third one releases a mutex of theirs.
    let both = format!(
        "{begin}  v4: i32 = mutex.lock($b, null)\n  v5: i32 = mutex.unlock($b, null)\n  return null\nb2:\n  \
         v6: i1 = compare eq v1, ptr 1\n  branch v6, b5, b3\n"
    );
    let other = "b5:\n  v10: i32 = mutex.lock($b, null)\n  v11: i32 = mutex.lock($a, null)\n  \
        v12: i32 = mutex.unlock($a, null)\n  v13: i32 = mutex.unlock($b, null)\n  return null\n";
    let source = with_workers(3, globals, &format!("{both}{release}{other}"), after);
    assert_eq!((failures(&source), explored(&source)), (Vec::new(), Vec::new()));
    // Without the release the first thread keeps its mutex, for which the second one waits in vain.
    let source = with_workers(3, globals, &format!("{both}{kept}{other}"), after);
    let circle = (FailureKind::Deadlock, "2 threads wait for each other".to_owned());
    assert!(failures(&source).contains(&circle) && explored(&source).contains(&circle));
}

#[test]
fn a_flag_that_is_never_set_is_a_hang() {
    let worker = "b0(v0: ptr, v1: ptr):\n  jump b1\nb1:\n  v2: i32 = load $x\n  v3: i1 = compare eq v2, i32 0\n  branch v3, b1, b2\nb2:\n  return null";
    let source = with_workers(1, "global $x size 4 align 4", worker, "  process.exit(i32 0)\n  unreachable");
    assert_eq!(failures(&source), [(FailureKind::Hang, "a loop waits for a change that nobody makes".to_owned())]);
}

#[test]
fn a_spin_lock_is_no_hang() {
    let worker = "b0(v0: ptr, v1: ptr):\n  jump b1\nb1:\n  v2: i32, v3: i1 = cmpxchg strong $l, i32 0, i32 1 seqcst seqcst\n  branch v3, b2, b1\nb2:\n  v4: i32 = load $x\n  v5: i32 = add v4, i32 1\n  store v5 to $x\n  store i32 0 to $l\n  return null";
    let globals = "global $x size 4 align 4\nglobal $l size 4 align 4";
    assert_eq!(failures(&with_workers(2, globals, worker, CHECK_TWO)), []);
}

#[test]
fn a_signal_before_the_wait_is_lost() {
    // Thread 0 waits without a predicate, thread 1 signals.
    let worker = "b0(v0: ptr, v1: ptr):\n  v2: i1 = compare eq v1, null\n  branch v2, b1, b2\nb1:\n  v3: i32 = mutex.lock($m, null)\n  v4: i32 = cond.wait($c, $m, null)\n  v5: i32 = mutex.unlock($m, null)\n  return null\nb2:\n  cond.signal($c)\n  return null";
    let globals = "global $c size 48 align 8\nglobal $m size 40 align 8";
    let source = with_workers(2, globals, worker, "  process.exit(i32 0)\n  unreachable");
    assert_eq!(failures(&source), [(FailureKind::Deadlock, "every remaining thread waits".to_owned())]);
}

#[test]
fn memory_errors_are_seen() {
    let main = |body: &str| format!("heddle ir 1\nentry @main\nfunction @main {{\nb0:\n{body}\n  unreachable\n}}\n");
    for (body, expected) in [
        ("  v0: i32 = load null", "null pointer read (address 0x0)"),
        (
            "  v0: ptr = memory.alloc(i64 4, i64 8, i32 0)\n  v1: i64 = load v0",
            "out of bounds: 8 bytes read at offset 0 of an object of 4 bytes",
        ),
        (
            "  v0: ptr = memory.alloc(i64 4, i64 8, i32 0)\n  memory.free(v0)\n  store i8 1 to v0",
            "freed memory written",
        ),
        ("  v0: ptr = memory.alloc(i64 4, i64 8, i32 0)\n  memory.free(v0)\n  memory.free(v0)", "memory freed twice"),
        ("  v0: i32 = mutex.lock(null, null)", "null pointer locked (address 0x0)"),
        ("  v0: i32 = mutex.unlock(ptr 7, null)", "null pointer unlocked (address 0x7)"),
    ] {
        assert_eq!(failures(&main(body)), [(FailureKind::Memory, expected.to_owned())], "{body}");
    }
}

#[test]
fn one_seed_is_one_run() {
    let code = code(&with_workers(3, "global $x size 4 align 4", INCREMENT, CHECK_TWO));
    for seed in 0..20 {
        let first = execute(&code, &options(), &mut Random::new(seed));
        let second = execute(&code, &options(), &mut Random::new(seed));
        assert_eq!(first.segments, second.segments);
        assert_eq!(first.outcome, second.outcome);
    }
}

#[test]
fn a_thread_can_wait_for_itself_in_private() {
    let source = "heddle ir 1\nentry @main\nfunction @main {\nb0:\n  v0: ptr = local i64 40 align 8\n  v1: i32 = mutex.lock(v0, null)\n  v2: i32 = mutex.lock(v0, null)\n  process.exit(i32 0)\n  unreachable\n}\n";
    assert_eq!(failures(source), [(FailureKind::Deadlock, "a thread waits for itself".to_owned())]);
}

#[test]
fn an_exception_ends_the_calls_inside_of_its_invoke() {
    // `@middle` calls `@thrower` without a handler; main lands with the exception, and returns it as its exit status.
    let source = "heddle ir 1\nentry @main\nglobal $t size 8 align 8\n\
        function @thrower -> (i32) {\nb0(v0: i32):\n  v4: ptr = local i64 8 align 8\n  v1: i1 = compare eq v0, i32 0\n  branch v1, b1, b2\n\
        b1:\n  return i32 3\nb2:\n  v2: ptr = unwind.table(i32 0)\n  v3: i1 = compare eq v2, $t\n  branch v3, b3, b1\n\
        b3:\n  unwind.land(i32 0, $t, i32 9)\n  unreachable\n}\n\
        function @middle -> (i32) {\nb0(v0: i32):\n  v1: i32 = call @thrower(v0)\n  return v1\n}\n\
        function @main {\nb0:\n  v0: i32 = add i32 20, i32 0\n  invoke @middle(i32 0) to b1 unwind b3 $t\n\
        b1(v1: i32):\n  invoke @middle(i32 1) to b2 unwind b3 $t\nb2(v2: i32):\n  process.exit(v2)\n  unreachable\n\
        b3(v3: ptr, v4: i32):\n  v5: i32 = add v0, v4\n  process.exit(v5)\n  unreachable\n}\n";
    let execution = execute(&code(source), &options(), &mut Random::new(1));
    assert_eq!(execution.outcome, Outcome::Passed { status: 29 });
}

#[test]
fn what_a_recorder_would_see_depends_on_the_paths_alone() {
    let code = code(&with_workers(2, "global $x size 4 align 4", INCREMENT, CHECK_TWO));
    let options = Options { record: true, ..options() };
    for seed in 0..20 {
        let run = execute(&code, &options, &mut Random::new(seed)).recorded.expect("the run ends");
        assert_eq!(run.threads.len(), 3);
        assert_eq!(run.threads[0].bits.len(), 1);
        assert_eq!(run.threads[0].bits.get(0), Some(run.end == run::ProcessEnd::Exited { status: 0 }));
    }
}
