//! Functions that only tell the user something. What they do with what they are given has no influence on the program,
//! so it is no part of its paths.

use ir::{Function, Origin, Program};

const NAMES: &[&str] = &[
    "printf",
    "fprintf",
    "vprintf",
    "vfprintf",
    "dprintf",
    "vdprintf",
    "puts",
    "fputs",
    "putchar",
    "fputc",
    "putc",
    "putchar_unlocked",
    "putc_unlocked",
    "fputc_unlocked",
    "fputs_unlocked",
    "perror",
    "fflush",
    "write",
    "fwrite",
    "__printf_chk",
    "__fprintf_chk",
    "__vprintf_chk",
    "__vfprintf_chk",
    "psignal",
    "syslog",
    "warn",
    "warnx",
];

/// Members of `std::ostream`, and what is inserted into one.
const PREFIXES: &[&str] = &["_ZNSo", "_ZStls", "_ZSt4endl", "_ZSt5flush", "_ZNKSo"];

/// Whether the standard streams for output stay what they are, because they are constants.
pub fn has_fixed_streams(program: &Program) -> bool {
    !program.globals.iter().any(|global| !global.constant && matches!(global.name.as_str(), "stdout" | "stderr"))
}

pub fn is_output(function: &Function) -> bool {
    function.origin != Origin::User
        && (NAMES.contains(&function.name.as_str()) || PREFIXES.iter().any(|prefix| function.name.starts_with(prefix)))
}
