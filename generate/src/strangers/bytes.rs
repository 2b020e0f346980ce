//! Accesses of several widths to one object: packed and overlapping fields, copies of bytes, tagged pointers, pointers
//! from members to their containers, numbers whose halves different threads write, floating-point numbers as integers.

use super::family::{Family, act, mostly};
use crate::random::Random;

pub fn packed(random: &mut Random) -> Family {
    let careful = [
        act("pkt.len = 0x0101u * $k;", 1),
        act("pkt.raw[$b + 2] = $k;", 1),
        act("got += pkt.len & 0xff;", 1),
        act("pkt.id++;", 2),
        act("{\nuint16_t mid;\nmemcpy(&mid, pkt.raw + 2, sizeof mid);\ngot = got * 2 + (mid & 3);\n}", 2),
        act("{\nuint16_t mid = 0x0202u + $k;\nmemcpy(pkt.raw + 3, &mid, sizeof mid);\n}", 2),
    ];
    let careless = [act("memset(pkt.raw + $k, $b, 2);", 2), act("memmove(pkt.raw + $b, pkt.raw + 2, 2);", 4)];
    Family {
        includes: "#include <string.h>\n",
        top: "typedef union __attribute__((packed)) {\nstruct __attribute__((packed)) { uint8_t id; uint32_t len; uint8_t tail; };\n\
              uint8_t raw[6];\n} Pkt;\nstatic Pkt pkt;\n",
        acts: mostly(random, &careful, &careless),
        shown: &["pkt.id", "pkt.len", "pkt.tail"],
        guesses: &["pkt.raw[1] == pkt.raw[2]", "pkt.len <= 0x0101u * $k", "pkt.raw[3] != $k", "pkt.id <= 1"],
        ..Family::default()
    }
}

pub fn halves(random: &mut Random) -> Family {
    let careful = [
        act("((uint32_t *)&big)[$b] += $k;", 2),
        act("big = (uint64_t)$k << 32 | $k;", 1),
        act("got += (int)(big >> 32) - (int)big;", 2),
        act("big += 1ull << (16 * $k);", 2),
        act("ratio = ratio * 2 + $k;", 2),
        act("{\nuint64_t bits;\n__builtin_memcpy(&bits, &ratio, 8);\ngot += (int)(bits >> 52);\n}", 1),
        act("((unsigned char *)&big)[$k * 2] ^= 3;", 2),
    ];
    Family {
        top: "static uint64_t big;\nstatic double ratio = 0.5;\n",
        acts: mostly(random, &careful, &[act("((uint32_t *)&ratio)[1] = 0x3ff00000u;", 1)]),
        shown: &["big", "big >> 32", "ratio * 4"],
        guesses: &["(uint32_t)big == big >> 32", "ratio < 3.0", "ratio != 1.5", "big >> 32 <= $k"],
        ..Family::default()
    }
}

/// Rings and lists with marked links, and members that lead to their containers.
pub fn tagged(random: &mut Random) -> Family {
    let careful = [
        act("head_word |= 1;", 2),
        act("head_word = (uintptr_t)&links[$b].hook | $c;", 1),
        act("{\nuintptr_t w = head_word;\nif (w & 1) got += OWNER(w)->tag;\n}", 2),
        act("OWNER(head_word)->tag += $k;", 3),
        act(
            "{\nuintptr_t w = __atomic_fetch_and(&head_word, ~(uintptr_t)1, __ATOMIC_SEQ_CST);\nif (w & 1) links[1].tag = $k;\n}",
            2,
        ),
        act("{\nuintptr_t w = head_word;\nif (__sync_bool_compare_and_swap(&head_word, w, w ^ 1)) got += 4;\n}", 2),
    ];
    Family {
        includes: "#include <stddef.h>\n",
        top: "typedef struct Link { long pad; short tag; int hook; } Link;\nstatic Link links[2] = {{0, 1, 0}, {0, 2, 0}};\n\
              static uintptr_t head_word;\n\
              #define OWNER(w) ((Link *)(void *)((char *)((w) & ~(uintptr_t)1) - offsetof(Link, hook)))\n",
        setup: "head_word = (uintptr_t)&links[0].hook;",
        acts: mostly(
            random,
            &careful,
            &[act("head_word ^= (uintptr_t)&links[0].hook ^ (uintptr_t)&links[1].hook;", 2)],
        ),
        shown: &["head_word & 1", "OWNER(head_word) - links", "links[0].tag", "links[1].tag"],
        guesses: &["(head_word & 1) == 0", "links[0].tag <= $k", "links[1].tag == 2", "OWNER(head_word) == links"],
        ..Family::default()
    }
}
