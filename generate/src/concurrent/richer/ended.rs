//! Uses of a synchronisation object that a thread destroys, possibly too early, possibly twice.

use super::fragment::{Fragment, locks};
use crate::random::Random;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Mutex,
    Condition,
    Rwlock,
    Semaphore,
    Barrier,
}

const MUTEX: [Fragment; 9] = [
    locks(4, "pthread_mutex_lock(&d);\nx++;\npthread_mutex_unlock(&d);"),
    locks(3, "pthread_mutex_lock(&d);\nx = $n;\npthread_mutex_unlock(&d);"),
    locks(4, "if (pthread_mutex_trylock(&d) == 0) {\nx++;\npthread_mutex_unlock(&d);\n}"),
    locks(1, "pthread_mutex_destroy(&d);"),
    locks(2, "if (pthread_mutex_destroy(&d) == 0) x = $n;"),
    locks(2, "if (pthread_mutex_destroy(&d) == EBUSY) r += 1;"),
    locks(2, "if (pthread_mutex_destroy(&d) == 0) pthread_mutex_init(&d, NULL);"),
    locks(3, "pthread_mutex_lock(&d);\npthread_mutex_unlock(&d);\npthread_mutex_destroy(&d);"),
    locks(2, "if (x == $k) pthread_mutex_destroy(&d);"),
];

const CONDITION: [Fragment; 4] = [
    locks(1, "pthread_cond_signal(&over);"),
    locks(2, "if (pthread_cond_destroy(&over) == EBUSY) x = $n;"),
    locks(2, "if (x == $k) pthread_cond_destroy(&over);"),
    locks(2, "if (pthread_cond_destroy(&over) == 0) pthread_cond_init(&over, NULL);"),
];

const SLEEP: [Fragment; 3] = [
    locks(7, "pthread_mutex_lock(&d);\nwhile (!ready) pthread_cond_wait(&over, &d);\npthread_mutex_unlock(&d);"),
    locks(6, "pthread_mutex_lock(&d);\nif (!ready) pthread_cond_wait(&over, &d);\nx++;\npthread_mutex_unlock(&d);"),
    locks(
        8,
        r"pthread_mutex_lock(&d);
            while (!ready) pthread_cond_wait(&over, &d);
            pthread_mutex_unlock(&d);
            pthread_cond_destroy(&over);",
    ),
];

const WAKE: [Fragment; 5] = [
    locks(4, "pthread_mutex_lock(&d);\nready = 1;\npthread_cond_signal(&over);\npthread_mutex_unlock(&d);"),
    locks(4, "pthread_mutex_lock(&d);\nready = 1;\npthread_mutex_unlock(&d);\npthread_cond_broadcast(&over);"),
    locks(
        5,
        r"pthread_mutex_lock(&d);
            ready = 1;
            pthread_cond_broadcast(&over);
            pthread_mutex_unlock(&d);
            pthread_cond_destroy(&over);",
    ),
    locks(
        5,
        r"pthread_mutex_lock(&d);
            ready = 1;
            pthread_cond_signal(&over);
            pthread_mutex_unlock(&d);
            pthread_mutex_destroy(&d);",
    ),
    locks(3, "ready = 1;\npthread_cond_signal(&over);\npthread_cond_destroy(&over);"),
];

const RWLOCK: [Fragment; 6] = [
    locks(3, "pthread_rwlock_rdlock(&w);\nr = x;\npthread_rwlock_unlock(&w);"),
    locks(4, "pthread_rwlock_wrlock(&w);\nx++;\npthread_rwlock_unlock(&w);"),
    locks(3, "if (pthread_rwlock_tryrdlock(&w) == 0) {\nr = x;\npthread_rwlock_unlock(&w);\n}"),
    locks(2, "if (pthread_rwlock_destroy(&w) == EBUSY) x = $n;"),
    locks(2, "if (x == $k) pthread_rwlock_destroy(&w);"),
    locks(2, "if (pthread_rwlock_destroy(&w) == 0) pthread_rwlock_init(&w, NULL);"),
];

