//! Whether a changed program is correct: it compiles without new warnings, no schedule fails, and its outcomes are
//! those of passing runs of the original.
//!
//! A few runs refute most wrong candidates. Then every schedule is explored; if that ends, the candidate is proven
//! under the assumptions of every proof of heddle. If it does not end within its work, all schedules with few
//! preemptions are explored: as many as the original needs to fail, and one more (Musuvathi and Qadeer, PLDI 2007). If
//! these do not end either, the bounded program is checked (`analysis::check`). In both cases the candidate is
//! `bounded` at best. Outcomes are the exit status and the whole output; those of the original are collected the same
//! way, more of them only if a candidate has others, and marked as incomplete if they are.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use analysis::check;
use analysis::{Budget, Context, Loaded, Settings, Silent, joined};
use report::{Event, EventKind, RepairBounds, RepairLevel, Target, Verdict};
use vm::explore::{Cut, Exploration, Final, Hashing, Settings as Exploring, explore};
use vm::{FailureKind, Outcome};

use crate::facts::{family, strategy};
use crate::freedom::Freedom;

/// Runs of a candidate before anything is explored.
const RUNS: u64 = 40;

/// Runs of the original that collect outcomes and the values at its assertions.
const OUTCOMES: u64 = 200;

/// After this many runs in a row without a new outcome, there are enough.
const NOTHING_NEW: u64 = 60;

/// A run of a candidate that takes so many times the instructions of the original's longest does not end.
const LONGER: u64 = 20;

/// The work of exploring the original for its outcomes, and where a candidate has others.
const OF_ORIGINAL: u64 = 4_000_000;
const OF_OUTCOMES: u64 = 30_000_000;

/// The most preemptions with which the original's failure is looked for, and the work.
const PREEMPTIONS: u32 = 2;
const OF_FAILURE: u64 = 8_000_000;

/// The work of exploring one candidate: every schedule at first, and again with more work if it is the first that is
/// not refuted; then those with few preemptions, with a quarter of the work if it is not the first.
const AT_FIRST: u64 = 4_000_000;
const OF_PREEMPTIONS: u64 = 150_000_000;
const OF_CANDIDATE: u64 = 25_000_000;

/// The part of the remaining time that the last of these, and the outcomes of the original, may take.
const SHARE: u32 = 6;

/// How long the bounded program is asked where exploration did not end.
const BOUNDED: Duration = Duration::from_secs(4);

/// Outcomes of executions that pass.
#[derive(Clone, Debug, Default)]
struct Outcomes {
    finals: BTreeSet<Final>,
    /// Whether these are all.
    complete: bool,
    /// The work that exploration has taken for them.
    work: u64,
}

/// The remaining counted work, if it is limited. Then nothing may depend on time, and the solver is not used.
#[derive(Debug)]
pub struct Work(Cell<Option<u64>>);

impl Work {
    pub fn new(most: Option<u64>) -> Work {
        Work(Cell::new(most))
    }

    pub fn is_limited(&self) -> bool {
        self.0.get().is_some()
    }

    pub fn is_over(&self) -> bool {
        self.0.get() == Some(0)
    }

    fn most(&self, wish: u64) -> u64 {
        self.0.get().map_or(wish, |left| left.min(wish))
    }

    fn done(&self, work: u64) {
        self.0.set(self.0.get().map(|left| left.saturating_sub(work)));
    }
}

/// What the original program does.
pub struct Baseline<'a> {
    pub work: Work,
    loaded: &'a Loaded,
    settings: Settings,
    outcomes: RefCell<Outcomes>,
    /// The fewest preemptions with which it fails, where they were found.
    pub preemptions: Option<u32>,
    pub races: BTreeSet<String>,
    /// Whether some run was cut at the step limit.
    pub long: bool,
    /// The most instructions of a run.
    pub steps: u64,
    pub freedom: Freedom,
    pub asserted: Asserted,
}

/// A line of a source file.
pub type Line<'a> = dyn Fn(&str, u32) -> Option<String> + 'a;

/// Values that were read where something is asserted, by the words of the assertion: lines move, words stay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asserted(BTreeMap<String, BTreeSet<(String, String)>>);

impl Asserted {
    fn add(&mut self, events: &[Event], line: &Line<'_>) {
        for event in events.iter().filter(|event| event.kind == EventKind::Read) {
            let Some(place) = event.at.user_place() else { continue };
            let Some(text) = line(&place.file, place.line).map(|text| text.trim().to_owned()) else { continue };
            if text.starts_with("assert") {
                // Where objects lie may change.
                let value = if event.value.starts_with("0x") { "an address" } else { event.value.as_str() };
                let read = (family(event.subject()), value.to_owned());
                self.0.entry(text).or_default().insert(read);
            }
        }
    }

