//! `heddle check`: every schedule within a bound, asked at once, and why those fail that do. Programs become graphs (`bound`),
//! bounds become larger until nothing is left out or the time is over (`deepen`), and causes are told (`tell`).

mod bound;
mod races;
mod beyond;
mod unasked;
mod deepen;
mod watch;
mod tell;

use std::cell::OnceCell;
use std::time::Instant;

use report::{
    Bounds, Caveats, Checked, Command, FailureCount, Finding, Found, Report, Search, Stats, Stopped, Target, Timing,
    Verdict,
};
use symex::bounded::{Arguments, Symbolic};

use crate::args::{CheckArgs, General, SymbolicArguments};
use crate::budget::Budget;
use crate::caveats;
use crate::established::Established;
use crate::exit::ExitStatus;
use crate::files;
use crate::pipeline::{self, Loaded, Settings};
use crate::properties::Properties;
use crate::run;
use crate::schedule_file::{self, Slot};
use crate::search::{self, Candidate};
use crate::terminal;
use bound::Confirmed;
use deepen::{Deepened, Plan};
use watch::Watch;

pub fn check(general: &General, args: &CheckArgs, budget: &Budget) -> anyhow::Result<ExitStatus> {
    let started = budget.started;
    let properties = Properties::asked(&args.properties.property)?;
    let flags = run::flags(general, &args.program)?;
    let loaded = pipeline::load(general, &args.program.files, &flags)?;
    files::refuse_inputs(&files::named(general, &args.schedule, &args.program_output), &loaded.files())?;
    let settings = Settings {
        name: loaded.program.name.clone(),
        arguments: args.arguments.iter().map(|argument| argument.clone().into_bytes()).collect(),
        stdin: if args.symbolic_stdin.is_none() { run::input(&loaded)? } else { Vec::new() },
        variables: args.env.clone(),
        spurious: args.spurious,
        properties,
        ..Settings::default()
    };
    let watch = Watch::new(general);
    let subject = Subject { loaded: &loaded, settings: &settings, started, caveats: OnceCell::new() };
    let mut established = Established {
        general,
        command: Command::Check,
        loaded: &loaded,
        budget,
        checked: Some(Checked { all: args.all, ..Checked::default() }),
        slot: Slot::new(args.schedule.as_deref(), &loaded.program.name),
        is_made: false,
    };
    let (unroll, all) = (args.unroll, args.all);
    let plan = Plan { unroll, all, causes: true, symbolic: symbolic(args), budget, watch: &watch };
    let finished = |deepened: &Deepened| {
        let fails = deepened.answer.as_ref().is_some_and(|answer| !answer.failures.is_empty());
        if !fails && let Ok(report) = report(general, args, &subject, deepened, None) {
            pipeline::let_stand(general, &report);
        }
    };
    let is_given = args.symbolic_stdin.is_none() && args.symbolic_args.is_none();
    let refused = if is_given { search::refused_at_once(&loaded, &settings) } else { None };
    let deepened = match refused {
        Some(_) => Deepened { unsupported: refused, ..Deepened::default() },
        None => deepen::deepen(&plan, &settings, &mut established, &finished)?,
    };
    drop(watch);
    let report = report(general, args, &subject, &deepened, Some(&mut established.slot))?;
    pipeline::deliver(general, &report)?;
    run::conclude(&report)
}

fn symbolic(args: &CheckArgs) -> Symbolic {
    let arguments = args.symbolic_args.map(|SymbolicArguments { count, length }| Arguments { count, length });
    Symbolic { stdin: args.symbolic_stdin, arguments }
}

/// A failing run of the program, for those who only want one.
pub fn find(
    general: &General,
    settings: &Settings,
    budget: &Budget,
    established: &mut Established<'_>,
) -> anyhow::Result<Hunted> {
    let watch = Watch::new(general);
    let symbolic = Symbolic::default();
    let plan = Plan { unroll: None, all: false, causes: false, symbolic, budget, watch: &watch };
    let deepened = deepen::deepen(&plan, settings, established, &|_| {})?;
    let (complete, unsupported) = (deepened.is_complete(), deepened.unsupported);
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

struct Subject<'a> {
    loaded: &'a Loaded,
    settings: &'a Settings,
    started: Instant,
    /// What a verdict without failure leaves open, once it was asked.
    caveats: OnceCell<Caveats>,
}

