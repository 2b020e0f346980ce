//! Failing runs of every program of the corpus, followed by the engine that checks programs: the run is an execution of the
//! graph that is made of it, and the program fails in the order of that execution like it failed before.

mod command {
    use std::path::{Path, PathBuf};

    pub fn repository() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
    }
}
#[path = "../../cli/tests/programs/mod.rs"]
mod programs;

use std::path::Path;
use std::rc::Rc;

use frontend_llvm::{Inputs, load};
use libtest_mimic::{Arguments, Failed, Trial};
use programs::{Program, corpus};
use run::{Header, Schedule};
use symex::bounded::{FollowError, Until, drive, follow};
use vm::strategy::Random;
use vm::{Code, FailureKind, Options, Outcome, execute};

/// How long a failing run is looked for.
const SEEDS: u64 = 200;
/// Programs that are not followed.
const UNSETTLED: &[(&str, &str)] = &[(
    "document-server.cpp",
    "pointers lead from one container to the next, so the set of shared objects does not settle",
)];

fn main() {
    let arguments = Arguments::from_args();
    let failing = corpus().into_iter().filter(|(_, program)| program.outcome == programs::Outcome::Failure);
    let followed = failing.filter(|(_, program)| !UNSETTLED.iter().any(|(name, _)| *name == program.file));
    let trials = followed.map(|(folder, program)| Trial::test(program.file.clone(), move || check(&folder, &program)));
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

fn check(folder: &Path, program: &Program) -> Result<(), Failed> {
    let mut flags = vec![program.standard().to_owned(), "-pthread".to_owned()];
    flags.extend(program.flags.iter().cloned());
    let inputs = Inputs { files: vec![folder.join(&program.file)], flags, ..Inputs::default() };
    let loaded = load(&inputs).map_err(|error| error.to_string())?;
    let code = Rc::new(Code::new(&loaded.program));
    let mut arguments = vec![program.file.clone().into_bytes()];
    arguments.extend(program.args.iter().map(|argument| argument.clone().into_bytes()));
    let mut options = Options { arguments, stdin: program.stdin.clone().into_bytes(), ..Options::default() };
    options.step_limit = 2_000_000;
    options.properties.extend(program.property.iter().filter_map(|name| FailureKind::from_name(name)));
    let runs = (0..SEEDS).map(|seed| execute(&code, &options, &mut Random::new(seed)));
    let failing = runs.filter_map(|execution| match &execution.outcome {
        // Two accesses without an order race in every order.
        Outcome::Failed(failure) if failure.kind != FailureKind::Race => Some((failure.kind, execution)),
        _ => None,
    });
    for (kind, execution) in failing.take(1) {
        let (segments, choices) = (execution.segments.clone(), execution.choices.clone());
        let schedule = Schedule { header: Header::default(), segments, choices };
        for until in [Until::Failure, Until::End] {
            let followed = match follow(&code, &options, &schedule, until) {
                Ok(followed) => followed,
                Err(FollowError::OneThread) => continue,
                Err(error) => return Err(format!("{until:?}: {error}").into()),
            };
            let again = drive(&code, &options, &followed, followed.graph(), &followed.execution);
            match again.map_err(|lost| format!("{until:?}: driven: {lost}"))?.execution.outcome {
                Outcome::Failed(again) if again.kind == kind => {}
                other => return Err(format!("{until:?}: driven {other:?} instead of {kind:?}").into()),
            }
        }
    }
    Ok(())
}
