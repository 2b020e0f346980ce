//! Generated C programs of many features (`generate::stranger_c`), run by every engine, whose answers are compared:
//! exploration with and without reduction and with and without hashing gives the same outcomes; single runs by random
//! and PCT strategies and searches with few preemptions give some of them; checking finds the same failures; and the
//! native outcome is among them.
//!
//! `HEDDLE_CASES` is the number of programs, `HEDDLE_FIRST_SEED` the first seed, `HEDDLE_NATIVE` the number of native
//! runs of each, `HEDDLE_PROGRAM` a file to judge instead, for reducing a program. All bounds are numbers of steps and
//! conflicts, so that an answer does not depend on the machine.

#![allow(clippy::print_stdout)]

mod checking;
mod natively;

use std::any::Any;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::rc::Rc;

use checking::{Checked, checked, load, name};
use natively::Native;
use solve::Budget;
use vm::explore::{Cut, Exploration, Hashing, Settings, explore};
use vm::strategy::{Pct, Random, Strategy};
use vm::{Code, FailureKind, Options, Outcome};

const CASES: u64 = 60;
/// The programs are dealt to this many tests, which run side by side.
const HANDS: u64 = 3;

/// Estimated from above; most programs have far fewer. Of the small ones every schedule can be tried one by one.
const MOST_INTERLEAVINGS: [u64; 3] = [2_000, 60_000, 60_000];
/// Steps of one exploration.
const TRANSITIONS: u64 = 300_000;
/// Steps of one that neither reduces nor remembers.
const PLAIN_TRANSITIONS: u64 = 30_000;
/// Conflicts of one question to the solver.
const CONFLICTS: u64 = 100_000;
/// Runs by each strategy.
const RUNS: u64 = 10;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// The outcomes of a program.
#[derive(Default)]
struct Outcomes {
    /// Statuses with outputs, and failures with their places.
    all: BTreeSet<String>,
    failures: BTreeSet<String>,
    /// Assertions by their lines.
    lines: BTreeSet<u32>,
    kinds: BTreeSet<FailureKind>,
    complete: bool,
    unsupported: Option<String>,
}

/// Lines are put in order: which of two threads prints first is seen by people and not by threads, so that not all orders
/// of lines are tried.
fn ended(status: i32, output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    format!("status {status} output {lines:?}")
}

fn outcomes(exploration: &Exploration) -> Outcomes {
    let mut found = Outcomes { complete: exploration.is_complete(), ..Outcomes::default() };
    for end in exploration.finals.keys() {
        found.all.insert(ended(end.status, &end.output));
    }
    for failure in exploration.failures.iter().map(|found| &found.failure) {
        found.failures.insert(name(failure));
        found.kinds.insert(failure.kind);
        found.lines.extend(failure.asserted_at.as_ref().map(|(_, line)| *line));
    }
    found.all.extend(found.failures.iter().cloned());
    found.unsupported = exploration.cuts.iter().find_map(|cut| match cut {
        Cut::Unsupported { what, .. } => Some(what.clone()),
        _ => None,
    });
    found
}

fn every_schedule(code: &Rc<Code>, settings: Settings) -> Outcomes {
    let settings = Settings { all: true, printed: true, ..settings };
    let plain = !settings.reduction && settings.hashing == Hashing::Off;
    let most = if plain { PLAIN_TRANSITIONS } else { TRANSITIONS };
    outcomes(&explore(code, &Options::default(), &settings, &mut |so_far| so_far.transitions < most))
}

#[derive(Default)]
struct Seen {
    first: u64,
    programs: u64,
    agreed: u64,
    failing: u64,
    plainly: u64,
    native: u64,
    too_large: Vec<u64>,
    left: Vec<String>,
    wrong: Vec<String>,
}

/// The result for one program.
enum Judged {
    Agree { fails: bool, plainly: bool, native: u64 },
    TooLarge,
    Left(String),
}

