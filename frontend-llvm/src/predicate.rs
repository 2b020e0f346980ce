//! Predicates: conditions that the user adds to a program, expressions that must not hold at a line.
//!
//! The condition becomes a statement before the line, in a copy of the file that replaces it for the compiler only (a
//! virtual file system overlay), so names and lines stay the same. A statement at that line may be the body of an `if`
//! without braces, so the condition takes it as its `else`; if that does not compile, as before a declaration, the
//! condition is a separate statement.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::{fs, io};

use crate::compile::Compiled;
use crate::error::Error;
use crate::{Inputs, compile_all};

/// The form of a predicate among the compiler's flags.
pub const FLAG: &str = "-fheddle-predicate=";

/// The failing function; no other code in the user's modules calls it.
const FAILS: &str = "__heddle_process_fail";

const DECLARATION: &str = "#ifdef __cplusplus
extern \"C\"
#endif
void __heddle_process_fail(const char *, const char *, int, const char *);
";

/// A condition before a line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    pub file: PathBuf,
    /// From 1.
    pub line: usize,
    pub condition: String,
}

impl FromStr for Predicate {
    type Err = String;

    fn from_str(text: &str) -> Result<Predicate, String> {
        let malformed = || format!("`{text}` is not of the form FILE:LINE: CONDITION");
        let mut from = 0;
        while let Some(colon) = text[from..].find(':').map(|at| from + at) {
            let rest = &text[colon + 1..];
            let digits = rest.len() - rest.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
            if let (true, Some(condition)) = (digits > 0 && colon > 0, rest[digits..].strip_prefix(':')) {
                let line = rest[..digits].parse().ok().filter(|line| *line > 0).ok_or_else(malformed)?;
                let condition = condition.trim().to_owned();
                if condition.is_empty() || condition.chars().any(char::is_control) {
                    return Err(malformed());
                }
                return Ok(Predicate { file: text[..colon].into(), line, condition });
            }
            from = colon + 1;
        }
        Err(malformed())
    }
}

/// How a predicate is combined with the code on its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// The code on the line becomes its `else`.
    Before,
    Alone,
}

impl Predicate {
    fn statement(&self, form: Form) -> String {
        let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
        let (condition, file) = (&self.condition, self.file.display().to_string());
        let said = quoted(&format!("predicate {condition}"));
        let other = if form == Form::Before { " else" } else { "" };
        format!("if ({condition}) {FAILS}(\"{said}\", \"{}\", {}, 0);{other} ", quoted(&file), self.line)
    }

    fn refused(&self, why: &str) -> Error {
        Error::Predicate { file: self.file.clone(), line: self.line, message: why.to_owned() }
    }
}

/// The predicates among flags, and the other flags.
pub(crate) fn split(flags: &[String]) -> Result<(Vec<Predicate>, Vec<String>), Error> {
    let (given, others): (Vec<&String>, Vec<&String>) = flags.iter().partition(|flag| flag.starts_with(FLAG));
    let parse = |flag: &&String| flag[FLAG.len()..].parse().map_err(Error::BadPredicate);
    let predicates = given.iter().map(parse).collect::<Result<Vec<Predicate>, Error>>()?;
    Ok((predicates, others.into_iter().cloned().collect()))
}

/// The files' bitcode with the predicates in it.
pub(crate) struct With {
    pub parts: Vec<(PathBuf, Compiled)>,
    pub inserted: Vec<Inserted>,
}

/// Text that stands at the beginning of a line, before the text of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inserted {
    pub file: PathBuf,
    /// From 1.
    pub line: usize,
    /// The length of the text.
    pub columns: usize,
}

