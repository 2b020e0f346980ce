//! The results of checking a program, as values that can be compared with those of exploration.

#![allow(dead_code)] // Every test file is a program of its own and uses what it needs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::rc::Rc;

use diagnose::{CutReached, Everything, Heard, Sought, cut_reachable, every};
use events::{EventId, Extent};
use frontend_llvm::Inputs;
use run::{Header, Schedule};
use solve::Budget;
use symex::bounded::{Bounds, Reason, Unrolled, perform, unroll};
use vm::{Code, Execution, Failure, FailureKind, Options, Outcome, Site};

pub fn load(folder: &Path, source: &str, seed: u64) -> Rc<Code> {
    let file = folder.join(format!("generated-{seed}.c"));
    fs::write(&file, source).expect("a file can be written");
    let inputs = Inputs { files: vec![file], flags: vec!["-w".into()], color: false };
    let loaded = frontend_llvm::load(&inputs).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{source}"));
    Rc::new(Code::new(&loaded.program))
}

fn place(site: &Site) -> String {
    site.frames.iter().map(|frame| format!("{}.{}", frame.function.0, frame.span.0)).collect::<Vec<_>>().join("<")
}

/// The common name of a failure; for a deadlock, the positions of the waiting threads.
pub fn name(failure: &Failure) -> String {
    match failure.kind {
        FailureKind::Deadlock | FailureKind::Hang => {
            let circle = match failure.condition.split_once(' ') {
                Some(("a", "thread waits for itself")) => 1,
                Some((count, "threads wait for each other")) => count.parse().unwrap_or(usize::MAX),
                _ => usize::MAX,
            };
            let mut waits: Vec<String> = failure
                .waiting
                .iter()
                .take(circle)
                .map(|waiting| format!("{} {}", waiting.on, place(&waiting.site)))
                .collect();
            waits.sort();
            format!("{} {}", failure.kind.name(), waits.join(" | "))
        }
        kind => format!("{} at {}", kind.name(), place(&failure.site)),
    }
}

pub struct Complete {
    pub found: BTreeSet<String>,
    pub unrolled: Unrolled,
    pub everything: Everything,
}

pub enum Checked {
    Complete(Box<Complete>),
    /// An unsupported construct was reached.
    Unsupported(String),
    Unsettled(String),
    /// The program does not behave as in its graph.
    Refuted(String),
    /// The graph cannot be encoded.
    Broken(String),
}

pub fn sites(unrolled: &Unrolled) -> BTreeMap<EventId, u32> {
    let mut numbers: BTreeMap<(FailureKind, String), u32> = BTreeMap::new();
    let mut sites = BTreeMap::new();
    for (&event, wrong) in &unrolled.wrongs {
        let frames = format!("{:?}", unrolled.frames(event));
        let next = numbers.len() as u32;
        sites.insert(event, *numbers.entry((wrong.kind, frames)).or_insert(next));
    }
    sites
}

/// How a run failed, if it fails like that from its schedule too.
fn replayed(code: &Rc<Code>, options: &Options, execution: Execution) -> Result<String, String> {
    let failure = |outcome: Outcome| match outcome {
        Outcome::Failed(failure) => Ok(name(&failure)),
        other => Err(format!("{other:?}")),
    };
    let Execution { segments, choices, outcome, .. } = execution;
    let first = failure(outcome)?;
    let schedule = Schedule { header: Header::default(), segments, choices };
    let again = vm::replay(code, options, &schedule).map_err(|misfit| misfit.to_string())?;
    let again = failure(again.outcome)?;
    if first == again { Ok(first) } else { Err(format!("first {first}, then {again}")) }
}

/// All results of checking the graph, each confirmed by running the program.
pub fn checked(code: &Rc<Code>, budget: &Budget) -> Checked {
    let options = Options::default();
    for rounds in [2, 4, 8, 16, 32] {
        let bounds = Bounds { unroll: rounds, ..Bounds::default() };
        let unrolled = match unroll(code, &options, &bounds) {
            Ok(unrolled) => unrolled,
            Err(error) => return Checked::Unsettled(error.to_string()),
        };
        let reached = match cut_reachable(&unrolled.graph, budget) {
            Ok(reached) => reached,
            Err(error) => return Checked::Broken(error.to_string()),
        };
        match reached {
            CutReached::Never => {}
            CutReached::Cut { cut, .. } => {
                let cut = unrolled.cuts.iter().find(|known| known.event == cut);
                match cut.map(|cut| &cut.reason) {
                    Some(Reason::Unsupported(what)) => return Checked::Unsupported(what.clone()),
                    _ => continue,
                }
            }
            other => return Checked::Unsettled(format!("{other:?}")),
        }
        let sites = sites(&unrolled);
        let mut found = BTreeSet::new();
        let sought = Sought {
            graph: &unrolled.graph,
            site: &|event| sites.get(&event).copied(),
            assertions: true,
            deadlocks: true,
            all: true,
            budget: budget.clone(),
        };
        let mut confirm = |execution: &events::Execution, _: &diagnose::Wrong| {
            let outcome = match events::replay(&unrolled.graph, execution, Extent::Prefix) {
                Ok(outcome) => outcome,
                Err(violation) => return Heard::Refuted(violation.to_string()),
            };
            match perform(code, &options, &unrolled, execution, &outcome) {
                Ok(performed) => match replayed(code, &options, performed.execution) {
                    Ok(failure) => {
                        found.insert(failure);
                        Heard::Confirmed
                    }
                    Err(why) => Heard::Refuted(why),
                },
                Err(astray) => Heard::Refuted(astray.to_string()),
            }
        };
        let everything = match every(&sought, &mut confirm, &mut |_| {}) {
            Ok(everything) => everything,
            Err(error) => return Checked::Broken(error.to_string()),
        };
        return match everything.end.clone() {
            diagnose::End::Exhausted => Checked::Complete(Box::new(Complete { found, unrolled, everything })),
            diagnose::End::Refuted { why, .. } => Checked::Refuted(why),
            diagnose::End::Budget(reason @ solve::Reason::Conflicts) => Checked::Unsettled(format!("{reason:?}")),
            end => Checked::Refuted(format!("{end:?}")),
        };
    }
    Checked::Unsettled("loops that never end".to_owned())
}