fn difference(label: &str, expected: &BTreeSet<String>, found: &BTreeSet<String>) -> String {
    let missing: Vec<_> = expected.difference(found).collect();
    let added: Vec<_> = found.difference(expected).collect();
    format!("{label} lacks {missing:?} and adds {added:?}")
}

fn judge(seed: u64, source: &str, folder: &Path) -> Result<Judged, String> {
    let code = load(folder, source, seed);
    let base = every_schedule(&code, Settings { reduction: false, hashing: Hashing::On, ..Settings::default() });
    if let Some(what) = base.unsupported {
        return Ok(Judged::Left(format!("every schedule: {what}")));
    }
    if !base.complete {
        return Ok(Judged::TooLarge);
    }
    let plainly = settings_agree(&code, &base)?;
    runs_agree(&code, &base)?;
    let checked = AssertUnwindSafe(|| checked(&code, &Budget { conflicts: Some(CONFLICTS), ..Budget::default() }));
    let left = match catch_unwind(checked).map_err(|panic| format!("check panics: {}", message(&*panic)))? {
        Checked::Complete(complete) if complete.found == base.failures => None,
        Checked::Complete(complete) => return Err(difference("check", &base.failures, &complete.found)),
        Checked::Refuted(why) | Checked::Broken(why) => return Err(format!("check: {why}")),
        Checked::Unsupported(what) | Checked::Unsettled(what) => Some(what),
    };
    let native = native_agrees(&base, source, folder)?;
    match left {
        Some(what) => Ok(Judged::Left(format!("check: {what}"))),
        None => Ok(Judged::Agree { fails: !base.failures.is_empty(), plainly, native }),
    }
}

/// Whether even plain enumeration completed.
fn settings_agree(code: &Rc<Code>, base: &Outcomes) -> Result<bool, String> {
    let mut plainly = false;
    for (reduction, hashing) in [(true, Hashing::Off), (true, Hashing::On), (false, Hashing::Off)] {
        let found = every_schedule(code, Settings { reduction, hashing, ..Settings::default() });
        let label = format!("reduction {reduction}, hashing {hashing:?}");
        let agree = if found.complete { found.all == base.all } else { found.all.is_subset(&base.all) };
        if !agree {
            return Err(difference(&label, &base.all, &found.all));
        }
        plainly |= found.complete && !reduction;
    }
    let few = every_schedule(code, Settings { preemptions: Some(1), ..Settings::default() });
    if few.all.is_subset(&base.all) { Ok(plainly) } else { Err(difference("preemptions 1", &base.all, &few.all)) }
}

fn runs_agree(code: &Rc<Code>, base: &Outcomes) -> Result<(), String> {
    let run = |label: &str, strategy: &mut dyn Strategy| {
        let execution = vm::execute(code, &Options::default(), strategy);
        let outcome = match &execution.outcome {
            Outcome::Passed { status } => {
                let output: Vec<u8> = execution.output.iter().flat_map(|(_, bytes)| bytes.iter().copied()).collect();
                ended(*status, &output)
            }
            Outcome::Failed(failure) => name(failure),
            other => format!("{other:?}"),
        };
        if base.all.contains(&outcome) {
            Ok(())
        } else {
            Err(format!("{label} ends with {outcome}, not among {:?}", base.all))
        }
    };
    for seed in 0..RUNS {
        run(&format!("random {seed}"), &mut Random::new(seed))?;
        run(&format!("pct {seed}"), &mut Pct::new(seed, 2 + seed as u32 % 2, 30))?;
    }
    Ok(())
}

/// The number of native runs compared. After misuse of memory any outcome is possible, so none is compared.
fn native_agrees(base: &Outcomes, source: &str, folder: &Path) -> Result<u64, String> {
    if base.kinds.contains(&FailureKind::Memory) {
        return Ok(0);
    }
    let runs = number("HEDDLE_NATIVE", 2);
    let may_stop = base.kinds.contains(&FailureKind::Deadlock) || base.kinds.contains(&FailureKind::Hang);
    for native in natively::run(source, folder, runs, may_stop)? {
        let is_known = match &native {
            Native::Ended(status, output) => base.all.contains(&ended(*status, output)),
            Native::Asserted(line) => base.lines.contains(line),
            Native::Aborted => base.kinds.contains(&FailureKind::Abort),
            Native::Stuck => may_stop,
            Native::Died(signal) => *signal == 0,
        };
        if !is_known {
            return Err(format!("natively {native:?}, not among {:?}", base.all));
        }
    }
    Ok(runs)
}

