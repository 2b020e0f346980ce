//! Semaphores at their limits, and locks chosen by other threads.

use super::{EMPTY, Row};

const EITHER: &str = "static pthread_mutex_t *which = &gate;";

pub const LOCKS: [Row; 16] = [
    Row {
        about: "of two posts to a semaphore that is nearly full one fails",
        begins: "sem_init(&tokens, 0, INT_MAX - 1);",
        first: "y = sem_post(&tokens);",
        second: "z = sem_post(&tokens);",
        holds: "y == 0",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "of two posts to a semaphore that is nearly full only one fails",
        begins: "sem_init(&tokens, 0, INT_MAX - 1);",
        first: "y = sem_post(&tokens);",
        second: "z = sem_post(&tokens);",
        holds: "y + z == -1",
        ..EMPTY
    },
    Row {
        about: "a full semaphore, and room for one more",
        begins: "sem_init(&tokens, 0, INT_MAX);",
        first: "if (sem_post(&tokens)) assert(errno == EOVERFLOW); else x = 1;",
        second: "sem_wait(&tokens);",
        main: "int count; sem_getvalue(&tokens, &count); assert(count >= INT_MAX - 1);",
        holds: "x",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "a full semaphore before there are others",
        begins: "sem_init(&tokens, 0, INT_MAX); assert(sem_post(&tokens) == -1 && errno == EOVERFLOW); sem_wait(&tokens); \
                 assert(sem_post(&tokens) == 0);",
        first: "sem_trywait(&tokens);",
        second: "x = sem_post(&tokens);",
        holds: "x == 0",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "a semaphore that becomes full when it is made anew",
        begins: "sem_init(&tokens, 0, 0);",
        first: "sem_init(&tokens, 0, INT_MAX);",
        second: "x = sem_post(&tokens);",
        holds: "x == 0",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "too large, and empty",
        begins: "assert(sem_init(&tokens, 0, INT_MAX + 1u) == -1 && errno == EINVAL); sem_init(&tokens, 0, 0); \
                 assert(sem_trywait(&tokens) == -1 && errno == EAGAIN); \
                 assert(sem_timedwait(&tokens, &soon) == -1 && errno == ETIMEDOUT);",
        first: "x = sem_trywait(&tokens);",
        second: "y = sem_trywait(&tokens);",
        main: "sem_post(&tokens);",
        holds: "x == -1 || y == -1",
        ..EMPTY
    },
    Row {
        about: "a full semaphore that is destroyed",
        begins: "sem_init(&tokens, 0, INT_MAX);",
        first: "x = sem_post(&tokens);",
        second: "sem_destroy(&tokens);",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "what is unlocked is not what was locked",
        declares: EITHER,
        first: "which = &door; LOCK(door); which = &gate; UNLOCK(door);",
        second: "pthread_mutex_lock(which); pthread_mutex_unlock(which); LOCK(gate); UNLOCK(gate);",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "a circle of some while the others have ended or go on",
        declares: EITHER,
        first: "which = &door;",
        second: "LOCK(gate); LOCK(door); pthread_mutex_lock(which); UNLOCK(door); UNLOCK(gate);",
        main: "x = 1;",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "a thread that waits for itself while the main thread ends the process",
        declares: EITHER,
        first: "which = &door;",
        second: "LOCK(door); pthread_mutex_lock(which); UNLOCK(gate); UNLOCK(door);",
        main: "exit(0);",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "the pointer is kept",
        declares: EITHER,
        first: "pthread_mutex_t *mine = which; pthread_mutex_lock(mine); x++; pthread_mutex_unlock(mine);",
        second: "which = &door;",
        main: "LOCK(gate); x++; UNLOCK(gate);",
        holds: "x == 2",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "a wait with a mutex that others exchange",
        declares: EITHER,
        first: "pthread_mutex_lock(which); in_vain(&bell, which); pthread_mutex_unlock(which);",
        second: "which = &door;",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "a condition that others exchange",
        declares: "static pthread_cond_t *told = &bell;",
        first: "LOCK(gate); pthread_cond_wait(told, &gate); UNLOCK(gate);",
        second: "told = &horn; LOCK(gate); pthread_cond_signal(&horn); UNLOCK(gate);",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "a try of what others exchange",
        declares: EITHER,
        first: "if (pthread_mutex_trylock(which) == 0) pthread_mutex_unlock(which);",
        second: "which = &door;",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "a mutex of several, by a number that others change",
        declares: "static pthread_mutex_t both[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};",
        first: "LOCK(both[x]); UNLOCK(both[x]);",
        second: "x = 1; LOCK(both[0]); UNLOCK(both[0]);",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "a semaphore that others exchange",
        declares: "static sem_t full, *from = &full;",
        begins: "sem_init(&tokens, 0, 0); sem_init(&full, 0, 1);",
        first: "sem_wait(from);",
        second: "from = &tokens; sem_post(&tokens);",
        ..EMPTY
    },
];
