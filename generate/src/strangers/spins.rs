//! Waiting without the library: spinning on flags, own locks, Peterson's algorithm, sequence counters, stacks without
//! locks.

use super::family::{Family, act, mostly};
use crate::random::Random;

pub fn flags(random: &mut Random) -> Family {
    let waits = [
        act("while (!atomic_load(&go)) ;\ngot += cargo;", 3),
        act("while (!go) sched_yield();\ncargo *= 2;", 5),
        act("for (int n = 0; n < 2 && !go; n++) sched_yield();\ngot += cargo;", 5),
        act("do { got = cargo; } while (got == 0 && !go);", 4),
    ];
    let sends = [
        act("cargo = $k;\natomic_store(&go, 1);", 2),
        act("go = 1;\ncargo = $k;", 2),
        act("cargo += 2;\natomic_fetch_add(&go, $k);", 3),
    ];
    Family {
        includes: "#include <sched.h>\n",
        top: "static atomic_int go;\nstatic int cargo;\n",
        duties: vec![random.pick(&waits), random.pick(&sends)],
        acts: mostly(random, &[act("got += go;", 1), act("cargo++;", 2)], &[act("go = 0;", 1)]),
        shown: &["go", "cargo"],
        guesses: &["cargo != $k", "cargo >= 2", "go == 1", "seen[0] != 0"],
        ..Family::default()
    }
}

pub fn own_locks(random: &mut Random) -> Family {
    let careful = [
        act("grab();\ntill += $k;\ndrop();", 5),
        act("grab();\n$inner\ndrop();", 3),
        act("if (try_grab()) {\ntill--;\ndrop();\n} else {\ngot += 9;\n}", 4),
    ];
    Family {
        includes: "#include <sched.h>\n",
        top: "static atomic_uint held;\nstatic int till;\n\
              static int try_grab(void) { unsigned none = 0; return atomic_compare_exchange_strong(&held, &none, 1u); }\n\
              static void grab(void) { while (atomic_exchange(&held, 1u)) sched_yield(); }\n\
              static void drop(void) { atomic_store_explicit(&held, 0u, memory_order_release); }\n",
        acts: mostly(random, &careful, &[act("till = 4;", 1), act("drop();", 1)]),
        shown: &["held", "till"],
        guesses: &["till != $k", "till >= 0", "held == 0"],
        ..Family::default()
    }
}

pub fn peterson(random: &mut Random) -> Family {
    let right = "want[$w] = 1;\nturn_of = 1 - $w;\nwhile (want[1 - $w] && turn_of == 1 - $w) ;\nroom++;\nassert(room == 1);\nroom--;\nwant[$w] = 0;";
    let wrong = "turn_of = 1 - $w;\nwant[$w] = 1;\nwhile (want[1 - $w] && turn_of == 1 - $w) ;\nroom++;\nassert(room == 1);\nroom--;\nwant[$w] = 0;";
    let second = if random.chance(50) { right } else { wrong };
    Family {
        top: "static volatile int want[2], turn_of;\nstatic int room;\n",
        duties: vec![act(right, 10), act(second, 10)],
        acts: vec![act("got += turn_of;", 1)],
        shown: &["room", "turn_of"],
        guesses: &["room == 0", "turn_of == $b"],
        ..Family::default()
    }
}

pub fn sequence(random: &mut Random) -> Family {
    let write = act(
        "__atomic_fetch_add(&seq, 1, __ATOMIC_SEQ_CST);\npt.x = $k;\npt.y = $k;\n__atomic_fetch_add(&seq, 1, __ATOMIC_SEQ_CST);",
        4,
    );
    let read = act(
        "{\nunsigned s;\nint x, y;\ndo {\ns = seq & ~1u;\nx = pt.x;\ny = pt.y;\n} while (s != seq);\nassert(x == y);\n}",
        8,
    );
    let hasty = act("{\nint x = pt.x, y = pt.y;\ngot += x == y;\n}", 2);
    Family {
        top: "static volatile unsigned seq;\nstatic struct { int x, y; } pt;\n",
        duties: vec![random.pick(&[read.clone(), read, hasty.clone()]), write],
        acts: mostly(random, &[hasty], &[act("pt.x++;", 2)]),
        shown: &["seq", "pt.x", "pt.y"],
        guesses: &["pt.x == pt.y", "seq == 2", "pt.y != $k"],
        ..Family::default()
    }
}

pub fn stacks(random: &mut Random) -> Family {
    let careful = [
        act("push_cell(&cells[$w], $k);", 3),
        act("got = got * 4 + pop_cell();", 4),
        act("{\nstruct stk *t = atomic_load(&top_cell);\nif (t) got += t->v;\n}", 2),
    ];
    Family {
        top: "struct stk { struct stk *below; int v; };\nstatic struct stk cells[5];\nstatic struct stk *_Atomic top_cell;\n\
              static void push_cell(struct stk *c, int v) {\nc->v = v;\nc->below = atomic_load(&top_cell);\n\
              while (!atomic_compare_exchange_weak(&top_cell, &c->below, c)) ;\n}\n\
              static int pop_cell(void) {\nstruct stk *t = atomic_load(&top_cell);\n\
              while (t && !atomic_compare_exchange_weak(&top_cell, &t, t->below)) ;\nreturn t ? t->v : 0;\n}\n",
        setup: "push_cell(&cells[4], 3);",
        acts: mostly(random, &careful, &[]),
        shown: &["top_cell ? top_cell->v : -1", "top_cell && top_cell->below"],
        guesses: &["top_cell != NULL", "!top_cell || top_cell->v != $k", "!top_cell || top_cell->below == NULL"],
        ..Family::default()
    }
}
