//! Operations of the runtime that no front end uses yet, in small programs in IR text: every schedule in the machine, and
//! checking, which must find the same failures or say that it does not follow the program.

mod checking;

use std::collections::BTreeSet;
use std::rc::Rc;

use checking::{Checked, checked, name};
use solve::Budget;
use vm::explore::{Exploration, Hashing, Settings, explore};
use vm::{Code, Options};

/// A main thread and a worker with these bodies, and a few globals. `$$fail` fails.
fn program(main: &str, worker: &str) -> Rc<Code> {
    let fail = "process.fail(null, null, i32 1, null)\n  unreachable";
    let source = format!(
        "heddle ir 1\nentry @main\nglobal $m size 40 align 8\nglobal $c size 48 align 8\nglobal $x size 4 align 4\n\
         global $l size 8 align 8\n\
         function @worker -> (ptr) {{\nb0(a: ptr, b: ptr):\n{worker}}}\nfunction @main {{\nb0:\n{main}}}\n"
    );
    let source = source.replace("$$fail", fail).replace("a: ptr, b: ptr", "v0: ptr, v1: ptr");
    let program = ir::parse(&source).unwrap_or_else(|error| panic!("{error}:\n{source}"));
    if let Err(errors) = ir::verify(&program) {
        panic!("{errors:?}\n{source}");
    }
    Rc::new(Code::new(&program))
}

fn conditions(exploration: &Exploration) -> BTreeSet<String> {
    exploration.failures.iter().map(|found| found.failure.condition.clone()).collect()
}

/// The failures of every schedule, by their conditions. Checking finds the same, or does not follow the program because of
/// `unsupported`.
fn failures(code: &Rc<Code>, unsupported: Option<&str>) -> BTreeSet<String> {
    let every = |reduction, hashing| {
        let settings = Settings { reduction, hashing, all: true, ..Settings::default() };
        let exploration = explore(code, &Options::default(), &settings, &mut |_| true);
        assert!(exploration.is_complete(), "{:?}", exploration.cuts);
        exploration
    };
    let plain = every(false, Hashing::On);
    for (reduction, hashing) in [(true, Hashing::Off), (true, Hashing::On), (false, Hashing::Off)] {
        assert_eq!(conditions(&every(reduction, hashing)), conditions(&plain));
    }
    let names: BTreeSet<String> = plain.failures.iter().map(|found| name(&found.failure)).collect();
    match (checked(code, &Budget::default()), unsupported) {
        (Checked::Complete(complete), None) => assert_eq!(complete.found, names),
        (Checked::Unsupported(what), Some(expected)) => assert_eq!(what, expected),
        (Checked::Complete(_), Some(expected)) => panic!("checking follows {expected}"),
        (Checked::Unsupported(why) | Checked::Unsettled(why) | Checked::Refuted(why) | Checked::Broken(why), _) => {
            panic!("checking: {why}")
        }
    }
    conditions(&plain)
}

fn only(condition: &str) -> BTreeSet<String> {
    BTreeSet::from([condition.to_owned()])
}

/// Enters the monitor twice, waits until `$x` is set, and leaves it twice. The third time it is not held.
fn monitor(wait: &str) -> Rc<Code> {
    let main = format!(
        "  mutex.init($m, i32 1)
  v0: ptr = local i64 8 align 8
  v1: i32 = thread.create(v0, @worker, null, null)
  v2: i32 = mutex.lock($m, null)
  v3: i32 = mutex.lock($m, null)
  jump b1
b1:
  v4: i32 = load $x
  v5: i1 = compare eq v4, i32 0
  branch v5, b2, b3
b2:
  v6: i32 = {wait}($c, $m, null)
  jump b1
b3:
  v7: i32 = mutex.unlock($m, null)
  v8: i32 = mutex.unlock($m, null)
  v9: i32 = mutex.unlock($m, null)
  v10: i1 = compare eq v7, i32 0
  branch v10, b4, b7
b4:
  v11: i1 = compare eq v8, i32 0
  branch v11, b5, b7
b5:
  v12: i1 = compare eq v9, i32 4
  branch v12, b6, b7
b6:
  process.exit(i32 0)
  unreachable
b7:
  $$fail
"
    );
    let worker = "  v2: i32 = mutex.lock($m, null)
  store i32 1 to $x
  cond.signal($c)
  v3: i32 = mutex.unlock($m, null)
  return null
";
    program(&main, worker)
}