    /// Whether the others reach the same assertions, with values that are known here.
    fn allows(&self, other: &Asserted) -> bool {
        let is_known =
            |text: &String, read: &(String, String)| self.0.get(text).is_none_or(|reads| reads.contains(read));
        self.0.keys().all(|text| other.0.contains_key(text))
            && other.0.iter().all(|(text, reads)| reads.iter().all(|read| is_known(text, read)))
    }
}

/// How a candidate was judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    pub level: RepairLevel,
    pub new_deadlock: bool,
    pub changes_behaviour: bool,
    pub serialises: bool,
    pub permissiveness: f64,
    pub bounds: RepairBounds,
    /// In one sentence, why it is refuted.
    pub refuted: Option<String>,
}

impl Judged {
    fn refuted(kind: Option<FailureKind>, why: String) -> Judged {
        Judged {
            level: RepairLevel::Unverified,
            new_deadlock: matches!(kind, Some(FailureKind::Deadlock | FailureKind::Hang)),
            changes_behaviour: false,
            serialises: false,
            permissiveness: 0.0,
            bounds: RepairBounds::default(),
            refuted: Some(why),
        }
    }
}

/// How much may be explored.
struct Limit<'a> {
    work: u64,
    of_all: &'a Work,
    budget: Budget,
}

/// Explores within a limit, and returns whether that sufficed.
fn explored(loaded: &Loaded, settings: &Settings, how: &Exploring, limit: &Limit<'_>) -> (Exploration, bool) {
    let mut within = true;
    let most = limit.of_all.most(limit.work);
    let exploration = explore(&loaded.code, &settings.options(false), how, &mut |exploration| {
        within = exploration.work < most && !limit.budget.is_over();
        within
    });
    limit.of_all.done(exploration.work);
    (exploration, within)
}

/// Every schedule.
fn whole(all: bool) -> Exploring {
    Exploring { all, printed: true, ..Exploring::default() }
}

/// Every schedule with so many preemptions.
fn interrupted(preemptions: u32) -> Exploring {
    Exploring { preemptions: Some(preemptions), hashing: Hashing::On, printed: true, ..Exploring::default() }
}

/// One of so many parts of the time that is left.
fn share_of(budget: &Budget, parts: u32) -> Budget {
    budget.left().map_or_else(|| budget.clone(), |left| budget.within(left / parts))
}

