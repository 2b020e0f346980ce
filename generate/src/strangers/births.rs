//! Threads whose function, argument or memory depends on values that their creator read from other threads.

use super::family::{Family, act, mostly};
use crate::random::Random;

pub fn chosen(random: &mut Random) -> Family {
    let careful = [
        act("job_which ^= 1;", 2),
        act("job_which = $b;", 1),
        act(
            "{\npthread_t hand;\npthread_create(&hand, NULL, job_table[job_which & 1], (void *)(intptr_t)$k);\npthread_join(hand, NULL);\n}",
            5,
        ),
        act(
            "{\npthread_t hand;\nint which = job_which;\nvoid *p = which ? (void *)(intptr_t)$k : NULL;\n\
             pthread_create(&hand, NULL, job_table[$b], p);\npthread_join(hand, NULL);\n}",
            5,
        ),
    ];
    let careless = [act("assert(job_done[$b] != $k);", 1)];
    Family {
        top: "static int job_which, job_done[2];\n\
              static void *job_first(void *p) {\njob_done[0] += (int)(intptr_t)p;\nreturn p;\n}\n\
              static void *job_second(void *p) {\njob_done[1] = (int)(intptr_t)p + job_which;\nreturn NULL;\n}\n\
              static void *(*const job_table[2])(void *) = {job_first, job_second};\n",
        acts: mostly(random, &careful, &careless),
        shown: &["job_which", "job_done[0]", "job_done[1]"],
        guesses: &["job_done[0] != $k", "job_done[1] != $k", "job_done[0] + job_done[1] <= $k", "job_which == 0"],
        ..Family::default()
    }
}

/// The creator may free a block before the thread reads it.
pub fn bequeathed(random: &mut Random) -> Family {
    let careful = [
        act("will_kept = $b;", 1),
        act("will_kept++;", 2),
        act(
            "{\nint *own = malloc(sizeof *own);\nif (!own) abort();\n*own = $k;\nif (will_kept) {\nfree(own);\nown = NULL;\n}\n\
             pthread_t heir;\npthread_create(&heir, NULL, inherit, own);\npthread_join(heir, NULL);\n}",
            5,
        ),
        act(
            "{\nint *one = calloc(2, sizeof *one), *two = calloc(1, sizeof *two);\nif (!one || !two) abort();\n\
             one[1] = $k;\nint *dead = will_kept & 1 ? one : two;\nint *left = dead == one ? two : one;\nfree(dead);\n\
             pthread_t heir;\npthread_create(&heir, NULL, inherit, left);\npthread_join(heir, NULL);\n}",
            5,
        ),
    ];
    let careless = [act(
        "{\nint *own = calloc(1, sizeof *own);\nif (!own) abort();\nif (will_kept == $k) free(own);\n\
         pthread_t heir;\npthread_create(&heir, NULL, inherit, own);\npthread_join(heir, NULL);\n}",
        4,
    )];
    Family {
        top: "static int will_kept, will_sum;\n\
              static void *inherit(void *p) {\nint *left = p;\nif (!left)\nreturn NULL;\nwill_sum += *left + 1;\nfree(left);\nreturn NULL;\n}\n",
        acts: mostly(random, &careful, &careless),
        shown: &["will_kept", "will_sum"],
        guesses: &["will_sum == 0", "will_sum != $k + 1", "will_kept <= 1", "will_sum <= $k"],
        ..Family::default()
    }
}
