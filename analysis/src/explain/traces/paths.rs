//! Finds the stored path that each thread takes in an execution of the merged graph: one file per thread, so that the
//! failure can be reported and replayed on straight paths.
//!
//! The merged graph does not record the file of an event, so files are recognised by their sequence of reads, writes,
//! forks and joins. Files that differ only in a branch have equal sequences; replay on the straight paths decides
//! between them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::mem::discriminant;

use events::{Choice, EventGraph, EventId, Execution, Extent, Kind, Label, Outcome, Step, ThreadId};
use run::ThreadName;

use crate::error::Error;
use crate::trace_files::{Selection, TraceFile, TraceFiles};

/// The execution on the straight paths of the files that it takes.
pub struct Straight {
    pub selection: Selection,
    pub graph: EventGraph,
    pub execution: Execution,
    pub outcome: Outcome,
    /// By event of the merged graph, the event of the straight one; branches have none.
    pub events: HashMap<EventId, EventId>,
}

/// `Critical.java@50 R turn_603`.
type Deed = (String, u32, char, String);

/// Finds the files of a failing execution of the merged graph.
pub fn straighten(
    folder: &TraceFiles,
    merged: &EventGraph,
    execution: &Execution,
    extent: Extent,
) -> Result<Straight, Error> {
    let mut done: BTreeMap<ThreadId, Vec<Deed>> = BTreeMap::new();
    for step in &execution.steps {
        let thread = merged.events[step.event.index()].thread;
        done.entry(thread).or_default().extend(deed(merged, step.event));
    }
    let mut candidates: BTreeMap<ThreadId, Vec<&TraceFile>> = BTreeMap::new();
    for (&thread, done) in &done {
        let name = &merged.threads[thread.index()].name;
        let fits = |file: &&TraceFile| {
            let listed = deeds(&file.text);
            file.thread == *name && (listed == *done || extent == Extent::Prefix && listed.starts_with(done))
        };
        // Recorded paths before synthesised ones.
        let mut fitting: Vec<&TraceFile> = folder.files.iter().filter(fits).collect();
        fitting.sort_by_key(|file| file.synthesised);
        fitting.reverse();
        candidates.insert(thread, fitting);
    }
    let gone = |thread: ThreadId| {
        let name = &merged.threads[thread.index()].name;
        Error::bug(format!("the failing execution takes a path of thread {name} that is not stored"))
    };
    let asserting = execution.steps.iter().map(|step| &merged.events[step.event.index()]);
    let asserting = asserting.rev().find(|event| matches!(event.kind, Kind::Assert { .. })).map(|event| event.thread);
    loop {
        let mut files = Vec::new();
        for (&thread, fitting) in &candidates {
            files.push((*fitting.last().ok_or_else(|| gone(thread))?).clone());
        }
        let selection = Selection { files, asserting: folder.asserting.clone() };
        let graph = selection.graph()?;
        // A thread whose file does not fit gets its next candidate.
        let name = match translate(merged, execution, &graph, extent) {
            Err(name) => Some(name),
            Ok((execution, events)) => match events::replay(&graph, &execution, extent) {
                Ok(outcome) if !outcome.failed.is_empty() => {
                    return Ok(Straight { selection, graph, execution, outcome, events });
                }
                Ok(_) => None,
                Err(violation) => violation.event.map(|event| {
                    let thread = graph.events[event.index()].thread;
                    graph.threads[thread.index()].name.clone()
                }),
            },
        };
        let is_named = |thread: &ThreadId| Some(&merged.threads[thread.index()].name) == name.as_ref();
        let thread = candidates.keys().copied().find(is_named);
        let thread = thread.or(asserting).ok_or_else(|| Error::bug("the failing execution has no assertion"))?;
        candidates.entry(thread).or_default().pop();
    }
}

/// The operation of an event, if files are recognised by it.
fn deed(graph: &EventGraph, event: EventId) -> Option<Deed> {
    let event = &graph.events[event.index()];
    let (letter, what) = match &event.kind {
        Kind::Access(access) => {
            let object = graph.objects.get(graph.terms.as_bits(access.address.object)? as usize)?;
            let letter = match access.label {
                Label::Read => 'R',
                Label::Write => 'W',
                _ => return None,
            };
            (letter, object.name.clone())
        }
        Kind::Fork { child } => ('F', graph.threads.get(child.index())?.name.to_string()),
        Kind::Join { child } => ('J', graph.threads.get(child.index())?.name.to_string()),
        _ => return None,
    };
    let place = event.place.as_ref()?;
    Some((place.file.clone(), place.line, letter, what))
}

