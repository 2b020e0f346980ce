//! From a failing run of a program to its explanation: the run becomes a graph, loses the context switches that it does
//! not need, its cause is found on the graph, and an order that does not fail is confirmed by running the program in it.

use std::collections::{BTreeSet, HashMap};
use std::time::Instant;

use diagnose::{Confirmation, DiagnoseError, Diagnosis, Replayed, Wishes, Wrong, diagnose};
use events::{EventId, Extent, Kind, Obstacle, Plan};
use report::trace::explanation::{Explanation, Speech, Told, Work};
use run::Schedule;
use symex::{FollowError, Followed, Until, drive, follow};
use vm::{Execution, Failure, FailureKind, Outcome};

use super::diagnosis;
use super::other_paths::{self, OtherPaths};
use super::program::Subject;
use crate::args::{ExplainArgs, General, Part};
use crate::budget::Budget;
use crate::exit::Problem;
use crate::pipeline::{self, Loaded};
use crate::terminal;

/// A failing run, and why it fails.
pub struct Why {
    pub schedule: Schedule,
    pub replayed: Execution,
    pub explanation: Explanation,
}

/// One way to tell the run as a graph, and what was found on it.
struct Answer {
    followed: Followed,
    failing: Replayed,
    diagnosis: Diagnosis,
    /// The failing run as the program was run in the order of the graph.
    replayed: Execution,
    /// Where the alternate is on other paths.
    other: Option<OtherPaths>,
}

impl Answer {
    /// The better the higher.
    fn worth(&self) -> u32 {
        let confirmed = self.diagnosis.alternates.first().map(|(alternate, _)| alternate.confirmation);
        match confirmed {
            Some(Confirmation::Passes) => 3,
            Some(_) => 2,
            None => u32::from(!self.diagnosis.orders().is_empty()),
        }
    }

    /// How many there are to look at.
    fn operations(&self) -> usize {
        self.diagnosis.alternates.first().map_or(0, |(_, projection)| projection.metrics.operations)
    }
}

/// `None` where the run cannot be told as a graph; a note says why.
pub fn why(
    general: &General,
    args: &ExplainArgs,
    subject: &Subject<'_>,
    schedule: &Schedule,
    failure: &Failure,
) -> anyhow::Result<Option<Why>> {
    let &Subject { loaded, settings, .. } = subject;
    // Two accesses without an order race in every order.
    if failure.kind == FailureKind::Race {
        return Ok(None);
    }
    let started = Instant::now();
    let mut best: Option<Answer> = None;
    let mut work = Work::default();
    for until in [Until::End, Until::Failure] {
        let following = Instant::now();
        let followed = match follow(&loaded.code, &settings.options(false), schedule, until) {
            Ok(followed) => followed,
            Err(FollowError::Misfit(misfit)) => return Err(Problem::bug(misfit.to_string())),
            Err(error) => {
                terminal::note(general, &format!("the run cannot be explained further: {error}"));
                continue;
            }
        };
        work.symex += following.elapsed().as_secs_f64();
        if let Some(answer) = ask(general, args, subject, followed, failure, &mut work)?
            && best.as_ref().is_none_or(|best| answer.worth() > best.worth())
        {
            best = Some(answer);
        }
        if best.as_ref().is_some_and(|best| best.worth() >= 3) {
            break;
        }
    }
    let Some(mut answer) = best else { return Ok(None) };
    let looking = Instant::now();
    let overlooked =
        answer.failing.outcome.stuck.iter().any(|stuck| matches!(stuck.waits_for, Obstacle::Signal { .. }));
    if (answer.worth() < 3 || overlooked) && args.only != Some(Part::Cause) {
        let search = other_paths::Search {
            loaded,
            settings,
            schedule,
            method: diagnosis::method(args),
            budget: budget(args, subject.budget),
        };
        // Of a signal that came too early there is more to see where the sleeper looks once more, if it is no more to look at.
        let fewest = if answer.worth() < 3 { usize::MAX } else { answer.operations() };
        if let Some((diagnosis, other)) = search.explain(&answer.followed, &answer.failing, &answer.diagnosis)
            && diagnosis.alternates.first().is_some_and(|(_, there)| there.metrics.operations <= fewest)
        {
            answer.diagnosis = diagnosis;
            answer.other = Some(other);
        }
    }
    work.alternate += looking.elapsed().as_secs_f64();
    let mut explanation = tell(loaded, &answer, failure, started.elapsed().as_secs_f64());
    explanation.work = Some(measured(&answer, work));
    let header = schedule.header.clone();
    let mut schedule =
        Schedule { header, segments: answer.replayed.segments.clone(), choices: answer.replayed.choices.clone() };
    let again = vm::replay(&loaded.code, &settings.options(false), &schedule)
        .map_err(|misfit| Problem::bug(format!("the schedule that was just made does not fit: {misfit}")))?;
    let Some(seen) = failure_of(&again).filter(|again| is_same(again, failure)) else {
        return Err(Problem::bug("a failing run was replayed with fewer context switches and ended differently"));
    };
    let replayed = pipeline::confirm(loaded, settings, &schedule, seen)?;
    schedule.header.outcome = pipeline::outcome(&loaded.program, &again.outcome);
    Ok(Some(Why { schedule, replayed, explanation }))
}

