//! The body of one thread: a few random operations on shared objects, including its duties. The longest sequence of
//! steps is computed along with the text.

use super::duties::Duty;
use super::interleavings::Step;
use super::shared::{Shared, Style, Waiting};
use crate::random::Random;
use crate::source::{Source, c};

/// The thread of a body.
#[derive(Clone, Copy, PartialEq)]
pub enum Role {
    Main,
    Worker(usize),
}

#[derive(Clone)]
pub struct Body {
    pub text: Source,
    pub steps: Vec<Step>,
    /// The largest number of increments of the counter by this thread.
    pub increments: usize,
}

/// A thread while it is being written.
pub(super) struct Writer<'w> {
    pub(super) random: &'w mut Random,
    pub(super) shared: &'w mut Shared,
    pub(super) text: Source,
    pub(super) steps: Vec<Step>,
    increments: usize,
    /// Whether the current statement may be skipped.
    conditional: bool,
    held: Vec<usize>,
}

impl Body {
    /// A thread of about `size` steps that reports the values it has read.
    pub fn draw(random: &mut Random, shared: &mut Shared, size: usize, duties: Vec<Duty>, role: Role) -> Body {
        let mut writer = Writer {
            random,
            shared,
            text: Source::new(),
            steps: Vec::new(),
            increments: 0,
            conditional: false,
            held: Vec::new(),
        };
        let mut duties = duties.into_iter();
        while writer.steps.len() < size {
            let duty = if writer.random.chance(40) { duties.next() } else { None };
            match duty {
                Some(duty) => writer.perform(duty),
                None => writer.action(size - writer.steps.len()),
            }
        }
        duties.for_each(|duty| writer.perform(duty));
        let reads = writer.text.text().lines().any(|line| line.trim().starts_with("r = ") || line.contains(" r = "));
        if reads {
            writer.report(role);
        }
        if role != Role::Main && !writer.text.text().contains("return ") {
            writer.text.add("return NULL;");
        }
        let mut text = Source::new();
        text.add(if reads { "int r = 0;" } else { "" });
        text.add(writer.text.text());
        Body { text, steps: writer.steps, increments: writer.increments }
    }
}