fn message(panic: &(dyn Any + Send)) -> String {
    match (panic.downcast_ref::<String>(), panic.downcast_ref::<&str>()) {
        (Some(text), _) => text.clone(),
        (_, Some(text)) => (*text).to_owned(),
        _ => "without a message".to_owned(),
    }
}

fn look(seed: u64, source: &str, folder: &Path, seen: &mut Seen) {
    seen.programs += 1;
    let judged = catch_unwind(AssertUnwindSafe(|| judge(seed, source, folder)));
    let judged = judged.unwrap_or_else(|panic| Err(format!("panic: {}", message(&*panic))));
    match judged {
        Ok(Judged::Agree { fails, plainly, native }) => {
            seen.agreed += 1;
            seen.failing += u64::from(fails);
            seen.plainly += u64::from(plainly);
            seen.native += native;
        }
        Ok(Judged::TooLarge) => seen.too_large.push(seed),
        Ok(Judged::Left(what)) => seen.left.push(format!("{what} (seed {seed})")),
        Err(why) => {
            println!("{source}\nseed {seed}: {why}");
            seen.wrong.push(format!("seed {seed}: {why}"));
        }
    }
}

fn play(hand: u64) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (cases, first) = (number("HEDDLE_CASES", CASES), number("HEDDLE_FIRST_SEED", 0));
    let mut seen = Seen { first, ..Seen::default() };
    if let Ok(file) = std::env::var("HEDDLE_PROGRAM") {
        let source = std::fs::read_to_string(file).expect("the file is there");
        return assert!(judge(0, &source, folder.path()).map_err(|why| println!("{why}")).is_ok());
    }
    for seed in (first..first + cases).filter(|seed| seed % HANDS == hand) {
        let most = MOST_INTERLEAVINGS[(seed / HANDS) as usize % MOST_INTERLEAVINGS.len()];
        look(seed, &generate::stranger_c(seed, most).source, folder.path(), &mut seen);
    }
    tell("strangers", seen);
}

/// One program in five of the requested number has mutexes that are unlocked by threads which do not own them.
const FOREIGN_UNLOCKS: u64 = 5;

#[test]
fn mutexes_that_others_unlock() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (cases, first) = (number("HEDDLE_CASES", CASES) / FOREIGN_UNLOCKS, number("HEDDLE_FIRST_SEED", 0));
    let mut seen = Seen { first, ..Seen::default() };
    for seed in first..first + cases {
        look(seed, &generate::foreign_unlocks_c(seed, MOST_INTERLEAVINGS[0]).source, folder.path(), &mut seen);
    }
    tell("programs with foreign unlocks", seen);
}

fn tell(what: &str, seen: Seen) {
    let Seen { first, programs, agreed, failing, plainly, native, too_large, left, wrong } = seen;
    println!(
        "{programs} {what} from seed {first}: {agreed} agree, {failing} of them fail, of {plainly} every schedule was tried one by \
         one, {native} native runs; {} are too large {too_large:?}, {} are not followed, {} disagree",
        too_large.len(),
        left.len(),
        wrong.len(),
    );
    left.iter().for_each(|what| println!("not followed: {what}"));
    assert!(wrong.is_empty(), "{} disagree:\n{}", wrong.len(), wrong.join("\n"));
    assert!((too_large.len() + left.len()) as u64 * 20 <= programs, "not judged: {too_large:?} {left:#?}");
}

#[test]
fn strangers_1() {
    play(0);
}

#[test]
fn strangers_2() {
    play(1);
}

#[test]
fn strangers_3() {
    play(2);
}

