//! Which decisions are recorded: those that depend on other threads or inputs, and enough of them to determine the
//! rest.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use frontend_llvm::compile::{Source, bitcode};
use frontend_llvm::record::{Options, Part, Recordable, instrument};
use frontend_llvm::{Inputs, load};
use run::{RecordedRun, ThreadEnd, ThreadName};
use vm::strategy::Random;
use vm::{Code, execute};

/// The number of random schedules of each program.
const SCHEDULES: u64 = 5;

fn compiled(file: &Path, flags: &[String]) -> Option<Part> {
    let is_cpp = file.extension().is_some_and(|ending| ending == "cpp");
    let source = Source {
        file: file.to_str()?,
        language: if is_cpp { "c++" } else { "c" },
        cplusplus_driver: is_cpp,
        flags,
        stdin: None,
    };
    Some(Part { name: file.to_owned(), bitcode: bitcode(&source).ok()? })
}

fn recordable(part: &Part, options: Options) -> Recordable {
    let recordable = instrument(std::slice::from_ref(part), &options);
    let recordable = recordable.unwrap_or_else(|error| panic!("{}: {error}", part.name.display()));
    assert!(!recordable.instrumented.is_empty());
    recordable
}

fn program(folder: &Path, name: &str, recordable: &Recordable) -> ir::Program {
    let file = folder.join(format!("{name}.bc"));
    fs::write(&file, &recordable.module).expect("the module is written");
    load(&Inputs { files: vec![file], ..Inputs::default() }).expect("what was stored can be loaded").program
}

