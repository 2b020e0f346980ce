//! Deadlines, and polling waits.

use core::ffi::c_int;

use crate::system::{self, Time};

pub const REAL_TIME: c_int = 0;
pub const MONOTONIC: c_int = 1;

/// Functions that take a clock take no other one than these.
pub fn is_clock(clock: c_int) -> bool {
    matches!(clock, REAL_TIME | MONOTONIC)
}

/// A moment that every clock has passed.
pub static PAST: Time = Time { seconds: 0, nanoseconds: 0 };

#[derive(Clone, Copy)]
pub struct Deadline {
    clock: c_int,
    at: Time,
}

impl Deadline {
    /// # Safety
    /// `at` is null, which is no deadline, or a time of C.
    pub unsafe fn new(clock: c_int, at: *const Time) -> Option<Deadline> {
        // SAFETY: the caller's word for it.
        unsafe { at.as_ref() }.map(|at| Deadline { clock, at: *at })
    }

    pub fn is_valid(&self) -> bool {
        (0..1_000_000_000).contains(&self.at.nanoseconds)
    }

    pub fn has_passed(&self) -> bool {
        self.left() == 0
    }

    /// How many nanoseconds there are until then.
    pub fn left(&self) -> u64 {
        // An unknown clock never reaches its deadline.
        let Ok(now) = system::clock(self.clock) else { return u64::MAX };
        if now >= self.at {
            return 0;
        }
        let seconds = self.at.seconds.saturating_sub(now.seconds).saturating_mul(1_000_000_000);
        u64::try_from(seconds.saturating_add(self.at.nanoseconds - now.nanoseconds)).unwrap_or(0)
    }
}

/// Waits a little longer each time.
pub struct Patience(u32);

impl Patience {
    pub fn new() -> Patience {
        Patience(0)
    }

    pub fn wait(&mut self) {
        const AWAKE: u32 = 32;
        const SHORTEST: u64 = 20_000;
        if self.0 < AWAKE {
            system::give_way();
        } else {
            system::sleep(SHORTEST << (self.0 - AWAKE).min(6));
        }
        self.0 = self.0.saturating_add(1);
    }
}
