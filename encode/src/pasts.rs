//! What a value was made of: for each thread, the last of its accesses that had a part in it. An execution is in order, so
//! no access finds what it or a later one of its thread had a part in. A counter that two threads increase three times each
//! then has seven values, and not as many as there are numbers.

/// By thread, one more than the position of the access; zero if there is none. Threads that are missing have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Past(Vec<u32>);

impl Past {
    fn of(&self, thread: usize) -> u32 {
        self.0.get(thread).copied().unwrap_or(0)
    }

    fn is_within(&self, other: &Past) -> bool {
        self.0.iter().enumerate().all(|(thread, &last)| last <= other.of(thread))
    }

    fn merged(&self, other: &Past, merge: impl Fn(u32, u32) -> u32) -> Past {
        let threads = self.0.len().max(other.0.len());
        Past((0..threads).map(|thread| merge(self.of(thread), other.of(thread))).collect())
    }
}

/// Different ways to the same value: at least one of them, or one that needs less, for each that there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pasts(Vec<Past>);

/// More ways than this to one value are not told apart.
const WAYS: usize = 8;

impl Pasts {
    /// Of what was there from the beginning.
    pub fn none() -> Pasts {
        Pasts(vec![Past::default()])
    }

    fn insert(&mut self, past: Past) -> bool {
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

    /// Whether anything is new.
    pub fn extend(&mut self, more: &Pasts) -> bool {
        let mut news = false;
        for past in &more.0 {
            news |= self.insert(past.clone());
        }
        news
    }

    /// Of what is made of both.
    pub fn joined(&self, other: &Pasts) -> Pasts {
        let mut all = Pasts(Vec::new());
        for one in &self.0 {
            for other in &other.0 {
                all.insert(one.merged(other, u32::max));
            }
        }
        all
    }

    /// Those that an access at this position of its thread may find.
    pub fn before(&self, thread: usize, position: u32) -> Option<Pasts> {
        let ways: Vec<Past> = self.0.iter().filter(|past| past.of(thread) <= position).cloned().collect();
        (!ways.is_empty()).then_some(Pasts(ways))
    }

    /// After an access at this position of its thread has had a part in it.
    pub fn through(&self, thread: usize, position: u32) -> Pasts {
        let mut own = Past(vec![0; thread + 1]);
        own.0[thread] = position + 1;
        self.joined(&Pasts(vec![own]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_finds_what_he_does_later() {
        let first = Pasts::none().through(0, 3);
        assert_eq!(first.before(0, 3), None);
        assert!(first.before(0, 4).is_some());
        assert!(first.before(1, 0).is_some());
        let both = first.through(1, 5);
        assert_eq!((both.before(0, 2), both.before(1, 5)), (None, None));
        assert!(both.before(1, 6).is_some_and(|both| both.before(0, 4).is_some()));
    }

    #[test]
    fn a_way_that_needs_less_replaces_others() {
        let (less, more) = (Pasts::none().through(0, 1), Pasts::none().through(0, 1).through(1, 1));
        let mut all = more.clone();
        assert!(all.extend(&less));
        assert_eq!(all, less);
        assert!(!all.extend(&more));
    }
}