fn budget(args: &ExplainArgs, budget: &Budget) -> solve::Budget {
    budget.of_solver(Some(args.conflicts.unwrap_or(diagnosis::CONFLICTS)))
}

fn failure_of(execution: &Execution) -> Option<&Failure> {
    match &execution.outcome {
        Outcome::Failed(failure) => Some(failure),
        _ => None,
    }
}

/// Which of those who wait in a circle is named first depends on who came last.
fn is_same(one: &Failure, other: &Failure) -> bool {
    let circle = matches!(one.kind, FailureKind::Deadlock | FailureKind::Hang);
    one.kind == other.kind && one.condition == other.condition && (circle || one.site.thread == other.site.thread)
}

/// Whether it is the same failure at the same place.
fn is_repeated(again: &Failure, failure: &Failure) -> bool {
    is_same(again, failure) && again.site == failure.site
}

fn ask(
    general: &General,
    args: &ExplainArgs,
    subject: &Subject<'_>,
    followed: Followed,
    failure: &Failure,
    work: &mut Work,
) -> anyhow::Result<Option<Answer>> {
    let &Subject { loaded, settings, .. } = subject;
    let reducing = Instant::now();
    let graph = &followed.graph;
    let options = settings.options(false);
    let plan = Plan::new(graph).map_err(|_| Problem::bug("a graph that was replayed is ill-formed"))?;
    let outcome = plan
        .replay(&followed.execution, Extent::Prefix)
        .map_err(|violation| Problem::bug(format!("a graph does not fit the run that it was made of: {violation}")))?;
    let found = Replayed { execution: followed.execution.clone(), outcome };
    let Some(wrong) = Wrong::of(&found.outcome) else { return Ok(None) };
    // The program has the last word on whether it still fails with fewer switches.
    let mut failing = diagnose::fewer_switches(&plan, found.clone(), Extent::Prefix);
    let run = |execution: &events::Execution| {
        drive(&loaded.code, &options, &followed, graph, execution).ok().map(|driven| driven.execution)
    };
    let fails = |run: &Execution| failure_of(run).is_some_and(|again| is_same(again, failure));
    let mut replayed = run(&failing.execution).filter(fails);
    if replayed.is_none() {
        failing = found;
        replayed = run(&failing.execution).filter(fails);
    }
    work.reduce += reducing.elapsed().as_secs_f64();
    let Some(replayed) = replayed else { return Ok(None) };
    let wishes = Wishes {
        alternate: Some(diagnosis::method(args)).filter(|_| args.only != Some(Part::Cause)),
        all: args.all_alternates,
        fixed_inputs: true,
        budget: budget(args, subject.budget),
    };
    let passing = diagnose::passing(graph, &failing, &wrong);
    let mut confirm =
        |execution: &events::Execution| match drive(&loaded.code, &options, &followed, &passing.graph, execution) {
            Err(_) => Confirmation::LeavesPaths,
            Ok(driven) => match driven.execution.outcome {
                Outcome::Passed { .. } => Confirmation::Passes,
                // One that fails before it came to its end, or just as before, does not pass the old point of failure.
                Outcome::Failed(again) if !driven.followed || is_repeated(&again, failure) => Confirmation::LeavesPaths,
                Outcome::Failed(_) => Confirmation::FailsElsewhere,
                _ => Confirmation::LeavesPaths,
            },
        };
    let diagnosis = match diagnose(graph, &failing, &wishes, &mut confirm) {
        Ok(diagnosis) => diagnosis,
        Err(DiagnoseError::Encode(error)) => {
            terminal::note(general, &format!("the run cannot be explained further: {error}"));
            return Ok(None);
        }
        Err(error) => return Err(Problem::bug(error.to_string())),
    };
    work.cause += diagnosis.cost.cause.as_secs_f64();
    work.alternate += diagnosis.cost.alternate.as_secs_f64();
    Ok(Some(Answer { diagnosis, failing, replayed, followed, other: None }))
}