const SEMAPHORE: [Fragment; 5] = [
    locks(1, "sem_post(&s);"),
    locks(3, "if (sem_trywait(&s) == 0) x++;"),
    locks(1, "{\nint value;\nsem_getvalue(&s, &value);\nr += value;\n}"),
    locks(2, "if (x == $k) sem_destroy(&s);"),
    locks(2, "sem_destroy(&s);\nsem_init(&s, 0, $k);"),
];

const SEM_WAIT: [Fragment; 3] = [
    locks(3, "sem_wait(&s);\nx++;"),
    locks(2, "sem_wait(&s);\nsem_destroy(&s);"),
    locks(3, "sem_wait(&s);\nr = x;\nsem_post(&s);"),
];

const SEM_POST: [Fragment; 3] =
    [locks(2, "x = $n;\nsem_post(&s);"), locks(2, "sem_post(&s);\nsem_destroy(&s);"), locks(1, "sem_destroy(&s);")];

const BARRIER: [Fragment; 2] = [
    locks(2, "if (x == $k) pthread_barrier_destroy(&meeting);"),
    locks(2, "if (pthread_barrier_destroy(&meeting) == 0) pthread_barrier_init(&meeting, NULL, 2);"),
];

const MEET: [Fragment; 4] = [
    locks(2, "pthread_barrier_wait(&meeting);"),
    locks(3, "pthread_barrier_wait(&meeting);\npthread_barrier_destroy(&meeting);"),
    locks(3, "if (pthread_barrier_wait(&meeting)) pthread_barrier_destroy(&meeting);"),
    locks(5, "pthread_barrier_wait(&meeting);\nx = $n;\npthread_barrier_wait(&meeting);"),
];

impl Ended {
    const ALL: [Ended; 7] = [
        Ended::Mutex,
        Ended::Mutex,
        Ended::Condition,
        Ended::Condition,
        Ended::Rwlock,
        Ended::Semaphore,
        Ended::Barrier,
    ];

    /// The object that the program of this seed destroys.
    pub fn of(seed: u64) -> Ended {
        Random::new(seed).pick(&Ended::ALL)
    }

    pub fn fragments(self) -> &'static [Fragment] {
        match self {
            Ended::Mutex => &MUTEX,
            Ended::Condition => &CONDITION,
            Ended::Rwlock => &RWLOCK,
            Ended::Semaphore => &SEMAPHORE,
            Ended::Barrier => &BARRIER,
        }
    }

    pub fn roles(self) -> Option<(&'static [Fragment], &'static [Fragment])> {
        match self {
            Ended::Mutex | Ended::Rwlock => None,
            Ended::Condition => Some((&SLEEP, &WAKE)),
            Ended::Semaphore => Some((&SEM_WAIT, &SEM_POST)),
            Ended::Barrier => Some((&MEET, &MEET)),
        }
    }

    pub fn declarations(self) -> &'static str {
        match self {
            Ended::Mutex => "static pthread_mutex_t d = PTHREAD_MUTEX_INITIALIZER;",
            Ended::Condition => {
                "static pthread_mutex_t d = PTHREAD_MUTEX_INITIALIZER;
                static pthread_cond_t over = PTHREAD_COND_INITIALIZER;
                static int ready;"
            }
            Ended::Rwlock => "static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;",
            Ended::Semaphore => "static sem_t s;",
            Ended::Barrier => "static pthread_barrier_t meeting;",
        }
    }

    /// The first statements of main.
    pub fn preparation(self) -> &'static str {
        match self {
            Ended::Semaphore => "sem_init(&s, 0, 0);",
            Ended::Barrier => "pthread_barrier_init(&meeting, NULL, 2);",
            _ => "",
        }
    }
}
