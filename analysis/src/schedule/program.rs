//! The schedule of a program: all information that is needed to build the same run again, and the order of its threads.

use std::sync::Arc;

use report::{Manner, Where};
use run::{Header, Schedule};
use vm::{Execution, Failure, FailureKind, Outcome};

use crate::candidate::Candidate;
use crate::error::Error;
use crate::program::{Loaded, RecordedFiles, Settings};
use crate::schedule::fingerprint_of_bytes;

/// Longer input is not copied into the schedule; of stdin its fingerprint is, and longer files are read again.
const STDIN_LIMIT: usize = 64 * 1024;

/// The options in a schedule's header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    pub settings: Settings,
    /// The input was too long for the schedule: it must be given again, with this fingerprint.
    pub stdin_fingerprint: Option<String>,
    /// (file, fingerprint of its contents): the sources as they were.
    pub contents: Vec<(String, String)>,
    /// The schedule shows how a home-made construct is broken: its kind and the first line of its region.
    pub construct: Option<String>,
}

/// The arguments as the header has them, if all of them are text.
fn arguments(settings: &Settings) -> Option<Vec<String>> {
    settings.arguments.iter().map(|argument| String::from_utf8(argument.clone()).ok()).collect()
}

/// Each option is `name` or `name=value`.
fn options(settings: &Settings, contents: &[(String, String)]) -> Vec<String> {
    let mut options = Vec::new();
    if settings.reuse {
        options.push("reuse".to_owned());
    }
    if settings.spurious {
        options.push("spurious".to_owned());
    }
    options.extend(settings.properties.added().map(|kind| format!("property={}", kind.name())));
    options.extend(settings.properties.left_out().map(|kind| format!("without={}", kind.name())));
    options.extend(settings.steps.map(|steps| format!("steps={steps}")));
    options.extend(settings.variables.iter().map(|(name, value)| format!("variable={name}={value}")));
    if arguments(settings).is_none() {
        options.extend(settings.arguments.iter().map(|argument| format!("argument={}", argument.escape_ascii())));
    }
    match settings.stdin.len() {
        0 => {}
        1..=STDIN_LIMIT => options.push(format!("stdin={}", settings.stdin.escape_ascii())),
        _ => options.push(format!("stdin-fingerprint={}", fingerprint_of_bytes(&settings.stdin))),
    }
    for (name, contents) in settings.files.recorded.iter() {
        let name = name.as_bytes().escape_ascii();
        options.push(match contents {
            Some(contents) if contents.len() > STDIN_LIMIT => continue,
            Some(contents) => format!("file={name}\t{}", contents.escape_ascii()),
            None => format!("no-file={name}"),
        });
    }
    options.extend(contents.iter().map(|(file, fingerprint)| format!("content={fingerprint} {file}")));
    options
}

/// The settings in a header.
pub fn recorded(header: &run::Header) -> Result<Recorded, Error> {
    let mut recorded = Recorded::default();
    let settings = &mut recorded.settings;
    settings.arguments = header.arguments.iter().map(|argument| argument.clone().into_bytes()).collect();
    let mut files = RecordedFiles::new();
    let text = |escaped: &str| String::from_utf8(unescape(escaped)?).ok();
    for option in &header.options {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        let unknown = || Error::UnknownOption(option.clone());
        match name {
            "reuse" => settings.reuse = true,
            "spurious" => settings.spurious = true,
            "property" => settings.properties.add(FailureKind::from_name(value).ok_or_else(unknown)?),
            "without" => settings.properties.remove(FailureKind::from_name(value).ok_or_else(unknown)?),
            "steps" => settings.steps = Some(value.parse().map_err(|_| unknown())?),
            "variable" => {
                let (name, value) = value.split_once('=').ok_or_else(unknown)?;
                settings.variables.push((name.to_owned(), value.to_owned()));
            }
            "argument" => settings.arguments.push(unescape(value).ok_or_else(unknown)?),
            "stdin" => settings.stdin = unescape(value).ok_or_else(unknown)?,
            "file" => {
                let (name, contents) = value.split_once('\t').ok_or_else(unknown)?;
                files.insert(text(name).ok_or_else(unknown)?, Some(unescape(contents).ok_or_else(unknown)?));
            }
            "no-file" => drop(files.insert(text(value).ok_or_else(unknown)?, None)),
            "stdin-fingerprint" => recorded.stdin_fingerprint = Some(value.to_owned()),
            "content" => {
                let (fingerprint, file) = value.split_once(' ').ok_or_else(unknown)?;
                recorded.contents.push((file.to_owned(), fingerprint.to_owned()));
            }
            "construct" => recorded.construct = Some(value.to_owned()),
            _ => return Err(unknown()),
        }
    }
    settings.files.recorded = Arc::new(files);
    Ok(recorded)
}

