//! Follows failing and passing runs of every program of the corpus. The replay of the run in its graph checks that both
//! agree.

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
use vm::{Code, Effort, Execution, FailureKind, Options, Outcome, execute, retrace};

/// Runs of each program, passing and failing.
const RUNS: u64 = 3;
/// Programs whose runs are not found again from their records.
const NARROW: &[(&str, &str)] = &[
    ("document-server.cpp", "its recorded paths are so long and narrow that random search finds no order for them"),
    (
        "document-server-fixed.cpp",
        "its recorded paths are so long and narrow that random search finds no order for them",
    ),
    ("thread-pool.c", "its recorded paths are so long and narrow that random search finds no order for them"),
    ("thread-pool-fixed.c", "its recorded paths are so long and narrow that random search finds no order for them"),
];
/// Programs that the engine does not follow.
const NOT_FOLLOWED: &[(&str, &str)] = &[(
    "file-streams.cpp",
    "the mode in which a stream opens its file gives an address that the run does not determine",
)];
/// The number of seeds tried to find a failing run.
const SEEDS: u64 = 200;

fn main() {
    let arguments = Arguments::from_args();
    let is_followed = |program: &Program| !NOT_FOLLOWED.iter().any(|(name, _)| *name == program.file);
    let trials = corpus()
        .into_iter()
        .filter(|(_, program)| is_followed(program))
        .map(|(folder, program)| Trial::test(program.file.clone(), move || check(&folder, &program)));
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
    options.record = true;
    options.properties.extend(program.property.iter().filter_map(|name| FailureKind::from_name(name)));
    let (mut passing, mut failing) = (0, 0);
    for seed in 0..SEEDS {
        let execution = execute(&code, &options, &mut Random::new(seed));
        let count = match execution.outcome {
            Outcome::Passed { .. } => &mut passing,
            Outcome::Failed(_) => &mut failing,
            _ => continue,
        };
        *count += 1;
        if *count == 1 && !NARROW.iter().any(|(name, _)| *name == program.file) {
            check_retraced(&code, &options, &execution, seed)?;
        }
        if *count <= RUNS {
            check_run(&code, &options, &execution, if seed % 2 == 0 { Until::End } else { Until::Failure })
                .map_err(|error| format!("seed {seed}: {error:?}"))?;
        } else if passing > RUNS && (failing > RUNS || program.outcome == programs::Outcome::Pass) {
            break;
        }
    }
    Ok(())
}

fn check_run(code: &Rc<Code>, options: &Options, execution: &Execution, until: Until) -> Result<(), String> {
    let header = Header::default();
    let schedule = Schedule { header, segments: execution.segments.clone(), choices: execution.choices.clone() };
    match follow(code, options, &schedule, until) {
        Ok(followed) => {
            if *followed.outcome() != execution.outcome {
                return Err(format!("{:?} instead of {:?}", followed.outcome(), execution.outcome));
            }
            let again = drive(code, options, &followed, followed.graph(), &followed.execution);
            let again = again.map_err(|lost| format!("driven: {lost}"))?.execution.outcome;
            let is_same = match (&again, &execution.outcome) {
                (Outcome::Failed(again), Outcome::Failed(before)) => again.kind == before.kind,
                (again, before) => again == before,
            };
            if !is_same {
                return Err(format!("driven {again:?} instead of {:?}", execution.outcome));
            }
            Ok(())
        }
        Err(FollowError::OneThread) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// Retracing the recorded decisions without their order leads to a run with the same outcome.
fn check_retraced(code: &Rc<Code>, options: &Options, execution: &Execution, seed: u64) -> Result<(), String> {
    let Some(recorded) = &execution.recorded else { return Ok(()) };
    let ends = |outcome: &Outcome| match (outcome, &execution.outcome) {
        (Outcome::Failed(found), Outcome::Failed(wanted)) => {
            found.kind == wanted.kind && found.condition == wanted.condition
        }
        (Outcome::Passed { status: found }, Outcome::Passed { status: wanted }) => found == wanted,
        _ => false,
    };
    let effort = Effort { seed, attempts: 2_000, steps: 2_000_000, until: None };
    match retrace(code, options, recorded, effort, &ends) {
        Some(_) => Ok(()),
        None => Err(format!("seed {seed}: no order was found for the recorded paths of {:?}", execution.outcome)),
    }
}