impl Writer<'_> {
    /// Passes the values that the thread has read to main.
    fn report(&mut self, role: Role) {
        let returned = self.shared.returned;
        let steps = usize::from(!returned);
        match role {
            Role::Main => self.add(format!("{} = r;", self.shared.name("seen[3]")), steps),
            Role::Worker(_) if returned => self.add("return (void *)(intptr_t)r;", 0),
            Role::Worker(index) if self.shared.style == Style::Argument => {
                self.add(format!("{} = r;", self.shared.name(&format!("seen[{index}]"))), steps);
            }
            Role::Worker(_) => self.add("*own = r;", steps),
        }
    }

    pub(super) fn add(&mut self, text: impl AsRef<str>, steps: usize) {
        self.text.add(text);
        self.steps.extend(std::iter::repeat_n(Step::Plain, steps));
    }

    fn cell(&mut self) -> String {
        let cell = self.random.pick(&self.shared.cells);
        self.shared.touch(cell)
    }

    fn any_atomic(&mut self) -> String {
        let atomic = self.random.pick(&self.shared.atomics);
        self.shared.touch(atomic)
    }

    pub(super) fn mutex(&mut self, index: usize) -> String {
        let mutex = self.shared.mutexes[index];
        self.shared.touch(mutex)
    }

    fn small(&mut self) -> usize {
        1 + self.random.below(3)
    }

    /// One statement of at most about `room` steps.
    fn action(&mut self, room: usize) {
        let mut choices: Vec<fn(&mut Self, usize)> = vec![Self::simple; 3];
        let mut offer = |choice: fn(&mut Self, usize), times: usize, possible: bool| {
            choices.extend(std::iter::repeat_n(choice, if possible { times } else { 0 }));
        };
        let free = self.held.len() < self.shared.mutexes.len();
        offer(Self::section, 3, room >= 4 && free);
        offer(Self::nested, 3, room >= 3 && free && self.shared.mutexes.len() > 1);
        offer(Self::try_section, 1, room >= 3 && free);
        offer(Self::branch, 2, room >= 2);
        offer(Self::repeat, 1, room >= 4);
        offer(Self::pair, 1, room >= 2 && self.shared.cells.len() > 1);
        offer(Self::take_box, 4, room >= 2 && self.shared.pointers.boxed.is_some());
        offer(Self::guarded, 4, room >= 3 && self.shared.waiting == Some(Waiting::Guard) && !self.conditional);
        offer(Self::increment, 3, room >= 2 && self.shared.counter.is_some());
        offer(Self::pointer, 3, room >= 2 && self.shared.pointers.to_cell);
        offer(Self::atomic, 3, !self.shared.atomics.is_empty());
        let choice = self.random.pick(&choices);
        choice(self, room);
    }

    /// Two cells that are written together, or expected to be equal.
    fn pair(&mut self, _room: usize) {
        let (x, y) = (self.shared.touch(self.shared.cells[0]), self.shared.touch(self.shared.cells[1]));
        let n = self.small();
        if self.random.chance(60) {
            self.add(format!("{x} = {n};\n{y} = {n};"), 2);
        } else {
            self.add(format!("assert({x} == {y});"), 2);
        }
    }

    /// Reads and writes of cells.
    fn simple(&mut self, room: usize) {
        let (cell, other, n) = (self.cell(), self.cell(), self.small());
        match self.random.below(if room >= 2 { 8 } else { 5 }) {
            0 => self.add(format!("{cell} = {n};"), 1),
            2 => self.add(format!("r = {cell};"), 1),
            3 => self.add(format!("r = r * 4 + {cell};"), 1),
            4 if self.random.chance(30) => self.add(format!("assert({cell} != {n});"), 1),
            1 | 4 => self.add(format!("{cell} = {};", n + 2), 1),
            5 => self.add(format!("{cell} = {other} + {n};"), 2),
            6 => self.add(format!("{cell}++;"), 2),
            _ => self.add(format!("{cell} += {n};"), 2),
        }
    }

    fn increment(&mut self, room: usize) {
        let count = self.shared.touch("count");
        let careless = self.random.chance(35);
        match self.shared.counter {
            None => return self.simple(room),
            Some(true) => self.add(format!("atomic_fetch_add(&{count}, 1);"), 1),
            Some(false) if room >= 4 && !self.shared.mutexes.is_empty() && self.held.is_empty() && !careless => {
                self.locked(0, |writer| writer.add(format!("{count}++;"), 2));
            }
            Some(false) => self.add(format!("{count}++;"), 2),
        }
        self.increments += 1;
        self.shared.increments.most += 1;
        self.shared.increments.may_be_skipped |= self.conditional;
    }

    fn locked(&mut self, mutex: usize, inside: impl FnOnce(&mut Self)) {
        let name = self.mutex(mutex);
        self.text.add(format!("pthread_mutex_lock(&{name});"));
        self.steps.push(Step::Lock(mutex));
        self.held.push(mutex);
        inside(self);
        self.held.pop();
        self.text.add(format!("pthread_mutex_unlock(&{name});"));
        self.steps.push(Step::Unlock(mutex));
    }

    /// A mutex that this thread does not hold.
    fn free_mutex(&mut self) -> Option<usize> {
        let free: Vec<usize> = (0..self.shared.mutexes.len()).filter(|mutex| !self.held.contains(mutex)).collect();
        if free.is_empty() { None } else { Some(self.random.pick(&free)) }
    }

    fn section(&mut self, room: usize) {
        let Some(mutex) = self.free_mutex() else { return self.simple(room) };
        self.locked(mutex, |writer| {
            writer.action(room - 3);
            if room > 5 || writer.random.chance(30) {
                writer.simple(1);
            }
        });
    }

    /// Two locks in either order: a deadlock with a thread that acquires them in the other order.
    fn nested(&mut self, _room: usize) {
        let Some(outer) = self.free_mutex() else { return self.simple(2) };
        self.locked(outer, |writer| match writer.free_mutex() {
            Some(inner) => writer.locked(inner, |writer| writer.simple(1)),
            None => writer.simple(2),
        });
    }

    fn try_section(&mut self, _room: usize) {
        let Some(mutex) = self.free_mutex() else { return self.simple(1) };
        let name = self.mutex(mutex);
        let otherwise = self.cell();
        let before = std::mem::replace(&mut self.conditional, true);
        self.add(format!("if (pthread_mutex_trylock(&{name}) == 0) {{"), 1);
        self.held.push(mutex);
        self.simple(1);
        self.held.pop();
        self.add(format!("pthread_mutex_unlock(&{name});"), 1);
        if self.random.chance(60) {
            self.text.add(format!("}} else {{\n{otherwise} = 9;"));
        }
        self.text.add("}");
        self.conditional = before;
    }

    fn branch(&mut self, room: usize) {
        let cell =
            if !self.shared.atomics.is_empty() && self.random.chance(40) { self.any_atomic() } else { self.cell() };
        let (n, operator) = (self.random.below(3), self.random.pick(&["==", "!=", ">", "<="]));
        self.add(format!("if ({cell} {operator} {n}) {{"), 1);
        let before = std::mem::replace(&mut self.conditional, true);
        let start = self.steps.len();
        self.action(room - 1);
        if self.random.chance(40) {
            self.text.add("} else {");
            let then = self.steps.split_off(start);
            self.action(room - 1);
            self.steps.resize(self.steps.len().max(start + then.len()), Step::Plain);
        }
        // Optional operations must not count as blocking: the number of interleavings is an upper bound.
        self.steps[start..].fill(Step::Plain);
        self.text.add("}");
        self.conditional = before;
    }

    fn repeat(&mut self, room: usize) {
        let (increments, total) = (self.increments, self.shared.increments.most);
        self.text.add("for (int i = 0; i < 2; i++) {");
        let start = self.steps.len();
        if self.random.chance(30) && !self.shared.atomics.is_empty() {
            let name = self.any_atomic();
            self.add(format!("if (atomic_load(&{name})) break;"), 1);
        } else if self.random.chance(50) {
            self.simple(room / 2);
        } else {
            self.increment(room / 2);
        }
        self.text.add("}");
        let once = self.steps[start..].to_vec();
        self.steps.extend(once);
        self.shared.increments.most += self.shared.increments.most - total;
        self.increments += self.increments - increments;
    }

    fn atomic(&mut self, _room: usize) {
        let (a, n, k) = (self.any_atomic(), self.small(), self.random.below(2));
        let update = self.random.pick(&["sub", "or", "xor"]);
        match self.random.below(9) {
            0 => self.add(format!("atomic_store(&{a}, {n});"), 1),
            1 => self.add(format!("atomic_store_explicit(&{a}, {n}, memory_order_release);"), 1),
            2 => self.add(format!("r = atomic_load(&{a});"), 1),
            3 => self.add(format!("r = r * 4 + atomic_load_explicit(&{a}, memory_order_acquire);"), 1),
            4 => self.add(format!("r = atomic_fetch_add(&{a}, {n});"), 1),
            5 => self.add(format!("r = atomic_exchange(&{a}, {n});"), 1),
            6 => self.add(format!("atomic_fetch_{update}(&{a}, {n});"), 1),
            7 => self.add(
                c!(
                    r"{
                        int expected = $k;
                        if (!atomic_compare_exchange_strong(&$a, &expected, $n)) r = expected;
                    }",
                    a = a,
                    n = n,
                    k = k
                ),
                1,
            ),
            _ => self.add(
                c!(
                    r"{
                        int old = atomic_load(&$a);
                        for (int i = 0; i < 2; i++) {
                            if (atomic_compare_exchange_strong(&$a, &old, old + 1)) break;
                        }
                    }",
                    a = a
                ),
                3,
            ),
        }
    }

    fn pointer(&mut self, _room: usize) {
        let (p, cell, n) = (self.shared.touch("p"), self.cell(), self.small());
        match self.random.below(4) {
            0 => self.add(format!("{p} = &{cell};"), 1),
            1 => self.add(format!("*{p} = {n};"), 2),
            2 => self.add(format!("r = *{p};"), 2),
            _ => self.add(c!("{\nint *q = $p;\nif (q != &$c) r = *q + 1;\n}", p = p, c = cell), 2),
        }
    }

    /// Takes the heap object; without an atomic exchange two threads may both take it.
    fn take_box(&mut self, _room: usize) {
        let b = self.shared.touch("box");
        match self.shared.pointers.boxed {
            None => self.simple(2),
            Some(true) => self.add(
                c!(
                    r"{
                        struct box *mine = atomic_exchange(&$b, NULL);
                        if (mine) {
                            r = mine->value;
                            free(mine);
                        }
                    }",
                    b = b
                ),
                3,
            ),
            Some(false) if self.random.chance(40) => {
                let n = self.small();
                self.add(c!("{\nstruct box *found = $b;\nif (found) found->value = $n;\n}", b = b, n = n), 2);
            }
            Some(false) => self.add(
                c!(
                    r"{
                        struct box *mine = $b;
                        if (mine) {
                            $b = NULL;
                            r = mine->value;
                            free(mine);
                        }
                    }",
                    b = b
                ),
                4,
            ),
        }
    }

    /// A section between the two operations of a semaphore.
    fn guarded(&mut self, _room: usize) {
        let semaphore = self.shared.touch("semaphore");
        if self.random.chance(25) {
            self.add(format!("if (sem_trywait(&{semaphore}) == 0) {{"), 1);
            self.simple(1);
            self.add(format!("sem_post(&{semaphore});\n}}"), 1);
            return;
        }
        self.add(format!("sem_wait(&{semaphore});"), 1);
        self.simple(2);
        self.add(format!("sem_post(&{semaphore});"), 1);
    }
}
