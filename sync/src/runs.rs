//! Sample runs of a program under different orders: the accesses of its threads, their waits, and the threads that
//! release them.
//!
//! The orders depend on the seed alone. The first ones let each thread run for as long as possible; the others preempt
//! more and more often.

use std::rc::Rc;

use semantics::code::Code;
use vm::{Machine, Options, Readiness};

use crate::observe::{self, Step, Taken, What};

/// One step of a run.
#[derive(Clone, Debug)]
pub struct Entry {
    pub step: Step,
    /// Threads that waited until this step.
    pub released: Vec<usize>,
    /// Some thread besides the first one was there.
    pub threaded: bool,
}

impl std::ops::Deref for Entry {
    type Target = Step;

    fn deref(&self) -> &Step {
        &self.step
    }
}

#[derive(Clone, Debug, Default)]
pub struct Run {
    pub entries: Vec<Entry>,
    /// The thread and the choice of each step.
    pub path: Vec<(usize, u64)>,
    /// Every thread ended.
    pub complete: bool,
    /// No thread was enabled.
    pub stuck: bool,
    /// The program's own first failure. A process ends there; the run goes on with the other threads, to learn from them.
    pub failure: Option<vm::Failure>,
    /// How many steps a process takes.
    pub real: usize,
    pub unsupported: Option<(String, vm::Site)>,
    pub threads: usize,
    /// Preemptions were avoided.
    pub undisturbed: bool,
}

impl Run {
    fn fail(&mut self, failure: vm::Failure) {
        if self.failure.is_none() {
            (self.failure, self.real) = (Some(failure), self.path.len());
        }
    }
}

/// How the next thread is picked.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    seed: u64,
    /// The number of steps in 16 that may preempt.
    preempts: u64,
    /// Ties go to the youngest thread.
    youngest: bool,
}

impl Order {
    /// The orders that are tried, in turn.
    pub fn number(index: u64, seed: u64) -> Order {
        let preempts = match index {
            0 | 1 => 0,
            _ => [1, 2, 4, 8, 16][(index % 5) as usize],
        };
        Order { seed: seed.wrapping_add(index).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, preempts, youngest: index == 1 }
    }
}

/// A loop with too complex iterations is assumed to wait for one of this many last reads.
const LOOKED: usize = 12;

struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides.max(1)
    }
}

/// Executes one run, for at most `most` steps.
pub fn run(code: &Rc<Code>, options: &Options, order: Order, most: usize) -> Run {
    let mut machine = Machine::new(code, options);
    let mut run = Run { undisturbed: order.preempts == 0, real: usize::MAX, ..Run::default() };
    let mut dice = Dice(order.seed);
    let mut last: Option<usize> = None;
    // By thread: its reads since its last write.
    let mut looked: Vec<Vec<u64>> = Vec::new();
    loop {
        let count = machine.thread_count();
        run.threads = count;
        let ready: Vec<usize> = (0..count).filter(|&thread| machine.readiness(thread) != Readiness::Blocked).collect();
        if ready.is_empty() {
            run.complete = machine.all_finished() && run.failure.is_none();
            run.stuck = !machine.all_finished() && run.failure.is_none();
            return run;
        }
        let stays = last.filter(|last| ready.contains(last) && !machine.shared.turn.yielded);
        let thread = match stays {
            Some(last) if dice.below(16) >= order.preempts => last,
            _ if order.preempts == 0 && order.youngest => ready[ready.len() - 1],
            _ if order.preempts == 0 => {
                // After a yield all other threads come first.
                let after = last.map_or(0, |last| last + 1);
                ready.iter().copied().find(|&thread| thread >= after).unwrap_or(ready[0])
            }
            _ => ready[dice.below(ready.len() as u64) as usize],
        };
        let choice = match machine.readiness(thread) {
            Readiness::Ready { alternatives } if alternatives > 1 => dice.below(alternatives),
            Readiness::Input { .. } => dice.below(2),
            _ => 0,
        };
        while looked.len() < machine.thread_count() {
            looked.push(Vec::new());
        }
        let waited: Vec<usize> =
            (0..count).filter(|&other| other != thread && observe::waiting(&machine, other).is_some()).collect();
        run.path.push((thread, choice));
        let (mut step, taken) = observe::step(&mut machine, thread, choice);
        if let What::Memory { at, writes, .. } = step.what {
            if writes {
                looked[thread].clear();
            }
            if looked[thread].len() >= LOOKED {
                looked[thread].remove(0);
            }
            looked[thread].push(at);
        }
        if let Some(waits) = &mut step.waits
            && waits.places.is_empty()
        {
            waits.places.clone_from(&looked[thread]);
            waits.places.sort_unstable();
            waits.places.dedup();
        }
        let released =
            waited.into_iter().filter(|&other| observe::waiting(&machine, other).is_none()).collect::<Vec<_>>();
        run.entries.push(Entry { step, released, threaded: machine.thread_count() > 1 });
        last = Some(thread);
        match taken {
            Taken::On => {}
            Taken::Failed(failure) => run.fail(*failure),
            Taken::Ended => {
                run.complete = run.failure.is_none();
                return run;
            }
            Taken::TooLong => return run,
            Taken::Unsupported(what, site) => {
                run.unsupported = Some((what, *site));
                return run;
            }
        }
        if run.path.len() >= most {
            return run;
        }
    }
}
