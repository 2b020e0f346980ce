//! The schedule file: what is written into its header so that the same run can be built again, and where it is put.

use std::path::{Path, PathBuf};

use vm::FailureKind;

use crate::exit::Problem;
use crate::files::{self, kept::Kept};
use crate::pipeline::{Settings, fingerprint_of_bytes};
use crate::supervise;

/// Input longer than this is not copied into the schedule; its fingerprint is.
const STDIN_LIMIT: usize = 64 * 1024;

/// What a schedule's header options say about a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    pub settings: Settings,
    /// The input was too long to be recorded: it must be given again, with this fingerprint.
    pub stdin_fingerprint: Option<String>,
    /// (file, fingerprint of its contents): the sources as they were.
    pub contents: Vec<(String, String)>,
}

/// The arguments as the header has them, if all of them are text.
pub fn arguments(settings: &Settings) -> Option<Vec<String>> {
    settings.arguments.iter().map(|argument| String::from_utf8(argument.clone()).ok()).collect()
}

/// Each option is `name` or `name=value`.
pub fn options(settings: &Settings, contents: &[(String, String)]) -> Vec<String> {
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
    options.extend(contents.iter().map(|(file, fingerprint)| format!("content={fingerprint} {file}")));
    options
}

/// The other way round.
pub fn recorded(header: &run::Header) -> anyhow::Result<Recorded> {
    let mut recorded = Recorded::default();
    let settings = &mut recorded.settings;
    settings.arguments = header.arguments.iter().map(|argument| argument.clone().into_bytes()).collect();
    for option in &header.options {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        let unknown = || {
            Problem::error(
                format!("the schedule has the option `{option}`, which this heddle does not know"),
                "it was written by another version: replay it with that one",
            )
        };
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
            "stdin-fingerprint" => recorded.stdin_fingerprint = Some(value.to_owned()),
            "content" => {
                let (fingerprint, file) = value.split_once(' ').ok_or_else(unknown)?;
                recorded.contents.push((file.to_owned(), fingerprint.to_owned()));
            }
            _ => return Err(unknown()),
        }
    }
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

/// Writes to the file that was asked for, or else to a name of its own in the folder of what heddle keeps. Says which it was.
pub fn write(wanted: Option<&Path>, name: &str, text: &str) -> anyhow::Result<PathBuf> {
    match wanted {
        Some(file) => write_wanted(file, text).map(|()| file.to_owned()),
        None => files::kept::keep_schedule(name, text).map(|kept| kept.file),
    }
}

/// What is no regular file is the parent's: stdout is not that of the worker.
fn write_wanted(file: &Path, text: &str) -> anyhow::Result<()> {
    if files::is_stream(file) && supervise::hand_file_over(file, text.as_bytes()) {
        return Ok(());
    }
    files::write(file, text.as_bytes())
}

/// The place of one schedule, which may be replaced by a better one while the work goes on.
pub struct Slot<'a> {
    wanted: Option<&'a Path>,
    name: &'a str,
    made: Option<Kept>,
    /// What a stream gets in the end: it cannot take anything back.
    last: Option<String>,
}

impl<'a> Slot<'a> {
    pub fn new(wanted: Option<&'a Path>, name: &'a str) -> Slot<'a> {
        Slot { wanted, name, made: None, last: None }
    }

    /// Writes the schedule, in the place of the one that was written before. Says where it is.
    pub fn put(&mut self, text: &str) -> anyhow::Result<PathBuf> {
        if let Some(file) = self.wanted {
            match files::is_stream(file) {
                true => self.last = Some(text.to_owned()),
                false => write_wanted(file, text)?,
            }
            return Ok(file.to_owned());
        }
        let kept = match self.made.take() {
            // A schedule that was there before is not ours to replace.
            Some(before) if before.is_new => files::kept::replace_schedule(&before.file, self.name, text)?,
            _ => files::kept::keep_schedule(self.name, text)?,
        };
        let file = kept.file.clone();
        self.made = Some(kept);
        Ok(file)
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        if let (Some(file), Some(text)) = (self.wanted, self.last.take())
            && let Err(error) = write_wanted(file, &text)
        {
            crate::terminal::say(&crate::exit::describe(&error));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::properties::Properties;

    #[test]
    fn what_is_recorded_is_read_back() {
        let mut properties = Properties::default();
        properties.add(FailureKind::Race);
        properties.remove(FailureKind::Hang);
        let settings = Settings {
            name: String::new(),
            arguments: vec!["3".into(), "a b".into()],
            stdin: b"one\ntwo\t\\ \"x\" \xff\0".to_vec(),
            variables: vec![("MODE".into(), "a=b".into())],
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
        assert_eq!(recorded, Recorded { settings, stdin_fingerprint: None, contents });
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
