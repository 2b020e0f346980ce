//! Checking in turns: the bounded program in the solver, then runs and exploration, each with more work than before.
//!
//! The solver answers at once where threads share a few integers, and not at all where they share containers, whose
//! nodes multiply the paths of the bounded program. Exploration is the opposite: it proves closed programs with few
//! schedules, whatever the threads share, and runs find most failures early. Turns are counted in work, so the answer
//! depends on the program and the first seed alone; time and memory only end the whole.

use report::{Command, Search, Stopped};

use crate::answer::Answer;
use crate::bounded::Effort;
use crate::bounded::deepen::{Deepened, Deepening, Plan};
use crate::error::Error;
use crate::established::Established;
use crate::explain::Request;
use crate::explain::program::Subject;
use crate::program::{Loaded, Settings};
use crate::search::{self, Portfolio};

/// The effort for the bounded program in the first turn.
const FIRST: Effort = Effort { instructions: 10_000, events: 800, conflicts: 1_000 };

/// The work of runs and exploration in their first turn.
const WORK: u64 = 2_000_000;

/// The factor by which the work grows with each turn.
const GROWTH: u32 = 4;

/// The number of turns of runs and exploration if the bounded program is unsupported.
const ALONE: u32 = 2;

/// The engine that answered.
pub enum Came {
    Bounded(Box<Deepened>),
    Searched(Box<Answer>),
}

/// Takes turns until one engine has an answer or the budget is over.
pub fn turns(
    plan: &Plan<'_>,
    loaded: &Loaded,
    settings: &Settings,
    established: &mut Established<'_>,
    finished: &dyn Fn(&Deepened) -> Result<(), Error>,
) -> Result<Came, Error> {
    let context = &plan.context;
    let runs = search::Plan {
        search: Search::Portfolio { explored: 0 },
        runs: None,
        work: None,
        time: None,
        gives_up: true,
        keep_going: false,
    };
    let mut deepening = Deepening::new(plan, loaded, settings);
    let mut portfolio: Option<Portfolio<'_>> = None;
    let mut defect = None;
    for turn in 0.. {
        if turn == 0 || (defect.is_none() && !deepening.is_decided()) {
            match deepening.go_on(Some(effort(turn)), established, finished) {
                // Such a defect ends this engine, but not the other one.
                Err(Error::Bug(message)) => defect = Some(message),
                went => went?,
            }
        }
        let is_broken = defect.is_some();
        if (deepening.is_answered() && !is_broken) || context.budget.is_over() {
            break;
        }
        let portfolio = portfolio.get_or_insert_with(|| Portfolio::start(loaded, settings, &runs, *context));
        context.observer.stage("looking for a failing schedule");
        portfolio.advance(Some(WORK.saturating_mul(growth(turn))));
        let is_alone = is_broken || deepening.is_decided();
        if portfolio.is_answered() || context.budget.is_over() || (is_alone && turn + 1 >= ALONE) {
            break;
        }
        if portfolio.is_decided() {
            // If runs do not end or reach unsupported constructs, only the solver can answer.
            if !is_alone {
                deepening.go_on(None, established, finished)?;
            }
            break;
        }
    }
    let searched = portfolio.filter(|_| defect.is_some() || !deepening.is_answered()).map(|portfolio| {
        let mut searched = portfolio.finish();
        // It paused at the end of its turn; the whole search ended for another reason.
        if searched.stopped == Some(Stopped::Work) {
            searched.stopped = context.budget.over().or(searched.stopped);
        }
        searched
    });
    let answers = |searched: &search::Searched| searched.failing.is_some() || searched.complete;
    match (searched, defect) {
        (Some(searched), defect) if answers(&searched) || (defect.is_none() && deepening.knows_less(&searched)) => {
            let request = &Request::default();
            let beside = None;
            let subject = Subject { command: Command::Check, loaded, settings, request, context, beside };
            let mut answer = subject.tell(&runs, searched, established)?;
            answer.report.defect = defect;
            Ok(Came::Searched(Box::new(answer)))
        }
        (_, Some(defect)) => Err(Error::Bug(defect)),
        (_, None) => Ok(Came::Bounded(Box::new(deepening.finish()?))),
    }
}

fn effort(turn: u32) -> Effort {
    let growth = growth(turn);
    Effort {
        instructions: FIRST.instructions.saturating_mul(growth),
        events: FIRST.events.saturating_mul(usize::try_from(growth).unwrap_or(usize::MAX)),
        conflicts: FIRST.conflicts.saturating_mul(growth),
    }
}

fn growth(turn: u32) -> u64 {
    u64::from(GROWTH).saturating_pow(turn)
}

impl Deepening<'_> {
    /// Whether the search has the better answer: no bound was completed, and complete runs reached no unsupported
    /// construct.
    fn knows_less(&self, searched: &search::Searched) -> bool {
        !self.has_finished() && searched.has_ended() && searched.unsupported.is_empty()
    }
}
