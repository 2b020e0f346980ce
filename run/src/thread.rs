//! Threads are named by birth: the first is `0`, its second child `0.2`, and that one's first child `0.2.1`. The name
//! is the same in every run that creates threads in the same order per thread, whatever the schedule.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use thiserror::Error;

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadName(Arc<[u32]>);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a thread's name (such as 0 or 0.2.1)")]
pub struct BadThreadName(pub String);

impl ThreadName {
    pub fn main() -> ThreadName {
        ThreadName(Arc::from([0]))
    }

    /// The `nth` child, counting from 1.
    pub fn child(&self, nth: u32) -> ThreadName {
        ThreadName(self.0.iter().copied().chain([nth]).collect())
    }

    /// The numbers of the name, without the first one's zero.
    pub(crate) fn numbers(&self) -> &[u32] {
        self.0.get(1..).unwrap_or(&[])
    }

    /// The inverse of [`ThreadName::numbers`]. Children are counted from 1.
    pub(crate) fn of_numbers(numbers: &[u32]) -> Option<ThreadName> {
        (!numbers.contains(&0)).then(|| ThreadName([0].iter().chain(numbers).copied().collect()))
    }

    /// The name of the next thread with the same creator.
    pub(crate) fn next_sibling(&self) -> Option<ThreadName> {
        let (last, before) = self.0.split_last().filter(|(_, before)| !before.is_empty())?;
        Some(ThreadName(before.iter().copied().chain([last.checked_add(1)?]).collect()))
    }

    /// Its creator; the first thread has none.
    pub fn parent(&self) -> Option<ThreadName> {
        let (_, before) = self.0.split_last().filter(|(_, before)| !before.is_empty())?;
        Some(ThreadName(before.into()))
    }
}

impl fmt::Display for ThreadName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, part) in self.0.iter().enumerate() {
            if position > 0 {
                f.write_str(".")?;
            }
            write!(f, "{part}")?;
        }
        Ok(())
    }
}

impl FromStr for ThreadName {
    type Err = BadThreadName;

    fn from_str(text: &str) -> Result<ThreadName, BadThreadName> {
        let bad = || BadThreadName(text.to_owned());
        let path: Vec<u32> =
            text.split('.').map(|part| part.parse::<u32>().map_err(|_| bad())).collect::<Result<_, _>>()?;
        if path[0] != 0
            || path[1..].contains(&0)
            || path.iter().map(u32::to_string).collect::<Vec<_>>().join(".") != text
        {
            return Err(bad());
        }
        Ok(ThreadName(path.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        let name = ThreadName::main().child(2).child(1);
        assert_eq!(name.to_string(), "0.2.1");
        assert_eq!("0.2.1".parse(), Ok(name.clone()));
        assert_eq!(name.parent(), Some(ThreadName::main().child(2)));
        assert_eq!(ThreadName::main().parent(), None);
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for text in ["", "1", "0.0", "0..1", "0.x", "00", "0.01", "0.-1"] {
            assert!(text.parse::<ThreadName>().is_err(), "{text}");
        }
    }
}