/// A program whose main ends as a thread, with these statements before and in the worker.
fn leaving(before: &str, work: &str) -> String {
    format!(
        "#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\nstatic int rows;\n\
         static void flush_rows(void) {{ printf(\"%d\\n\", rows); }}\n\
         static void *count(void *p) {{\n    rows++;\n    {work}\n    return p;\n}}\n\
         int main(void) {{\n    pthread_t id;\n    {before}\n    pthread_create(&id, NULL, count, NULL);\n    \
         pthread_exit(NULL);\n}}\n"
    )
}

/// The last thread to end runs exit's handlers natively. That is not followed, and must not be passed over in silence.
#[test]
fn exit_handlers_of_the_last_thread_are_not_followed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (number, source) in [leaving("atexit(flush_rows);", ""), leaving("", "atexit(flush_rows);")].iter().enumerate()
    {
        match judge(number as u64, source, folder.path()) {
            Ok(Judged::Left(what)) => assert!(what.contains("exit handlers in the last thread"), "{what}"),
            Ok(_) => panic!("it is followed:\n{source}"),
            Err(why) => panic!("{why}\n{source}"),
        }
    }
}

#[test]
fn main_may_end_before_other_threads() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sources = [leaving("", "flush_rows();"), leaving("at_quick_exit(flush_rows);", "flush_rows();\n    exit(4);")];
    for (number, source) in sources.iter().enumerate() {
        match judge(number as u64, source, folder.path()) {
            Ok(Judged::Agree { fails, .. }) => assert!(!fails, "{source}"),
            Ok(Judged::TooLarge) => panic!("too large:\n{source}"),
            Ok(Judged::Left(why)) | Err(why) => panic!("{why}\n{source}"),
        }
    }
}

/// A thread fails, or waits in a circle, without a visible step: the process may still end before that.
#[test]
fn the_process_may_end_before_a_failure() {
    let failing = "#include <assert.h>\n#include <pthread.h>\nstatic int zero;\n\
                   static void *fail(void *p) { assert(zero); return p; }\n\
                   int main(void) { pthread_t id; pthread_create(&id, NULL, fail, NULL); return 0; }\n";
    let circle = "#include <pthread.h>\n#include <stdlib.h>\nstatic pthread_once_t control = PTHREAD_ONCE_INIT;\n\
                  static void start(void);\n\
                  static void *again(void *p) { pthread_once(&control, start); return p; }\n\
                  static void *end(void *p) { exit(0); return p; }\n\
                  static void start(void) {\n    pthread_t ids[2];\n    \
                  pthread_create(&ids[0], NULL, again, NULL);\n    pthread_create(&ids[1], NULL, end, NULL);\n    \
                  pthread_join(ids[0], NULL);\n}\n\
                  int main(void) { pthread_once(&control, start); return 0; }\n";
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (number, source) in [failing, circle].into_iter().enumerate() {
        match judge(number as u64, source, folder.path()) {
            Ok(Judged::Agree { fails, .. }) => assert!(fails, "{source}"),
            Ok(Judged::TooLarge) => panic!("too large:\n{source}"),
            Ok(Judged::Left(why)) | Err(why) => panic!("{why}\n{source}"),
        }
    }
}

/// A block that ends the process is explored before others, and still comes after its thread's earlier steps.
#[test]
fn exit_handlers_find_what_their_thread_stored() {
    let source = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
                  static int *_Atomic last;\nstatic int one, seen;\n\
                  static void look(void) { if (last) seen = *last; }\n\
                  static void *store(void *p) { last = &one; if (!p) exit(2); return p; }\n\
                  int main(void) { pthread_t id; atexit(look); pthread_create(&id, NULL, store, NULL); return 0; }\n";
    let folder = tempfile::tempdir().expect("a temporary folder");
    match judge(0, source, folder.path()) {
        Ok(Judged::Agree { fails, .. }) => assert!(!fails),
        Ok(Judged::TooLarge) => panic!("too large"),
        Ok(Judged::Left(why)) | Err(why) => panic!("{why}"),
    }
}
