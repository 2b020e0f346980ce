//! The provenance of a value: for each thread, the last of its accesses that the value depends on. A read cannot
//! observe values derived from itself or from po-later accesses. A counter that two threads increment three times each
//! then has seven values, and not as many as its width allows.

/// By thread, one more than the position of the access; zero if there is none, also for missing threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance(Vec<u32>);

impl Provenance {
    fn of(&self, thread: usize) -> u32 {
        self.0.get(thread).copied().unwrap_or(0)
    }

    fn is_within(&self, other: &Provenance) -> bool {
        self.0.iter().enumerate().all(|(thread, &last)| last <= other.of(thread))
    }

    fn merged(&self, other: &Provenance, merge: impl Fn(u32, u32) -> u32) -> Provenance {
        let threads = self.0.len().max(other.0.len());
        Provenance((0..threads).map(|thread| merge(self.of(thread), other.of(thread))).collect())
    }
}

/// Alternative derivations of the same value: an antichain of minimal provenances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenances(Vec<Provenance>);

/// With more derivations than this of one value, their meet replaces them.
const WAYS: usize = 8;

impl Provenances {
    /// The provenance of an initial value.
    pub fn none() -> Provenances {
        Provenances(vec![Provenance::default()])
    }

    fn insert(&mut self, past: Provenance) -> bool {
        if self.0.iter().any(|known| known.is_within(&past)) {
            return false;
        }
        self.0.retain(|known| !past.is_within(known));
        self.0.push(past);
        if self.0.len() > WAYS {
            let least = self.0.iter().fold(self.0[0].clone(), |one, other| one.merged(other, u32::min));
            self.0 = vec![least];
        }
        true
    }

    /// Returns whether anything was added.
    pub fn extend(&mut self, more: &Provenances) -> bool {
        let mut news = false;
        for past in &more.0 {
            news |= self.insert(past.clone());
        }
        news
    }

    /// The provenance of a value computed from both.
    pub fn joined(&self, other: &Provenances) -> Provenances {
        let mut all = Provenances(Vec::new());
        for one in &self.0 {
            for other in &other.0 {
                all.insert(one.merged(other, u32::max));
            }
        }
        all
    }

    /// The derivations that an access at this position of its thread may observe.
    pub fn before(&self, thread: usize, position: u32) -> Option<Provenances> {
        let ways: Vec<Provenance> = self.0.iter().filter(|past| past.of(thread) <= position).cloned().collect();
        (!ways.is_empty()).then_some(Provenances(ways))
    }

    /// Adds an access at this position of its thread to the provenance.
    pub fn through(&self, thread: usize, position: u32) -> Provenances {
        let mut own = Provenance(vec![0; thread + 1]);
        own.0[thread] = position + 1;
        self.joined(&Provenances(vec![own]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_finds_what_he_does_later() {
        let first = Provenances::none().through(0, 3);
        assert_eq!(first.before(0, 3), None);
        assert!(first.before(0, 4).is_some());
        assert!(first.before(1, 0).is_some());
        let both = first.through(1, 5);
        assert_eq!((both.before(0, 2), both.before(1, 5)), (None, None));
        assert!(both.before(1, 6).is_some_and(|both| both.before(0, 4).is_some()));
    }

    #[test]
    fn a_way_that_needs_less_replaces_others() {
        let (less, more) = (Provenances::none().through(0, 1), Provenances::none().through(0, 1).through(1, 1));
        let mut all = more.clone();
        assert!(all.extend(&less));
        assert_eq!(all, less);
        assert!(!all.extend(&more));
    }
}