/// The lines of the recorded decisions of the user's functions.
fn decided_lines(program: &ir::Program) -> Vec<u32> {
    let mut lines: Vec<u32> = program
        .functions
        .iter()
        .filter(|function| function.origin == ir::Origin::User)
        .flat_map(|function| &function.blocks)
        .filter(|block| {
            matches!(
                block.terminator.kind,
                ir::TerminatorKind::Branch { quiet: false, .. } | ir::TerminatorKind::Switch { quiet: false, .. }
            )
        })
        .map(|block| program.spans[block.terminator.span.0 as usize].line)
        .collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

const PROGRAM: &str = "\
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct job { int from, to; };
int hits;
static int table[4] = {1, 2, 3, 4};
static const int primes[4] = {2, 3, 5, 7};
static int own(int n) {
    int seen[8] = {0};
    for (int i = 0; i < n; i++)
        seen[i & 7]++;
    if (seen[3] > 1)
        return 1;
    return primes[n & 3] > 2;
}
static void *run(void *argument) {
    struct job *job = argument;
    int found = 0;
    for (int i = job->from; i < job->to; i++)
        if (table[i & 3] == 2)
            found++;
    char *copy = strdup(\"own\");
    if (copy && copy[0] == 'o')
        found += own(9);
    free(copy);
    hits += found;
    return 0;
}
int main(int count, char **arguments) {
    pthread_t threads[2];
    struct job jobs[2] = {{0, 2}, {2, 4}};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, run, &jobs[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    if (hits > 3)
        puts(\"many\");
    if (count > 1)
        puts(arguments[1]);
    switch (hits & 3) {
    case 1: return 1;
    case 2: return 2;
    }
    return 0;
}
";

#[test]
fn decisions_that_depend_on_others_are_recorded_and_no_more() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.c");
    fs::write(&file, PROGRAM).expect("the source is written");
    let part = compiled(&file, &[String::from("-O2")]).expect("it compiles");
    let some = recordable(&part, Options::default());
    let lines = decided_lines(&program(folder.path(), "some", &some));
    // Line 20 is a loop whose bound is read in each iteration.
    assert_eq!(lines, [20, 21, 37, 39, 41]);
    assert!(some.functions.contains(&"run".to_owned()) && some.unknown.is_empty());
    let every = recordable(&part, Options { every_branch: true, ..Options::default() });
    let lines = decided_lines(&program(folder.path(), "every", &every));
    assert_eq!(lines, [11, 13, 20, 21, 24, 33, 35, 37, 39, 41]);
    assert_ne!(some.identity, every.identity);
}

#[test]
fn functions_that_nobody_knows_are_named_with_their_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.c");
    let source = "int frobnicate(int);\nint main(void) {\n    return frobnicate(1) > 2 ? 1 : 0;\n}\n";
    fs::write(&file, source).expect("the source is written");
    let recordable = recordable(&compiled(&file, &[]).expect("it compiles"), Options::default());
    let calls: Vec<(&str, u32)> = recordable.unknown.iter().map(|call| (call.function.as_str(), call.line)).collect();
    assert_eq!(calls, [("frobnicate", 3)]);
}

/// The record of a thread, and all its decisions.
type Seen = HashMap<(ThreadName, String), (u64, Vec<bool>)>;

/// The recorded part of a thread's path determines the path: equal records mean equal paths.
fn nothing_is_missing(name: &str, some: &ir::Program, every: &ir::Program) {
    let (some, every) = (Rc::new(Code::new(some)), Rc::new(Code::new(every)));
    let options = vm::Options { record: true, step_limit: 300_000, ..vm::Options::default() };
    let mut seen = Seen::new();
    for seed in 0..SCHEDULES {
        let runs: Vec<Option<RecordedRun>> =
            [&some, &every].map(|code| execute(code, &options, &mut Random::new(seed)).recorded).into();
        let [Some(some), Some(every)] = &runs[..] else { continue };
        assert_eq!(some.end, every.end, "{name}, seed {seed}: recording changes nothing");
        for (recorded, all) in some.threads.iter().zip(&every.threads) {
            let key = format!("{:?} {:?} {:?} {:?}", recorded.bits, recorded.callees, recorded.inputs, recorded.end);
            let path: Vec<bool> = all.bits.iter().collect();
            let known = seen.entry((recorded.name.clone(), key)).or_insert_with(|| (seed, path.clone()));
            // A thread that was stopped may have gone on for a while without a recorded decision.
            let shorter = if recorded.end == ThreadEnd::Stopped { path.len().min(known.1.len()) } else { path.len() };
            let is_same = known.1.get(..shorter) == path.get(..shorter)
                && (recorded.end == ThreadEnd::Stopped || known.1.len() == path.len());
            assert!(is_same, "{name}: thread {} went two ways in seeds {} and {seed}", recorded.name, known.0);
        }
    }
}

fn sources_of_the_corpus() -> Vec<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let mut files = Vec::new();
    for folder in fs::read_dir(corpus).expect("the corpus is there").flatten() {
        let Ok(entries) = fs::read_dir(folder.path()) else { continue };
        files.extend(entries.flatten().map(|entry| entry.path()).filter(|path| {
            let is_source = path.extension().is_some_and(|ending| ending == "c" || ending == "cpp");
            is_source && fs::read_to_string(path).is_ok_and(|text| text.contains(" main("))
        }));
    }
    files.sort();
    files
}

fn check(file: &Path, folder: &Path) -> bool {
    let is_cpp = file.extension().is_some_and(|ending| ending == "cpp");
    let flags = [String::from("-O2"), String::from(if is_cpp { "-std=c++20" } else { "-std=gnu2x" })];
    let Some(part) = compiled(file, &flags) else { return false };
    let [some, every] = [false, true].map(|every_branch| {
        let recordable = recordable(&part, Options { every_branch, hooks: false, simplify: true });
        program(folder, "program", &recordable)
    });
    let hooked = recordable(&part, Options { every_branch: false, hooks: true, simplify: true });
    let hooked = program(folder, "program", &hooked).to_string();
    assert!(hooked.contains("order.ticket"), "{}", file.display());
    nothing_is_missing(&file.display().to_string(), &some, &every);
    true
}

#[test]
fn what_is_recorded_determines_the_path() {
    let files = sources_of_the_corpus();
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let checked: usize = std::thread::scope(|scope| {
        let hands: Vec<_> = files
            .chunks(files.len().div_ceil(workers))
            .map(|hand| {
                scope.spawn(move || {
                    let folder = tempfile::tempdir().expect("a folder");
                    hand.iter().filter(|file| check(file, folder.path())).count()
                })
            })
            .collect();
        hands.into_iter().map(|hand| hand.join().expect("no program fails")).sum()
    });
    assert!(checked > 150, "{checked} of {} programs", files.len());
}
