//! Objects of one thread that others access: locals of main, thread-local objects by address, structs by value, arrays
//! of variable length, callbacks of the library, formatted text.

use super::family::{Family, act, mostly};
use crate::random::Random;

pub fn locals(random: &mut Random) -> Family {
    let careful = [
        act("lent->n += $k;", 3),
        act("got += lent->row[$b];", 2),
        act("lent->row[lent->n & 1] = $k;", 4),
        act("{\nPad copy = *lent;\nif (copy.n > 1) lent->row[1]++;\n}", 7),
        act("*lent = pad_of($k);", 5),
        act("got += pad_sum(*lent);", 5),
    ];
    Family {
        top: "typedef struct { short n; short row[2]; } Pad;\nstatic Pad *lent;\n\
              static Pad pad_of(int k) { return (Pad){(short)k, {1, 0}}; }\n\
              static int pad_sum(Pad p) { return p.n + p.row[0] * 2 + p.row[1]; }\n",
        setup: "Pad pad = {0, {0, 0}};\nlent = &pad;",
        acts: mostly(random, &careful[..3], &careful[3..]),
        shown: &["lent->n", "lent->row[0]", "lent->row[1]"],
        guesses: &["lent->n <= $k", "lent->row[0] != $k", "pad_sum(*lent) <= 5"],
        ..Family::default()
    }
}

/// A thread may publish the address of its own copy and end before others use it.
pub fn thread_locals(random: &mut Random) -> Family {
    let careful = [
        act("own_count += $k;", 1),
        act("if ($w == 0) window = &own_count;", 1),
        act("got = got * 2 + own_count;", 1),
        act("window = &far_count;", 1),
    ];
    Family {
        top: "static _Thread_local int own_count = 1;\nstatic int far_count;\nstatic int *window = &far_count;\n",
        acts: mostly(random, &careful, &[act("*window += $k;", 3), act("got += *window;", 2)]),
        shown: &["own_count", "far_count", "window == &far_count"],
        guesses: &["own_count == 1", "far_count <= $k", "window == &far_count"],
        ..Family::default()
    }
}

pub fn callbacks(random: &mut Random) -> Family {
    let careful = [
        act("order[$b] = $k;", 1),
        act("qsort(order, 2, sizeof order[0], by_value);", 6),
        act(
            "{\nint key = $k;\nint *hit = bsearch(&key, order, 2, sizeof *order, by_value);\ngot += hit ? (int)(hit - order) + 1 : 0;\n}",
            3,
        ),
        act("direction = -direction;", 2),
        act(
            "{\nint n = $k;\nint tmp[n];\nfor (int i = 0; i < n; i++) tmp[i] = i;\ngot += tmp[n - 1] + order[0];\n}",
            1,
        ),
    ];
    Family {
        top: "static int order[2] = {2, 1}, direction = 1;\n\
              static int by_value(const void *a, const void *b) { return direction * (*(const int *)a - *(const int *)b); }\n",
        acts: mostly(random, &careful[2..], &careful[..2]),
        shown: &["order[0]", "order[1]", "direction"],
        guesses: &["order[0] <= order[1]", "order[0] + order[1] == 3", "direction == 1"],
        ..Family::default()
    }
}

pub fn texts(random: &mut Random) -> Family {
    let careful = [
        act("name_buf[$b] = 'a' + $k;", 1),
        act("got += (int)strlen(name_buf);", 4),
        act("name_buf[$k] = 0;", 1),
        act("{\nchar own[8];\nsnprintf(own, sizeof own, \"%s\", name_buf);\ngot += own[0];\n}", 4),
        act("got += say(name_buf, 2, $k, $b);", 3),
    ];
    Family {
        includes: "#include <stdarg.h>\n#include <string.h>\n",
        top: "static char name_buf[4] = \"xy\";\n\
              static int say(const char *what, int n, ...) {\nint sum = what[0] == 'x';\nva_list ap;\nva_start(ap, n);\n\
              while (n-- > 0)\nsum += va_arg(ap, int);\nva_end(ap);\nreturn sum;\n}\n",
        acts: mostly(random, &careful, &[act("strcpy(name_buf, $b ? \"abc\" : \"q\");", 4)]),
        shown: &["name_buf[0]", "name_buf[1]", "name_buf[2]"],
        guesses: &["strcmp(name_buf, \"xy\") == 0", "strlen(name_buf) == 2", "name_buf[0] != 'b'"],
        ..Family::default()
    }
}
