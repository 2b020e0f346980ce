//! Asks for failing executions with no flip, with one, and with as few as possible; among those, for the one whose
//! flips are nearest to the failure.
//!
//! The paper's parameters are bounds here: only the `window` decisions nearest to the failure may flip, and at most
//! `flips` at once. A *try* is one question to the solver for a failing execution, including those of MaxSAT.

use diagnose::Wrong;
use encode::{EncodeError, Failure};
use events::EventId;
use formula::Term;
use solve::{Budget, End, Reason, Soft, Solver, optimise};

use crate::question::{Answer, Asking, Asserted, Failing, PredictError, Sought};

/// The limit of conflicts of a question before the next one gets its turn, its growth, and the value above which it is
/// unlimited.
const FIRST_SLICE: u64 = 2_000;
const GROWTH: u64 = 8;
const LAST_SLICE: u64 = 5_000_000;

/// Up to this many flips the bound is increased one by one. Beyond that, MaxSAT is used.
const ASCENT: usize = 6;

/// The limits of the distance from the runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Only this many decisions before the failure may flip.
    pub window: Option<u32>,
    /// At most this many decisions may flip.
    pub flips: Option<u32>,
    /// A question that takes more conflicts is left open.
    pub conflicts: Option<u64>,
}

/// The result of the search.
#[derive(Debug)]
pub struct Prediction {
    pub found: Option<Predicted>,
    /// The number of questions for failing executions.
    pub tries: u64,
    /// Why the answer may be incomplete: there may be a failure, or one with fewer flips.
    pub open: Option<Reason>,
}

/// A failing execution near a run.
#[derive(Debug)]
pub struct Predicted {
    pub failing: Failing,
    /// No failing execution of the graph has fewer flips.
    pub is_minimal: bool,
}

/// The number of decisions between each decision and a failure, in a passing order of a run; `None` for decisions that
/// the run does not have. The arguments are the run and the failure; without one, distances are those from the end of
/// the run.
pub type Nearness<'n> = dyn FnMut(u32, Option<&Wrong>) -> Option<Vec<Option<u32>>> + 'n;

/// Searches for a failing execution with as few flips as possible.
pub fn predict(
    sought: Sought<'_>,
    limits: Limits,
    budget: &Budget,
    nearness: &mut Nearness<'_>,
) -> Result<Prediction, PredictError> {
    let mut search = Search { limits, ends: budget.clone(), tries: 0, open: None };
    let others: &[EventId] = match sought.assertions {
        Asserted::These(events) => events,
        Asserted::Any | Asserted::None => &[],
    };
    let kinds = [
        (!sought.first.is_empty(), Failure::AnyAssertion, sought.first),
        (sought.assertions != Asserted::None, Failure::AnyAssertion, others),
        (sought.deadlocks, Failure::Deadlock, &[]),
    ];
    let mut askings = Vec::new();
    let mut asked = Vec::new();
    for (number, (_, failure, targets)) in kinds.into_iter().enumerate().filter(|(_, (wanted, ..))| *wanted) {
        match Asking::new(sought, failure, targets, budget) {
            Ok(mut asking) => {
                search.hold_window(&mut asking, sought.runs, nearness);
                askings.push(asking);
                asked.push(number);
            }
            Err(error) => search.open = Some(unasked(error)?),
        }
    }
    // The assertions to query first are among all wanted ones, which come next.
    let narrow = asked.starts_with(&[0, 1]);
    let Some((mut predicted, number)) = search.first(&mut askings, narrow)? else {
        return Ok(Prediction { found: None, tries: search.tries, open: search.open });
    };
    let mut kind = number;
    // With at most one flip, fewer flips have been tried on all queries already.
    if predicted.failing.flipped.len() > 1 {
        for number in (0..askings.len()).filter(|other| *other != number) {
            if let Some(fewer) = search.fewer(&mut askings[number], &mut predicted)? {
                (predicted, kind) = (fewer, number);
            }
        }
    }
    search.approach(&mut askings[kind], &mut predicted, nearness)?;
    Ok(Prediction { found: Some(predicted), tries: search.tries, open: search.open })
}

/// The questions, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The schedule alone is changed.
    Schedule,
    OneFlip,
    Fewest,
}

struct Search {
    limits: Limits,
    ends: Budget,
    tries: u64,
    open: Option<Reason>,
}

/// The result of one question.
enum Staged {
    Found(Predicted),
    Never,
    /// Its slice of conflicts was too small.
    Hard,
    /// The budget is over.
    Over(Reason),
}

