//! `heddle check`: every schedule within a bound, asked at once, and why those fail that do. Programs become graphs (`bound`),
//! bounds become larger until nothing is left out or the time is over (`deepen`), and causes are told (`tell`).

mod properties;
mod bound;
mod races;
mod beyond;
mod deepen;
mod watch;
mod tell;

use std::time::{Duration, Instant};

use report::{Bounds, FailureCount, Finding, Found, RunReport, Search, Stats, Timing, Verdict, Where};
use symex::bounded::{Arguments, Symbolic};

use crate::args::{CheckArgs, General, SymbolicArguments};
use crate::exit::{ExitStatus, Problem};
use crate::pipeline::{self, Loaded, Settings};
use crate::run;
use crate::schedule_file;
use crate::search::{self, Candidate};
use crate::terminal;
use bound::Confirmed;
use deepen::{Deepened, Plan};
use watch::Watch;

/// How long bounds are raised when nobody says.
const SECONDS: u64 = 30;

pub fn check(general: &General, args: &CheckArgs) -> anyhow::Result<ExitStatus> {
    let started = Instant::now();
    let properties = properties::wanted(args);
    let deadline = deadline(general, args, started)?;
    let flags = run::flags(general, &args.program)?;
    let loaded = pipeline::load(general, &args.program.files, &flags)?;
    let settings = Settings {
        name: loaded.program.name.clone(),
        arguments: args.arguments.iter().map(|argument| argument.clone().into_bytes()).collect(),
        stdin: if args.symbolic_stdin.is_none() { run::input(&loaded)? } else { Vec::new() },
        variables: args.env.clone(),
        spurious: args.spurious,
        properties: properties.added,
        left_out: properties.left_out,
        ..Settings::default()
    };
    search::listen_for_interrupts();
    let watch = Watch::new(general);
    let plan = Plan { unroll: args.unroll, all: args.all, symbolic: symbolic(args), deadline, watch: &watch };
    let deepened = deepen::deepen(&loaded, &settings, &plan)?;
    drop(watch);
    let report = report(general, args, &Subject { loaded: &loaded, settings: &settings, started }, deepened)?;
    pipeline::deliver(general, &report)?;
    run::conclude(&report)
}

fn symbolic(args: &CheckArgs) -> Symbolic {
    let arguments = args.symbolic_args.map(|SymbolicArguments { count, length }| Arguments { count, length });
    Symbolic { stdin: args.symbolic_stdin, arguments }
}

/// A failing run of the program, for those who only want one.
pub fn find(general: &General, loaded: &Loaded, settings: &Settings, deadline: Instant) -> anyhow::Result<Hunted> {
    let watch = Watch::new(general);
    let symbolic = Symbolic::default();
    let plan = Plan { unroll: None, all: false, symbolic, deadline: Some(deadline), watch: &watch };
    let deepened = deepen::deepen(loaded, settings, &plan)?;
    let (complete, unsupported) = (deepened.complete, deepened.unsupported);
    let failing = deepened.answer.and_then(|answer| answer.failures.into_iter().next()).map(candidate);
    Ok(Hunted { failing, complete, unsupported })
}

/// What [`find`] came to.
pub struct Hunted {
    pub failing: Option<Candidate>,
    /// Nothing fails, whatever the order and the inputs.
    pub complete: bool,
    /// What cannot be followed and can be reached.
    pub unsupported: Option<report::Unsupported>,
}

fn candidate(confirmed: Confirmed) -> Candidate {
    let Confirmed { failure, replayed, .. } = confirmed;
    Candidate { found: Found::Bounded, failure, segments: replayed.segments, choices: replayed.choices }
}

fn deadline(general: &General, args: &CheckArgs, started: Instant) -> anyhow::Result<Option<Instant>> {
    let time = match general.time {
        Some(seconds) => Duration::try_from_secs_f64(seconds)
            .map_err(|_| Problem::error(format!("--time {seconds} is no number of seconds"), "such as --time 60"))?,
        // Whoever names a bound wants to have it finished.
        None if args.unroll.is_some() => return Ok(None),
        None => Duration::from_secs(SECONDS),
    };
    Ok(started.checked_add(time))
}

struct Subject<'a> {
    loaded: &'a Loaded,
    settings: &'a Settings,
    started: Instant,
}

