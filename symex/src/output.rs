//! Functions that only print. Their use of their arguments has no effect on the program, so their accesses are not part
//! of a path.

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

/// Members of `std::ostream`, and functions that insert into a stream.
const PREFIXES: &[&str] = &["_ZNSo", "_ZStls", "_ZSt4endl", "_ZSt5flush", "_ZNKSo"];

/// Whether the standard output streams are constant, so that a program cannot replace them.
pub fn has_fixed_streams(program: &Program) -> bool {
    !program.globals.iter().any(|global| !global.constant && matches!(global.name.as_str(), "stdout" | "stderr"))
}

/// Functions that insert into a `std::ostream`, their first argument, and return it.
const INSERTS: &[&str] =
    &["_ZNSols", "_ZNSo9_M_insert", "_ZNSo3put", "_ZNSo5write", "_ZNSo5flush", "_ZStls", "_ZSt4endl", "_ZSt5flush"];

/// Where the output of a call goes.
pub enum Told {
    User,
    /// The number of the argument that is a `FILE *`.
    Stream(usize),
    Descriptor(usize),
    /// To the first argument, a `std::ostream`, which may be a string stream that the program reads.
    Inserted,
    /// Nowhere: the function makes or queries a stream.
    Nobody,
}

pub fn told(function: &str) -> Told {
    match function {
        "fprintf" | "vfprintf" | "fflush" | "__fprintf_chk" | "__vfprintf_chk" => Told::Stream(0),
        "fputs" | "fputc" | "putc" | "putc_unlocked" | "fputc_unlocked" | "fputs_unlocked" => Told::Stream(1),
        "fwrite" => Told::Stream(3),
        "write" | "dprintf" | "vdprintf" => Told::Descriptor(0),
        name if INSERTS.iter().any(|prefix| name.starts_with(prefix)) => Told::Inserted,
        name if name.starts_with("_Z") => Told::Nobody,
        _ => Told::User,
    }
}

/// Whether a global of this name is a `std::ostream` whose output only the user sees.
pub fn is_user_stream(name: &str) -> bool {
    ["_ZSt4cout", "_ZSt4cerr", "_ZSt4clog"].contains(&name)
}

pub fn is_output(function: &Function) -> bool {
    function.origin != Origin::User
        && (NAMES.contains(&function.name.as_str()) || PREFIXES.iter().any(|prefix| function.name.starts_with(prefix)))
}
