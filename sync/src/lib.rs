//! Home-made synchronisation: found, classified, and proven or refuted.
//!
//! After BarrierFinder (Wang, Li and others): a barrier is recognised by its temporal invariant and not by its shape.
//! Sample runs ([`runs`]) show where threads wait, which threads release them and which variables they share there;
//! that gives the regions of a construct ([`regions`]) and its claim ([`claim`]); exploration of every order of the
//! program, with the ghost state of the claim ([`monitor`]), proves the claim or breaks it ([`prove`]).
//!
//! Deviations: sync pairs are found, not given; all kinds of synchronisation are covered; instead of mining traces,
//! states are explored together with their ghost state, so that equal ones are visited once; the client of a construct
//! is the program itself instead of a most general client, so that the values which a construct takes from its threads
//! (senses, numbers, nodes) are those of the program. The numbers of threads and rounds are therefore at most the
//! program's; a program that is too large as a whole is explored with fewer ([`levels`]). They are stated with every
//! proof.

mod quiet;
mod observe;
mod runs;
mod regions;
mod tracker;
mod monitor;
mod initialiser;
mod claim;
mod unawaited;
mod races;
mod prove;
mod levels;
mod places;
mod find;
mod judge;
mod annotate;

use std::rc::Rc;
use std::time::Instant;

use analysis::{Answer, Context, Error, Loaded, Settings};
use report::{Bounds, Command, Report, Search, Stats, Synced, Target, Timing, Verdict};

use monitor::{Claim, Monitor};
use tracker::Event;

pub use annotate::{Annotated, annotate};
pub use judge::{Confirmed, confirm};

/// The request of a user.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Constructs with fewer or more threads are named and not proven.
    pub threads: Option<(usize, usize)>,
    /// Pairs of lines, the write and the wait, as (file, line).
    pub pairs: Vec<[(String, u32); 2]>,
}

/// A line that the user names and that the program does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("{file}:{line}: there is no code on this line")]
    NoSuchLine { file: String, line: u32 },
}

/// Searches for home-made synchronisation in a program.
pub fn sync(
    loaded: &Loaded,
    settings: &Settings,
    request: &Request,
    context: &Context<'_>,
) -> Result<(Answer, Option<Problem>), Error> {
    let started = Instant::now();
    for (file, line) in request.pairs.iter().flatten() {
        if !places::has_code(&loaded.program, file, *line) {
            let problem = Problem::NoSuchLine { file: file.clone(), line: *line };
            return Ok((Answer::new(empty_report(loaded, settings)), Some(problem)));
        }
    }
    context.observer.stage("making runs to see where threads wait");
    let found = find::find(loaded, settings, request, context);
    let mut synced = Synced {
        runs: found.runs.len() as u64,
        threads: found.runs.iter().map(|run| run.threads).max().unwrap_or(0),
        notes: found.notes.clone(),
        ..Synced::default()
    };
    let mut others = Vec::new();
    let mut states = 0;
    let count = found.constructs.len();
    for (index, construct) in found.constructs.iter().enumerate() {
        let what = format!("proving {} of {count}: {}", index + 1, construct.claim.kind.name());
        context.observer.stage(&what);
        let judged = judge::judge(loaded, settings, request, context, &found, construct, count - index)?;
        states += judged.states;
        for sync in judged.syncs {
            if let (Some(text), true) = (&judged.schedule, sync.broken.is_some()) {
                others.push((synced.syncs.len(), text.clone()));
            }
            synced.syncs.push(sync);
        }
        // Established results are kept if the rest is cut off.
        if index + 1 < count {
            let so_far = answer(loaded, settings, context, &found, (synced.clone(), others.clone()), states, started);
            context.observer.established(&so_far).map_err(|_| Error::Refused)?;
        }
    }
    synced.other_waits.clone_from(&found.other_waits);
    Ok((answer(loaded, settings, context, &found, (synced, others), states, started), None))
}

/// The report of the constructs that were judged, with the texts of their schedules.
fn answer(
    loaded: &Loaded,
    settings: &Settings,
    context: &Context<'_>,
    found: &find::Found,
    (mut synced, mut others): (Synced, Vec<(usize, String)>),
    states: u64,
    started: Instant,
) -> Answer {
    judge::merge_instances(&mut synced.syncs, &mut others);
    let mut report = empty_report(loaded, settings);
    report.verdict = verdict(&synced, context, found.cut);
    if let Target::Program { bounds, .. } = &mut report.target {
        bounds.stopped = context.budget.over();
        bounds.executions = synced.runs;
        bounds.states = Some(states);
    }
    report.unsupported.clone_from(&found.unsupported);
    let total = context.budget.started.elapsed().as_secs_f64();
    let search = started.elapsed().as_secs_f64();
    let seconds = Timing { frontend: loaded.seconds, search, total, ..Timing::default() };
    report.stats = Stats { threads: synced.threads, steps: states, seconds, ..Stats::default() };
    report.synced = Some(synced);
    Answer { others, ..Answer::new(report) }
}

fn empty_report(loaded: &Loaded, settings: &Settings) -> Report {
    let bounds = Bounds::new(Search::Random, settings.options(false).step_limit);
    let target = Target::Program { name: loaded.title(), bounds };
    let mut report = Report::new(Command::Sync, target, Verdict::NoneFound);
    report.synced = Some(Synced::default());
    report
}

fn verdict(synced: &Synced, context: &Context<'_>, cut: bool) -> Verdict {
    if synced.syncs.iter().any(|sync| sync.broken.is_some()) {
        return Verdict::Failure;
    }
    let known = synced.syncs.iter().any(|sync| !sync.proven_for.is_empty());
    if !known && (cut || context.budget.is_over()) { Verdict::Inconclusive } else { Verdict::NoneFound }
}

/// Whether a claim holds along a run; otherwise the event that breaks it.
fn holds(claim: &Claim, events: &[Event]) -> Result<(), (usize, String)> {
    let mut monitor = Monitor::new(&Rc::new(claim.clone()));
    for (index, event) in events.iter().enumerate() {
        initialiser::take_of_run(&mut monitor, *event, &events[index..]).map_err(|what| (index, what))?;
    }
    Ok(())
}