#[test]
fn a_monitor_wait_releases_all_levels_and_takes_them_again() {
    assert_eq!(failures(&monitor("monitor.wait"), None), BTreeSet::new());
    assert_eq!(failures(&monitor("cond.wait"), None), only("every remaining thread waits"));
}

#[test]
fn an_interrupt_ends_a_monitor_wait_with_a_code_of_its_own() {
    let main = |interrupt: &str| {
        let join = 3 + interrupt.matches(": i32").count();
        format!(
            "  v0: ptr = local i64 8 align 8
  v1: i32 = thread.create(v0, @worker, null, null)
  v2: i64 = load v0
{interrupt}  v{join}: i32 = thread.join(v2, null)
  process.exit(i32 0)
  unreachable
"
        )
    };
    let worker = "  v2: i32 = mutex.lock($m, null)
  v3: i32 = monitor.wait($c, $m, null)
  v4: i32 = mutex.unlock($m, null)
  v5: i1 = compare eq v3, i32 6
  branch v5, b1, b2
b1:
  return null
b2:
  $$fail
";
    let unsupported = "a thread that another one interrupts";
    let interrupted = program(&main("  v3: i32 = thread.interrupt(v2)\n"), worker);
    assert_eq!(failures(&interrupted, Some(unsupported)), BTreeSet::new());
    assert_eq!(failures(&program(&main(""), worker), None), only("every remaining thread waits"));
    // Either wakes the thread; each is tried.
    let signalled = program(&main("  cond.signal($c)\n  v3: i32 = thread.interrupt(v2)\n"), worker);
    assert_eq!(failures(&signalled, Some(unsupported)).len(), 1, "the assertion");
}

#[test]
fn an_uncaught_exception_ends_its_thread_only() {
    let main = |result: u32| {
        format!(
            "  v0: ptr = local i64 8 align 8
  v1: i32 = thread.create(v0, @worker, null, null)
  v2: i64 = load v0
  v3: ptr = local i64 8 align 8
  v4: i32 = thread.join(v2, v3)
  v5: i64 = load v3
  v6: i1 = compare eq v5, i64 {result}
  branch v6, b1, b2
b1:
  v7: i32 = load $x
  v8: i1 = compare eq v7, i32 1
  branch v8, b3, b2
b2:
  $$fail
b3:
  process.exit(i32 0)
  unreachable
"
        )
    };
    let worker = "  store i32 1 to $x
  thread.fail(ptr 5)
  store i32 2 to $x
  return null
";
    assert_eq!(failures(&program(&main(5), worker), None), BTreeSet::new());
    assert_eq!(failures(&program(&main(6), worker), None).len(), 1);
}

/// The main thread waits until the latch was counted down twice, by itself and by the worker.
fn latch(count: u32) -> Rc<Code> {
    let main = format!(
        "  latch.init($l, i32 {count})
  v0: ptr = local i64 8 align 8
  v1: i32 = thread.create(v0, @worker, null, null)
  latch.down($l, i32 1)
  latch.wait($l)
  v2: i32 = load $x
  v3: i1 = compare eq v2, i32 1
  branch v3, b1, b2
b1:
  process.exit(i32 0)
  unreachable
b2:
  $$fail
"
    );
    program(&main, "  store i32 1 to $x\n  latch.down($l, i32 1)\n  return null\n")
}

#[test]
fn a_latch_opens_when_it_was_counted_down() {
    assert_eq!(failures(&latch(2), None), BTreeSet::new());
    assert_eq!(failures(&latch(3), None), only("every remaining thread waits"));
    let opens_early: BTreeSet<String> = failures(&latch(1), None);
    assert_eq!(opens_early, BTreeSet::from([String::new(), "latch counted down below zero".to_owned()]));
}
