//! Waits with a time limit, which may give up at any point after falling asleep.

use super::{EMPTY, Row};

const WAIT: &str = "LOCK(gate); if (!x && in_vain(&bell, &gate)) y++; UNLOCK(gate);";
const WAIT_WHOLLY: &str = "LOCK(gate); while (!x) pthread_cond_wait(&bell, &gate); UNLOCK(gate);";
const RING: &str = "LOCK(gate); x = 1; pthread_cond_signal(&bell); UNLOCK(gate);";

pub const TIMED: [Row; 20] = [
    Row {
        about: "who gave up has the mutex again before the next event of its thread",
        first: WAIT,
        second: "assert(y == 0);",
        main: RING,
        holds: "y == 0",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "a signal that two may miss",
        first: WAIT,
        second: WAIT,
        main: RING,
        holds: "y != 1",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "one signal for two, one of whom cannot give up",
        first: WAIT,
        second: WAIT_WHOLLY,
        main: RING,
        fails: true,
        ..EMPTY
    },
    Row {
        about: "a signal that wakes the one who could have given up leaves the other asleep",
        first: WAIT,
        second: "LOCK(gate); if (!x) pthread_cond_wait(&bell, &gate); UNLOCK(gate);",
        main: RING,
        fails: true,
        ..EMPTY
    },
    Row {
        about: "a broadcast finds all who did not give up",
        first: WAIT,
        second: WAIT_WHOLLY,
        main: "LOCK(gate); x = 1; pthread_cond_broadcast(&bell); UNLOCK(gate);",
        holds: "y == 0",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "who gives up late sees what was done before",
        first: "LOCK(gate); if (in_vain(&bell, &gate)) assert(x == 0); UNLOCK(gate);",
        second: RING,
        fails: true,
        ..EMPTY
    },
    Row {
        about: "the condition decides, not why the wait ended",
        first: "LOCK(gate); if (!x && in_vain(&bell, &gate)) y = !x; UNLOCK(gate); LOCK(gate); z = y && x && z; UNLOCK(gate);",
        second: RING,
        holds: "!z",
        ..EMPTY
    },
    Row {
        about: "two waits, of which one is signalled",
        first: "for (int round = 0; round < 2; round++) { LOCK(gate); if (!x && in_vain(&bell, &gate)) y++; UNLOCK(gate); }",
        second: RING,
        holds: "y < 2",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "a wait in vain, and then one for good",
        first: "LOCK(gate); if (in_vain(&bell, &gate)) pthread_cond_wait(&bell, &gate); UNLOCK(gate);",
        second: RING,
        fails: true,
        ..EMPTY
    },
    Row {
        about: "a loop that ends with the time",
        first: "LOCK(gate); int late = 0; while (!x && !late) late = in_vain(&bell, &gate); if (late) assert(!x); UNLOCK(gate);",
        second: RING,
        fails: true,
        ..EMPTY
    },
    Row {
        about: "who gave up waits for the mutex in a circle",
        first: "LOCK(door); LOCK(gate); in_vain(&bell, &gate); UNLOCK(gate); UNLOCK(door);",
        second: "LOCK(gate); LOCK(door); pthread_cond_signal(&bell); UNLOCK(door); UNLOCK(gate);",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "nobody signals",
        first: "LOCK(gate); y = in_vain(&bell, &gate); UNLOCK(gate);",
        second: "LOCK(gate); x = 1; UNLOCK(gate);",
        holds: "y",
        ..EMPTY
    },
    Row {
        about: "one signal, two who wait, one is in time",
        first: "LOCK(gate); if (!in_vain(&bell, &gate)) y++; UNLOCK(gate);",
        second: "LOCK(gate); if (!in_vain(&bell, &gate)) y++; UNLOCK(gate);",
        main: "pthread_cond_signal(&bell);",
        holds: "y < 2",
        ..EMPTY
    },
    Row {
        about: "who gave up wakes another",
        first: "LOCK(gate); if (in_vain(&bell, &gate)) pthread_cond_signal(&horn); UNLOCK(gate);",
        second: "LOCK(gate); pthread_cond_wait(&horn, &gate); UNLOCK(gate);",
        main: "pthread_cond_signal(&bell);",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "a wait releases one level of a recursive mutex and can take it again",
        declares: "static pthread_mutex_t deep = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;",
        first: "LOCK(deep); LOCK(deep); x = in_vain(&bell, &deep); UNLOCK(deep); UNLOCK(deep);",
        second: "LOCK(deep); y = x; pthread_cond_signal(&bell); UNLOCK(deep);",
        holds: "x",
        ..EMPTY
    },
    Row {
        about: "a recursive mutex that is held once",
        declares: "static pthread_mutex_t deep = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;",
        first: "LOCK(deep); x = in_vain(&bell, &deep); UNLOCK(deep);",
        second: "LOCK(deep); pthread_cond_signal(&bell); UNLOCK(deep);",
        holds: "x == 0",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "waits of the C standard",
        declares: "#include <threads.h>\nstatic mtx_t lock; static cnd_t told;",
        begins: "mtx_init(&lock, mtx_timed); cnd_init(&told);",
        first: "mtx_lock(&lock); if (!x && cnd_timedwait(&told, &lock, &soon) == thrd_timedout) y = 1; mtx_unlock(&lock);",
        second: "if (mtx_timedlock(&lock, &soon) == thrd_success) { x = 1; cnd_signal(&told); mtx_unlock(&lock); }",
        holds: "y == 0",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "a semaphore",
        begins: "sem_init(&tokens, 0, 0);",
        first: "if (sem_timedwait(&tokens, &soon)) y++;",
        second: "if (sem_clockwait(&tokens, CLOCK_MONOTONIC, &soon)) y++;",
        main: "sem_post(&tokens);",
        holds: "y < 2",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "a mutex that is taken in time, and then waited with",
        first: "if (pthread_mutex_timedlock(&gate, &soon) == 0) { in_vain(&bell, &gate); x = 1; UNLOCK(gate); }",
        second: "LOCK(gate); pthread_cond_signal(&bell); assert(x == 0); UNLOCK(gate);",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "an error-checking mutex knows who asks, however long it would wait",
        declares: "static pthread_mutex_t strict = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;",
        begins: "LOCK(strict); assert(pthread_mutex_timedlock(&strict, &soon) == EDEADLK); UNLOCK(strict);",
        first: "LOCK(strict); assert(pthread_mutex_timedlock(&strict, &soon) == EDEADLK); UNLOCK(strict);",
        second: "LOCK(strict); assert(pthread_mutex_trylock(&strict) == EBUSY); UNLOCK(strict);",
        ..EMPTY
    },
];
