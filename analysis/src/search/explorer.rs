//! An exploration that pauses when its work is used up, and resumes when it gets more.
//!
//! It has a thread of its own, which keeps its state while it is paused. The point of a pause depends on its work
//! alone.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use vm::explore::{Cut, Exploration, Hashing};

use crate::budget::Budget;
use crate::program::{Loaded, Settings};

const WAIT: Duration = Duration::from_millis(20);

/// How long an exploration may take to notice that its budget is over. A single step may be a long computation.
const GRACE: Duration = Duration::from_millis(300);

/// How much an exploration may do until it pauses.
struct Leave {
    /// All work since its beginning.
    until: u64,
    budget: Budget,
}

#[derive(Clone, Copy, Default)]
pub struct SoFar {
    pub work: u64,
    pub executions: u64,
    pub states: u64,
    pub transitions: u64,
}

impl SoFar {
    fn of(exploration: &Exploration) -> SoFar {
        SoFar {
            work: exploration.work,
            executions: exploration.executions,
            states: exploration.states,
            transitions: exploration.transitions,
        }
    }
}

enum Heard {
    Paused(SoFar),
    Ended(Box<Exploration>),
}

pub struct Explorer {
    leave: Sender<Leave>,
    heard: Receiver<Heard>,
    pub so_far: SoFar,
    /// It finished or was abandoned.
    pub has_ended: bool,
}

impl Explorer {
    pub fn start(loaded: &Loaded, settings: &Settings, hashing: Hashing, all: bool) -> Explorer {
        let (leave, leaves) = mpsc::channel::<Leave>();
        let (tell, heard) = mpsc::channel();
        let (program, settings) = (Arc::clone(&loaded.program), settings.clone());
        thread::spawn(move || {
            let Ok(mut current) = leaves.recv() else { return };
            let code = Rc::new(vm::Code::new(&program));
            let bounds = vm::explore::Settings { hashing, all, ..vm::explore::Settings::default() };
            let exploration = vm::explore::explore(&code, &settings.options(false), &bounds, &mut |exploration| {
                if current.budget.is_over() {
                    return false;
                }
                // The failure's schedule is being shortened: the search itself is done.
                let is_found = exploration.cuts.contains(&Cut::FirstFailure);
                if exploration.work < current.until || is_found {
                    return true;
                }
                let paused = tell.send(Heard::Paused(SoFar::of(exploration)));
                match paused.ok().and_then(|()| leaves.recv().ok()) {
                    Some(next) => current = next,
                    None => return false,
                }
                true
            });
            // The search has ended where the channel is closed.
            let _ = tell.send(Heard::Ended(Box::new(exploration)));
        });
        Explorer { leave, heard, so_far: SoFar::default(), has_ended: false }
    }

    /// Continues up to a total amount of work; returns its result when it has finished.
    pub fn go_on(&mut self, until: u64, budget: &Budget) -> Option<Exploration> {
        if self.has_ended || self.leave.send(Leave { until, budget: budget.clone() }).is_err() {
            self.has_ended = true;
            return None;
        }
        let mut over_since = None;
        loop {
            match self.heard.recv_timeout(WAIT) {
                Ok(Heard::Paused(so_far)) => {
                    self.so_far = so_far;
                    return None;
                }
                Ok(Heard::Ended(exploration)) => {
                    self.so_far = SoFar::of(&exploration);
                    self.has_ended = true;
                    return Some(*exploration);
                }
                Err(RecvTimeoutError::Timeout) => {
                    if !budget.is_over() || over_since.get_or_insert_with(Instant::now).elapsed() < GRACE {
                        continue;
                    }
                    self.has_ended = true;
                    return None;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    self.has_ended = true;
                    return None;
                }
            }
        }
    }
}
