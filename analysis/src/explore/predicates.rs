//! Predicates on recorded runs. A predicate is compiled into the sources, so the explored program differs from the
//! recorded one. Therefore each recorded run is transferred: an order of it is run in the recorded program, and the
//! explored program takes the same visible steps in that order, with those of the predicate in between. The resulting
//! decisions, which include those of the predicate, are the run to explore from.

use ir::SpanId;
use report::Found;
use run::Schedule;
use vm::{Execution, FailureKind, Outcome, Site, transfer};

use crate::candidate::Candidate;
use crate::context::Context;
use crate::explore::near_run::Orders;
use crate::explore::{Group, NamedRun, ORDERING};
use crate::program::{Loaded, Settings};
use crate::search::Searched;

/// Text of a predicate at the beginning of a line of the program that is explored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inserted {
    /// As the program's files are named.
    pub file: String,
    pub line: u32,
    pub columns: u32,
}

/// The program that was recorded, and the text that the other one has beyond it.
pub struct Recorded<'a> {
    pub loaded: &'a Loaded,
    pub inserted: &'a [Inserted],
}

/// Runs that were taken over.
pub(super) struct TakenOver {
    pub group: Group,
    /// With a recorded order in which a predicate fails, if there is one.
    pub searched: Searched,
    /// Runs that are not used, and why.
    pub skipped: Vec<String>,
}

impl Recorded<'_> {
    /// Takes the runs of a group over to the program with the predicates.
    pub(super) fn take_over(&self, loaded: &Loaded, group: Group, context: &Context<'_>) -> TakenOver {
        context.observer.stage("mapping the recorded runs to the program with the predicates");
        let Group { settings, runs } = group;
        let mut taken = TakenOver {
            group: Group { settings: settings.clone(), runs: Vec::new() },
            searched: Searched::default(),
            skipped: Vec::new(),
        };
        let options = settings.options(false);
        let mut orders = Orders::new(self.loaded, &options, &runs, context, ORDERING);
        for (number, run) in runs.iter().enumerate() {
            let Some(order) = orders.of(number as u32) else {
                taken.skipped.push(format!("{}: no order of its paths was found", run.name));
                continue;
            };
            match self.execution(loaded, &settings, order) {
                Ok(execution) => taken.add(run, execution),
                Err(why) => taken.skipped.push(format!("{}: {why}", run.name)),
            }
        }
        taken
    }

    fn execution(&self, loaded: &Loaded, settings: &Settings, order: &Schedule) -> Result<Execution, String> {
        let mut options = settings.options(false);
        options.properties.retain(|kind| *kind != FailureKind::Race);
        let is_inserted = |span: SpanId| {
            let Some(span) = loaded.program.spans.get(span.0 as usize) else { return false };
            let Some(file) = loaded.program.files.get(span.file.0 as usize) else { return false };
            self.inserted
                .iter()
                .any(|text| text.file == *file && text.line == span.line && (1..=text.columns).contains(&span.column))
        };
        let inserted = |site: &Site| site.frames.iter().any(|frame| is_inserted(frame.span));
        transfer(&self.loaded.code, order, &loaded.code, &options, &inserted)
            .map_err(|_| "the named sources are not the recorded ones".to_owned())
    }
}

impl TakenOver {
    fn add(&mut self, run: &NamedRun, mut execution: Execution) {
        match (execution.outcome, execution.recorded.take()) {
            (Outcome::Passed { status: 0 }, Some(recorded)) => {
                let (segments, choices) = (execution.segments, execution.choices);
                let schedule = Schedule { header: run::Header::default(), segments, choices };
                self.group.runs.push(NamedRun {
                    name: run.name.clone(),
                    run: recorded,
                    count: run.count,
                    schedule: Some(schedule),
                });
            }
            (Outcome::Failed(failure), _) => {
                let (segments, choices) = (execution.segments, execution.choices);
                let candidate = Candidate { found: Found::Recorded, failure: *failure, segments, choices };
                self.searched.failing.get_or_insert(candidate);
            }
            _ => self.skipped.push(format!("{}: it does not pass in the virtual machine", run.name)),
        }
    }
}