impl Search {
    /// The first failing execution, and the index of its query. Every stage is tried on all queries before the next
    /// stage, and hard queries are postponed. With `narrow`, the first query is about some of the second's assertions:
    /// without flips it is redundant unless the second one finds a failure.
    fn first(&mut self, askings: &mut [Asking<'_>], narrow: bool) -> Result<Option<(Predicted, usize)>, PredictError> {
        let mut asked: Vec<(usize, Stage)> = Vec::new();
        for stage in [Stage::Schedule, Stage::OneFlip, Stage::Fewest] {
            let from = usize::from(narrow && stage == Stage::Schedule);
            asked.extend((from..askings.len()).map(|number| (number, stage)).filter(|_| self.allows(stage)));
        }
        let mut slice = Some(self.limits.conflicts.unwrap_or(FIRST_SLICE));
        while !asked.is_empty() && !self.ends.is_over() {
            let mut hard = Vec::new();
            for &(number, stage) in &asked {
                match self.stage(&mut askings[number], stage, slice)? {
                    Staged::Found(predicted) => {
                        let (predicted, number) = match narrow && (number, stage) == (1, Stage::Schedule) {
                            true => self.narrowed(askings, predicted, slice)?,
                            false => (predicted, number),
                        };
                        let is_minimal = predicted.is_minimal && hard.is_empty();
                        return Ok(Some((Predicted { is_minimal, ..predicted }, number)));
                    }
                    Staged::Never => {}
                    Staged::Hard => hard.push((number, stage)),
                    Staged::Over(reason) => {
                        self.open = Some(reason);
                        return Ok(None);
                    }
                }
            }
            asked = hard;
            if !asked.is_empty() && self.limits.conflicts.is_some() {
                self.open = Some(Reason::Conflicts);
                break;
            }
            slice = slice.map(|slice| slice * GROWTH).filter(|slice| *slice < LAST_SLICE);
        }
        Ok(None)
    }

    /// A failure of the first query without flips, if there is one, instead of the second's.
    fn narrowed(
        &mut self,
        askings: &mut [Asking<'_>],
        predicted: Predicted,
        slice: Option<u64>,
    ) -> Result<(Predicted, usize), PredictError> {
        if askings[0].is_target(&predicted.failing.wrong) {
            return Ok((predicted, 0));
        }
        Ok(match self.stage(&mut askings[0], Stage::Schedule, slice)? {
            Staged::Found(preferred) => (preferred, 0),
            _ => (predicted, 1),
        })
    }

    /// A failing execution of another query with fewer flips than the one found. If that is not decided within the
    /// budget, the one found does not count as minimal.
    fn fewer(&mut self, asking: &mut Asking<'_>, predicted: &mut Predicted) -> Result<Option<Predicted>, PredictError> {
        let budget = Budget { conflicts: Some(FIRST_SLICE), ..self.ends.clone() };
        let mut best: Option<Predicted> = None;
        loop {
            let flips = best.as_ref().unwrap_or(predicted).failing.flipped.len();
            // With fewer than two they were asked before.
            if flips < 3 {
                return Ok(best);
            }
            let fewer = asking.at_most(flips - 1);
            self.tries += 1;
            match asking.ask(&[fewer], &budget)? {
                Answer::Failing(failing) => {
                    best = Some(Predicted { failing: *failing, is_minimal: predicted.is_minimal })
                }
                Answer::Never => return Ok(best),
                Answer::Unknown(_) => {
                    best.as_mut().unwrap_or(predicted).is_minimal = false;
                    return Ok(best);
                }
            }
        }
    }

    fn allows(&self, stage: Stage) -> bool {
        let most = self.limits.flips.unwrap_or(u32::MAX);
        match stage {
            Stage::Schedule => true,
            Stage::OneFlip => most >= 1,
            Stage::Fewest => most >= 2,
        }
    }

    /// Asserts that only decisions within the window of the selected run are flipped.
    fn hold_window(&self, asking: &mut Asking<'_>, runs: u32, nearness: &mut Nearness<'_>) {
        let Some(window) = self.limits.window else { return };
        for run in 0..runs {
            let Some(distances) = nearness(run, None) else { continue };
            let (selected, kept) = (asking.is_selected(run), asking.kept());
            for (kept, distance) in kept.into_iter().zip(distances) {
                if distance.is_some_and(|distance| distance >= window) {
                    let held = asking.engine.terms().implies(selected, kept);
                    asking.engine.assert(held);
                }
            }
        }
    }

    fn stage(&mut self, asking: &mut Asking<'_>, stage: Stage, slice: Option<u64>) -> Result<Staged, PredictError> {
        let budget = Budget { conflicts: slice, ..self.ends.clone() };
        let assumptions = match stage {
            Stage::Schedule => asking.kept(),
            Stage::OneFlip => vec![asking.at_most(1)],
            Stage::Fewest => return self.fewest(asking, &budget),
        };
        self.tries += 1;
        Ok(match asking.ask(&assumptions, &budget)? {
            Answer::Failing(failing) => Staged::Found(Predicted { failing: *failing, is_minimal: self.open.is_none() }),
            Answer::Never => Staged::Never,
            Answer::Unknown(Reason::Conflicts) if slice.is_some() => Staged::Hard,
            Answer::Unknown(reason) => Staged::Over(reason),
        })
    }

    /// A failing execution with the fewest flips, two or more.
    fn fewest(&mut self, asking: &mut Asking<'_>, budget: &Budget) -> Result<Staged, PredictError> {
        self.tries += 1;
        let best = match asking.ask(&[], budget)? {
            Answer::Failing(failing) => *failing,
            Answer::Never => return Ok(Staged::Never),
            Answer::Unknown(Reason::Conflicts) if budget.conflicts.is_some() => return Ok(Staged::Hard),
            Answer::Unknown(reason) => return Ok(Staged::Over(reason)),
        };
        if let Some(fewest) = self.ascend(asking, best.flipped.len(), budget)? {
            return Ok(self.within_limit(fewest.unwrap_or(best), true));
        }
        let kept = asking.kept();
        let softs: Vec<Soft> = kept.iter().map(|&term| Soft { term, weight: 1, level: 0 }).collect();
        let optimum = optimise(&mut asking.engine, &softs, budget);
        self.tries += optimum.questions;
        let is_minimal = optimum.end == End::Optimal && self.open.is_none();
        if let End::Stopped(Reason::Failed(message)) = optimum.end {
            return Err(PredictError::Solver(message));
        }
        let Some(best) = optimum.best else {
            return Ok(match optimum.end {
                End::Stopped(Reason::Conflicts) if budget.conflicts.is_some() => Staged::Hard,
                End::Stopped(reason) => Staged::Over(reason),
                End::Optimal | End::Unsatisfiable => Staged::Never,
            });
        };
        let failing = asking.failing(&best)?;
        Ok(self.within_limit(failing, is_minimal))
    }

    /// Increases the allowed flips one by one, if that is fast: a failing execution with fewer flips than this, or none
    /// if there is none. `None` if MaxSAT must decide.
    fn ascend(
        &mut self,
        asking: &mut Asking<'_>,
        flips: usize,
        budget: &Budget,
    ) -> Result<Option<Option<Failing>>, PredictError> {
        for most in 2..flips.min(ASCENT) {
            let assumption = asking.at_most(most);
            self.tries += 1;
            match asking.ask(&[assumption], budget)? {
                Answer::Failing(failing) => return Ok(Some(Some(*failing))),
                Answer::Never => {}
                Answer::Unknown(_) => return Ok(None),
            }
        }
        Ok((flips <= ASCENT).then_some(None))
    }

    fn within_limit(&self, failing: Failing, is_minimal: bool) -> Staged {
        let is_minimal = is_minimal && self.open.is_none();
        if self.limits.flips.is_some_and(|most| failing.flipped.len() > most as usize) {
            // It is the best one found: none has so few flips, if it is proven to be the best.
            return if is_minimal { Staged::Never } else { Staged::Hard };
        }
        Staged::Found(Predicted { failing, is_minimal })
    }

    /// If there is one flip: chooses the decision nearest to the failure that can be flipped.
    fn approach(
        &mut self,
        asking: &mut Asking<'_>,
        predicted: &mut Predicted,
        nearness: &mut Nearness<'_>,
    ) -> Result<(), PredictError> {
        let most = self.limits.conflicts.unwrap_or(FIRST_SLICE * GROWTH);
        let budget = Budget { conflicts: Some(most), ..self.ends.clone() };
        while let [flip] = predicted.failing.flipped[..] {
            let (run, wrong) = (predicted.failing.run, predicted.failing.wrong.clone());
            let Some(distances) = nearness(run, Some(&wrong)) else { return Ok(()) };
            let Some(now) = distances[flip] else { return Ok(()) };
            let nearer = |decision: usize| distances[decision].is_some_and(|distance| distance < now);
            if !(0..distances.len()).any(nearer) {
                return Ok(());
            }
            let mut assumptions: Vec<Term> = asking.kept();
            let mut number = 0;
            assumptions.retain(|_| {
                number += 1;
                !nearer(number - 1)
            });
            assumptions.push(asking.at_most(1));
            assumptions.push(asking.is_selected(run));
            self.tries += 1;
            match asking.ask(&assumptions, &budget)? {
                Answer::Failing(failing) => predicted.failing = *failing,
                Answer::Never | Answer::Unknown(_) => return Ok(()),
            }
        }
        Ok(())
    }
}

fn unasked(error: EncodeError) -> Result<Reason, EncodeError> {
    match error {
        EncodeError::Late => Ok(Reason::Time),
        EncodeError::Large | EncodeError::Address { .. } => Ok(Reason::Size),
        error => Err(error),
    }
}
