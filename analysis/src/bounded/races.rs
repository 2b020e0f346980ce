//! Data races within a bound, each confirmed by the machine with vector clocks.

use std::collections::HashMap;

use diagnose::{Raced, RacesSought};
use events::{Clash, EventId, Execution};
use solve::Reason;
use symex::bounded::{Encounter, Meeting, Unrolled, perform_race};
use vm::{FailureKind, Outcome, SiteFrame};

use crate::bounded::Asked;
use crate::bounded::confirm::{Confirmed, again, given};
use crate::error::Error;
use crate::program::Settings;
use crate::schedule;

pub struct Races {
    pub found: Vec<Confirmed>,
    pub iterations: u32,
    pub open: Option<Reason>,
}

/// The settings with races excluded.
pub fn left_aside(settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    settings.properties.remove(FailureKind::Race);
    settings
}

/// One race for each pair of places, or the first.
pub fn ask(asked: &Asked<'_>, unrolled: &Unrolled) -> Result<Races, Error> {
    let meetings = unrolled.meetings();
    let clashes: Vec<Clash> = meetings.iter().map(|meeting| meeting.clash).collect();
    let pairs: Vec<(EventId, EventId)> = meetings.iter().map(|meeting| (meeting.first, meeting.second)).collect();
    let sites = sites(unrolled, &meetings);
    let sought = RacesSought {
        graph: &unrolled.graph,
        clashes: &clashes,
        sites: &sites,
        pairs: &pairs,
        all: asked.all,
        budget: asked.context.budget.of_solver(None),
    };
    let (mut found, mut earlier, mut trouble) = (Vec::new(), None, None);
    let mut confirm =
        |clash: usize, execution: &Execution| match confirmed(asked, unrolled, execution, &meetings[clash]) {
            Ok((confirmed, met)) => {
                if met {
                    found.push(confirmed);
                    return Raced::Confirmed;
                }
                earlier.get_or_insert(confirmed);
                Raced::Earlier
            }
            Err(error) => {
                let why = error.to_string();
                trouble = Some(error);
                Raced::Refuted(why)
            }
        };
    let races = diagnose::races(&sought, &mut confirm);
    if let Some(error) = trouble {
        return Err(error);
    }
    let races = races.map_err(Error::bug)?;
    match races.refuted {
        Some(why) => Err(Error::bug(why)),
        None => {
            // Any race is reported if the requested one was not reproduced.
            if found.is_empty() {
                found.extend(earlier);
            }
            Ok(Races { found, iterations: races.iterations, open: races.open })
        }
    }
}

/// Runs the program in the order of the execution, with both accesses next. Returns whether the race is theirs, or an
/// earlier one.
fn confirmed(
    asked: &Asked<'_>,
    unrolled: &Unrolled,
    execution: &Execution,
    meeting: &Meeting,
) -> Result<(Confirmed, bool), Error> {
    let loaded = asked.loaded;
    let settings = &given(asked.settings, unrolled, execution);
    let Encounter { performed, met } =
        perform_race(&loaded.code, &settings.options(true), unrolled, execution, meeting)
            .map_err(|divergence| Error::bug(format!("the program diverges from its graph: {divergence}")))?;
    match &performed.execution.outcome {
        Outcome::Failed(seen) if seen.kind == FailureKind::Race => {
            let seen = vm::Failure::clone(seen);
            let confirmed = again(loaded, settings, performed, seen)?;
            Ok((Confirmed { execution: Some(execution.clone()), ..confirmed }, met))
        }
        other => {
            let ended = schedule::outcome(&loaded.program, other);
            Err(Error::bug(format!("two accesses race in the graph of the program, which ended with `{ended}`")))
        }
    }
}

/// Groups pairs that look the same in a report: at the same two places, in any order.
fn sites(unrolled: &Unrolled, meetings: &[Meeting]) -> Vec<u32> {
    type End = (Vec<(u32, u32)>, bool);
    let mut numbers: HashMap<[End; 2], u32> = HashMap::new();
    let mut sites = Vec::with_capacity(meetings.len());
    for meeting in meetings {
        let frames = |frame: &SiteFrame| (frame.function.0, frame.span.0);
        let mut key = unrolled.ends(meeting).map(|(all, writes)| (all.iter().map(frames).collect(), writes));
        key.sort_unstable();
        let next = numbers.len() as u32;
        sites.push(*numbers.entry(key).or_insert(next));
    }
    sites
}