impl<'a> Baseline<'a> {
    pub fn new(
        loaded: &'a Loaded,
        settings: &Settings,
        line: &Line<'_>,
        work: Option<u64>,
        context: &Context<'_>,
    ) -> Baseline<'a> {
        // What races in every order passes otherwise.
        let mut passing = settings.clone();
        passing.properties.remove(FailureKind::Race);
        let mut baseline = Baseline {
            work: Work::new(work),
            loaded,
            outcomes: RefCell::default(),
            preemptions: None,
            races: races(loaded, &passing, context.seed),
            long: false,
            steps: 0,
            freedom: Freedom::default(),
            asserted: Asserted::default(),
            settings: passing,
        };
        let budget = share_of(context.budget, SHARE);
        let mut known = (0, Asserted::default());
        let mut since_new = 0;
        for number in 0..OUTCOMES {
            let options = baseline.settings.options(true);
            let execution = vm::execute(&loaded.code, &options, strategy(context.seed, number).as_mut());
            baseline.work.done(vm::explore::work(execution.steps, execution.visible_steps));
            baseline.steps = baseline.steps.max(execution.steps);
            let events = told(loaded, &execution);
            if number < RUNS {
                baseline.freedom.add(&events);
            }
            match execution.outcome {
                Outcome::Passed { status } => {
                    baseline.asserted.add(&events, line);
                    let output = joined(&execution.output);
                    baseline.outcomes.borrow_mut().finals.insert(Final { status, output });
                }
                Outcome::StepLimit { .. } => baseline.long = true,
                _ => {}
            }
            let now = (baseline.outcomes(), baseline.asserted.clone());
            since_new = if now == known { since_new + 1 } else { 0 };
            known = now;
            if budget.is_over() || baseline.work.is_over() || since_new >= NOTHING_NEW {
                break;
            }
        }
        let how = interrupted(PREEMPTIONS);
        let limit = baseline.limit(OF_FAILURE, share_of(context.budget, SHARE));
        let (failing, _) = explored(loaded, settings, &how, &limit);
        baseline.preemptions = (!failing.failures.is_empty()).then_some(failing.preemptions);
        baseline.explore(OF_ORIGINAL, context.budget);
        if baseline.outcomes.borrow().finals.is_empty() {
            baseline.explore(OF_OUTCOMES, context.budget);
        }
        baseline
    }

    fn limit(&self, work: u64, budget: Budget) -> Limit<'_> {
        Limit { work, of_all: &self.work, budget }
    }

    /// Looks for more outcomes, unless all are known or that much work was done before.
    fn explore(&self, work: u64, budget: &Budget) {
        let mut outcomes = self.outcomes.borrow_mut();
        if outcomes.complete || outcomes.work >= work {
            return;
        }
        let limit = self.limit(work, share_of(budget, SHARE));
        let (exploration, within) = explored(self.loaded, &self.settings, &whole(true), &limit);
        outcomes.complete = within && exploration.is_complete();
        outcomes.finals.extend(exploration.finals.into_keys());
        outcomes.work = work;
    }

    /// Whether all outcomes are known.
    pub fn is_complete(&self) -> bool {
        self.outcomes.borrow().complete
    }

    /// How many outcomes are known.
    pub fn outcomes(&self) -> usize {
        self.outcomes.borrow().finals.len()
    }

    /// Whether the original can end in all these ways, as far as that can be decided.
    fn can_end(&self, finals: &BTreeSet<Final>, budget: &Budget) -> bool {
        if !finals.is_subset(&self.outcomes.borrow().finals) {
            self.explore(OF_OUTCOMES, budget);
        }
        finals.is_subset(&self.outcomes.borrow().finals)
    }

    /// Judges a changed program. `deep`: more work is spent on proving a candidate that is not refuted.
    pub fn judge(
        &self,
        loaded: &Loaded,
        settings: &Settings,
        line: &Line<'_>,
        deep: bool,
        context: &Context<'_>,
    ) -> Judged {
        let mut settings = settings.clone();
        for kind in [FailureKind::Deadlock, FailureKind::Hang] {
            settings.properties.add(kind);
        }
        let limit = self.steps.saturating_mul(LONGER).saturating_add(100_000);
        settings.steps = Some(settings.steps.unwrap_or(u64::MAX).min(limit));
        let settings = &settings;
        let mut freedom = Freedom::default();
        let mut finals: BTreeSet<Final> = BTreeSet::new();
        let mut asserted = Asserted::default();
        for number in 0..RUNS {
            let options = settings.options(true);
            let execution = vm::execute(&loaded.code, &options, strategy(context.seed, number).as_mut());
            self.work.done(vm::explore::work(execution.steps, execution.visible_steps));
            let events = told(loaded, &execution);
            freedom.add(&events);
            asserted.add(&events, line);
            match execution.outcome {
                Outcome::Passed { status } => {
                    finals.insert(Final { status, output: joined(&execution.output) });
                }
                Outcome::Failed(failure) | Outcome::Unasked(failure) => {
                    return Judged::refuted(Some(failure.kind), said(loaded, &failure));
                }
                Outcome::StepLimit { .. } if !self.long => {
                    return Judged::refuted(Some(FailureKind::Hang), "a run does not end".to_owned());
                }
                Outcome::Unsupported { what, .. } => return Judged::refuted(None, what),
                _ => {}
            }
        }
        let new_race = races(loaded, settings, context.seed).difference(&self.races).next().cloned();
        if let Some(race) = new_race {
            return Judged::refuted(Some(FailureKind::Race), format!("a new race: {race}"));
        }
        let stands = match self.explored(loaded, settings, deep, context) {
            Ok(stands) => stands,
            Err(refuted) => return refuted,
        };
        let Stands { level, bounds, finals: more } = stands;
        finals.extend(more);
        let changes_behaviour = !self.can_end(&finals, context.budget) || !self.asserted.allows(&asserted);
        Judged {
            level,
            new_deadlock: false,
            changes_behaviour,
            serialises: freedom.serialises(&self.freedom),
            permissiveness: freedom.permissiveness(&self.freedom),
            bounds,
            refuted: None,
        }
    }

    /// Explores as many schedules as the work allows.
    fn explored(
        &self,
        loaded: &Loaded,
        settings: &Settings,
        deep: bool,
        context: &Context<'_>,
    ) -> Result<Stands, Judged> {
        let refuted = |exploration: &Exploration| {
            let failure = exploration.failures.first().map(|found| &found.failure).or(exploration.unasked.first());
            failure.map(|failure| Judged::refuted(Some(failure.kind), said(loaded, failure)))
        };
        let mut stands = Stands::default();
        let mut take = |how: &Exploring, work: u64, budget: Budget| {
            let (exploration, within) = explored(loaded, settings, how, &self.limit(work, budget));
            match refuted(&exploration) {
                Some(refuted) => Err(refuted),
                None => {
                    stands.finals.extend(exploration.finals.keys().cloned());
                    stands.bounds.executions = exploration.executions;
                    stands.bounds.states = exploration.states;
                    stands.bounds.complete = within && exploration.is_complete();
                    Ok((exploration, within))
                }
            }
        };
        let ends = |(exploration, within): &(Exploration, bool)| *within && exploration.is_complete();
        let mut level = RepairLevel::Unverified;
        let mut done = take(&whole(false), AT_FIRST, context.budget.clone())?;
        if !ends(&done) && deep {
            done = take(&whole(false), OF_CANDIDATE, share_of(context.budget, SHARE))?;
        }
        let mut preemptions = None;
        if !ends(&done)
            && let Some(fails) = self.preemptions
        {
            let work = if deep { OF_PREEMPTIONS } else { OF_PREEMPTIONS / 4 };
            done = take(&interrupted(fails + 1), work, share_of(context.budget, 2))?;
            if done.1 && done.0.cuts.iter().all(|cut| matches!(cut, Cut::Preemptions(_))) {
                level = RepairLevel::Bounded;
                preemptions = Some(fails + 1);
            }
        }
        let known = (done.0.executions, done.0.states);
        if ends(&done) {
            stands.level = RepairLevel::Proven;
            return Ok(stands);
        }
        stands.level = level;
        stands.bounds.preemptions = preemptions;
        if level == RepairLevel::Bounded {
            (stands.bounds.executions, stands.bounds.states) = known;
        } else {
            match self.bounded(loaded, settings, context, &mut stands.bounds) {
                Ok(found) => stands.level = found,
                Err(why) => return Err(Judged::refuted(None, why)),
            }
        }
        Ok(stands)
    }

    /// Asks the bounded program where exploration did not end.
    fn bounded(
        &self,
        loaded: &Loaded,
        settings: &Settings,
        context: &Context<'_>,
        bounds: &mut RepairBounds,
    ) -> Result<RepairLevel, String> {
        if self.work.is_limited() {
            return Ok(RepairLevel::Unverified);
        }
        let budget = context.budget.within(BOUNDED);
        let context = Context { budget: &budget, observer: &Silent, ..*context };
        // Every schedule was explored as far as possible: the rest is for the solver.
        let request = check::Request::default();
        let Ok(answer) = check::check(loaded, settings, &request, &context) else { return Ok(RepairLevel::Unverified) };
        let report = answer.report;
        if let Some(finding) = &report.finding {
            return Err(format!("{}: {}", finding.kind.name(), finding.condition));
        }
        bounds.unroll = report.checked.as_ref().and_then(|checked| checked.unroll);
        let complete = matches!(&report.target, Target::Program { bounds, .. } if bounds.complete);
        bounds.complete |= complete;
        Ok(match report.verdict {
            Verdict::NoneFound if complete => RepairLevel::Proven,
            // No bound was completed: nothing is known beyond the schedules that were tried.
            _ if bounds.unroll.is_none_or(|rounds| rounds == 0) => RepairLevel::Unverified,
            _ => RepairLevel::Bounded,
        })
    }
}

