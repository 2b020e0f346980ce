//! Whether a changed program is right: it compiles without new warnings, no schedule fails, and it still does what the
//! original did where that passed.
//!
//! A few runs refute most wrong candidates. Then every schedule is explored; where that ends, the candidate is proven under the
//! assumptions of every proof of heddle. Where it does not end within its work, the bounded program is asked
//! (`analysis::check`), and the candidate is `bounded` at best. Outcomes are the exit status and everything that is printed;
//! those of the original are collected the same way, and said to be incomplete where they are.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use analysis::check;
use analysis::{Budget, Context, Loaded, Settings, Silent, joined};
use report::{Event, EventKind, RepairBounds, RepairLevel, Target, Verdict};
use vm::explore::{Exploration, Final, Settings as Exploring, explore};
use vm::{FailureKind, Outcome};

use crate::facts::{family, strategy};
use crate::freedom::Freedom;

/// Runs of a candidate before anything is explored.
const RUNS: u64 = 40;

/// Runs of the original that collect outcomes and the values at its assertions.
const OUTCOMES: u64 = 200;

/// A run of a candidate that takes so many times the instructions of the original's longest does not end.
const LONGER: u64 = 20;

/// The work of exploring the original for its outcomes.
const OF_ORIGINAL: u64 = 30_000_000;

/// The work of exploring one candidate.
const OF_CANDIDATE: u64 = 25_000_000;

/// How long the bounded program is asked where exploration did not end.
const BOUNDED: Duration = Duration::from_secs(4);

/// What the original program does.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    /// Outcomes of executions that pass.
    pub finals: BTreeSet<Final>,
    /// Whether there are no others.
    pub complete: bool,
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
                let read = (family(event.subject()), event.value.clone());
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

fn exploring(all: bool) -> Exploring {
    Exploring { all, printed: true, ..Exploring::default() }
}

/// Explores with a limit of work, and gives up where the budget ends.
fn explored(loaded: &Loaded, settings: &Settings, all: bool, work: u64, budget: &Budget) -> (Exploration, bool) {
    let mut within = true;
    let exploration = explore(&loaded.code, &settings.options(false), &exploring(all), &mut |exploration| {
        within = exploration.work < work && !budget.is_over();
        within
    });
    (exploration, within)
}

impl Baseline {
    pub fn new(loaded: &Loaded, settings: &Settings, line: &Line<'_>, context: &Context<'_>) -> Baseline {
        let mut baseline = Baseline::default();
        // What races in every order passes otherwise.
        let mut settings = settings.clone();
        settings.properties.remove(FailureKind::Race);
        let settings = &settings;
        let (exploration, within) = explored(loaded, settings, true, OF_ORIGINAL, context.budget);
        baseline.complete = within && exploration.is_complete();
        baseline.finals = exploration.finals.into_keys().collect();
        for number in 0..OUTCOMES {
            let options = settings.options(true);
            let execution = vm::execute(&loaded.code, &options, strategy(context.seed, number).as_mut());
            baseline.steps = baseline.steps.max(execution.steps);
            let events = told(loaded, &execution);
            if number < RUNS {
                baseline.freedom.add(&events);
            }
            match execution.outcome {
                Outcome::Passed { status } => {
                    baseline.asserted.add(&events, line);
                    baseline.finals.insert(Final { status, output: joined(&execution.output) });
                }
                Outcome::StepLimit { .. } => baseline.long = true,
                _ => {}
            }
            if context.budget.is_over() {
                break;
            }
        }
        baseline.races = races(loaded, settings, context.seed);
        baseline
    }

    /// Judges a changed program.
    pub fn judge(&self, loaded: &Loaded, settings: &Settings, line: &Line<'_>, context: &Context<'_>) -> Judged {
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
        let (exploration, within) = explored(loaded, settings, false, OF_CANDIDATE, context.budget);
        if let Some(failure) = exploration.failures.first().map(|found| &found.failure).or(exploration.unasked.first())
        {
            return Judged::refuted(Some(failure.kind), said(loaded, failure));
        }
        let complete = within && exploration.is_complete();
        let mut bounds =
            RepairBounds { executions: exploration.executions, states: exploration.states, complete, unroll: None };
        finals.extend(exploration.finals.into_keys());
        let mut level = if complete { RepairLevel::Proven } else { RepairLevel::Unverified };
        if !complete {
            match self.bounded(loaded, settings, context, &mut bounds) {
                Ok(found) => level = found,
                Err(why) => return Judged::refuted(None, why),
            }
        }
        let changes_behaviour = !finals.is_subset(&self.finals) || !self.asserted.allows(&asserted);
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

    /// Asks the bounded program where exploration did not end.
    fn bounded(
        &self,
        loaded: &Loaded,
        settings: &Settings,
        context: &Context<'_>,
        bounds: &mut RepairBounds,
    ) -> Result<RepairLevel, String> {
        let budget = context.budget.within(BOUNDED);
        let context = Context { budget: &budget, observer: &Silent, ..*context };
        // Every schedule was explored as far as that went: what is left is the solver's part.
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
            // No bound was reached: nothing is known beyond the schedules that were tried.
            _ if bounds.unroll.is_none_or(|rounds| rounds == 0) => RepairLevel::Unverified,
            _ => RepairLevel::Bounded,
        })
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
