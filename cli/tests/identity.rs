//! Where threads do not interact there is one correct record: a native run and a run in the VM must give the same
//! bytes, for any optimisation of the program and any order of its threads.

mod command;

use std::fs;
use std::path::Path;
use std::rc::Rc;

use command::{folder, heddle};
use frontend_llvm::{Inputs, load};
use run::{RecordedRun, ThreadRecord, read_run, write_run};
use vm::strategy::{Pct, Random, Strategy};
use vm::{Code, execute};

/// How each program is built.
const BUILDS: [&[&str]; 4] = [&["-O0"], &["-O2"], &["-O3"], &["-O2", "-fheddle-every-branch"]];

/// All must be equal, except for inherent differences of the two sides:
///
/// - `module`: a native run has the marked bitcode, the VM the program that was lowered from it with the models.
/// - the order of the threads: it is that of their births, which for children of different threads depends on timing.
/// - the start of thread 0: the VM begins before `main`, in the model that calls it.
/// - the start of a thread that the C++ library creates: natively that is a function of the library, of which only the
///   address is known, in the VM one of the models.
/// - the inputs: natively there is one for each call of the library, the arguments of `main` first; in the VM one for
///   each primitive that the library's model uses.
fn normalised(run: &RecordedRun) -> RecordedRun {
    let mut run = run.clone();
    run.module.clear();
    run.threads.sort_by_key(|thread| thread.name.clone());
    for thread in &mut run.threads {
        if thread.start == "__heddle_start" {
            thread.start = "main".to_owned();
        }
        if thread.start.starts_with('?') || thread.start == "_ZStL9run_statePv" {
            thread.start = "std::thread".to_owned();
        }
        thread.inputs.clear();
    }
    run
}

/// One native run.
fn native(folder: &Path, arguments: &[&str], out: &str) -> RecordedRun {
    let answer = heddle(folder, &[&["record", "--out", out, "--", "./program"], arguments].concat());
    let files = fs::read_dir(folder.join(out)).expect("it was made").flatten().map(|file| file.path());
    let file = files.into_iter().find(|path| path.extension().is_some_and(|extension| extension == "run"));
    let file = file.unwrap_or_else(|| panic!("nothing was recorded: {}", answer.stderr));
    let read = read_run(&fs::read(file).expect("it is there")).expect("it is a run");
    assert_eq!((read.damage, &read.run.cut), (None, &None));
    read.run
}

/// One run in the VM.
fn followed(code: &Rc<Code>, arguments: &[&str], strategy: &mut dyn Strategy) -> RecordedRun {
    let arguments = std::iter::once("./program")
        .chain(arguments.iter().copied())
        .map(|argument| argument.as_bytes().to_vec())
        .collect();
    let options = vm::Options { arguments, record: true, ..vm::Options::default() };
    let execution = execute(code, &options, strategy);
    execution.recorded.unwrap_or_else(|| panic!("the VM came to no end: {:?}", execution.outcome))
}

/// Fails with the first difference that a person can read.
fn expect_equal(native: &RecordedRun, other: &RecordedRun, what: &str) {
    let (native, other) = (normalised(native), normalised(other));
    let names = |run: &RecordedRun| run.threads.iter().map(|thread| thread.name.to_string()).collect::<Vec<_>>();
    assert_eq!(names(&native), names(&other), "{what}: threads");
    for (thread, other) in native.threads.iter().zip(&other.threads) {
        expect_equal_threads(thread, other, what);
    }
    assert_eq!(native.end, other.end, "{what}");
    assert!(write_run(&native) == write_run(&other), "{what}: the same run is written in two ways");
}

fn expect_equal_threads(native: &ThreadRecord, other: &ThreadRecord, what: &str) {
    let what = format!("{what}: thread {}", native.name);
    let (bits, others): (Vec<bool>, Vec<bool>) = (native.bits.iter().collect(), other.bits.iter().collect());
    if bits != others {
        let at = bits.iter().zip(&others).take_while(|(bit, other)| bit == other).count();
        panic!("{what} decides differently at its bit {at} of {} and {}", bits.len(), others.len());
    }
    assert_eq!(native.callees, other.callees, "{what}");
    assert_eq!(native.start, other.start, "{what}");
    assert_eq!(native, other, "{what}");
}

fn check(compiler: &str, name: &str, source: &str, arguments: &[&str]) {
    let folder = folder(&[(name, source)]);
    for (number, options) in BUILDS.into_iter().enumerate() {
        let build = [&[compiler, "-w", "-pthread", name, "-o", "program", "-lm"], options].concat();
        assert_eq!(heddle(folder.path(), &build).expect_status(0).stderr, "");
        let module = load(&Inputs { files: vec![folder.path().join("program")], ..Inputs::default() });
        let code = Rc::new(Code::new(&module.expect("it was built by us").program));
        let first = native(folder.path(), arguments, &format!("first-{number}"));
        let again = native(folder.path(), arguments, &format!("again-{number}"));
        expect_equal(&first, &again, &format!("{name} {options:?}, natively again"));
        let strategies: [(&str, Box<dyn Strategy>); 2] =
            [("at random", Box::new(Random::new(1))), ("by priorities", Box::new(Pct::new(2, 3, 1000)))];
        for (how, mut strategy) in strategies {
            let other = followed(&code, arguments, strategy.as_mut());
            expect_equal(&first, &other, &format!("{name} {options:?}, in the VM {how}"));
        }
        let has_decided = first.threads.iter().skip(1).all(|thread| !thread.bits.is_empty());
        assert!(has_decided || name.starts_with("generated"), "{name} {options:?} decides nothing");
    }
}

/// Programs without threads are run as a thread.
#[test]
fn generated() {
    for seed in 0..8 {
        let program = generate::sequential_c(seed).replace("int main(void)", "static int program_main(void)");
        assert!(program.contains("program_main"), "seed {seed} has another main");
        let source = format!(
            "{program}\n#include <pthread.h>\n\
             static void *start(void *status) {{ *(int *)status = program_main(); return NULL; }}\n\
             int main(void) {{ pthread_t thread; int status; pthread_create(&thread, NULL, start, &status);\n\
             pthread_join(thread, NULL); return status; }}\n"
        );
        check("cc", &format!("generated-{seed}.c"), &source, &[]);
    }
}

#[test]
fn branches() {
    check("cc", "branches.c", include_str!("recorded/branches.c"), &["4"]);
}

#[test]
fn calls() {
    check("cc", "calls.c", include_str!("recorded/calls.c"), &[]);
}

#[test]
fn nested_threads() {
    check("cc", "nested.c", include_str!("recorded/nested.c"), &["90", "seven"]);
}

#[test]
fn objects() {
    check("c++", "objects.cpp", include_str!("recorded/objects.cpp"), &[]);
}
