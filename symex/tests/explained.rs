//! Failing runs of the corpus are explained: what is found on the graph is what the program does.

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
use std::time::{Duration, Instant};

use diagnose::{Causes, Confirmation, Method, Replayed, Wishes, diagnose};
use events::{Extent, Plan};
use frontend_llvm::{Inputs, load};
use libtest_mimic::{Arguments, Failed, Trial};
use programs::{Program, corpus};
use run::{Header, Schedule};
use symex::{Followed, Until, drive, follow};
use vm::strategy::Random;
use vm::{Code, FailureKind, Options, Outcome, execute};

const SEEDS: u64 = 400;

fn main() {
    let arguments = Arguments::from_args();
    let failing = corpus().into_iter().filter(|(_, program)| program.outcome == programs::Outcome::Failure);
    let trials = failing.map(|(folder, program)| Trial::test(program.file.clone(), move || check(&folder, &program)));
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

fn check(folder: &Path, program: &Program) -> Result<(), Failed> {
    let mut flags = vec![program.standard().to_owned(), "-pthread".to_owned()];
    flags.extend(program.flags.iter().cloned());
    let inputs = Inputs { files: vec![folder.join(&program.file)], flags, ..Inputs::default() };
    let loaded = load(&inputs).map_err(|error| error.to_string())?;
    let code = Rc::new(Code::new(&loaded.program));
    let mut arguments = vec![program.file.clone()];
    arguments.extend(program.args.iter().cloned());
    let mut options = Options { arguments, stdin: program.stdin.clone().into_bytes(), ..Options::default() };
    options.step_limit = 2_000_000;
    options.reuse = program.options.contains(&"--reuse".to_owned());
    options.spurious = program.options.contains(&"--spurious".to_owned());
    options.properties.extend(program.property.iter().filter_map(|name| FailureKind::from_name(name)));
    let runs = (0..SEEDS).map(|seed| (seed, execute(&code, &options, &mut Random::new(seed))));
    let Some((seed, failing)) = runs.into_iter().find(|(_, run)| matches!(run.outcome, Outcome::Failed(_))) else {
        println!("{}: no failing run", program.file);
        return Ok(());
    };
    let schedule = Schedule { header: Header::default(), segments: failing.segments, choices: failing.choices };
    for until in [Until::End, Until::Failure] {
        let started = Instant::now();
        let followed = follow(&code, &options, &schedule, until).map_err(|error| format!("seed {seed}: {error}"))?;
        let done =
            explain(program, &code, &options, &followed, started).map_err(|error| format!("seed {seed}: {error}"))?;
        if done {
            break;
        }
    }
    Ok(())
}

fn explain(
    program: &Program,
    code: &Rc<Code>,
    options: &Options,
    followed: &Followed,
    started: Instant,
) -> Result<bool, String> {
    let graph = &followed.graph;
    let plan = Plan::new(graph).map_err(|errors| format!("{errors:?}"))?;
    let outcome = plan.replay(&followed.execution, Extent::Prefix).map_err(|violation| violation.to_string())?;
    let found = Replayed { execution: followed.execution.clone(), outcome };
    let before = diagnose::context_switches(graph, &found.execution);
    let failing = diagnose::fewer_switches(&plan, found, Extent::Prefix);
    let after = diagnose::context_switches(graph, &failing.execution);
    let wishes = Wishes {
        alternate: Some(Method::Pair),
        all: false,
        fixed_inputs: true,
        budget: solve::Budget { time: Some(Duration::from_secs(20)), ..solve::Budget::default() },
    };
    let mut confirmed = Vec::new();
    let passing = diagnose::passing(graph, &failing, &diagnose::Wrong::of(&failing.outcome).ok_or("it does not fail")?);
    let mut confirm = |execution: &events::Execution| {
        let answer = match drive(code, options, followed, &passing.graph, execution) {
            Err(lost) => {
                confirmed.push(lost.to_string());
                Confirmation::LeavesPaths
            }
            Ok(driven) => {
                confirmed.push(format!("{:?}", driven.execution.outcome).chars().take(60).collect());
                match driven.execution.outcome {
                    Outcome::Passed { .. } => Confirmation::Passes,
                    Outcome::Failed(_) => Confirmation::FailsElsewhere,
                    _ => Confirmation::LeavesPaths,
                }
            }
        };
        answer
    };
    let diagnosis = diagnose(graph, &failing, &wishes, &mut confirm).map_err(|error| format!("{error}\n{graph}"))?;
    let cause = match &diagnosis.causes {
        Causes::Found(cause) => format!("{} orders", cause.orders.len()),
        other => format!("{other:?}").chars().take(40).collect(),
    };
    let shown = diagnosis.alternates.first().map(|(alternate, projection)| {
        format!("{} {} {:?}", alternate.method.name(), alternate.confirmation.name(), projection.metrics)
    });
    println!(
        "{:<28} {:>6.2}s {:>5} events, switches {before}->{after}, {cause}, escape {:?}, tried {}: {} {confirmed:?}",
        program.file,
        started.elapsed().as_secs_f64(),
        graph.events.len(),
        diagnosis.escape,
        diagnosis.pairs_tried,
        shown.unwrap_or("NO ALTERNATE".to_owned())
    );
    if std::env::var("HEDDLE_SHOW").is_ok() {
        println!("{graph}\n{:?}\ncause {:?}", failing.execution.steps, diagnosis.orders());
    }
    Ok(diagnosis.alternates.iter().any(|(alternate, _)| alternate.confirmation == Confirmation::Passes))
}
