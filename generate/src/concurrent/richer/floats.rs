//! Operations on shared floating-point numbers: rounded sums, quotients with a divisor that may be zero, roots,
//! conversions from and to integers and between the two sizes, comparisons with thresholds, atomic updates.

use super::fragment::{Fragment, does};

pub const FRAGMENTS: [Fragment; 27] = [
    does(1, "d = $n;"),
    does(1, "f = 0.$n;"),
    does(2, "d += 0.$n;"),
    does(2, "f -= $n.25f;"),
    does(2, "d = d * $n + 0.5;"),
    does(3, "d = d * f;"),
    does(3, "d -= f;"),
    does(2, "d = f / $n;"),
    does(2, "d = 1 / f;"),
    does(2, "f = (float)d;"),
    does(2, "f = -f;"),
    does(2, "d = x;"),
    does(2, "x = (int)f;"),
    does(1, "r = (int)(d * 2);"),
    does(1, "r = r * 2 + (d < $n);"),
    does(2, "if (d != d) r = 7;"),
    does(2, "if (d > 0.$n) x = $n;"),
    does(3, "if (f <= $k) f += d;"),
    does(1, "assert(d != 0.$n);"),
    does(1, "assert(f <= $n.$k);"),
    does(1, "assert(d < 1.$n);"),
    does(2, "assert(d > f || d < $n);"),
    does(2, "d = __builtin_sqrt(d);"),
    does(2, "d = __builtin_floor(d * $n) - $k;"),
    does(3, "g += 0.$n;"),
    does(1, "__c11_atomic_fetch_add(&g, (float)$k.$n, __ATOMIC_SEQ_CST);"),
    does(2, "f = g + $k;"),
];

pub const CONDITIONS: [&str; 3] = ["d > $k", "f == $k", "!(d < $k.5)"];

pub const DECLARATIONS: &str = "static double d = 0.5;\nstatic float f;\nstatic _Atomic float g;";

pub const VALUES: [&str; 5] = ["(int)d", "(int)(f * 4)", "(d == f)", "(d > 0.7) + (f < 0)", "(int)(g * 10)"];
