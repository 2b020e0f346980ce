//! Iterative deepening: bounds are increased until no path is cut off, a failure is found, the time is over, or a
//! turn's effort is spent.

use std::time::Instant;

use diagnose::Causes;
use report::{CheckTiming, CutPlace, Stopped, Unsupported};
use symex::bounded::Symbolic;

use crate::bounded::bound::{self, Answer};
use crate::bounded::completeness::{self, Beyond};
use crate::bounded::confirm::Confirmed;
use crate::bounded::unasked::{self, Unasked};
use crate::bounded::{Asked, Effort};
use crate::context::Context;
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
    /// The inputs that are symbolic.
    pub symbolic: Symbolic,
    pub context: Context<'a>,
}

/// The results, and the bounds reached.
#[derive(Default)]
pub struct Deepened {
    /// The answer for the largest completed bound, or for an incomplete one with a failure.
    pub answer: Option<Answer>,
    /// The largest bound that was finished.
    pub finished: Option<u32>,
    /// No path is cut off: all failures are in the answer.
    pub complete: bool,
    pub cut: Vec<CutPlace>,
    pub unsupported: Option<Unsupported>,
    /// Failures that were not requested, if no other was found.
    pub unasked: Unasked,
    pub stopped: Option<Stopped>,
    /// That no order passes is proven for this bound only: with more iterations one may.
    pub doubtful: bool,
    /// Of all bounds together.
    pub seconds: CheckTiming,
}

impl Deepened {
    /// Whether no path is cut off. The continuation of an end that was not requested is unknown.
    pub fn is_complete(&self) -> bool {
        self.complete && self.unasked.failures.is_empty() && !self.unasked.open
    }
}

/// No bound is larger.
const LARGEST: u32 = 1 << 20;

/// The number of larger bounds to try before reporting that no order passes.
const DOUBTS: u32 = 3;

/// `finished` is called for each completed bound before the next one starts.
pub fn deepen(
    plan: &Plan<'_>,
    loaded: &Loaded,
    settings: &Settings,
    established: &mut Established<'_>,
    finished: &dyn Fn(&Deepened) -> Result<(), Error>,
) -> Result<Deepened, Error> {
    let mut deepening = Deepening::new(plan, loaded, settings);
    deepening.go_on(None, established, finished)?;
    deepening.finish()
}

/// Deepening that can be paused: a turn that has spent its effort is followed by one that begins with the bound at which it
/// stopped.
pub struct Deepening<'a> {
    plan: &'a Plan<'a>,
    loaded: &'a Loaded,
    settings: &'a Settings,
    deepened: Deepened,
    unroll: u32,
    /// The number of larger bounds tried since no order seemed to pass.
    doubts: u32,
}