/// Compiles the files with the predicates.
pub(crate) fn compile_with(inputs: &Inputs, predicates: &[Predicate]) -> Result<With, Error> {
    let mut placed = Vec::new();
    let mut last = None;
    for predicate in predicates {
        let before = (predicate, Form::Before);
        let (form, compiled) = match compiled(inputs, &[before]) {
            Ok(compiled) => (Form::Before, compiled),
            Err(Error::Compile { .. }) => (Form::Alone, compiled(inputs, &[(predicate, Form::Alone)])?),
            Err(error) => return Err(error),
        };
        let fails =
            |part: &(PathBuf, Compiled)| part.1.bitcode.windows(FAILS.len()).any(|window| window == FAILS.as_bytes());
        if !compiled.iter().any(fails) {
            return Err(predicate.refused("there is no code on this line of the program"));
        }
        placed.push((predicate, form));
        last = Some(compiled);
    }
    let inserted = placed
        .iter()
        .map(|(predicate, form)| Inserted {
            file: predicate.file.clone(),
            line: predicate.line,
            columns: predicate.statement(*form).len(),
        })
        .collect();
    let parts = match last {
        Some(only) if placed.len() == 1 => only,
        _ => compiled(inputs, &placed)?,
    };
    Ok(With { parts, inserted })
}

fn compiled(inputs: &Inputs, placed: &[(&Predicate, Form)]) -> Result<Vec<(PathBuf, Compiled)>, Error> {
    let internal = |error: io::Error| Error::Internal(format!("a predicate cannot be put into its file: {error}"));
    let folder = tempfile::tempdir().map_err(internal)?;
    let overlay = overlay(folder.path(), placed)?;
    let header = folder.path().join("predicate.h");
    fs::write(&header, DECLARATION).map_err(internal)?;
    let mut flags = inputs.flags.clone();
    for (flag, file) in [("-include", &header), ("-ivfsoverlay", &overlay)] {
        flags.extend([flag.to_owned(), file.display().to_string()]);
    }
    compile_all(&inputs.files, &Inputs { flags, ..inputs.clone() }).into_iter().collect()
}

/// Creates copies of the files with their predicates, and the overlay file for the compiler.
fn overlay(folder: &Path, placed: &[(&Predicate, Form)]) -> Result<PathBuf, Error> {
    let internal = |error: io::Error| Error::Internal(format!("a predicate cannot be put into its file: {error}"));
    let mut files: Vec<&Path> = placed.iter().map(|(predicate, _)| predicate.file.as_path()).collect();
    files.sort_unstable();
    files.dedup();
    let mut roots = Vec::new();
    for (number, file) in files.into_iter().enumerate() {
        let cannot_read = |reason| Error::Read { file: file.to_owned(), reason };
        if !fs::metadata(file).map_err(cannot_read)?.is_file() {
            return Err(cannot_read(io::Error::other("it is not a file")));
        }
        let text = fs::read(file).map_err(cannot_read)?;
        let mut lines: Vec<Vec<u8>> = text.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
        for (predicate, form) in placed.iter().filter(|(predicate, _)| predicate.file == file) {
            let line = lines.get_mut(predicate.line - 1).filter(|line| !line.trim_ascii().is_empty());
            let line = line.ok_or_else(|| predicate.refused("there is no code on this line of the program"))?;
            line.splice(0..0, predicate.statement(*form).into_bytes());
        }
        let copy = folder.join(number.to_string());
        fs::write(&copy, lines.concat()).map_err(internal)?;
        let name = std::path::absolute(file).map_err(internal)?;
        roots.push(format!("{{'type': 'file', 'name': {}, 'external-contents': {}}}", yaml(&name), yaml(&copy)));
    }
    let overlay = folder.join("overlay.yaml");
    let roots = roots.join(", ");
    let text = format!("{{'version': 0, 'case-sensitive': 'true', 'use-external-names': 'false', 'roots': [{roots}]}}");
    fs::write(&overlay, text).map_err(internal)?;
    Ok(overlay)
}

fn yaml(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predicates_are_parsed() {
        let parsed: Predicate = "src/a:b.c:12: total != 2 && p->next".parse().expect("it is one");
        assert_eq!((parsed.file, parsed.line), ("src/a:b.c".into(), 12));
        assert_eq!(parsed.condition, "total != 2 && p->next");
        for wrong in ["", "a.c", "a.c:3", "a.c:3:", "a.c:0: x", "a.c:x: y", ":3: x", "a.c:3: x\ny"] {
            assert!(wrong.parse::<Predicate>().is_err(), "{wrong}");
        }
    }
}
