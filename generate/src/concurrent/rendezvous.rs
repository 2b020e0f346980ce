//! How threads do their duties: correctly, or with the errors seen in practice.

use super::body::Writer;
use super::duties::Duty;
use super::interleavings::Step;
use super::shared::Waiting;
use crate::source::c;

impl Writer<'_> {
    pub(super) fn perform(&mut self, duty: Duty) {
        match (duty, self.shared.waiting) {
            (Duty::Meet, _) => self.add(format!("pthread_barrier_wait(&{});", self.shared.name("barrier")), 2),
            (Duty::Await, Some(Waiting::Signal)) => self.await_semaphore(),
            (Duty::Await, _) => self.await_condition(),
            (Duty::Notify, Some(Waiting::Signal)) => {
                self.add(format!("sem_post(&{});", self.shared.name("semaphore")), 1)
            }
            (Duty::Notify, _) => self.notify(),
        }
    }

    fn await_semaphore(&mut self) {
        let semaphore = self.shared.name("semaphore");
        if self.random.chance(20) {
            let text = c!(
                r"struct timespec soon = {0, 0};
                if (sem_timedwait(&$s, &soon) != 0) r = 7;",
                s = semaphore
            );
            self.add(format!("{{\n{text}\n}}"), 2);
        } else {
            self.add(format!("sem_wait(&{semaphore});"), 1);
        }
    }

    /// Waits for the flag; correct with `while`, incorrect otherwise.
    fn await_condition(&mut self) {
        let (m, changed, ready) = (self.mutex(0), self.shared.name("changed"), self.shared.name("ready"));
        let wait = match self.random.below(8) {
            0..=3 => "while (!$r) pthread_cond_wait(&$c, &$m);",
            4 | 5 => "if (!$r) pthread_cond_wait(&$c, &$m);",
            6 => "pthread_cond_wait(&$c, &$m);",
            _ => {
                r"{
                    struct timespec soon = {0, 0};
                    while (!$r) {
                        if (pthread_cond_timedwait(&$c, &$m, &soon) == ETIMEDOUT) break;
                    }
                }"
            }
        };
        self.text.add(format!("pthread_mutex_lock(&{m});"));
        self.text.add(c!(wait, r = ready, c = changed, m = m));
        self.text.add(format!("r = {ready};\npthread_mutex_unlock(&{m});"));
        self.steps.extend([Step::Lock(0), Step::Plain, Step::Unlock(0)]);
        // The time-out is a separate step.
        self.steps.extend(wait.contains("timedwait").then_some(Step::Plain));
        self.steps.extend([Step::Lock(0), Step::Plain, Step::Plain, Step::Unlock(0)]);
    }

    fn notify(&mut self) {
        let (m, changed, ready) = (self.mutex(0), self.shared.name("changed"), self.shared.name("ready"));
        let wake = self.random.pick(&["signal", "signal", "broadcast"]);
        let lock = [Step::Lock(0), Step::Plain];
        match self.random.below(5) {
            0 => {
                self.text.add(c!("$r = 1;\npthread_cond_$w(&$c);", r = ready, w = wake, c = changed));
                self.steps.extend([Step::Plain, Step::Plain]);
            }
            1 => {
                self.text.add(c!(
                    r"pthread_mutex_lock(&$m);
                    $r = 1;
                    pthread_mutex_unlock(&$m);
                    pthread_cond_$w(&$c);",
                    m = m,
                    r = ready,
                    w = wake,
                    c = changed
                ));
                self.steps.extend(lock);
                self.steps.extend([Step::Unlock(0), Step::Plain]);
            }
            _ => {
                self.text.add(c!(
                    r"pthread_mutex_lock(&$m);
                    $r = 1;
                    pthread_cond_$w(&$c);
                    pthread_mutex_unlock(&$m);",
                    m = m,
                    r = ready,
                    w = wake,
                    c = changed
                ));
                self.steps.extend(lock);
                self.steps.extend([Step::Plain, Step::Unlock(0)]);
            }
        }
    }
}
