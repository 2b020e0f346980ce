//! Why a run that was recorded natively failed: only what each thread decided is known, so an order is looked for in which
//! every thread takes its recorded decisions and the same failure happens; from there on it is a run like any other.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::SystemTime;

use report::{Found, Search};
use run::{ProcessEnd, RecordedRun, ThreadRecord};
use vm::{Effort, FailureKind, Outcome};

use super::along::{self, Recorded};
use super::program::{self, Subject};
use crate::args::{ExplainArgs, Format, General};
use crate::budget::Budget;
use crate::exit::{ExitStatus, Problem};
use crate::files::{self, Limit};
use crate::pipeline::{self, Loaded, Settings};
use crate::run as runs;
use crate::search::{Candidate, Plan, Searched};
use crate::stored_flags;
use crate::supervise;
use crate::terminal;

/// Functions that read what is outside of the program.
const READERS: &[&str] = &[
    "read",
    "fread",
    "fgets",
    "getline",
    "getdelim",
    "getchar",
    "getc",
    "fgetc",
    "scanf",
    "fscanf",
    "__isoc99_scanf",
    "__isoc99_fscanf",
    "__isoc23_scanf",
    "__isoc23_fscanf",
];

/// How many orders are tried, and how many visible steps all of them may take together.
const ATTEMPTS: u64 = 20_000;
const STEPS: u64 = 6_000_000;

/// The run file that is meant: the file itself, or the newest failing one of a folder.
pub fn run_file(path: &Path) -> Option<PathBuf> {
    let is_run = |path: &Path| path.extension().is_some_and(|ending| ending == "run");
    if path.is_file() {
        return is_run(path).then(|| path.to_owned());
    }
    let files = fs::read_dir(path).ok()?.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| is_run(path));
    let changed =
        |path: &PathBuf| fs::metadata(path).and_then(|metadata| metadata.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let failed = |path: &Path| path.to_str().is_some_and(|name| name.ends_with(".failed.run"));
    let mut files: Vec<PathBuf> = files.collect();
    files.sort_by_key(|path| (failed(path), changed(path), path.clone()));
    // The folder that heddle keeps has its runs in a folder of their own.
    let below = || if path.file_name()? == files::kept::FOLDER { run_file(&path.join("runs")) } else { None };
    files.pop().or_else(below)
}

pub fn explain(general: &General, args: &ExplainArgs, file: &Path, budget: &Budget) -> anyhow::Result<ExitStatus> {
    let run = read(general, file)?;
    if !run.end.is_failure() {
        return Err(Problem::error(
            format!("{} has not failed", file.display()),
            "`heddle record --until-failure -- COMMAND` keeps on until a run fails; --perturb SEED makes that likelier",
        ));
    }
    let loaded = load(general, file, &run)?;
    let mut settings = runs::settings(&args.surroundings, &loaded)?;
    if settings.arguments.is_empty() {
        settings.arguments = arguments(&run);
    }
    if let (true, Some(stdin)) = (settings.stdin.is_empty(), stdin(&run)) {
        settings.stdin = stdin.to_vec();
    }
    // How it ended is known, so that a status is looked for only where the run ended with one.
    match run.end {
        ProcessEnd::Exited { .. } => settings.properties.add(FailureKind::Exit),
        _ => settings.properties.remove(FailureKind::Exit),
    }
    let readings = run.threads.iter().map(|thread| (thread.name.clone(), readings(thread))).collect();
    let options = vm::Options { readings: Rc::new(readings), ..settings.options(false) };
    // What is found late cannot be explained any more.
    let searching = budget.but_a_third();
    let until = searching.deadline();
    let effort = Effort { seed: general.seed, attempts: args.runs.unwrap_or(ATTEMPTS), steps: STEPS, until };
    let jobs = general.jobs.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let name = file.display().to_string();
    let is_told_alike = is_told_alike(&run, &settings);
    supervise::stage("looking for an order of the recorded paths");
    let recorded =
        Recorded { name: &name, loaded: &loaded, run: &run, options: &options, budget: &searching, is_told_alike };
    let found = match recorded.find(general, jobs, effort)? {
        along::Found::Order(found) => found,
        along::Found::None(why) => {
            let text = match general.format {
                Format::Json => report::json::unexplained(&why),
                _ => report::text::unexplained(&why),
            };
            terminal::answer(ExitStatus::Inconclusive, general.output.as_deref(), &text)?;
            ask_for_input(general, &run, &settings);
            return Ok(ExitStatus::Inconclusive);
        }
        along::Found::Unknown => {
            let what = "no order was found in which the threads decide as the record says and it ends like that; \
                        that is no proof that there is none";
            terminal::note(general, &format!("{}: {what}", file.display()));
            ask_for_input(general, &run, &settings);
            return Ok(ExitStatus::Inconclusive);
        }
    };
    let Outcome::Failed(failure) = found.outcome else { return Err(Problem::bug("a failing run does not fail")) };
    let candidate =
        Candidate { found: Found::Recorded, failure: *failure, segments: found.segments, choices: found.choices };
    let searched = Searched {
        failing: Some(candidate),
        executions: 1,
        steps: found.steps,
        threads: found.threads,
        ..Searched::default()
    };
    let plan = Plan {
        search: Search::Replay,
        first_seed: general.seed,
        runs: Some(1),
        work: None,
        time: None,
        jobs: 1,
        budget: budget.clone(),
        gives_up: false,
        keep_going: false,
        progress: false,
    };
    let name = file.file_name().and_then(|name| name.to_str()).and_then(|name| name.split('.').next());
    let subject = Subject { name: name.unwrap_or("run"), loaded: &loaded, settings: &settings, budget };
    let established = subject.established(general, args);
    program::tell(general, args, &subject, plan, searched, established)
}

