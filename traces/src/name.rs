//! The names of trace files, and of the threads in them.

use run::ThreadName;

/// The information in the name of a trace file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FileName {
    pub thread: ThreadName,
    /// The run and the path; absent in the Symbiosis dialect.
    pub run: Option<(String, String)>,
    /// Whether it was synthesised by flipping branches of the run.
    pub synthesised: bool,
}

/// Parses the name of a trace file, which may have folders before it.
pub(super) fn parse_file_name(path: &str) -> Option<FileName> {
    let mut parts: Vec<&str> = path.split(['/', '\\']).collect();
    let name = parts.pop()?.strip_prefix('T')?;
    let mut pieces = name.split('_');
    let thread = thread_name(pieces.next()?)?;
    let run = match (pieces.next(), pieces.next(), pieces.next()) {
        (None, ..) => None,
        (Some(run), Some(path), None) if is_hash(run) && is_hash(path) => Some((run.to_owned(), path.to_owned())),
        _ => return None,
    };
    Some(FileName { thread, run, synthesised: parts.contains(&"sts") })
}

pub(super) fn is_hash(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The traces call the main thread 0, its n-th child n, and the k-th child of t is t.k.
pub(super) fn thread_name(text: &str) -> Option<ThreadName> {
    if text == "0" {
        return Some(ThreadName::main());
    }
    format!("0.{text}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_dialects() {
        let name = parse_file_name("symbolic/sts/T1.2_-17_44").unwrap();
        assert_eq!(name.thread.to_string(), "0.1.2");
        assert_eq!(name.run, Some(("-17".to_owned(), "44".to_owned())));
        assert!(name.synthesised);
        let name = parse_file_name("T0").unwrap();
        assert_eq!((name.thread, name.run, name.synthesised), (ThreadName::main(), None, false));
        for other in ["T1.traceBB", "T", "Test", "T1_2", "T1_2_3_4", "T1_x_2", "README", "T0.1", "T01", "", "sts/"] {
            assert_eq!(parse_file_name(other), None, "{other}");
        }
    }
}
