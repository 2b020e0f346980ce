//! Which bytes threads share, found from the run itself: those that several threads touch and at least one of them
//! writes, since the first thread was forked.
//!
//! An address that depends on what others wrote can be somewhere else in another order, so all places where it may be are
//! counted too. That is known only once the run was followed with the bytes found so far; it is followed again until
//! nothing is added.

use std::collections::HashMap;

/// An object: its address, and how many objects began there before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectKey {
    pub base: u64,
    pub generation: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Byte {
    /// The first thread that touched it, plus one.
    first: u16,
    several: bool,
    written: bool,
    /// It has to be treated as shared whoever touches it.
    forced: bool,
}

impl Byte {
    fn is_shared(self) -> bool {
        self.forced || (self.several && self.written)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sharing {
    objects: HashMap<ObjectKey, Vec<Byte>>,
    /// By address: the first thread that used the lock or its like, plus one, and whether there was another.
    locks: HashMap<u64, (u16, bool)>,
}

impl Sharing {
    pub fn touch(&mut self, object: ObjectKey, offset: u64, bytes: u64, thread: usize, writes: bool) {
        let thread = (thread as u16).saturating_add(1);
        for byte in self.range(object, offset, bytes) {
            match byte.first {
                0 => byte.first = thread,
                first => byte.several |= first != thread,
            }
            byte.written |= writes;
        }
    }

    /// An access that is treated as shared has all its bytes shared.
    pub fn force(&mut self, object: ObjectKey, offset: u64, bytes: u64) {
        self.range(object, offset, bytes).iter_mut().for_each(|byte| byte.forced = true);
    }

    fn range(&mut self, object: ObjectKey, offset: u64, bytes: u64) -> &mut [Byte] {
        let all = self.objects.entry(object).or_default();
        let (begin, end) = (offset as usize, (offset + bytes) as usize);
        if all.len() < end {
            all.resize(end, Byte::default());
        }
        &mut all[begin..end]
    }

    /// Whether one of these bytes is shared.
    pub fn is_shared(&self, object: ObjectKey, offset: u64, bytes: u64) -> bool {
        let Some(all) = self.objects.get(&object) else { return false };
        let end = ((offset + bytes) as usize).min(all.len());
        all.get(offset as usize..end).is_some_and(|bytes| bytes.iter().any(|byte| byte.is_shared()))
    }

    pub fn has_shared(&self, object: ObjectKey) -> bool {
        self.objects.get(&object).is_some_and(|bytes| bytes.iter().any(|byte| byte.is_shared()))
    }

    /// Whether several threads touch some of the object, whatever they do.
    pub fn is_common(&self, object: ObjectKey) -> bool {
        self.objects.get(&object).is_some_and(|bytes| bytes.iter().any(|byte| byte.several))
    }

    pub fn use_lock(&mut self, at: u64, thread: usize) {
        let thread = (thread as u16).saturating_add(1);
        let entry = self.locks.entry(at).or_insert((thread, false));
        entry.1 |= entry.0 != thread;
    }

    pub fn is_lock_shared(&self, at: u64) -> bool {
        self.locks.get(&at).is_some_and(|&(_, several)| several)
    }

    /// Whether everything that `other` found was known here.
    pub fn covers(&self, other: &Sharing) -> bool {
        let known = |own: Option<&Byte>, byte: &Byte| {
            let own = own.copied().unwrap_or_default();
            (!byte.is_shared() || own.is_shared()) && (!byte.several || own.several)
        };
        let bytes = other.objects.iter().all(|(object, bytes)| {
            let own = self.objects.get(object).map_or(&[][..], Vec::as_slice);
            bytes.iter().enumerate().all(|(at, byte)| known(own.get(at), byte))
        });
        bytes && other.locks.keys().all(|&at| !other.is_lock_shared(at) || self.is_lock_shared(at))
    }

    /// Shared is what either of the two says is.
    pub fn join(&mut self, other: &Sharing) {
        for (&object, bytes) in &other.objects {
            self.objects.entry(object).or_default();
            for (offset, byte) in bytes.iter().enumerate() {
                let own = &mut self.range(object, offset as u64, 1)[0];
                own.forced |= byte.is_shared();
                own.several |= byte.several;
            }
        }
        for (&at, &(first, several)) in &other.locks {
            let entry = self.locks.entry(at).or_insert((first, several));
            entry.1 |= several || entry.0 != first;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shared_when_several_touch_and_one_writes() {
        let object = ObjectKey { base: 0x10000, generation: 0 };
        let mut sharing = Sharing::default();
        sharing.touch(object, 0, 8, 0, false);
        sharing.touch(object, 4, 8, 1, false);
        assert!(!sharing.has_shared(object));
        sharing.touch(object, 6, 1, 1, true);
        assert!(
            sharing.is_shared(object, 0, 8) && !sharing.is_shared(object, 0, 4) && !sharing.is_shared(object, 8, 4)
        );
        let mut again = Sharing::default();
        again.touch(object, 6, 1, 1, true);
        assert!(sharing.covers(&again) && !again.covers(&sharing));
        again.join(&sharing);
        assert!(again.covers(&sharing));
    }
}