impl<'a> Deepening<'a> {
    pub fn new(plan: &'a Plan<'a>, loaded: &'a Loaded, settings: &'a Settings) -> Deepening<'a> {
        let unroll = plan.unroll.unwrap_or(1);
        Deepening { plan, loaded, settings, deepened: Deepened::default(), unroll, doubts: 0 }
    }

    /// Whether there is a failure, or the search is exhausted, so that more work is useless.
    pub fn is_decided(&self) -> bool {
        self.fails() || self.deepened.stopped != Some(Stopped::Work)
    }

    /// Whether there is an answer: a failure, or a proof of its absence.
    pub fn is_answered(&self) -> bool {
        self.fails() || (self.deepened.stopped.is_none() && self.deepened.unsupported.is_none())
    }

    /// Whether some bound was finished.
    pub fn has_finished(&self) -> bool {
        self.deepened.finished.is_some()
    }

    /// Whether the cause of a failure is not known yet.
    fn is_unexplained(&self) -> bool {
        let failures = self.deepened.answer.iter().flat_map(|answer| &answer.failures);
        let mut causes = failures.filter_map(|failure| Some(&failure.found.as_ref()?.causes));
        self.deepened.stopped == Some(Stopped::Work) || causes.any(|causes| matches!(causes, Causes::Unknown(_)))
    }

    fn fails(&self) -> bool {
        self.deepened.answer.as_ref().is_some_and(|answer| !answer.failures.is_empty())
    }

    /// Checks larger and larger bounds; with an effort, until that is used up.
    pub fn go_on(
        &mut self,
        effort: Option<Effort>,
        established: &mut Established<'_>,
        finished: &dyn Fn(&Deepened) -> Result<(), Error>,
    ) -> Result<(), Error> {
        while self.bound(effort, established, finished)? {}
        if effort.is_some() && self.fails() && self.is_unexplained() {
            // The failure is known. Its cause may use the whole budget.
            while self.bound(None, established, finished)? {}
        }
        Ok(())
    }

    /// Checks one bound. Returns whether to continue with the next.
    fn bound(
        &mut self,
        effort: Option<Effort>,
        established: &mut Established<'_>,
        finished: &dyn Fn(&Deepened) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        let &mut Deepening { plan, loaded, settings, ref mut deepened, unroll, .. } = self;
        let Plan { all, symbolic, context, .. } = *plan;
        let asked = Asked { loaded, settings, symbolic, unroll, all, effort, context };
        let (unrolled, symex) = bound::follow(&asked)?;
        deepened.seconds.symex += symex;
        let unrolled = match unrolled {
            Ok(unrolled) => unrolled,
            Err(reason) => {
                deepened.stopped = Some(reason);
                return Ok(false);
            }
        };
        deepened.stopped = plan.context.budget.over();
        if effort.is_some_and(|effort| unrolled.graph.events.len() > effort.events) {
            deepened.stopped = deepened.stopped.or(Some(Stopped::Work));
        }
        if deepened.stopped.is_some() {
            return Ok(false);
        }
        let answer = bound::ask(&asked, unrolled, symex, established)?;
        deepened.seconds.solve += answer.seconds.solve;
        deepened.seconds.diagnose += answer.seconds.diagnose;
        if let Some(reason) = &answer.open {
            deepened.stopped = Some(why(plan, effort, reason));
            let known = deepened.answer.as_ref().map_or(0, |answer| answer.failures.len());
            if answer.failures.len() > known || deepened.answer.is_none() {
                deepened.answer = Some(answer);
            }
            return Ok(false);
        }
        self.look_beyond(answer, effort, finished)
    }

    /// Decides by the answer for one bound whether a larger one is needed. Returns whether to continue with it.
    fn look_beyond(
        &mut self,
        answer: Answer,
        effort: Option<Effort>,
        finished: &dyn Fn(&Deepened) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        let &mut Deepening { plan, loaded, settings, ref mut deepened, ref mut unroll, ref mut doubts } = self;
        let budget = || plan.context.budget.of_solver(effort.map(|effort| effort.conflicts));
        let why = |reason: &solve::Reason| why(plan, effort, reason);
        let fails = !answer.failures.is_empty();
        if *doubts > 0 && !fails {
            return Err(Error::bug(format!("a failure within a smaller bound is missing with {unroll} iterations")));
        }
        deepened.doubtful = fails && *doubts < DOUBTS && is_doubtful(&answer);
        if fails && !plan.all && !(plan.causes && deepened.doubtful) {
            deepened.answer = Some(answer);
            return Ok(false);
        }
        let started = Instant::now();
        plan.context.observer.stage(&format!("up to {unroll} iterations: checking the cuts"));
        let beyond = completeness::beyond(loaded, &answer.unrolled, *unroll, &budget)?;
        deepened.seconds.solve += started.elapsed().as_secs_f64();
        if fails && !plan.all {
            // This result is kept whatever follows.
            deepened.answer = Some(answer);
            deepened.doubtful &= beyond.deeper || beyond.open.is_some();
            deepened.stopped = beyond.open.as_ref().map(why);
            let next = unroll.saturating_mul(2);
            if !beyond.deeper || beyond.open.is_some() || plan.unroll.is_some() || next > LARGEST {
                return Ok(false);
            }
            *doubts += 1;
            *unroll = next;
            return Ok(true);
        }
        deepened.complete = beyond.is_nothing();
        deepened.finished = Some(*unroll);
        deepened.answer = Some(answer);
        let Beyond { unsupported, deeper, open, .. } = beyond;
        deepened.unsupported = unsupported;
        deepened.stopped = open.as_ref().map(why);
        let next = unroll.saturating_mul(2);
        if deepened.unsupported.is_some() || open.is_some() || !deeper || plan.unroll.is_some() || next > LARGEST {
            return Ok(false);
        }
        // These are only searched for at the end.
        deepened.unasked.open =
            deepened.answer.as_ref().is_some_and(|answer| unasked::may_be(settings, &answer.unrolled));
        finished(deepened)?;
        *doubts += u32::from(deepened.doubtful);
        *unroll = next;
        Ok(true)
    }

    /// The result, with failures of other kinds and the places of cut loops.
    pub fn finish(self) -> Result<Deepened, Error> {
        let Deepening { plan, loaded, settings, mut deepened, .. } = self;
        let budget = || plan.context.budget.of_solver(None);
        if let (Some(_), Some(answer)) = (deepened.finished, &deepened.answer)
            && answer.failures.is_empty()
        {
            deepened.unasked = unasked::unasked(loaded, settings, &answer.unrolled, &budget)?;
        }
        // It paused at the end of its turn; the whole search ended for another reason.
        if deepened.stopped == Some(Stopped::Work) {
            deepened.stopped = plan.context.budget.over().or(deepened.stopped);
        }
        if plan.context.budget.over() == Some(Stopped::Interrupted) && !deepened.complete {
            deepened.stopped = Some(Stopped::Interrupted);
        }
        if let (Some(finished), Some(answer), false) = (deepened.finished, &deepened.answer, deepened.complete) {
            deepened.cut = completeness::places(loaded, &answer.unrolled, finished, &budget)?;
        }
        Ok(deepened)
    }
}

/// Why a question within a bound was left open.
fn why(plan: &Plan<'_>, effort: Option<Effort>, reason: &solve::Reason) -> Stopped {
    match (reason, effort) {
        (solve::Reason::Conflicts, Some(_)) => Stopped::Work,
        _ => plan.context.budget.why(reason),
    }
}

/// Whether no order seems to pass although some loops were cut.
fn is_doubtful(answer: &Answer) -> bool {
    let inevitable = |failure: &Confirmed| {
        let causes = failure.found.as_ref().map(|found| &found.causes);
        matches!(causes, Some(Causes::Found(cause)) if cause.orders.is_empty())
    };
    !answer.unrolled.cuts.is_empty() && answer.failures.iter().any(inevitable)
}
