//! Bounded checking: all schedules within a bound at once, and the causes of failures. Bounds are increased in turns with
//! runs and exploration (`turns`), and causes are described (`tell`).

mod turns;
mod tell;

use std::cell::OnceCell;

use report::{
    Bounds, Caveats, Checked, Command, FailureCount, Found, Report, Search, Stats, Stopped, Target, Timing, Verdict,
};

use crate::answer::Answer;
use crate::bounded::confirm::Confirmed;
use crate::bounded::deepen::{self, Deepened, Plan};
use crate::caveats;
use crate::context::Context;
use crate::error::Error;
use crate::established::Established;
use crate::program::{self, Loaded, Settings, joined};
use crate::schedule;
use crate::search;
use turns::Came;

pub use symex::bounded::{Arguments, Symbolic};

/// The request.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    /// The unrolling bound. `None`: as large as the time allows.
    pub unroll: Option<u32>,
    /// Every failure with every cause, not only the first.
    pub all: bool,
    /// The inputs that are symbolic.
    pub symbolic: Symbolic,
    /// Whether runs and exploration take turns with the solver, if they support the request.
    pub searches: bool,
}

/// Checks every schedule within a bound.
pub fn check(loaded: &Loaded, settings: &Settings, request: &Request, context: &Context<'_>) -> Result<Answer, Error> {
    let subject = Subject { loaded, settings, request, context, caveats: OnceCell::new() };
    let &Request { unroll, all, symbolic, searches } = request;
    let checked = Checked { all, ..Checked::default() };
    let mut established = Established::new(Command::Check, loaded, *context, Some(checked));
    let plan = Plan { unroll, all, causes: true, symbolic, context: *context };
    let finished = |deepened: &Deepened| match &deepened.answer {
        Some(answer) if !answer.failures.is_empty() => Ok(()),
        _ => context.observer.established(&Answer::new(subject.report(deepened))).map_err(|_| Error::Refused),
    };
    // With fixed inputs, an unsupported construct that every run reaches can be found before the exploration.
    let is_given = symbolic.stdin.is_none() && symbolic.arguments.is_none();
    let refused = if is_given { search::refused_at_once(loaded, settings) } else { None };
    let deepened = match refused {
        Some(_) => Deepened { unsupported: refused, ..Deepened::default() },
        None if searches && is_given && unroll.is_none() && !all => {
            match turns::turns(&plan, loaded, settings, &mut established, &finished)? {
                Came::Bounded(deepened) => *deepened,
                Came::Searched(answer) => return Ok(*answer),
            }
        }
        None => deepen::deepen(&plan, loaded, settings, &mut established, &finished)?,
    };
    subject.answer(&deepened)
}

struct Subject<'a> {
    loaded: &'a Loaded,
    settings: &'a Settings,
    request: &'a Request,
    context: &'a Context<'a>,
    /// The limits of a verdict without failure, once computed.
    caveats: OnceCell<Caveats>,
}

impl Subject<'_> {
    fn caveats(&self, deepened: &Deepened, verdict: Verdict) -> Caveats {
        let found = match verdict {
            Verdict::NoneFound => {
                self.caveats.get_or_init(|| caveats::caveats(self.loaded, self.settings, true)).clone()
            }
            Verdict::Failure | Verdict::Inconclusive | Verdict::Repaired => {
                caveats::caveats(self.loaded, self.settings, false)
            }
        };
        Caveats { unasked: deepened.unasked.failures.clone(), unasked_open: deepened.unasked.open, ..found }
    }

    /// The first failure with its schedule, and the schedules of other failures that differ in the report.
    fn answer(&self, deepened: &Deepened) -> Result<Answer, Error> {
        let failures: &[Confirmed] = deepened.answer.as_ref().map_or(&[], |answer| &answer.failures);
        let Distinct { counts, which } = Distinct::new(self.loaded, failures);
        let mut answer = Answer::new(self.report(deepened));
        for number in 0..counts.len() {
            let first = which.iter().position(|&failure| failure == number).map(|first| &failures[first]);
            let Some(confirmed) = first else { continue };
            let text = schedule::text_of(self.loaded, confirmed.schedule.clone(), &confirmed.replayed)?;
            if number > 0 {
                answer.others.push((number, text));
            } else {
                answer.schedule = Some(text);
                answer.output = Some(joined(&confirmed.replayed.output));
            }
        }
        Ok(answer)
    }

    fn report(&self, deepened: &Deepened) -> Report {
        let &Subject { loaded, settings, request, context, .. } = self;
        let failures: &[Confirmed] = deepened.answer.as_ref().map_or(&[], |answer| &answer.failures);
        let distinct = Distinct::new(loaded, failures);
        let finding = failures.first().and_then(|confirmed| {
            let mut finding = program::finding(loaded, &confirmed.settings, &confirmed.replayed)?;
            finding.found = Some(Found::Bounded);
            finding.replayed = 1;
            Some(finding)
        });
        let mut checked = tell::checked(loaded, deepened, &distinct.which, request.all);
        checked.given = tell::given(loaded, settings, &request.symbolic, deepened);
        let verdict = match &finding {
            Some(_) => Verdict::Failure,
            None if deepened.unsupported.is_some() || deepened.finished.is_none() => Verdict::Inconclusive,
            None if deepened.stopped == Some(Stopped::Interrupted) => Verdict::Inconclusive,
            None => Verdict::NoneFound,
        };
        let total = context.budget.started.elapsed().as_secs_f64();
        let stats = Stats {
            threads: checked.threads,
            events: deepened.answer.as_ref().map_or(0, |answer| answer.unrolled.graph.events.len()),
            steps: deepened.answer.as_ref().map_or(0, |answer| answer.unrolled.steps),
            seconds: Timing { frontend: loaded.seconds, total, ..Timing::default() },
            ..Stats::default()
        };
        let bounds = Bounds {
            complete: deepened.is_complete(),
            executions: u64::from(checked.iterations),
            stopped: deepened.stopped,
            ..Bounds::new(Search::Bounded, settings.options(false).step_limit)
        };
        let reached: Vec<report::Unsupported> = deepened.unsupported.iter().cloned().collect();
        Report {
            finding,
            counts: if request.all { distinct.counts } else { Vec::new() },
            unsupported: loaded.unsupported(&reached, context.all_unsupported),
            checked: Some(checked),
            caveats: self.caveats(deepened, verdict),
            stats,
            ..Report::new(Command::Check, Target::Program { name: loaded.title(), bounds }, verdict)
        }
    }
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
