//! Explains a program that can be run: a search finds a failing run, which is then followed, diagnosed, and described.

use std::time::Duration;

use report::{Command, Report, Search, Stats, Stopped, Target, Timing, Verdict};
use run::Schedule;

use crate::answer::Answer;
use crate::bounded;
use crate::context::Context;
use crate::error::Error;
use crate::established::Established;
use crate::explain::{Part, Request, explain_run};
use crate::program::{self, Loaded, Settings, joined};
use crate::schedule;
use crate::search::{self, Outputs, Plan, Portfolio, Searched};

/// Runs by PCT before the portfolio.
const RUNS: u64 = 400;

/// The work of runs and exploration before the solver is asked.
const BEFORE_SOLVER: u64 = 20_000_000;

/// The time limit of the solver.
const BOUNDED: Duration = Duration::from_secs(30);

/// Finds a failing run, and explains it.
pub fn program(
    loaded: &Loaded,
    settings: &Settings,
    request: &Request,
    context: &Context<'_>,
) -> Result<Answer, Error> {
    let subject = Subject { command: Command::Explain, loaded, settings, request, context, beside: None };
    let mut established = Established::new(Command::Explain, loaded, *context, None);
    let (plan, searched) = subject.find(&mut established)?;
    subject.tell(&plan, searched, &mut established)
}

/// A program to explain, and how.
pub struct Subject<'a> {
    pub command: Command,
    pub loaded: &'a Loaded,
    pub settings: &'a Settings,
    pub request: &'a Request,
    pub context: &'a Context<'a>,
    /// A passing run that the failing one is shown beside.
    pub beside: Option<Schedule>,
}

/// A failing run that was replayed, with its explanation where there is one.
struct Told {
    finding: Option<report::Finding>,
    text: String,
}

