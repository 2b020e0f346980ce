//! One bound: the program as a graph, and all its failures.

use std::collections::HashMap;
use std::time::Instant;

use diagnose::{End, Everything, Heard, Progress, Sought, every};
use events::{EventId, Execution};
use predict::FailureSite;
use report::{CheckTiming, Found, Stopped};
use solve::Reason;
use symex::bounded::{Bounds, UnrollError, Unrolled, unroll};
use vm::FailureKind;

use crate::bounded::confirm::{Confirmed, confirmed};
use crate::bounded::{Asked, races};
use crate::error::Error;
use crate::established::Established;

/// All that is known within a bound.
pub struct Answer {
    pub unrolled: Unrolled,
    pub failures: Vec<Confirmed>,
    pub iterations: u32,
    /// Why a question was left open.
    pub open: Option<Reason>,
    pub seconds: CheckTiming,
}

/// The program explored up to a bound, and the seconds that it took.
pub fn follow(asked: &Asked<'_>) -> Result<(Result<Unrolled, Stopped>, f64), Error> {
    let started = Instant::now();
    asked.context.observer.stage(&format!("up to {} iterations: unrolling the program", asked.unroll));
    let bounds = Bounds {
        unroll: asked.unroll,
        until: asked.context.budget.deadline(),
        effort: asked.effort.map(|effort| effort.instructions),
        symbolic: asked.symbolic,
        ..Bounds::default()
    };
    let unrolled = match unroll(&asked.loaded.code, &asked.settings.options(false), &bounds) {
        Ok(unrolled) => Ok(unrolled),
        Err(UnrollError::Late) => {
            let spent = if asked.effort.is_some() { Stopped::Work } else { Stopped::Time };
            Err(asked.context.budget.over().unwrap_or(spent))
        }
        Err(UnrollError::Unsettled) => Err(Stopped::Unsettled),
        Err(error) => return Err(Error::bug(error)),
    };
    Ok((unrolled, started.elapsed().as_secs_f64()))
}

/// All failures within the bound, or the first.
pub fn ask(
    asked: &Asked<'_>,
    unrolled: Unrolled,
    symex: f64,
    established: &mut Established<'_>,
) -> Result<Answer, Error> {
    let options = asked.settings.options(false);
    let wants = |kind| options.properties.contains(&kind);
    let (deadlock, hang) = (wants(FailureKind::Deadlock), wants(FailureKind::Hang));
    let sites = sites(&unrolled);
    let sought = Sought {
        graph: &unrolled.graph,
        site: &|event| sites.get(&event).copied(),
        assertions: !unrolled.wrongs.is_empty(),
        deadlocks: deadlock || hang,
        // One question finds both; if only one was requested, the search must not end with the other.
        all: asked.all || deadlock != hang,
        budget: asked.context.budget.of_solver(asked.effort.map(|effort| effort.conflicts)),
    };
    // A race that comes first would hide the requested failures.
    let others = races::left_aside(asked.settings);
    let mut stopwatch = Stopwatch::new();
    let (mut heard, mut trouble) = (Vec::new(), None);
    let everything = {
        let stopwatch = std::cell::RefCell::new(&mut stopwatch);
        let mut confirm = |execution: &Execution, _: &diagnose::Wrong| {
            stopwatch.borrow_mut().found();
            match confirmed(asked.loaded, &others, &unrolled, execution) {
                Ok(run) => {
                    if let Some(Confirmed { settings, schedule, replayed, .. }) = &run
                        && let Err(error) = established.failure(Found::Bounded, settings, schedule, replayed)
                    {
                        trouble = Some(error);
                    }
                    heard.push(run);
                    Heard::Confirmed
                }
                Err(error) => {
                    let why = error.to_string();
                    trouble = Some(error);
                    Heard::Refuted(why)
                }
            }
        };
        let mut progress = |progress: &Progress| {
            stopwatch.borrow_mut().asks_again();
            asked.context.observer.stage(&said(asked.unroll, unrolled.graph.events.len(), progress));
        };
        every(&sought, &mut confirm, &mut progress)
    };
    stopwatch.asks_again();
    if let Some(error) = trouble {
        return Err(error);
    }
    let Everything { failures, mut iterations, end, .. } = everything.map_err(Error::bug)?;
    let mut open = match end {
        End::Budget(reason) => Some(reason),
        End::Exhausted | End::First => None,
        End::Refuted { why, .. } => return Err(Error::bug(why)),
    };
    let mut answers: Vec<Confirmed> = Vec::new();
    for (found, run) in failures.into_iter().zip(heard) {
        answers.extend(run.map(|twice| Confirmed { found: Some(found), ..twice }));
    }
    if wants(FailureKind::Race) && open.is_none() && (asked.all || answers.is_empty()) {
        asked.context.observer.stage(&format!("up to {} iterations: searching for races", asked.unroll));
        let raced = races::ask(asked, &unrolled)?;
        stopwatch.asks_again();
        iterations += raced.iterations;
        open = raced.open;
        answers.extend(raced.found);
    }
    if !asked.all {
        answers.truncate(1);
    }
    let seconds = CheckTiming { symex, solve: stopwatch.solve, diagnose: stopwatch.diagnose };
    Ok(Answer { unrolled, failures: answers, iterations, open, seconds })
}

fn said(unroll: u32, events: usize, progress: &Progress) -> String {
    let found = match progress.failures {
        0 => String::new(),
        1 => ", 1 cause so far".to_owned(),
        many => format!(", {many} causes so far"),
    };
    format!("up to {unroll} iterations: solving, {events} events{found}")
}

/// By assertion, the number of its failure in the source.
fn sites(unrolled: &Unrolled) -> HashMap<EventId, u32> {
    let mut numbers: HashMap<FailureSite, u32> = HashMap::new();
    let mut events: Vec<EventId> = unrolled.wrongs.keys().copied().collect();
    events.sort_unstable();
    let mut sites = HashMap::new();
    for event in events {
        let Some(site) = FailureSite::of(unrolled, event) else { continue };
        let next = numbers.len() as u32;
        sites.insert(event, *numbers.entry(site).or_insert(next));
    }
    sites
}

/// Measures the time of stages.
struct Stopwatch {
    since: Instant,
    /// Whether a failing execution is being explained.
    explains: bool,
    solve: f64,
    diagnose: f64,
}

impl Stopwatch {
    fn new() -> Stopwatch {
        Stopwatch { since: Instant::now(), explains: false, solve: 0.0, diagnose: 0.0 }
    }

    /// A failure was found; the next stage is its cause.
    fn found(&mut self) {
        self.solve += self.lap();
        self.explains = true;
    }

    fn asks_again(&mut self) {
        let lap = self.lap();
        match std::mem::take(&mut self.explains) {
            true => self.diagnose += lap,
            false => self.solve += lap,
        }
    }

    fn lap(&mut self) -> f64 {
        let now = Instant::now();
        now.duration_since(std::mem::replace(&mut self.since, now)).as_secs_f64()
    }
}