/// The verification of a candidate without a counterexample.
struct Stands {
    level: RepairLevel,
    bounds: RepairBounds,
    finals: BTreeSet<Final>,
}

impl Default for Stands {
    fn default() -> Stands {
        Stands { level: RepairLevel::Unverified, bounds: RepairBounds::default(), finals: BTreeSet::new() }
    }
}

fn told(loaded: &Loaded, execution: &vm::Execution) -> Vec<Event> {
    execution.events.iter().enumerate().map(|(id, event)| Event::new(&loaded.program, id, event)).collect()
}

/// A failure in a few words.
fn said(loaded: &Loaded, failure: &vm::Failure) -> String {
    let place = report::Where::new(&loaded.program, &failure.site);
    let at = place.place().map_or(String::new(), |place| format!(" at {}:{}", place.file_name(), place.line));
    format!("{}: {}{at}", failure.kind.name(), failure.condition)
}

/// What races in a few runs, in words that do not depend on lines.
fn races(loaded: &Loaded, settings: &Settings, seed: u64) -> BTreeSet<String> {
    let mut options = settings.options(false);
    options.properties = vec![FailureKind::Race];
    let mut found = BTreeSet::new();
    for number in 0..8 {
        let execution = vm::execute(&loaded.code, &options, strategy(seed, number).as_mut());
        if let Outcome::Failed(failure) = execution.outcome {
            found.insert(failure.condition.clone());
        }
    }
    found
}
