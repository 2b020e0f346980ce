//! `_Atomic` structs, flags, narrow atomics and atomic pointers.

use super::family::{Family, act, mostly};
use crate::random::Random;

pub fn structs(random: &mut Random) -> Family {
    let careful = [
        act("atomic_store(&span, ((Span){$k, $b}));", 1),
        act(
            "{\nSpan was = atomic_load(&span), next;\ndo {\nnext = was;\nnext.hi += $k;\n\
             } while (!atomic_compare_exchange_strong(&span, &was, next));\n}",
            3,
        ),
        act("{\nSpan was = atomic_exchange(&span, ((Span){.hi = $k}));\ngot += was.lo * 4 + was.hi;\n}", 1),
        act("{\nSpan now = span;\ngot += now.hi - now.lo;\n}", 1),
        act(
            "{\nSpan want = {0, $b};\nif (!atomic_compare_exchange_strong(&span, &want, ((Span){$k, $k}))) got += want.lo;\n}",
            1,
        ),
    ];
    let careless = [act("{\nSpan now = atomic_load(&span);\nnow.lo++;\nnow.hi--;\natomic_store(&span, now);\n}", 2)];
    Family {
        top: "typedef struct { int16_t lo, hi; } Span;\nstatic _Atomic Span span;\n\
              static Span peek(void) { return atomic_load(&span); }\n",
        acts: mostly(random, &careful, &careless),
        shown: &["peek().lo", "peek().hi"],
        guesses: &["peek().lo <= peek().hi", "peek().hi != $k", "peek().lo == 0"],
        ..Family::default()
    }
}

/// Sizes for which there is no instruction: three bytes, and two words.
pub fn large(_random: &mut Random) -> Family {
    Family {
        top: "typedef struct rgb { uint8_t r, g, b; } rgb_t;\ntypedef struct { int32_t a, b; } duo_t;\n\
              static _Atomic(rgb_t) shade;\nstatic _Atomic(duo_t) duo;\n\
              static rgb_t shade_now(void) { return atomic_load(&shade); }\n\
              static duo_t duo_now(void) { duo_t d = duo; return d; }\n",
        acts: vec![
            act("shade = (rgb_t){$k, 0, $k};", 1),
            act("{\nrgb_t old = shade;\nold.g += $k;\nshade = old;\n}", 2),
            act("{\nrgb_t old = atomic_exchange(&shade, ((rgb_t){0, $k, 0}));\ngot += old.r;\n}", 1),
            act("duo = (duo_t){$k, -$k};", 1),
            act("{\nduo_t d = duo;\nassert(d.a + d.b == 0);\n}", 1),
            act(
                "{\nduo_t d = duo, e = {d.a + 1, d.b - 1};\nif (!atomic_compare_exchange_strong(&duo, &d, e)) got += 3;\n}",
                2,
            ),
        ],
        shown: &["shade_now().r", "shade_now().g", "shade_now().b", "duo_now().a", "duo_now().b"],
        guesses: &[
            "shade_now().r == shade_now().b",
            "duo_now().a <= $k",
            "shade_now().g != $k",
            "duo_now().a + duo_now().b == 0",
        ],
        ..Family::default()
    }
}

pub fn narrow(random: &mut Random) -> Family {
    let careful = [
        act("atomic_fetch_add(&tiny, $k);", 1),
        act("got += atomic_fetch_sub(&tiny, $k) > 2;", 1),
        act("if (!atomic_flag_test_and_set(&busy)) {\n$inner\natomic_flag_clear(&busy);\n} else {\ngot += 7;\n}", 2),
        act("{\nint *at = atomic_fetch_add(&tip, 1);\nif (at < lane + 3) *at = $k;\n}", 2),
        act("*atomic_load(&tip) = $k + 3;", 2),
        act("atomic_fetch_or_explicit(&mask, 1u << $k, memory_order_relaxed);", 1),
        act("got += atomic_fetch_and(&mask, ~2u) & 2u;", 1),
    ];
    Family {
        top: "static _Atomic uint8_t tiny = 1;\nstatic atomic_flag busy = ATOMIC_FLAG_INIT;\n\
              static int lane[8];\nstatic int *_Atomic tip = lane;\nstatic atomic_ushort mask;\n",
        acts: mostly(random, &careful, &[act("tiny = tiny * 2;", 2), act("mask = mask + 1;", 2)]),
        shown: &["tiny", "tip - lane", "lane[0]", "lane[1]", "lane[2]", "mask"],
        guesses: &["tiny <= $k + 1", "lane[0] != $k + 3", "mask == 0 || tip == lane", "tip - lane <= 1", "tiny != 255"],
        ..Family::default()
    }
}