/// The inverse of `escape_ascii`.
fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut characters = text.bytes();
    while let Some(byte) = characters.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match characters.next()? {
            b't' => b'\t',
            b'r' => b'\r',
            b'n' => b'\n',
            b'x' => {
                let high = char::from(characters.next()?).to_digit(16)?;
                let low = char::from(characters.next()?).to_digit(16)?;
                u8::try_from(high * 16 + low).ok()?
            }
            quoted @ (b'\\' | b'\'' | b'"') => quoted,
            _ => return None,
        });
    }
    Some(bytes)
}

/// The schedule of a failing order, with all information that is needed to build the same run again.
pub fn schedule_of(loaded: &Loaded, settings: &Settings, candidate: &Candidate) -> Schedule {
    Schedule {
        header: Header {
            sources: loaded.sources.clone(),
            flags: loaded.flags.clone(),
            arguments: arguments(settings).unwrap_or_default(),
            options: options(settings, &loaded.contents),
            fingerprint: loaded.fingerprint.clone(),
            outcome: failure_outcome(&loaded.program, &candidate.failure),
        },
        segments: candidate.segments.clone(),
        choices: candidate.choices.clone(),
    }
}

/// The schedule of an order that breaks a home-made construct. The program need not fail, so a replay is successful if
/// it reaches the same state; `construct` identifies the construct to monitor.
pub fn schedule_of_construct(
    loaded: &Loaded,
    settings: &Settings,
    segments: Vec<run::Segment>,
    choices: Vec<run::Choice>,
    construct: &str,
) -> Result<(Schedule, String), Error> {
    let mut options = options(settings, &loaded.contents);
    options.push(format!("construct={construct}"));
    let header = Header {
        sources: loaded.sources.clone(),
        flags: loaded.flags.clone(),
        arguments: arguments(settings).unwrap_or_default(),
        options,
        fingerprint: loaded.fingerprint.clone(),
        outcome: String::new(),
    };
    let mut schedule = Schedule { header, segments, choices };
    let execution = vm::replay(&loaded.code, &settings.options(true), &schedule)
        .map_err(|divergence| Error::bug(format!("the schedule that was just found does not fit: {divergence}")))?;
    schedule.header.outcome = outcome(&loaded.program, &execution.outcome);
    let text = text_of(loaded, schedule.clone(), &execution)?;
    Ok((schedule, text))
}

/// How an execution ended, in a line that can be compared: `assertion bank.c:61 thread 0`.
pub fn outcome(program: &ir::Program, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Passed { .. } => "passes".to_owned(),
        Outcome::Failed(failure) => failure_outcome(program, failure),
        Outcome::Unasked(failure) => format!("not asked for: {}", failure_outcome(program, failure)),
        Outcome::Unsupported { what, .. } => format!("unsupported: {what}"),
        Outcome::StepLimit { steps } => format!("still running after {steps} steps"),
        Outcome::Excluded { .. } => "excluded by an assumption".to_owned(),
    }
}

fn failure_outcome(program: &ir::Program, failure: &Failure) -> String {
    let at = Where::new(program, &failure.site);
    let place = at.place().map_or("?".to_owned(), |place| format!("{}:{}", place.file_name(), place.line));
    format!("{} {place} thread {}", failure.kind.name(), failure.site.thread)
}

