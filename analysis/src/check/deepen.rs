//! Bounds become larger until nothing is left out, something fails, or the time is over.

use std::time::Instant;

use diagnose::Causes;
use report::{CheckTiming, CutPlace, Stopped, Unsupported};
use symex::bounded::Symbolic;

use crate::answer::Context;
use crate::check::beyond::{self, Beyond};
use crate::check::bound::{self, Answer, Asked, Confirmed};
use crate::check::unasked::{self, Unasked};
use crate::error::Error;
use crate::established::Established;
use crate::program::{Loaded, Settings};

pub struct Plan<'a> {
    /// `None`: as large as the time allows.
    pub unroll: Option<u32>,
    /// Every failure with every cause, not only the first.
    pub all: bool,
    /// Whether it matters why it fails: that no order passes is then not believed of one bound alone.
    pub causes: bool,
    /// What is looked at with every value.
    pub symbolic: Symbolic,
    pub context: Context<'a>,
}

/// What was found, and how far it went.
#[derive(Default)]
pub struct Deepened {
    /// Of the largest bound that was finished, or of one that was not and in which something fails.
    pub answer: Option<Answer>,
    /// The largest bound that was finished.
    pub finished: Option<u32>,
    /// Nothing is left out: whatever fails is among the failures.
    pub complete: bool,
    pub cut: Vec<CutPlace>,
    pub unsupported: Option<Unsupported>,
    /// Failures that were not asked for, where nothing else was found.
    pub unasked: Unasked,
    pub stopped: Option<Stopped>,
    /// That no order passes is known of this bound alone: with more rounds one may.
    pub doubtful: bool,
    /// Of all bounds together.
    pub seconds: CheckTiming,
}

impl Deepened {
    /// Whether nothing was left out. What lies behind an end that was not asked for was not looked at.
    pub fn is_complete(&self) -> bool {
        self.complete && self.unasked.failures.is_empty() && !self.unasked.open
    }
}

/// No bound is larger.
const LARGEST: u32 = 1 << 20;

/// So many larger bounds are asked before it is said that no order passes.
const DOUBTS: u32 = 3;

/// `finished` is told of each bound that was finished before the next one is begun.
pub fn deepen(
    plan: &Plan<'_>,
    loaded: &Loaded,
    settings: &Settings,
    established: &mut Established<'_>,
    finished: &dyn Fn(&Deepened) -> Result<(), Error>,
) -> Result<Deepened, Error> {
    let budget = || plan.context.budget.of_solver(None);
    let mut deepened = Deepened::default();
    let mut unroll = plan.unroll.unwrap_or(1);
    let mut doubts = 0;
    loop {
        let Plan { all, symbolic, context, .. } = *plan;
        let asked = Asked { loaded, settings, symbolic, unroll, all, context };
        let (unrolled, symex) = bound::follow(&asked)?;
        deepened.seconds.symex += symex;
        let unrolled = match unrolled {
            Ok(unrolled) => unrolled,
            Err(reason) => {
                deepened.stopped = Some(reason);
                break;
            }
        };
        deepened.stopped = plan.context.budget.over();
        if deepened.stopped.is_some() {
            break;
        }
        let answer = bound::ask(&asked, unrolled, symex, established)?;
        deepened.seconds.solve += answer.seconds.solve;
        deepened.seconds.diagnose += answer.seconds.diagnose;
        if let Some(reason) = &answer.open {
            deepened.stopped = Some(plan.context.budget.why(reason));
            let known = deepened.answer.as_ref().map_or(0, |answer| answer.failures.len());
            if answer.failures.len() > known || deepened.answer.is_none() {
                deepened.answer = Some(answer);
            }
            break;
        }
        let fails = !answer.failures.is_empty();
        if doubts > 0 && !fails {
            return Err(Error::bug(format!("what fails within a smaller bound does not within {unroll} rounds")));
        }
        deepened.doubtful = fails && doubts < DOUBTS && is_doubtful(&answer);
        if fails && !plan.all && !(plan.causes && deepened.doubtful) {
            deepened.answer = Some(answer);
            break;
        }
        let started = Instant::now();
        plan.context.observer.stage(&format!("up to {unroll} rounds: looking beyond"));
        let beyond = beyond::beyond(loaded, &answer.unrolled, unroll, &budget)?;
        deepened.seconds.solve += started.elapsed().as_secs_f64();
        if fails && !plan.all {
            // Whatever is found out from here on, this stays.
            deepened.answer = Some(answer);
            deepened.doubtful &= beyond.deeper || beyond.open.is_some();
            deepened.stopped = beyond.open.as_ref().map(|reason| plan.context.budget.why(reason));
            let next = unroll.saturating_mul(2);
            if !beyond.deeper || beyond.open.is_some() || plan.unroll.is_some() || next > LARGEST {
                break;
            }
            doubts += 1;
            unroll = next;
            continue;
        }
        deepened.complete = beyond.is_nothing();
        deepened.finished = Some(unroll);
        deepened.answer = Some(answer);
        let Beyond { unsupported, deeper, open, .. } = beyond;
        deepened.unsupported = unsupported;
        deepened.stopped = open.as_ref().map(|reason| plan.context.budget.why(reason));
        let next = unroll.saturating_mul(2);
        if deepened.unsupported.is_some() || open.is_some() || !deeper || plan.unroll.is_some() || next > LARGEST {
            break;
        }
        // They are asked for at the end only.
        deepened.unasked.open =
            deepened.answer.as_ref().is_some_and(|answer| unasked::may_be(settings, &answer.unrolled));
        finished(&deepened)?;
        doubts += u32::from(deepened.doubtful);
        unroll = next;
    }
    if let (Some(_), Some(answer)) = (deepened.finished, &deepened.answer)
        && answer.failures.is_empty()
    {
        deepened.unasked = unasked::unasked(loaded, settings, &answer.unrolled, &budget)?;
    }
    if plan.context.budget.over() == Some(Stopped::Interrupted) && !deepened.complete {
        deepened.stopped = Some(Stopped::Interrupted);
    }
    if let (Some(finished), Some(answer), false) = (deepened.finished, &deepened.answer, deepened.complete) {
        deepened.cut = beyond::places(loaded, &answer.unrolled, finished, &budget)?;
    }
    Ok(deepened)
}

/// Whether it looks as if no order passed, where some loops were not followed to their ends.
fn is_doubtful(answer: &Answer) -> bool {
    let inevitable = |failure: &Confirmed| {
        let causes = failure.found.as_ref().map(|found| &found.causes);
        matches!(causes, Some(Causes::Found(cause)) if cause.orders.is_empty())
    };
    !answer.unrolled.cuts.is_empty() && answer.failures.iter().any(inevitable)
}