/// The same of the lines of a file, which was imported before.
fn deeds(text: &str) -> Vec<Deed> {
    let of_line = |line: &str| {
        let (file, rest) = line.split_once('@')?;
        let (number, operation) = rest.split_once(':')?;
        let number = number.parse().ok()?;
        let child = |tid: &str| if tid == "0" { "0".to_owned() } else { format!("0.{tid}") };
        let (letter, what) = match operation.split_at_checked(2)? {
            ("R-", access) => ('R', access.rsplitn(3, '-').nth(2)?.to_owned()),
            ("W-", access) => ('W', access.rsplitn(3, '-').nth(2)?.to_owned()),
            ("S-", rest) => {
                let (operation, _) = rest.rsplit_once('-')?;
                match operation.split_once('_')? {
                    ("fork", tid) => ('F', child(tid)),
                    ("join", tid) => ('J', child(tid)),
                    _ => return None,
                }
            }
            _ => return None,
        };
        Some((file.to_owned(), number, letter, what))
    };
    let items = text.lines().take_while(|line| !line.is_empty() && *line != "<pathjpf>");
    items.filter(|line| !line.starts_with('$')).filter_map(of_line).collect()
}

/// The name of the object that an event synchronises on.
fn monitor<'g>(graph: &'g EventGraph, kind: &Kind) -> Option<&'g str> {
    let address = match kind {
        Kind::Lock { mutex, .. } | Kind::Unlock { mutex, .. } => mutex,
        Kind::Sleep { condition, .. } | Kind::Signal { condition } | Kind::Broadcast { condition } => condition,
        _ => return None,
    };
    let index = graph.terms.as_bits(address.object)?;
    graph.objects.get(index as usize).map(|object| object.name.as_str())
}

/// Maps each event to its thread's straight path, which has the same operations except for branches that the merged
/// graph expresses as guards. On a mismatch, returns the thread's name.
fn translate(
    merged: &EventGraph,
    execution: &Execution,
    straight: &EventGraph,
    extent: Extent,
) -> Result<(Execution, HashMap<EventId, EventId>), ThreadName> {
    let is_branch =
        |graph: &EventGraph, event: EventId| matches!(graph.events[event.index()].kind, Kind::Assume { .. });
    let threads: HashMap<_, usize> =
        straight.threads.iter().enumerate().map(|(index, thread)| (&thread.name, index)).collect();
    let mut next = vec![0; straight.threads.len()];
    let mut known: HashMap<EventId, EventId> = HashMap::new();
    let mut steps = Vec::new();
    let mut begun = BTreeSet::new();
    for step in execution.steps.iter().filter(|step| !is_branch(merged, step.event)) {
        let done = &merged.events[step.event.index()];
        let name = &merged.threads[done.thread.index()].name;
        let index = *threads.get(name).ok_or_else(|| name.clone())?;
        let own = &straight.threads[index].events;
        let branches = |next: &mut usize, steps: &mut Vec<Step>| {
            while let Some(&event) = own.get(*next).filter(|event| is_branch(straight, **event)) {
                steps.push(Step { event, choice: Choice::Only });
                *next += 1;
            }
        };
        if begun.insert(index) {
            branches(&mut next[index], &mut steps);
        }
        let is_alike = |event: &&EventId| {
            let kind = &straight.events[event.index()].kind;
            discriminant(kind) == discriminant(&done.kind) && monitor(straight, kind) == monitor(merged, &done.kind)
        };
        let event = *own.get(next[index]).filter(is_alike).ok_or_else(|| name.clone())?;
        next[index] += 1;
        known.insert(step.event, event);
        let choice = match step.choice {
            Choice::Wakes(sleep) => Choice::Wakes(*known.get(&sleep).ok_or_else(|| name.clone())?),
            other => other,
        };
        steps.push(Step { event, choice });
        branches(&mut next[index], &mut steps);
    }
    let unfinished = straight.threads.iter().zip(next).find(|(thread, next)| *next < thread.events.len());
    match unfinished {
        Some((thread, _)) if extent == Extent::Whole => Err(thread.name.clone()),
        _ => Ok((Execution { steps, inputs: Vec::new() }, known)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_trace_are_recognised() {
        let text = "<assertThread_ok>\nA.java@3:S-start-1\nA.java@4:R-x_$y_7-1-1\nA.java@5:W-x_7-1-1\n$a@b:R-c$\n\
                    A.java@6:S-fork_1.2-1\nbranch-1\n<pathjpf>\nT1:(R-x_$y_7-1-1 == CONST_0)\npathid-10\n";
        let found: Vec<String> =
            deeds(text).into_iter().map(|(_, line, letter, what)| format!("{line} {letter} {what}")).collect();
        assert_eq!(found, ["4 R x_$y_7", "5 W x_7", "6 F 0.1.2"]);
    }
}