/// Replays a schedule that was just found, with events. A failure that is not reproduced exactly is not shown.
pub fn confirm(loaded: &Loaded, settings: &Settings, schedule: &Schedule, seen: &Failure) -> Result<Execution, Error> {
    let execution = vm::replay(&loaded.code, &settings.options(true), schedule)
        .map_err(|divergence| Error::bug(format!("the schedule that was just found does not fit: {divergence}")))?;
    match &execution.outcome {
        Outcome::Failed(again) if again.is_same(seen) => Ok(execution),
        other => Err(Error::bug(format!(
            "a failing run was replayed and ended differently: first `{}`, then `{}`",
            failure_outcome(&loaded.program, seen),
            outcome(&loaded.program, other)
        ))),
    }
}

/// The schedule's text, with the last event of every segment as a note. Parsing it gives the schedule that was
/// replayed.
pub fn text_of(loaded: &Loaded, mut schedule: Schedule, replayed: &Execution) -> Result<String, Error> {
    let mut events = replayed.events.iter().enumerate().peekable();
    for segment in &mut schedule.segments {
        let of_segment = |event: &vm::Event| event.thread == segment.thread && event.step <= segment.until;
        let mut last = None;
        while let Some(event) = events.next_if(|(_, event)| of_segment(event)) {
            last = Some(event);
        }
        if let Some((id, event)) = last {
            segment.note = report::in_words(&report::Event::new(&loaded.program, id, event), Manner::Machine);
        }
    }
    let text = schedule.to_string();
    match run::parse_schedule(&text) {
        Ok(again) if again == schedule => Ok(text),
        Ok(_) => Err(Error::bug("the schedule that was just written reads differently")),
        Err(error) => Err(Error::bug(format!("the schedule that was just written cannot be read: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Files;
    use crate::properties::Properties;

    #[test]
    fn what_is_recorded_is_read_back() {
        let mut properties = Properties::default();
        properties.add(FailureKind::Race);
        properties.remove(FailureKind::Hang);
        let files = [("a b\t=".to_owned(), Some(b"\n\x00=".to_vec())), ("gone".to_owned(), None)].into();
        let settings = Settings {
            name: String::new(),
            arguments: vec!["3".into(), "a b".into()],
            stdin: b"one\ntwo\t\\ \"x\" \xff\0".to_vec(),
            variables: vec![("MODE".into(), "a=b".into())],
            files: Files::of_recorded(files),
            steps: Some(5000),
            reuse: true,
            spurious: true,
            properties,
        };
        let contents = vec![("src/a b.c".to_owned(), "00ff".to_owned())];
        let header = run::Header {
            sources: Vec::new(),
            flags: Vec::new(),
            arguments: arguments(&settings).expect("they are text"),
            options: options(&settings, &contents),
            fingerprint: String::new(),
            outcome: String::new(),
        };
        let recorded = recorded(&header).expect("it was just written");
        assert_eq!(recorded, Recorded { settings, stdin_fingerprint: None, contents, construct: None });
    }

    #[test]
    fn arguments_need_not_be_text() {
        let settings = Settings { arguments: vec![b"a".to_vec(), vec![0xff, b'\n']], ..Settings::default() };
        assert_eq!(arguments(&settings), None);
        let header = run::Header { options: options(&settings, &[]), ..run::Header::default() };
        assert_eq!(recorded(&header).expect("it was just written").settings, settings);
    }

    #[test]
    fn long_input_is_only_fingerprinted() {
        let settings = Settings { stdin: vec![b'x'; STDIN_LIMIT + 1], ..Settings::default() };
        let options = options(&settings, &[]);
        assert_eq!(options.len(), 1);
        assert!(options[0].starts_with("stdin-fingerprint="));
    }

    #[test]
    fn what_is_no_escape_is_refused() {
        for text in ["\\", "\\q", "\\x1", "\\xzz"] {
            assert_eq!(unescape(text), None, "{text}");
        }
    }
}