impl Subject<'_> {
    fn caveats(&self, deepened: &Deepened, verdict: Verdict) -> Caveats {
        let found = match verdict {
            Verdict::NoneFound => {
                self.caveats.get_or_init(|| caveats::caveats(self.loaded, self.settings, true)).clone()
            }
            Verdict::Failure | Verdict::Inconclusive => caveats::caveats(self.loaded, self.settings, false),
        };
        Caveats { unasked: deepened.unasked.failures.clone(), unasked_open: deepened.unasked.open, ..found }
    }
}

/// Schedules are written where there is a slot for the first of them.
fn report(
    general: &General,
    args: &CheckArgs,
    subject: &Subject<'_>,
    deepened: &Deepened,
    slot: Option<&mut Slot<'_>>,
) -> anyhow::Result<Report> {
    let &Subject { loaded, settings, started, .. } = subject;
    let failures: &[Confirmed] = deepened.answer.as_ref().map_or(&[], |answer| &answer.failures);
    let distinct = Distinct::new(loaded, failures);
    let (finding, counts) = match slot {
        Some(slot) => written(general, args, subject, failures, distinct.counts, slot)?,
        None => (None, Vec::new()),
    };
    let mut checked = tell::checked(loaded, deepened, &distinct.which, args.all);
    checked.given = tell::given(loaded, settings, &symbolic(args), deepened);
    let reached = deepened.unsupported.iter().cloned();
    let mut unsupported: Vec<report::Unsupported> =
        reached.map(|reached| pipeline::with_other_places(loaded, reached)).collect();
    if general.verbose {
        let known = |place: &&report::Unsupported| deepened.unsupported.iter().any(|reached| reached.at == place.at);
        unsupported.extend(loaded.unsupported.iter().filter(|place| !known(place)).cloned());
    }
    let verdict = match &finding {
        Some(_) => Verdict::Failure,
        None if deepened.unsupported.is_some() || deepened.finished.is_none() => Verdict::Inconclusive,
        None if deepened.stopped == Some(Stopped::Interrupted) => Verdict::Inconclusive,
        None => Verdict::NoneFound,
    };
    let stats = Stats {
        threads: checked.threads,
        events: deepened.answer.as_ref().map_or(0, |answer| answer.unrolled.graph.events.len()),
        steps: deepened.answer.as_ref().map_or(0, |answer| answer.unrolled.steps),
        seconds: Timing { frontend: loaded.seconds, total: started.elapsed().as_secs_f64(), ..Timing::default() },
        ..Stats::default()
    };
    let bounds = Bounds {
        complete: deepened.is_complete(),
        executions: u64::from(checked.iterations),
        stopped: deepened.stopped,
        ..Bounds::new(Search::Bounded, settings.options(false).step_limit)
    };
    let target = Target::Program { name: loaded.title(), bounds };
    Ok(Report {
        finding,
        counts: if args.all { counts } else { Vec::new() },
        unsupported,
        checked: Some(checked),
        caveats: subject.caveats(deepened, verdict),
        stats,
        ..Report::new(Command::Check, target, verdict)
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
            let count = FailureCount::new(&loaded.program, failure);
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
    slot: &mut Slot<'_>,
) -> anyhow::Result<(Option<Finding>, Vec<FailureCount>)> {
    let loaded = subject.loaded;
    let which = Distinct::new(loaded, failures).which;
    let mut finding = None;
    for (number, count) in counts.iter_mut().enumerate() {
        let Some(confirmed) = which.iter().position(|&failure| failure == number).map(|first| &failures[first]) else {
            continue;
        };
        let text = pipeline::text_of(loaded, confirmed.schedule.clone(), &confirmed.replayed)?;
        if number > 0 {
            let file = schedule_file::write(None, &loaded.program.name, &text)?;
            count.schedule = Some(file.display().to_string());
            continue;
        }
        let file = slot.put(&text)?.display().to_string();
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
