//! A points-to analysis by unification: classes of values and of memory, merged until every copy is accounted for
//! (Steensgaard).
//!
//! Each class of values has the class of memory that its values point to, each class of memory the class of values
//! stored in it. Merging two classes merges these too. One class of memory is [`Classes::SHARED`]: all memory that
//! several threads, or unknown code, may access. It points to itself.

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Class(u32);

#[derive(Debug)]
pub struct Classes {
    parents: Vec<u32>,
    /// For values the memory they point to, for memory the values in it; none until it is needed.
    next: Vec<Option<u32>>,
}

impl Classes {
    pub const SHARED: Class = Class(0);
    /// Values that lie in shared memory.
    pub const SHARED_VALUE: Class = Class(1);

    pub fn new() -> Classes {
        Classes { parents: vec![0, 1], next: vec![Some(1), Some(0)] }
    }

    pub fn fresh(&mut self) -> Class {
        let class = self.parents.len() as u32;
        self.parents.push(class);
        self.next.push(None);
        Class(class)
    }

    /// The representative of a class.
    pub fn find(&mut self, class: Class) -> Class {
        let mut at = class.0;
        while self.parents[at as usize] != at {
            let up = self.parents[self.parents[at as usize] as usize];
            self.parents[at as usize] = up;
            at = up;
        }
        Class(at)
    }

    /// The memory that values of this class point to, or the values that lie in this memory.
    pub fn behind(&mut self, class: Class) -> Class {
        let class = self.find(class);
        if let Some(next) = self.next[class.0 as usize] {
            return self.find(Class(next));
        }
        let next = self.fresh();
        self.next[class.0 as usize] = Some(next.0);
        next
    }

    pub fn merge(&mut self, a: Class, b: Class) {
        let mut pending = vec![(a, b)];
        while let Some((a, b)) = pending.pop() {
            let (a, b) = (self.find(a), self.find(b));
            if a == b {
                continue;
            }
            // The two named classes stay representatives.
            let (into, from) = if a.0 < b.0 { (a, b) } else { (b, a) };
            self.parents[from.0 as usize] = into.0;
            match (self.next[into.0 as usize], self.next[from.0 as usize]) {
                (Some(x), Some(y)) => pending.push((Class(x), Class(y))),
                (None, Some(y)) => self.next[into.0 as usize] = Some(y),
                _ => {}
            }
        }
    }

    /// Values of this class escape to unknown code.
    pub fn share(&mut self, value: Class) {
        let memory = self.behind(value);
        self.merge(memory, Classes::SHARED);
    }

    pub fn is_shared(&mut self, memory: Class) -> bool {
        self.find(memory) == self.find(Classes::SHARED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shared_memory_points_to_is_shared() {
        let mut classes = Classes::new();
        let (outer, inner) = (classes.fresh(), classes.fresh());
        let memory = classes.behind(outer);
        let content = classes.behind(memory);
        classes.merge(content, inner);
        let pointed = classes.behind(inner);
        assert!(!classes.is_shared(pointed));
        classes.share(outer);
        assert!(classes.is_shared(memory) && classes.is_shared(pointed));
    }

    #[test]
    fn merging_values_merges_what_they_point_to() {
        let mut classes = Classes::new();
        let (a, b) = (classes.fresh(), classes.fresh());
        let (at_a, at_b) = (classes.behind(a), classes.behind(b));
        classes.merge(a, b);
        assert_eq!(classes.find(at_a), classes.find(at_b));
        assert!(!classes.is_shared(at_a));
    }
}
