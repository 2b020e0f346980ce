//! Barriers. Arriving and leaving have a number each; the last thread to arrive passes at once, and gets the special
//! return value.

use core::ffi::{c_int, c_uint, c_void};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use wire::PAGE;

use crate::system;

use super::c_functions::{self as real, Object, replace};
use super::queue;
use super::turn::Turn;

const SERIAL_THREAD: c_int = -1;

/// How many threads a barrier waits for. Barriers are forgotten only when another one takes their place.
struct Barrier {
    next: *const Barrier,
    address: usize,
    count: AtomicUsize,
}

/// The most recently created one. This list belongs to the thread that has the turn.
static BARRIERS: AtomicPtr<Barrier> = AtomicPtr::new(null_mut());
/// Memory for more of them, and its end.
static ROOM: AtomicPtr<Barrier> = AtomicPtr::new(null_mut());
static ROOM_END: AtomicPtr<Barrier> = AtomicPtr::new(null_mut());

fn find(barrier: Object) -> Option<&'static Barrier> {
    let mut next = BARRIERS.load(Ordering::Relaxed).cast_const();
    // SAFETY: the list leads to barriers, which stay mapped.
    while let Some(known) = unsafe { next.as_ref() } {
        if known.address == barrier.addr() {
            return Some(known);
        }
        next = known.next;
    }
    None
}

fn remember(barrier: Object, count: usize) {
    if let Some(known) = find(barrier) {
        return known.count.store(count, Ordering::Relaxed);
    }
    if ROOM.load(Ordering::Relaxed) == ROOM_END.load(Ordering::Relaxed) {
        let Ok(page) = system::map_memory(PAGE) else { return };
        let page = page.cast::<Barrier>();
        ROOM.store(page, Ordering::Relaxed);
        ROOM_END.store(page.wrapping_add(PAGE / size_of::<Barrier>()), Ordering::Relaxed);
    }
    let place = ROOM.load(Ordering::Relaxed);
    let next = BARRIERS.load(Ordering::Relaxed);
    // SAFETY: the place is inside of the page, and no other code has a reference to it.
    unsafe { place.write(Barrier { next, address: barrier.addr(), count: AtomicUsize::new(count) }) };
    ROOM.store(place.wrapping_add(1), Ordering::Relaxed);
    BARRIERS.store(place, Ordering::Relaxed);
}

/// # Safety
/// As the C library's.
unsafe fn wait(turn: Turn<'_>, barrier: Object) -> c_int {
    let Some(known) = find(barrier) else {
        // Code without hooks has made it, and waits there too.
        turn.number();
        // SAFETY: the caller's barrier.
        let result = turn.outside(|| unsafe { real::pthread_barrier_wait(barrier) });
        return turn.done(result);
    };
    if queue::count(barrier) + 1 >= known.count.load(Ordering::Relaxed) {
        queue::wake_all(barrier);
        return turn.done(SERIAL_THREAD);
    }
    let Some(waiter) = queue::join(barrier) else {
        // Without memory no thread can wait here.
        super::lose();
        return turn.done(0);
    };
    turn.number();
    turn.outside(|| waiter.sleep(None));
    queue::give_back(waiter);
    turn.done(0)
}

replace! {
    fn pthread_barrier_init(barrier: Object, attributes: *const c_void, count: c_uint) = |turn| {
        let result = real::pthread_barrier_init(barrier, attributes, count);
        if result == 0 {
            remember(barrier, count as usize);
        }
        turn.done(result)
    };
    fn pthread_barrier_wait(barrier: Object) = |turn| wait(turn, barrier);
}