fn read(general: &General, file: &Path) -> anyhow::Result<RecordedRun> {
    let bytes = files::read_given(file, Limit::Run)
        .map_err(|error| Problem::error(format!("cannot read {}: {error}", file.display()), ""))?;
    let read = run::read_run(&bytes).map_err(|error| {
        Problem::error(format!("{}: {error}", file.display()), "a run is a file that `heddle record` has kept")
    })?;
    if let Some(damage) = read.damage {
        terminal::note(general, &format!("{}: {damage}; what comes before that is used", file.display()));
    }
    Ok(read.run)
}

/// The module that the run belongs to lies beside it.
fn load(general: &General, file: &Path, run: &RecordedRun) -> anyhow::Result<Loaded> {
    // The name becomes a part of a path, and the file may come from anywhere.
    if !run::is_identity(&run.module) {
        return Err(Problem::error(
            format!("{}: `{}` is not the identity of a module", file.display(), stored_flags::shown(&run.module)),
            "a run is a file that `heddle record` has kept",
        ));
    }
    let folder = file.parent().unwrap_or(Path::new("."));
    let module = folder.join("modules").join(&run.module).join("module.bc");
    if !module.is_file() {
        return Err(Problem::error(
            format!("the module of {} is not beside it: {} is missing", file.display(), module.display()),
            "a folder of runs is kept and moved as a whole",
        ));
    }
    pipeline::load(general, &[module], &[])
}

/// What the program was given on its command line, without its own name.
fn arguments(run: &RecordedRun) -> Vec<Vec<u8>> {
    let main = run.threads.first().and_then(|thread| thread.inputs.iter().find(|input| input.name == run::ARGUMENTS));
    main.map_or(&[][..], |input| input.buffers.as_slice()).iter().skip(1).cloned().collect()
}

/// What the program could read from stdin, if that was kept.
fn stdin(run: &RecordedRun) -> Option<&[u8]> {
    let inputs = &run.threads.first()?.inputs;
    let kept = inputs.iter().find(|input| input.name == run::STDIN)?;
    kept.buffers.first().map(Vec::as_slice)
}

/// What the program read from outside is not in its record in a form that the machine can be given.
fn ask_for_input(general: &General, run: &RecordedRun, settings: &Settings) {
    let inputs = run.threads.iter().flat_map(|thread| &thread.inputs);
    let mut asked: Vec<&str> = inputs.map(|input| input.name.as_str()).filter(|name| READERS.contains(name)).collect();
    asked.sort_unstable();
    asked.dedup();
    if !asked.is_empty() && settings.stdin.is_empty() && stdin(run).is_none() {
        let what = "the program was told something by";
        let how = "give it the same again: heddle explain RUN < FILE, with files where it finds them";
        terminal::note(general, &format!("{what} {}; {how}", asked.join(", ")));
    }
}

/// Whether the machine is given all that the program was told, its arguments, stdin and the time, and the record is whole.
fn is_told_alike(run: &RecordedRun, settings: &Settings) -> bool {
    let stdin = stdin(run);
    // Who reads and opens nothing reads stdin.
    let reads = |name: &str| READERS.contains(&name) && stdin.is_some();
    let known = |input: &run::Input| {
        let name = input.name.as_str();
        name == run::ARGUMENTS || name == run::STDIN || reads(name) || reading(input).is_some()
    };
    // The user may have said otherwise.
    let given = settings.arguments == arguments(run) && stdin.is_none_or(|stdin| settings.stdin == stdin);
    let whole = run.cut.is_none() && run.threads.iter().all(|thread| thread.notes.is_empty());
    given && whole && run.threads.iter().flat_map(|thread| &thread.inputs).all(known)
}

/// What the clock answered to a thread, in nanoseconds.
fn readings(thread: &ThreadRecord) -> Vec<i64> {
    thread.inputs.iter().filter_map(reading).collect()
}

/// What the clock answered.
fn reading(input: &run::Input) -> Option<i64> {
    let number = |bytes: &[u8]| bytes.try_into().map_or(0, i64::from_le_bytes);
    let timespec = |buffer: &Vec<u8>| match buffer.split_at_checked(8) {
        Some((seconds, rest)) if rest.len() == 8 => number(seconds) * 1_000_000_000 + number(rest),
        _ => 0,
    };
    match input.name.as_str() {
        "_ZNSt6chrono3_V212steady_clock3nowEv" | "_ZNSt6chrono3_V212system_clock3nowEv" => Some(input.result),
        "clock_gettime" => input.buffers.first().map(timespec),
        "time" => Some(input.result.saturating_mul(1_000_000_000)),
        _ => None,
    }
}
