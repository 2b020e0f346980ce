//! The dependences of values: for each thread, the last of its places that contributed to a value. An execution follows
//! program order, so a thread cannot read a value to which a later place of its own has contributed. A counter that two
//! threads increment three times each then has seven values, not one for every number.

use std::rc::Rc;

use crate::bounded::place::Key;

/// By thread, in order.
type Past = Vec<(usize, Key)>;

/// Alternative dependences of one value: a value depends on at least one of them, or on less.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pasts(Rc<[Past]>);

/// At most this many alternatives are kept for one value.
const WAYS: usize = 4;

/// The place of a read.
#[derive(Clone, Debug)]
pub struct Looking {
    pub thread: usize,
    pub key: Key,
    /// Whether it writes there in the same step, so that it cannot read its own value.
    pub updates: bool,
}

fn is_within(one: &Past, other: &Past) -> bool {
    one.iter().all(|(thread, last)| of(other, *thread).is_some_and(|known| last <= known))
}

fn of(past: &Past, thread: usize) -> Option<&Key> {
    past.iter().find(|(other, _)| *other == thread).map(|(_, key)| key)
}

fn latest(one: &Past, other: &Past) -> Past {
    let mut all = one.clone();
    for (thread, key) in other {
        match all.iter_mut().find(|(known, _)| known == thread) {
            Some((_, known)) if *known >= *key => {}
            Some((_, known)) => *known = key.clone(),
            None => all.push((*thread, key.clone())),
        }
    }
    all.sort();
    all
}

/// The common part of both.
fn earliest(one: &Past, other: &Past) -> Past {
    let both = |(thread, key): &(usize, Key)| Some((*thread, of(other, *thread)?.min(key).clone()));
    one.iter().filter_map(both).collect()
}

fn insert(ways: &mut Vec<Past>, past: Past) -> bool {
    if ways.iter().any(|known| is_within(known, &past)) {
        return false;
    }
    ways.retain(|known| !is_within(&past, known));
    ways.push(past);
    if ways.len() > WAYS {
        let least = ways[1..].iter().fold(ways[0].clone(), |one, other| earliest(&one, other));
        *ways = vec![least];
    }
    true
}

impl Pasts {
    /// The dependences of an initial value: none.
    pub fn none() -> Pasts {
        Pasts(Rc::from([Past::new()]))
    }

    fn is_none(&self) -> bool {
        self.0.iter().any(Vec::is_empty)
    }

    /// Adds alternatives. Returns whether that changed anything.
    pub fn extend(&mut self, more: &Pasts) -> bool {
        if Rc::ptr_eq(&self.0, &more.0) || self.is_none() {
            return false;
        }
        let mut ways = self.0.to_vec();
        let mut news = false;
        for past in more.0.iter() {
            news |= insert(&mut ways, past.clone());
        }
        if news {
            self.0 = ways.into();
        }
        news
    }

    /// The dependences of a value computed from both.
    pub fn joined(&self, other: &Pasts) -> Pasts {
        if Rc::ptr_eq(&self.0, &other.0) || self.is_none() && self.0.len() == 1 {
            return other.clone();
        }
        if other.is_none() && other.0.len() == 1 {
            return self.clone();
        }
        let mut all = Vec::new();
        for one in self.0.iter() {
            for other in other.0.iter() {
                insert(&mut all, latest(one, other));
            }
        }
        Pasts(all.into())
    }

    /// The alternatives that a read at this place can observe.
    pub fn before(&self, looking: &Looking) -> Option<Pasts> {
        let is_behind = |past: &Past| match of(past, looking.thread) {
            None => true,
            Some(last) if looking.updates => *last < looking.key,
            Some(last) => *last <= looking.key,
        };
        if self.0.iter().all(is_behind) {
            return Some(self.clone());
        }
        let ways: Vec<Past> = self.0.iter().filter(|past| is_behind(past)).cloned().collect();
        (!ways.is_empty()).then(|| Pasts(ways.into()))
    }

    /// The dependences after a place of a thread has contributed.
    pub fn through(&self, thread: usize, key: &Key) -> Pasts {
        self.joined(&Pasts(Rc::from([vec![(thread, key.clone())]])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(thread: usize, place: u32) -> Looking {
        Looking { thread, key: Rc::from([place]), updates: false }
    }

    fn through(pasts: &Pasts, thread: usize, place: u32) -> Pasts {
        pasts.through(thread, &Rc::from([place]))
    }

    #[test]
    fn nobody_finds_what_he_does_later() {
        let first = through(&Pasts::none(), 0, 3);
        assert_eq!(first.before(&at(0, 2)), None);
        assert_eq!(first.before(&Looking { updates: true, ..at(0, 3) }), None);
        assert!(first.before(&at(0, 3)).is_some());
        assert!(first.before(&at(1, 0)).is_some());
        let both = through(&first, 1, 5);
        assert_eq!((both.before(&at(0, 2)), both.before(&at(1, 4))), (None, None));
        assert!(both.before(&at(1, 6)).is_some_and(|both| both.before(&at(0, 4)).is_some()));
    }

    #[test]
    fn a_way_that_needs_less_replaces_others() {
        let less = through(&Pasts::none(), 0, 1);
        let more = through(&less, 1, 1);
        let mut all = more.clone();
        assert!(all.extend(&less));
        assert_eq!(all, less);
        assert!(!all.extend(&more));
    }
}
