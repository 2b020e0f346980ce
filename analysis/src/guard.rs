//! Optional work. A panic in it only costs its result.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Whether [`guarded`] waits for a panic.
static GUARDED: AtomicBool = AtomicBool::new(false);

/// The first panic since then.
static CAUGHT: Mutex<Option<String>> = Mutex::new(None);

/// Executes the work. The error is the place of a panic, if the process has a hook that calls [`keep_panic`].
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let outer = GUARDED.swap(true, Ordering::SeqCst);
    let result = catch_unwind(AssertUnwindSafe(work));
    GUARDED.store(outer, Ordering::SeqCst);
    let caught = CAUGHT.lock().unwrap_or_else(PoisonError::into_inner).take();
    result.map_err(|_| format!("{} (this is a bug in heddle)", caught.unwrap_or_else(|| "a panic".to_owned())))
}

/// For the process's panic hook: stores the message of a panic in guarded work. `false` for any other panic.
pub fn keep_panic(panic: &dyn ToString) -> bool {
    if !GUARDED.load(Ordering::SeqCst) {
        return false;
    }
    let text = panic.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    CAUGHT.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(text);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_costs_only_the_work_that_is_guarded() {
        assert_eq!(guarded(|| 7), Ok(7));
        let error = guarded(|| if std::hint::black_box(true) { panic!("no such event") } else { 7 });
        assert!(error.is_err_and(|error| error.ends_with("(this is a bug in heddle)")));
        assert_eq!(guarded(|| 8), Ok(8));
    }
}
