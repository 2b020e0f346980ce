//! Control flow of threads: tables of functions, `switch` with fallthrough, `goto`, recursion.

use super::family::{Family, act, mostly};
use crate::random::Random;

pub fn tables(random: &mut Random) -> Family {
    let careful = [
        act("ops[sel % 3u]($k);", 4),
        act("sel = $k;", 1),
        act("sel++;", 2),
        act("ops[$b] = ops[2 - $b];", 2),
        act("{\nop_fn fn = ops[$b];\nif (fn != op_nop) fn($k);\n}", 3),
        act("got += acc;", 1),
    ];
    Family {
        top: "typedef void (*op_fn)(int);\nstatic int acc;\nstatic unsigned sel;\n\
              static void op_add(int n) { acc += n; }\nstatic void op_dbl(int n) { acc = acc * 2 + n; }\n\
              static void op_nop(int n) { (void)n; }\nstatic op_fn ops[3] = {op_add, op_dbl, op_nop};\n",
        acts: mostly(random, &careful, &[act("ops[2] = $b ? NULL : op_dbl;", 1)]),
        shown: &["acc", "sel", "ops[0] == op_add", "ops[1] == op_dbl"],
        guesses: &["acc <= $k + 2", "acc != $k", "sel % 3u == $b || acc == 0"],
        ..Family::default()
    }
}

pub fn switches(_random: &mut Random) -> Family {
    Family {
        top: "enum { QUIET, LOUD, ALARM, LEVELS };\nstatic int mode, tally[LEVELS];\n",
        acts: vec![
            act("mode = $k;", 1),
            act(
                "switch (mode) {\ncase ALARM:\ntally[ALARM]++;\n/* fallthrough */\ncase LOUD:\ntally[LOUD]++;\nbreak;\n\
                 default:\ntally[QUIET] = $k;\n}",
                5,
            ),
            act("switch (tally[LOUD] + $b) {\ncase 0:\ngot += 5;\ncase 1:\nmode = ALARM;\n}", 2),
            act("got = got * 3 + tally[$b];", 1),
            act("if (mode == LOUD) mode = QUIET;", 2),
        ],
        shown: &["mode", "tally[QUIET]", "tally[LOUD]", "tally[ALARM]"],
        guesses: &["tally[LOUD] >= tally[ALARM]", "tally[LOUD] <= 1", "mode != $k", "tally[QUIET] == 0"],
        ..Family::default()
    }
}

pub fn jumps(_random: &mut Random) -> Family {
    Family {
        top: "static int gear, trail;\n",
        acts: vec![
            act("{\nint tries = 0;\nagain_$u:\nif (gear == 0 && tries++ < 1) goto again_$u;\ngot += tries;\n}", 2),
            act("if (gear > 1) goto skip_$u;\ntrail = trail * 2 + 1;\nskip_$u:\ngear++;", 5),
            act("gear = $k;", 1),
            act("for (int i = 0; i < 2; i++) {\nif (trail & 1) goto out_$u;\ntrail |= 1 << i;\n}\nout_$u: ;", 6),
            act("got = got * 2 + (trail & 1);", 1),
        ],
        shown: &["gear", "trail"],
        guesses: &["trail <= $k", "gear != $k", "!(gear == $k && trail == 1)"],
        ..Family::default()
    }
}

pub fn recursion(_random: &mut Random) -> Family {
    Family {
        top: "static int depth;\n\
              static int sink(int n) {\nif (n <= 0)\nreturn depth;\ndepth += n;\nreturn sink(n - 1) + 1;\n}\n\
              static int is_odd(int n);\n\
              static int is_even(int n) { return n <= 0 ? depth == 0 : is_odd(n - 1); }\n\
              static int is_odd(int n) { return n <= 0 ? depth != 0 : is_even(n - 1); }\n",
        acts: vec![
            act("got += sink($b);", 3),
            act("got += sink(2);", 5),
            act("got = got * 2 + is_even($k);", 1),
            act("depth = -$k;", 1),
        ],
        shown: &["depth"],
        guesses: &["depth >= 0", "depth != $k", "depth <= $k + 1"],
        ..Family::default()
    }
}
