//! Per-thread data, and one-time initialisation: keys with destructors, thread-local objects, `errno`, `pthread_once`.

use super::family::{Family, act};
use crate::random::Random;

pub fn once(_random: &mut Random) -> Family {
    Family {
        top: "static pthread_once_t cfg_once = PTHREAD_ONCE_INIT;\nstatic int cfg_made, cfg_value;\n\
              static void cfg_make(void) {\ncfg_made++;\ncfg_value = 4;\n}\n\
              static int cfg_get(void) {\npthread_once(&cfg_once, cfg_make);\nreturn cfg_value;\n}\n",
        acts: vec![
            act("got += cfg_get();", 5),
            act("got += cfg_value;", 1),
            act("cfg_value = $k;", 1),
            act("assert(cfg_get() != 0 && cfg_made == 1);", 6),
        ],
        shown: &["cfg_made", "cfg_value"],
        guesses: &["cfg_made <= 1", "cfg_value != $k", "cfg_made == 1", "cfg_value == 4 * cfg_made"],
        ..Family::default()
    }
}

const SWEEP_ONCE: &str = "\
static pthread_key_t desk_key;
static int desk[4], swept, swept_last;
static void sweep(void *p) {
    swept += *(int *)p;
    swept_last = swept;
}
";

/// The destructor sets a value again, and is called again.
const SWEEP_AGAIN: &str = "\
static pthread_key_t desk_key;
static int desk[4], swept, swept_last;
static void sweep(void *p) {
    int *d = p;
    swept_last = *d;
    if (*d != 5) {
        *d = 5;
        pthread_setspecific(desk_key, d);
    } else {
        swept++;
    }
}
";

pub fn keys(random: &mut Random) -> Family {
    Family {
        top: random.pick(&[SWEEP_ONCE, SWEEP_ONCE, SWEEP_AGAIN]),
        setup: "pthread_key_create(&desk_key, sweep);",
        teardown: "pthread_key_delete(desk_key);",
        acts: vec![
            act("desk[$w] = $k;\npthread_setspecific(desk_key, &desk[$w]);", 4),
            act("{\nint *mine = pthread_getspecific(desk_key);\ngot += mine ? *mine : 9;\n}", 1),
            act("swept_last = -$k;", 1),
            act("pthread_setspecific(desk_key, NULL);", 0),
        ],
        shown: &["swept", "swept_last"],
        guesses: &["swept >= swept_last", "swept <= $k + 1", "swept_last != $k", "swept != $k"],
        ..Family::default()
    }
}

pub fn locals(_random: &mut Random) -> Family {
    Family {
        top: "static _Thread_local int mine_tls = 3;\nstatic int *loaned;\nstatic int noted;\n\
              static int bump(void) { static _Thread_local int calls; return ++calls; }\n",
        acts: vec![
            act("mine_tls += $k;\ngot += mine_tls;", 0),
            act("errno = $k;\nnoted = errno + bump();", 1),
            act("errno = 0;\n$inner\ngot += errno;", 0),
            act("noted += mine_tls;", 2),
            act("if (!loaned) noted = bump();", 2),
        ],
        shown: &["noted", "mine_tls", "loaned == NULL"],
        guesses: &["noted <= 4", "noted != $k + 1", "mine_tls == 3"],
        ..Family::default()
    }
}
