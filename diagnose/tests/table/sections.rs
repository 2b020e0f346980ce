//! Atomic sections: the steps inside of them, and their ends.

use super::{EMPTY, Row};

pub const SECTIONS: [Row; 33] = [
    Row {
        about: "an input inside",
        first: "x = 1; x = 2;",
        second: "BEGIN; if (__VERIFIER_nondet_bool()) assert(x != 1); END;",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "two inputs inside, and what others see of it",
        first: "BEGIN; x = 1; int a = __VERIFIER_nondet_bool(); int b = __VERIFIER_nondet_bool(); y = a + b; x = 0; END;",
        second: "BEGIN; assert(x == 0); END;",
        holds: "y < 2",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "nobody comes between an input and the end",
        first: "BEGIN; x = 1; y = __VERIFIER_nondet_bool(); x = 0; END;",
        second: "assert(x == 0);",
        ..EMPTY
    },
    Row {
        about: "both arms of a branch leave, one of them later",
        first: "x = 1; if (y == 0) z = 1;",
        second: "BEGIN; if (x) { END; return argument; } y = 1; END; assert(!z);",
        ..EMPTY
    },
    Row {
        about: "whoever has left is outside",
        first: "BEGIN; if (y) { END; x = 1; x = 2; } else { END; }",
        second: "y = 1; BEGIN; assert(x != 1); END;",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "three ways out",
        first: "BEGIN; switch (y) { case 0: x = 1; END; break; case 1: x = 2; END; return argument; default: END; x = 3; } z = 1;",
        second: "y = 1; y = 2;",
        holds: "x != 2 || !z",
        ..EMPTY
    },
    Row {
        about: "a way that leaves at once, and one that leaves behind it at the same place",
        first: "_Bool early = __VERIFIER_nondet_bool(); BEGIN; x++; if (early) END; y = x; if (!early) END;",
        second: "x = 5;",
        holds: "y == 1 || y == 6",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "a section on one way only",
        first: "_Bool safe = __VERIFIER_nondet_bool(); if (safe) BEGIN; x = 1; x = 0; if (safe) END;",
        second: "BEGIN; y = x; END; assert(y == 0);",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "a section inside of another",
        first: "BEGIN; BEGIN; x = 1; END; x = 0; END;",
        second: "assert(x == 0);",
        ..EMPTY
    },
    Row {
        about: "a section inside of another that is left on a branch",
        declares: "static void look(int *at) { BEGIN; if (*at) { END; return; } z = 1; END; }",
        first: "BEGIN; x = 1; look(&y); x = 0; END;",
        second: "y = 1; assert(x == 0);",
        ..EMPTY
    },
    Row {
        about: "a loop whose rounds are sections",
        first: "for (int round = 0; round < 2; round++) { BEGIN; if (y) { END; break; } x = 1; x = 0; END; }",
        second: "BEGIN; assert(x == 0); y = 1; END;",
        ..EMPTY
    },
    Row {
        about: "a loop inside, as long as others decide",
        first: "BEGIN; x = 1; int count = 0; while (count < y) count++; x = count; END;",
        second: "y = 2; assert(x != 1);",
        ..EMPTY
    },
    Row {
        about: "a function that is a section, with two returns",
        declares: "void __VERIFIER_atomic_step(void) { x = 1; if (y) return; x = 0; }",
        first: "__VERIFIER_atomic_step();",
        second: "assert(x == 0);",
        main: "y = 1;",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "a failure inside",
        first: "x = 1; x = 2;",
        second: "BEGIN; assert(x != 1); END;",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "a failure inside that the section itself decides",
        first: "BEGIN; if (y) abort(); x = 1; END;",
        second: "y = 1;",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "a pointer inside that is null until another sets it",
        declares: "static int *at;",
        first: "BEGIN; y = *at; END;",
        second: "at = &z;",
        fails: true,
        ..EMPTY
    },
    Row { about: "a division inside", first: "BEGIN; y = 10 / z; END;", second: "z = 1;", fails: true, ..EMPTY },
    Row {
        about: "what is excluded inside was never there",
        first: "BEGIN; x = 1; __VERIFIER_assume(y == 0); x = 0; END;",
        second: "assert(x == 0);",
        main: "y = 1;",
        ..EMPTY
    },
    Row {
        about: "what is excluded after an input was never there",
        first: "BEGIN; x = 1; if (__VERIFIER_nondet_bool()) { x = 0; END; return argument; } __VERIFIER_assume(0);",
        second: "assert(x == 0);",
        ..EMPTY
    },
    Row {
        about: "what is left at the end of the thread is seen",
        first: "BEGIN; x = 1; if (y) return argument; x = 0; END;",
        second: "y = 1; assert(x == 0);",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "a thread that ends itself inside",
        first: "BEGIN; x = 1; if (__VERIFIER_nondet_bool()) pthread_exit(NULL); x = 0; END;",
        second: "assert(x == 0);",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "a section that never ends ends with its thread",
        first: "BEGIN; x = 1;",
        second: "BEGIN; y = x;",
        holds: "x",
        ..EMPTY
    },
    Row {
        about: "the process ends inside",
        first: "BEGIN; if (y) { x = 1; exit(0); } END;",
        second: "y = 1; assert(x == 0);",
        ..EMPTY
    },
    Row {
        about: "a signal inside, of which the environment chooses whom it wakes",
        first: "LOCK(gate); pthread_cond_wait(&bell, &gate); x = 1; UNLOCK(gate);",
        second: "LOCK(gate); pthread_cond_wait(&bell, &gate); assert(x); UNLOCK(gate);",
        main: "BEGIN; pthread_cond_signal(&bell); y = 1; END; exit(0);",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "two signals inside are for two",
        first: "LOCK(gate); if (!x) pthread_cond_wait(&bell, &gate); UNLOCK(gate);",
        second: "LOCK(gate); if (!x) pthread_cond_wait(&bell, &gate); UNLOCK(gate);",
        main: "LOCK(gate); BEGIN; x = 1; pthread_cond_signal(&bell); pthread_cond_signal(&bell); END; UNLOCK(gate);",
        ..EMPTY
    },
    Row {
        about: "a thread that is created inside begins after the end",
        declares: "static void *third(void *argument) { assert(x == 0); return argument; }",
        first: "pthread_t inner; BEGIN; x = 1; pthread_create(&inner, NULL, third, NULL); x = 0; END; pthread_join(inner, NULL);",
        second: "z = 1;",
        ..EMPTY
    },
    Row {
        about: "the first thread is created inside",
        declares: "static pthread_t inner;\nstatic void *third(void *argument) { assert(x == 1); return argument; }",
        begins: "BEGIN; pthread_create(&inner, NULL, third, NULL); x = 1; END;",
        main: "pthread_join(inner, NULL);",
        ..EMPTY
    },
    Row {
        about: "the first thread is created inside, on one way",
        declares: "static pthread_t inner;\nstatic void *third(void *argument) { assert(x == 1); return argument; }",
        begins: "_Bool creates = __VERIFIER_nondet_bool(); BEGIN; if (creates) pthread_create(&inner, NULL, third, NULL); x = 1; END; \
                 if (creates) pthread_join(inner, NULL);",
        ..EMPTY
    },
    Row {
        about: "what does not wait is possible inside",
        begins: "sem_init(&tokens, 0, 0);",
        first: "BEGIN; x = 1; sem_post(&tokens); if (pthread_mutex_trylock(&gate) == 0) UNLOCK(gate); x = 0; END;",
        second: "sem_wait(&tokens); LOCK(gate); assert(x == 0); UNLOCK(gate);",
        ..EMPTY
    },
    Row {
        about: "a mutex that was taken before is released inside",
        first: "LOCK(gate); BEGIN; x = 1; UNLOCK(gate); x = 0; END;",
        second: "LOCK(gate); assert(x == 0); UNLOCK(gate);",
        ..EMPTY
    },
    Row {
        about: "a store through a pointer that may be one of several",
        declares: "static int *at = &x;",
        first: "BEGIN; *at = 3; x = 0; END;",
        second: "at = &z; assert(x == 0);",
        ..EMPTY
    },
    Row {
        about: "a store through a pointer that may be null",
        declares: "static int *at;",
        first: "BEGIN; int *mine = at; *mine = 3; y = x; x = 0; END;",
        second: "at = &x; BEGIN; assert(x == 0); END;",
        fails: true,
        ..EMPTY
    },
    Row {
        about: "a block that is freed inside",
        first: "BEGIN; x = 1; int *block = malloc(4); if (!block) abort(); *block = y; if (*block) { free(block); *block = 2; } x = 0; END;",
        second: "y = 1; assert(x == 0);",
        fails: true,
        ..EMPTY
    },
];