fn report(general: &General, args: &CheckArgs, subject: &Subject<'_>, deepened: Deepened) -> anyhow::Result<RunReport> {
    let &Subject { loaded, settings, started } = subject;
    let failures: &[Confirmed] = deepened.answer.as_ref().map_or(&[], |answer| &answer.failures);
    let distinct = Distinct::new(loaded, failures);
    let (finding, counts) = written(general, args, subject, failures, distinct.counts)?;
    let mut checked = tell::checked(loaded, &deepened, &distinct.which, args.all);
    checked.given = tell::given(loaded, settings, &symbolic(args), &deepened);
    let mut unsupported: Vec<report::Unsupported> = deepened.unsupported.iter().cloned().collect();
    if general.verbose {
        let known = |place: &&report::Unsupported| deepened.unsupported.iter().any(|reached| reached.at == place.at);
        unsupported.extend(loaded.unsupported.iter().filter(|place| !known(place)).cloned());
    }
    let verdict = match &finding {
        Some(_) => Verdict::Failure,
        None if deepened.unsupported.is_some() || deepened.finished.is_none() => Verdict::Inconclusive,
        None => Verdict::NoneFound,
    };
    let stats = Stats {
        threads: checked.threads,
        events: deepened.answer.as_ref().map_or(0, |answer| answer.unrolled.graph.events.len()),
        steps: deepened.answer.as_ref().map_or(0, |answer| answer.unrolled.steps),
        seconds: Timing { frontend: loaded.seconds, search: 0.0, total: started.elapsed().as_secs_f64() },
    };
    Ok(RunReport {
        command: "check",
        program: loaded.title(),
        verdict,
        bounds: Bounds {
            complete: deepened.complete,
            search: Search::Bounded,
            executions: u64::from(checked.iterations),
            undisturbed: false,
            seeds: None,
            step_limit: settings.options(false).step_limit,
            cut: 0,
            excluded: 0,
            stopped: deepened.stopped,
            states: None,
            left_out: Vec::new(),
        },
        finding,
        counts: if args.all { counts } else { Vec::new() },
        unsupported,
        checked: Some(checked),
        stats,
    })
}

/// Failures that differ for the reader.
struct Distinct {
    counts: Vec<FailureCount>,
    /// By failing execution, which of them it is.
    which: Vec<usize>,
}

impl Distinct {
    fn new(loaded: &Loaded, failures: &[Confirmed]) -> Distinct {
        let mut distinct = Distinct { counts: Vec::new(), which: Vec::new() };
        for Confirmed { failure, .. } in failures {
            let (kind, condition) = (failure.kind, failure.condition.clone());
            let at = Where::new(&loaded.program, &failure.site).place().cloned();
            let count = FailureCount { kind, at, condition, runs: None, first_seed: None, schedule: None };
            let known = distinct.counts.iter().position(|known| *known == count);
            distinct.which.push(known.unwrap_or(distinct.counts.len()));
            if known.is_none() {
                distinct.counts.push(count);
            }
        }
        distinct
    }
}

/// Writes a schedule for each of the different failures; the first one is the finding.
fn written(
    general: &General,
    args: &CheckArgs,
    subject: &Subject<'_>,
    failures: &[Confirmed],
    mut counts: Vec<FailureCount>,
) -> anyhow::Result<(Option<Finding>, Vec<FailureCount>)> {
    let loaded = subject.loaded;
    let which = Distinct::new(loaded, failures).which;
    let mut finding = None;
    for (number, count) in counts.iter_mut().enumerate() {
        let Some(confirmed) = which.iter().position(|&failure| failure == number).map(|first| &failures[first]) else {
            continue;
        };
        let text = pipeline::text_of(loaded, confirmed.schedule.clone(), &confirmed.replayed)?;
        let wanted = args.schedule.as_deref().filter(|_| number == 0);
        let file = schedule_file::write(wanted, &loaded.program.name, &text)?.display().to_string();
        if number > 0 {
            count.schedule = Some(file);
            continue;
        }
        finding = pipeline::finding(loaded, &confirmed.settings, &confirmed.replayed).map(|mut finding| {
            finding.found = Some(Found::Bounded);
            finding.replayed = 1;
            let command = pipeline::replay_command(std::path::Path::new(&file));
            finding.schedule = Some((file, command));
            finding
        });
        let output = terminal::joined(&confirmed.replayed.output);
        terminal::show_program_output(general, args.program_output.as_ref(), &output)?;
    }
    Ok((finding, counts))
}
