//! Memory layouts: neighbours of 8 and 16 bits, unions, bit-fields, arrays of structs, pointers to pointers.

use super::family::{Family, act, mostly};
use crate::random::Random;

pub fn neighbours(random: &mut Random) -> Family {
    let acts = [
        act("CELL($b)->lo = $k;", 1),
        act("grid[$b].hi += $k;", 2),
        act("CELL($b)->wide = grid[$c].lo * 256 + $k;", 2),
        act("{\nstruct cell *at = CELL($b);\nat->lo ^= at->hi;\n}", 3),
        act("got = got * 4 + grid[$b].hi;", 1),
        act("got += CELL($b)->wide >> 8;", 1),
    ];
    Family {
        top: "struct cell { uint8_t lo, hi; uint16_t wide; };\n\
              static struct cell grid[2];\n\
              #define CELL(i) (&grid[(i)])\n",
        acts: mostly(random, &acts, &[act("grid[$b] = grid[$c];", 5)]),
        shown: &["grid[0].lo", "grid[0].hi", "grid[0].wide", "grid[1].lo", "grid[1].hi", "grid[1].wide"],
        guesses: &[
            "grid[0].lo <= $k",
            "grid[$b].hi != $k + 1",
            "grid[$b].wide >> 8 == 0",
            "CELL(0)->lo == CELL(1)->lo",
        ],
        ..Family::default()
    }
}

pub fn unions(random: &mut Random) -> Family {
    let acts = [
        act("reg.all = 0x00010001u * $k;", 1),
        act("reg.half[$b] += $k;", 2),
        act("reg.part.c = $k;", 1),
        act("got += reg.half[$b];", 1),
        act("reg.all ^= 0x101u << $b;", 2),
        act("if (reg.part.a == reg.part.c) reg.half[1] = reg.half[0];", 4),
    ];
    Family {
        top: "typedef union Word {\nuint32_t all;\nuint16_t half[2];\nstruct { uint8_t a, b, c, d; } part;\n} Word;\n\
              static Word reg;\n",
        acts: mostly(random, &acts, &[]),
        shown: &["reg.all"],
        guesses: &["reg.half[0] == reg.half[1]", "reg.part.c != $k", "reg.all >> 16 <= $k"],
        ..Family::default()
    }
}

pub fn bits(random: &mut Random) -> Family {
    let acts = [
        act("ctl.mode = $k;", 2),
        act("ctl.level += $k;", 3),
        act("ctl.delta = -$k;", 2),
        act("ctl.flag ^= 1;", 3),
        act("got = got * 8 + ctl.mode;", 1),
        act("if (ctl.flag) ctl.far = $k; else ctl.mode = ctl.far;", 4),
    ];
    Family {
        top: "typedef struct {\nunsigned mode : 3;\nunsigned level : 5;\nsigned delta : 4;\nunsigned : 0;\n\
              unsigned flag : 1;\nunsigned far : 11;\n} ctl_bits;\nstatic ctl_bits ctl = {.level = 2};\n",
        acts: mostly(random, &acts, &[]),
        shown: &["ctl.mode", "ctl.level", "ctl.delta", "ctl.flag", "ctl.far"],
        guesses: &["ctl.level >= 2", "ctl.mode != $k || ctl.delta == 0", "ctl.far <= $k", "ctl.delta > -$k"],
        ..Family::default()
    }
}

pub fn pointers(random: &mut Random) -> Family {
    let careful = [
        act("grip = &spare;", 1),
        act("*grip = &rightV;", 2),
        act("**grip += $k;", 5),
        act("hand = spare;", 2),
        act("got += **grip;", 3),
        act("if (*grip == &leftV) rightV = $k;", 3),
        act("{\nint **mine = grip;\nif (mine == &hand) leftV = 7;\n}", 2),
    ];
    Family {
        top: "static int leftV = 1, rightV = 2;\nstatic int *hand = &leftV, *spare = &rightV;\nstatic int **grip = &hand;\n",
        acts: mostly(random, &careful, &[act("*grip = NULL;", 2), act("if (hand) *hand = $k;", 3)]),
        shown: &["leftV", "rightV", "hand == &leftV", "spare == &rightV", "grip == &hand"],
        guesses: &["leftV + rightV != $k + 2", "hand != spare", "leftV <= $k", "grip == &hand || rightV == 2"],
        ..Family::default()
    }
}
