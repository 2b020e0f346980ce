//! Path profiles: the blocks that each thread of a run executed, as the recorder of the Cortex prototype wrote them.

use std::collections::BTreeMap;

use run::ThreadName;

use crate::name::{is_hash, thread_name};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    pub file: String,
    /// As in the traces.
    pub run: String,
    pub failed: bool,
    /// The blocks of each thread, in program order. The order between threads is unknown.
    pub blocks: BTreeMap<ThreadName, Vec<u64>>,
    /// The thread and the block of the assertion.
    pub asserting: Option<(ThreadName, u64)>,
}

/// Run and outcome, of `<name>_<run>_<k>.ok` or `.fail`.
pub(crate) fn parse_profile_name(path: &str) -> Option<(String, bool)> {
    let name = path.rsplit(['/', '\\']).next()?;
    let (name, failed) = match (name.strip_suffix(".ok"), name.strip_suffix(".fail")) {
        (Some(name), _) => (name, false),
        (_, Some(name)) => (name, true),
        _ => return None,
    };
    let mut parts = name.rsplitn(3, '_');
    let (number, run, program) = (parts.next()?, parts.next()?, parts.next()?);
    let fits = number.bytes().all(|byte| byte.is_ascii_digit()) && is_hash(run) && !program.is_empty();
    fits.then(|| (run.to_owned(), failed))
}

/// Lines `tid block`; the one with the assertion is in brackets. An error is a line and a message.
pub(crate) fn parse_profile(file: &str, text: &str, run: String, failed: bool) -> Result<Profile, (u32, String)> {
    let mut profile = Profile { file: file.to_owned(), run, failed, blocks: BTreeMap::new(), asserting: None };
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let bracketed = line.strip_prefix('[').and_then(|line| line.strip_suffix(']'));
        let parts = bracketed.unwrap_or(line).split_once(' ');
        let parsed = parts.and_then(|(thread, block)| Some((thread_name(thread)?, block.parse::<u64>().ok()?)));
        let wrong = || (index as u32 + 1, "a line of a profile names a thread and a block".to_owned());
        let (thread, block) = parsed.ok_or_else(wrong)?;
        if bracketed.is_some() {
            profile.asserting = Some((thread.clone(), block));
        }
        profile.blocks.entry(thread).or_default().push(block);
    }
    Ok(profile)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_lines() {
        assert_eq!(parse_profile_name("runs/my_bank_-17_0.ok"), Some(("-17".to_owned(), false)));
        assert_eq!(parse_profile_name("bank_17_12.fail"), Some(("17".to_owned(), true)));
        for other in ["bank.Bank.traceBB", "bank_17.ok", "bank_x_0.ok", "_17_0.ok", "bank_17_0.ok~"] {
            assert_eq!(parse_profile_name(other), None, "{other}");
        }
        let profile = parse_profile("p", "2 3\n2 11\n[0 20]\n0 21\n", "17".to_owned(), false).expect("it is a profile");
        let threads: Vec<(String, usize)> =
            profile.blocks.iter().map(|(name, blocks)| (name.to_string(), blocks.len())).collect();
        assert_eq!(threads, [("0".to_owned(), 2), ("0.2".to_owned(), 2)]);
        assert_eq!(profile.asserting, Some((ThreadName::main(), 20)));
        assert_eq!(parse_profile("p", "2 3\n\n2 x\n", "17".to_owned(), false).map_err(|(line, _)| line), Err(3));
    }
}
