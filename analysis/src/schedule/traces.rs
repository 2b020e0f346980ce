//! Schedules of traces: an order of the events of one stored path per thread. The header has the files; options mark it
//! as traces and give the folder, and the asserting thread if the traces do not mark it.

use std::collections::HashMap;

use events::{Choice, EventGraph, EventId, Execution, Extent, Kind, Step};
use report::{Finding, Manner, Subject};
use run::{Header, Schedule, ThreadName};

use crate::error::Error;
use crate::schedule::fingerprint_of_bytes;
use crate::trace_files::{Selection, TraceFile};

/// The options in the header of a schedule of traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Belonging {
    /// The folder, as the user named it.
    pub folder: String,
    pub subject: Subject,
    pub asserting: Option<String>,
    pub extent: Extent,
    /// (file, fingerprint of its contents).
    pub contents: Vec<(String, String)>,
}

/// The name of all stored paths, in the place of a run's id.
const MERGED: &str = "merged";

/// Whether a schedule belongs to traces.
pub fn is_of_traces(header: &Header) -> bool {
    header.options.iter().any(|option| option.starts_with("traces="))
}

pub fn header(belonging: &Belonging, selection: &Selection, outcome: String) -> Header {
    let mut options = vec![format!("traces={}", belonging.folder)];
    match &belonging.subject {
        Subject::Run(id) => options.push(format!("run={id}")),
        Subject::Merged => options.push(format!("run={MERGED}")),
    }
    options.extend(belonging.asserting.as_ref().map(|thread| format!("asserting={thread}")));
    if belonging.extent == Extent::Prefix {
        options.push("prefix".to_owned());
    }
    options.extend(belonging.contents.iter().map(|(file, fingerprint)| format!("content={fingerprint} {file}")));
    Header {
        sources: selection.files.iter().map(|file| file.path.display().to_string()).collect(),
        flags: Vec::new(),
        arguments: Vec::new(),
        options,
        fingerprint: fingerprint(selection),
        outcome,
    }
}

/// Parses the options of a header.
pub fn belonging(header: &Header) -> Result<Belonging, Error> {
    let mut belonging = Belonging {
        folder: String::new(),
        subject: Subject::Merged,
        asserting: None,
        extent: Extent::Whole,
        contents: Vec::new(),
    };
    for option in &header.options {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        match (name, value.split_once(' ')) {
            ("traces", _) => belonging.folder = value.to_owned(),
            ("run", _) if value == MERGED => belonging.subject = Subject::Merged,
            ("run", _) => belonging.subject = Subject::Run(value.to_owned()),
            ("asserting", _) => belonging.asserting = Some(value.to_owned()),
            ("prefix", _) => belonging.extent = Extent::Prefix,
            ("content", Some((fingerprint, file))) => {
                belonging.contents.push((file.to_owned(), fingerprint.to_owned()));
            }
            _ => {
                return Err(Error::UnknownOption(option.clone()));
            }
        }
    }
    Ok(belonging)
}

/// Of all that the files say, in the order of the threads.
pub fn fingerprint(selection: &Selection) -> String {
    let mut bytes = Vec::new();
    for file in &selection.files {
        bytes.extend(format!("{}\n{}\n", file.thread, file.text.len()).bytes());
        bytes.extend(file.text.bytes());
    }
    fingerprint_of_bytes(&bytes)
}

pub fn contents(selection: &Selection) -> Vec<(String, String)> {
    let of_file = |file: &TraceFile| (file.path.display().to_string(), fingerprint_of_bytes(file.text.as_bytes()));
    selection.files.iter().map(of_file).collect()
}

/// How the execution ended, in a line that can be compared: `assertion Bank.java:61 thread 0`.
pub fn outcome(graph: &EventGraph, failed: &[EventId]) -> String {
    let Some(event) = failed.first().map(|event| &graph.events[event.index()]) else { return "passes".to_owned() };
    let place = event.place.as_ref().map_or("?".to_owned(), |place| format!("{}:{}", place.file, place.line));
    format!("assertion {place} thread {}", graph.threads[event.thread.index()].name)
}

/// The schedule's text, with the last event of every segment as a note, which is parsed back as written.
pub fn text(mut schedule: Schedule, finding: &Finding) -> Result<String, Error> {
    let mut events = finding.events.iter().peekable();
    for segment in &mut schedule.segments {
        while let Some(event) = events.next_if(|event| *event.thread() == segment.thread) {
            segment.note = report::in_words(event, Manner::Graph);
        }
    }
    let text = schedule.to_string();
    match run::parse_schedule(&text) {
        Ok(again) if again == schedule => Ok(text),
        Ok(_) => Err(Error::bug("the schedule that was just written reads differently")),
        Err(error) => Err(Error::bug(format!("the schedule that was just written cannot be read: {error}"))),
    }
}

/// The execution that a schedule describes, or the mismatch.
pub fn execution(graph: &EventGraph, schedule: &Schedule) -> Result<Execution, String> {
    let threads: HashMap<&ThreadName, usize> =
        graph.threads.iter().enumerate().map(|(index, thread)| (&thread.name, index)).collect();
    let mut choices: HashMap<(&ThreadName, u64), u64> = HashMap::new();
    for choice in &schedule.choices {
        choices.insert((&choice.thread, choice.step), choice.value);
    }
    let mut done = vec![0usize; graph.threads.len()];
    let mut steps = Vec::new();
    for segment in &schedule.segments {
        let name = &segment.thread;
        let index = *threads.get(name).ok_or_else(|| format!("there is no thread {name}"))?;
        let events = &graph.threads[index].events;
        let until = usize::try_from(segment.until).unwrap_or(usize::MAX);
        if until <= done[index] || until > events.len() {
            let (from, all) = (done[index], events.len());
            return Err(format!("thread {name} has done {from} of its {all} events and cannot reach {until}"));
        }
        for (number, &event) in events.iter().enumerate().take(until).skip(done[index]) {
            let value = choices.remove(&(name, number as u64 + 1));
            let choice = choice(graph, event, value)
                .ok_or_else(|| format!("event {} of thread {name} has no choice", number + 1))?;
            steps.push(Step { event, choice });
        }
        done[index] = until;
    }
    match choices.keys().min() {
        Some((name, step)) => Err(format!("thread {name} has no choice at event {step}")),
        None => Ok(Execution { steps, inputs: Vec::new() }),
    }
}

/// As `encode::schedule` writes them.
fn choice(graph: &EventGraph, event: EventId, value: Option<u64>) -> Option<Choice> {
    match (&graph.events[event.index()].kind, value) {
        (_, None) => Some(Choice::Only),
        (Kind::Signal { .. }, Some(value)) => Some(Choice::Wakes(EventId(u32::try_from(value).ok()?))),
        (Kind::Wake { .. }, Some(1)) => Some(Choice::TimedOut),
        (Kind::Wake { .. }, Some(2)) => Some(Choice::Spurious),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let belonging = Belonging {
            folder: "traces/my bank".into(),
            subject: Subject::Run("-17".into()),
            asserting: Some("2".into()),
            extent: Extent::Prefix,
            contents: vec![("my bank/T0".into(), "00ff".into())],
        };
        for subject in [Subject::Merged, Subject::Run("-17".into()), Subject::Run(String::new())] {
            let belonging = Belonging { subject, ..belonging.clone() };
            let none = Selection { files: Vec::new(), asserting: None };
            let header = header(&belonging, &none, "passes".into());
            assert!(is_of_traces(&header));
            assert_eq!(super::belonging(&header).expect("it was just written"), belonging);
        }
    }
}
