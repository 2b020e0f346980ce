//! The kinds of failures to search for. `run`, `check` and `explain` share this definition.

use vm::FailureKind;

use crate::error::Error;

/// One word of a choice of kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KindChoice {
    Only(FailureKind),
    Too(FailureKind),
    Not(FailureKind),
    All,
}

/// A set of kinds, in the order of [`FailureKind::ALL`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties(Vec<FailureKind>);

impl Default for Properties {
    /// Every kind but races: a program may race on purpose, with atomics that the compiler does not see.
    fn default() -> Properties {
        Properties(FailureKind::ALL.iter().copied().filter(|kind| *kind != FailureKind::Race).collect())
    }
}

impl Properties {
    /// Parses `--property`: kinds by name alone replace the default, `+KIND` and `no-KIND` change it.
    pub fn asked(words: &[KindChoice]) -> Result<Properties, Error> {
        let names_kinds = words.iter().any(|word| matches!(word, KindChoice::Only(_) | KindChoice::All));
        let mut properties = if names_kinds { Properties(Vec::new()) } else { Properties::default() };
        for word in words {
            match *word {
                KindChoice::All => FailureKind::ALL.iter().for_each(|kind| properties.add(*kind)),
                KindChoice::Only(kind) | KindChoice::Too(kind) => properties.add(kind),
                KindChoice::Not(_) => {}
            }
        }
        for word in words {
            if let KindChoice::Not(kind) = word {
                properties.remove(*kind);
            }
        }
        if properties.0.is_empty() {
            return Err(Error::NoKind);
        }
        Ok(properties)
    }

    pub fn kinds(&self) -> &[FailureKind] {
        &self.0
    }

    pub fn add(&mut self, kind: FailureKind) {
        if !self.0.contains(&kind) {
            self.0.push(kind);
            self.0.sort_unstable();
        }
    }

    pub fn remove(&mut self, kind: FailureKind) {
        self.0.retain(|known| *known != kind);
    }

    /// Kinds beyond the default.
    pub fn added(&self) -> impl Iterator<Item = FailureKind> {
        let usual = Properties::default();
        self.0.clone().into_iter().filter(move |kind| !usual.0.contains(kind))
    }

    /// Kinds of the default that are missing.
    pub fn left_out(&self) -> impl Iterator<Item = FailureKind> {
        Properties::default().0.into_iter().filter(|kind| !self.0.contains(kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(words: &[KindChoice]) -> Vec<&'static str> {
        let properties = Properties::asked(words).expect("some kind is left");
        properties.kinds().iter().map(|kind| kind.name()).collect()
    }

    #[test]
    fn the_default_is_everything_but_races() {
        assert_eq!(names(&[]), ["assertion", "abort", "memory", "exception", "deadlock", "hang", "exit"]);
        let usual = Properties::default();
        assert_eq!((usual.added().count(), usual.left_out().count()), (0, 0));
    }

    #[test]
    fn names_alone_are_exactly_these() {
        use FailureKind::{Deadlock, Race};
        assert_eq!(names(&[KindChoice::Only(Race)]), ["race"]);
        assert_eq!(names(&[KindChoice::Only(Race), KindChoice::Too(Deadlock)]), ["deadlock", "race"]);
    }

    #[test]
    fn signs_change_the_default() {
        let (race, exit) = (FailureKind::Race, FailureKind::Exit);
        let both = [KindChoice::Too(race), KindChoice::Not(exit)];
        assert_eq!(names(&both), ["assertion", "abort", "memory", "exception", "deadlock", "hang", "race"]);
        let asked = Properties::asked(&both).expect("some kind is left");
        assert_eq!(asked.added().collect::<Vec<_>>(), [race]);
        assert_eq!(asked.left_out().collect::<Vec<_>>(), [exit]);
        assert_eq!(names(&[KindChoice::All]).len(), FailureKind::ALL.len());
        // The order of the words has no meaning.
        assert_eq!(names(&[KindChoice::Not(exit), KindChoice::All]), names(&[KindChoice::All, KindChoice::Not(exit)]));
    }

    #[test]
    fn something_is_left_to_look_for() {
        let exit = FailureKind::Exit;
        assert!(Properties::asked(&[KindChoice::Only(exit), KindChoice::Not(exit)]).is_err());
    }
}
