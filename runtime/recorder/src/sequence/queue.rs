//! Threads that sleep until another one wakes them, in FIFO order.
//!
//! An entry is identified by the address that its thread waits for, so that no data is stored in the program's own
//! objects. The queue belongs to the thread that has the turn. Its entries are never unmapped: a thread that dies
//! during a wait leaves one behind, which is harmless.

use core::ffi::c_void;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};

use wire::PAGE;

use crate::system;

use super::time::Deadline;

pub struct Waiter {
    next: AtomicPtr<Waiter>,
    /// The address that it waits for.
    address: AtomicUsize,
    woken: AtomicU32,
}

static FIRST: AtomicPtr<Waiter> = AtomicPtr::new(null_mut());
static FREE: AtomicPtr<Waiter> = AtomicPtr::new(null_mut());

fn follow(link: &AtomicPtr<Waiter>) -> Option<&'static Waiter> {
    // SAFETY: links lead to entries, which stay mapped.
    unsafe { link.load(Ordering::Relaxed).as_ref() }
}

fn set(link: &AtomicPtr<Waiter>, waiter: Option<&'static Waiter>) {
    let waiter = waiter.map_or(null_mut(), |waiter| (&raw const *waiter).cast_mut());
    link.store(waiter, Ordering::Relaxed);
}

/// An unused entry; none if there is no memory.
fn allocate() -> Option<&'static Waiter> {
    if follow(&FREE).is_none() {
        let page = system::map_memory(PAGE).ok()?.cast::<Waiter>();
        for index in 0..PAGE / size_of::<Waiter>() {
            // SAFETY: the page has room for this many, and zeros are an entry.
            give_back(unsafe { &*page.add(index) });
        }
    }
    let waiter = follow(&FREE)?;
    set(&FREE, follow(&waiter.next));
    Some(waiter)
}

/// Frees the entry.
pub fn give_back(waiter: &'static Waiter) {
    set(&waiter.next, follow(&FREE));
    set(&FREE, Some(waiter));
}

/// Gets in line.
pub fn join(address: *const c_void) -> Option<&'static Waiter> {
    let waiter = allocate()?;
    waiter.address.store(address.addr(), Ordering::Relaxed);
    waiter.woken.store(0, Ordering::Relaxed);
    set(&waiter.next, None);
    let mut link = &FIRST;
    while let Some(other) = follow(link) {
        link = &other.next;
    }
    set(link, Some(waiter));
    Some(waiter)
}

/// Takes the first one out of the line that is wanted.
fn remove(is_wanted: impl Fn(&'static Waiter) -> bool) -> Option<&'static Waiter> {
    let mut link = &FIRST;
    while let Some(waiter) = follow(link) {
        if is_wanted(waiter) {
            set(link, follow(&waiter.next));
            return Some(waiter);
        }
        link = &waiter.next;
    }
    None
}

/// Gives up waiting.
pub fn leave(waiter: &'static Waiter) {
    remove(|other| core::ptr::eq(other, waiter));
}

/// Wakes the thread that has waited longest; returns whether there was one.
pub fn wake_first(address: *const c_void) -> bool {
    let waiter = remove(|waiter| waiter.address.load(Ordering::Relaxed) == address.addr());
    if let Some(waiter) = waiter {
        waiter.woken.store(1, Ordering::Release);
        system::wake(&waiter.woken);
    }
    waiter.is_some()
}

pub fn wake_all(address: *const c_void) {
    while wake_first(address) {}
}

/// How many wait.
pub fn count(address: *const c_void) -> usize {
    let mut count = 0;
    let mut link = &FIRST;
    while let Some(waiter) = follow(link) {
        count += usize::from(waiter.address.load(Ordering::Relaxed) == address.addr());
        link = &waiter.next;
    }
    count
}

impl Waiter {
    pub fn is_woken(&self) -> bool {
        self.woken.load(Ordering::Acquire) != 0
    }

    /// Sleeps until it is woken, or the deadline has passed. No turn is needed for this.
    pub fn sleep(&self, deadline: Option<Deadline>) {
        // Clocks can be set.
        const LONGEST: u64 = 100_000_000;
        while !self.is_woken() {
            let left = deadline.map_or(LONGEST, |deadline| deadline.left());
            if left == 0 {
                return;
            }
            system::wait(&self.woken, 0, left.min(LONGEST));
        }
    }
}

#[cfg(test)]
mod tests {
    use core::ptr::without_provenance;

    use super::*;

    #[test]
    fn whoever_came_first_is_woken_first() {
        let (one, other) = (without_provenance(16), without_provenance(32));
        let waiters = [one, other, one, one].map(|address| join(address).expect("there is memory"));
        let woken = || waiters.map(|waiter| waiter.is_woken());
        assert_eq!((count(one), count(other), count(without_provenance(48))), (3, 1, 0));
        assert!(wake_first(one));
        assert_eq!(woken(), [true, false, false, false]);
        leave(waiters[2]);
        assert_eq!(count(one), 1);
        wake_all(one);
        assert_eq!(woken(), [true, false, false, true]);
        assert!(!wake_first(one));
        wake_all(other);
        assert_eq!((count(one), count(other)), (0, 0));
        waiters[0].sleep(None);
        waiters.into_iter().for_each(give_back);
        for _ in 0..1000 {
            join(one).expect("there is memory");
        }
        assert_eq!(count(one), 1000);
        wake_all(one);
        assert_eq!(count(one), 0);
    }
}