impl Subject<'_> {
    /// What was found, explained.
    pub fn tell(
        &self,
        plan: &Plan,
        mut searched: Searched,
        established: &mut Established<'_>,
    ) -> Result<Answer, Error> {
        let &Subject { loaded, settings, context, .. } = self;
        let started = context.budget.started;
        let found_after = started.elapsed().as_secs_f64();
        let told = self.explained(&mut searched, established)?;
        let (finding, text) = told.map_or((None, None), |told| (told.finding, Some(told.text)));
        let events = finding.as_ref().map_or(0, |finding| finding.events.len());
        let seconds = Timing {
            frontend: loaded.seconds,
            search: found_after - loaded.seconds,
            total: started.elapsed().as_secs_f64(),
            ..Timing::default()
        };
        let stats =
            Stats { threads: searched.tried.threads, events, steps: searched.tried.steps, seconds, ..Stats::default() };
        let verdict = match &finding {
            Some(_) => Verdict::Failure,
            None if context.budget.over() == Some(Stopped::Interrupted) => Verdict::Inconclusive,
            None if !searched.has_ended() || !searched.unsupported.is_empty() => Verdict::Inconclusive,
            None => Verdict::NoneFound,
        };
        let bounds = search::bounds(settings, plan, context, &searched);
        let report = Report {
            finding,
            unsupported: loaded.unsupported(&searched.unsupported, context.all_unsupported),
            caveats: search::caveats(loaded, settings, &mut searched, verdict),
            stats,
            ..Report::new(self.command, Target::Program { name: loaded.title(), bounds }, verdict)
        };
        Ok(Answer { report, schedule: text, others: Vec::new(), output: searched.output() })
    }

    /// Replays the failing run, publishes it, and searches for its cause.
    fn explained(&self, searched: &mut Searched, established: &mut Established<'_>) -> Result<Option<Told>, Error> {
        let &Subject { loaded, settings, request, context, .. } = self;
        let Some(candidate) = searched.failing.take() else { return Ok(None) };
        let schedule = schedule::schedule_of(loaded, settings, &candidate);
        let replayed = schedule::confirm(loaded, settings, &schedule, &candidate.failure)?;
        let before = replayed.context_switches;
        established.failure(candidate.found.clone(), settings, &schedule, &replayed)?;
        context.observer.stage("looking for the cause of the failure");
        let (failure, budget) = (&candidate.failure, context.budget);
        let beside = self.beside.as_ref();
        let asked = explain_run::Asked { request, loaded, settings, schedule: &schedule, failure, beside, budget };
        let why = if request.only == Some(Part::Schedule) { Ok(None) } else { explain_run::why(&asked) };
        let (why, explanation_missing) = match why {
            Ok(why) => (why, None),
            Err(reason) => (None, Some(reason)),
        };
        let (schedule, replayed, explanation) = match why {
            // Of two schedules that fail alike, the one with fewer switches is easier to follow.
            Some(why) if why.replayed.context_switches <= before => (why.schedule, why.replayed, Some(why.explanation)),
            why => (schedule, replayed, why.map(|why| why.explanation)),
        };
        let text = schedule::text_of(loaded, schedule, &replayed)?;
        if explanation.is_none() && request.only != Some(Part::Schedule) {
            searched.stopped = searched.stopped.or(budget.over());
        }
        let finding = program::finding(loaded, settings, &replayed).map(|mut finding| {
            finding.found = Some(candidate.found);
            finding.replayed = 1;
            finding.context_switches_before = Some(before);
            finding.explanation = explanation;
            finding.explanation_missing = explanation_missing;
            finding
        });
        searched.tried.threads = searched.tried.threads.max(replayed.threads);
        searched.outputs.passing = Some(joined(&replayed.output));
        Ok(Some(Told { finding, text }))
    }

    /// A failing run: by PCT runs first, whose failures have few context switches; then by runs and exploration in
    /// turns, then by the solver, then by more runs and exploration.
    fn find(&self, established: &mut Established<'_>) -> Result<(Plan, Searched), Error> {
        let &Subject { loaded, settings, request, .. } = self;
        // What is found late cannot be explained any more.
        let budget = &self.context.budget.but_a_third();
        let context = &self.context.within(budget);
        let plan = |search| Plan {
            search,
            runs: request.runs,
            work: None,
            time: None,
            gives_up: request.runs.is_none(),
            keep_going: false,
        };
        context.observer.stage("looking for a failing run");
        if !request.simulates {
            let searched = self.solved(context, established)?;
            return Ok((plan(Search::Bounded), searched));
        }
        if request.work.is_some() {
            let plan = Plan { work: request.work, ..plan(Search::Portfolio { explored: 0 }) };
            let searched = search::searched(loaded, settings, &plan, context);
            return Ok((plan, searched));
        }
        let chance = Plan { runs: Some(request.runs.unwrap_or(RUNS)), ..plan(Search::Pct { depth: 3 }) };
        let searched = search::searched(loaded, settings, &chance, context);
        let is_decided =
            searched.failing.is_some() || searched.one_run || searched.stopped == Some(Stopped::Unsupported);
        if is_decided || budget.is_over() || request.runs.is_some() {
            return Ok((chance, searched));
        }
        let plan_of_runs = plan(Search::Portfolio { explored: 0 });
        let mut portfolio = Portfolio::start(loaded, settings, &plan_of_runs, *context);
        portfolio.advance(Some(BEFORE_SOLVER));
        if portfolio.is_open() {
            if portfolio.supports_all() {
                let solved = self.solved(context, established)?;
                if solved.failing.is_some() || solved.complete {
                    return Ok((plan(Search::Bounded), solved));
                }
            }
            context.observer.stage("looking for a failing run");
            portfolio.advance(None);
        }
        let searched = portfolio.finish();
        Ok((plan_of_runs, searched))
    }

    /// The result of bounded checking.
    fn solved(&self, context: &Context<'_>, established: &mut Established<'_>) -> Result<Searched, Error> {
        let budget = &context.budget.within(BOUNDED);
        let context = &context.within(budget);
        let bounded::Hunted { failing, complete, unsupported } =
            bounded::find(self.loaded, self.settings, context, established)?;
        Ok(Searched {
            outputs: Outputs { passing: complete.then(Vec::new), unfinished: None },
            unsupported: unsupported.into_iter().collect(),
            failing,
            complete,
            ..Searched::default()
        })
    }
}
