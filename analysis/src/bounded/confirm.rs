//! Failing executions of the graph, confirmed by the machine: the program follows the execution, and its schedule fails
//! again.

use diagnose::FoundFailure;
use events::{Execution, Extent};
use report::Found;
use run::Schedule;
use symex::bounded::{Given, Performed, Unrolled, perform};
use vm::{Failure, FailureKind, Outcome};

use crate::candidate::Candidate;
use crate::error::Error;
use crate::program::{Loaded, Settings};
use crate::schedule;

/// A failing execution of the graph that the program followed, and whose schedule failed again.
pub struct Confirmed {
    /// None for a race: unordered accesses race in every order.
    pub found: Option<FoundFailure>,
    pub performed: Performed,
    pub failure: Failure,
    pub schedule: Schedule,
    pub replayed: vm::Execution,
    /// With the inputs of the execution.
    pub settings: Settings,
    /// The execution of the graph that the run follows, where that is needed later.
    pub execution: Option<Execution>,
}

/// The settings with the inputs of an execution.
pub fn given(settings: &Settings, unrolled: &Unrolled, execution: &Execution) -> Settings {
    let Given { arguments, stdin } = unrolled.given(execution);
    let mut settings = settings.clone();
    settings.arguments = arguments.unwrap_or(settings.arguments);
    settings.stdin = stdin.unwrap_or(settings.stdin);
    settings
}

/// The program in the order of a failing execution, and once more from its schedule. `None` if the failure is of a kind
/// that was not requested.
pub(crate) fn confirmed(
    loaded: &Loaded,
    settings: &Settings,
    unrolled: &Unrolled,
    execution: &Execution,
) -> Result<Option<Confirmed>, Error> {
    let outcome = events::replay(&unrolled.graph, execution, Extent::Prefix)
        .map_err(|violation| Error::bug(format!("the solver returned an invalid execution: {violation}")))?;
    let settings = &given(settings, unrolled, execution);
    // Kinds that were not requested are detected here, to be distinguished from requested ones.
    let mut options = settings.options(true);
    let wanted = options.properties.clone();
    options.properties.extend([FailureKind::Deadlock, FailureKind::Hang]);
    let performed = perform(&loaded.code, &options, unrolled, execution, &outcome)
        .map_err(|divergence| Error::bug(format!("the program diverges from its graph: {divergence}")))?;
    let seen = match &performed.execution.outcome {
        Outcome::Failed(failure) => Failure::clone(failure),
        other => {
            let ended = schedule::outcome(&loaded.program, other);
            return Err(Error::bug(format!("the program followed its graph and ended with `{ended}`")));
        }
    };
    if !wanted.contains(&seen.kind) {
        return Ok(None);
    }
    again(loaded, settings, performed, seen).map(Some)
}

/// A run that failed, from its schedule once more.
pub fn again(loaded: &Loaded, settings: &Settings, performed: Performed, seen: Failure) -> Result<Confirmed, Error> {
    let candidate = Candidate {
        found: Found::Bounded,
        failure: seen,
        segments: performed.execution.segments.clone(),
        choices: performed.execution.choices.clone(),
    };
    let mut schedule = schedule::schedule_of(loaded, settings, &candidate);
    let replayed = vm::replay(&loaded.code, &settings.options(true), &schedule)
        .map_err(|divergence| Error::bug(format!("the new schedule does not fit the program: {divergence}")))?;
    let failure = match &replayed.outcome {
        Outcome::Failed(again) if again.is_same(&candidate.failure) => Failure::clone(again),
        other => {
            return Err(Error::bug(format!(
                "a failing run was replayed and ended differently: first `{}`, then `{}`",
                schedule.header.outcome,
                schedule::outcome(&loaded.program, other)
            )));
        }
    };
    schedule.header.outcome = schedule::outcome(&loaded.program, &replayed.outcome);
    Ok(Confirmed { found: None, performed, failure, schedule, replayed, settings: settings.clone(), execution: None })
}