/// What the shown answer was made of, beside what all answers took.
fn measured(answer: &Answer, seconds: Work) -> Work {
    let Answer { followed, failing, diagnosis, .. } = answer;
    let is_access = |event: &EventId| matches!(followed.graph.events[event.index()].kind, Kind::Access(_));
    let steps = failing.execution.steps.iter().map(|step| step.event);
    let accesses: Vec<EventId> = steps.filter(is_access).collect();
    let named = |event: &EventId| followed.labels.get(event).map(|label| label.object.as_str());
    let variables: BTreeSet<&str> = accesses.iter().filter_map(named).collect();
    let question = diagnosis.cost.question;
    Work {
        shared_variables: variables.len(),
        shared_accesses: accesses.len(),
        constraints: question.constraints,
        variables: question.variables,
        clauses: question.clauses,
        ..seconds
    }
}

/// The diagnosis in the words of the source.
fn tell(loaded: &Loaded, answer: &Answer, failure: &Failure, seconds: f64) -> Explanation {
    let steps = answer.failing.execution.steps.iter().enumerate();
    let ids: HashMap<EventId, usize> = steps.map(|(position, step)| (step.event, position)).collect();
    // Events of other paths are spoken of as those paths speak of them.
    let speaker = |event: EventId| match answer.other.as_ref().and_then(|other| other.own(event)) {
        Some((other, own)) => (other, own),
        None => (&answer.followed, event),
    };
    let object = |event: EventId| {
        let (followed, event) = speaker(event);
        followed.labels.get(&event).map(|label| label.object.clone())
    };
    let kind = |event: EventId| {
        let (followed, event) = speaker(event);
        followed.labels.get(&event).and_then(|label| label.kind)
    };
    let value = |event: EventId, word: u128| {
        let (followed, event) = speaker(event);
        let (ty, layout) = followed.labels.get(&event)?.value?;
        let mask = if ty.bits() >= 128 { u128::MAX } else { (1 << ty.bits()) - 1 };
        Some(vm::names::value(&loaded.program, &followed.memory, layout, ty, word & mask))
    };
    let told = Told {
        failing: &answer.failing,
        diagnosis: &answer.diagnosis,
        next: answer.failing.execution.steps.len(),
        ids,
        texts: &HashMap::new(),
        speech: Some(Speech {
            object: &object,
            kind: &kind,
            value: &value,
            condition: &failure.condition,
            asserted: failure.kind == FailureKind::Assertion,
        }),
    };
    Explanation::new(told, answer.other.is_some(), seconds)
}
