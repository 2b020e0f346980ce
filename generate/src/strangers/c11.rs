//! C11's `threads.h`: its mutexes, conditions, keys and `call_once`.

use super::family::{Family, act, mostly};
use crate::random::Random;

pub fn mutexes(random: &mut Random) -> Family {
    let careful = [
        act("mtx_lock(&m11);\nv11 += $k;\nmtx_unlock(&m11);", 4),
        act("if (mtx_trylock(&m11) == thrd_success) {\n$inner\nmtx_unlock(&m11);\n} else\ngot += 30;", 2),
        act(
            "{\nstruct timespec till = soon(1000000);\nif (mtx_timedlock(&m11, &till) == thrd_timedout)\ngot += 40;\nelse {\nv11 *= 2;\nmtx_unlock(&m11);\n}\n}",
            4,
        ),
        act("call_once(&o11, init11);\ngot += v11;", 4),
    ];
    Family {
        includes: "#include <threads.h>\n",
        top: "static mtx_t m11;\nstatic once_flag o11 = ONCE_FLAG_INIT;\nstatic int v11;\n\
              static void init11(void) { v11 = 5; }\n",
        setup: "mtx_init(&m11, mtx_timed);",
        teardown: "mtx_destroy(&m11);",
        acts: mostly(random, &careful, &[act("v11--;", 2)]),
        shown: &["v11"],
        guesses: &["v11 <= 5", "v11 != $k", "v11 % 2 == $b"],
        ..Family::default()
    }
}

pub fn conditions(random: &mut Random) -> Family {
    Family {
        includes: "#include <threads.h>\n",
        top: "static mtx_t turn_lock;\nstatic cnd_t turn_cnd;\nstatic int turn;\n",
        setup: "mtx_init(&turn_lock, mtx_plain);\ncnd_init(&turn_cnd);",
        teardown: "cnd_destroy(&turn_cnd);\nmtx_destroy(&turn_lock);",
        duties: vec![
            act(
                "mtx_lock(&turn_lock);\nwhile (turn != 1)\ncnd_wait(&turn_cnd, &turn_lock);\nturn = 2;\nmtx_unlock(&turn_lock);",
                6,
            ),
            act("mtx_lock(&turn_lock);\nturn = 1;\nmtx_unlock(&turn_lock);\ncnd_signal(&turn_cnd);", 4),
        ],
        acts: mostly(random, &[act("got += turn;", 1)], &[act("turn = $k;", 1), act("cnd_broadcast(&turn_cnd);", 1)]),
        shown: &["turn"],
        guesses: &["turn == 2", "turn != $k"],
    }
}

pub fn keys(_random: &mut Random) -> Family {
    Family {
        includes: "#include <threads.h>\n",
        top: "static tss_t tag_key;\nstatic int tags_dropped, tag_box[4];\n\
              static void tag_drop(void *p) { tags_dropped = tags_dropped * 4 + *(int *)p; }\n",
        setup: "tss_create(&tag_key, tag_drop);",
        teardown: "tss_delete(tag_key);",
        acts: vec![
            act("tag_box[$w] = $k;\ntss_set(tag_key, tag_box + $w);", 4),
            act("{\nint *t = tss_get(tag_key);\nif (t)\n*t += 1;\nelse\ngot += 60;\n}", 2),
            act("got += tags_dropped;", 1),
        ],
        shown: &["tags_dropped"],
        guesses: &["tags_dropped == 0", "tags_dropped <= 5", "tags_dropped != $k"],
        ..Family::default()
    }
}
