//! The effects of external functions, as far as the sharing analysis needs them.

use ir::effect;

use crate::names::{SEQUENCED, VALUE};

/// How an external function treats its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// Returns new memory, or null.
    Allocates,
    /// Returns its first argument's memory, perhaps moved.
    Reallocates,
    /// Copies from its second argument to its first, which it returns.
    Copies,
    /// Reads its arguments and their targets, may write there, and keeps no pointer.
    Harmless,
    /// Calls the function in its last argument with the targets of its other arguments.
    CallsBack,
    /// A synchronisation or another operation whose result depends on other threads. Keeps no pointer.
    Synchronises,
    /// Passes a recorded number through, so that values computed from it are known.
    Records,
    /// An input function, with the number of its [`ir::effect::Effect`].
    Answers(usize),
    /// A modelled function that may keep pointers or start threads.
    Keeps,
    /// Unknown.
    Unknown,
}

const ALLOCATES: &[&str] = &["malloc", "calloc", "aligned_alloc", "memalign", "valloc", "strdup", "strndup"];
const COPIES: &[&str] = &[
    "memcpy",
    "memmove",
    "mempcpy",
    "strcpy",
    "stpcpy",
    "strncpy",
    "strcat",
    "strncat",
    "__memcpy_chk",
    "__memmove_chk",
    "__strcpy_chk",
    "__strcat_chk",
    "__strncpy_chk",
];
const HARMLESS: &[&str] = &[
    "free",
    "cfree",
    "abort",
    "exit",
    "_exit",
    "atoi",
    "atol",
    "atoll",
    "atof",
    "strtol",
    "strtoll",
    "strtoul",
    "strtoull",
    "strtod",
    "strtof",
    "abs",
    "labs",
    "llabs",
    "div",
    "ldiv",
    "printf",
    "fprintf",
    "sprintf",
    "snprintf",
    "vprintf",
    "vfprintf",
    "vsprintf",
    "vsnprintf",
    "__printf_chk",
    "__fprintf_chk",
    "__sprintf_chk",
    "__snprintf_chk",
    "__vsnprintf_chk",
    "puts",
    "fputs",
    "putchar",
    "fputc",
    "putc",
    "perror",
    "bzero",
    "bcmp",
    "__assert_fail",
    "__memset_chk",
    "usleep",
    "sleep",
    "nanosleep",
    "srand",
    "srandom",
    "sched_yield",
    "pthread_yield",
    "__ctype_b_loc",
    "__ctype_tolower_loc",
    "__ctype_toupper_loc",
    "__cxa_pure_virtual",
    "_ZSt9terminatev",
    "__stack_chk_fail",
    "__clang_call_terminate",
];
const HARMLESS_BEGINNINGS: &[&str] = &["str", "mem", "is", "to", "_Zdl", "_Zda", "_ZSt", "llvm."];

/// Exceptions among the functions with harmless prefixes.
const NOT_HARMLESS: &[&str] = &["strtok", "strerror", "strsignal", "_ZSt4cout", "memfd"];

pub fn behaviour(name: &str, is_modelled: impl FnOnce() -> bool) -> Behaviour {
    if let Some((number, _)) = effect::effect(name) {
        return Behaviour::Answers(number);
    }
    if name.starts_with("__heddle_order_") {
        return Behaviour::Harmless;
    }
    if name == VALUE {
        return Behaviour::Records;
    }
    if ALLOCATES.contains(&name) || name.starts_with("_Znw") || name.starts_with("_Zna") {
        return Behaviour::Allocates;
    }
    if name == "realloc" || name == "reallocarray" {
        return Behaviour::Reallocates;
    }
    if COPIES.contains(&name) || name.starts_with("llvm.memcpy") || name.starts_with("llvm.memmove") {
        return Behaviour::Copies;
    }
    if name == "qsort" || name == "bsearch" {
        return Behaviour::CallsBack;
    }
    if is_synchronisation(name) || name.starts_with("__heddle_rt_") || is_sequenced(name) {
        return Behaviour::Synchronises;
    }
    if !name.starts_with("llvm.") && !is_modelled() || is_unwritten_input(name) {
        return Behaviour::Unknown;
    }
    let begins = |list: &[&str]| list.iter().any(|beginning| name.starts_with(beginning));
    let is_harmless = HARMLESS.contains(&name) || begins(HARMLESS_BEGINNINGS) && !begins(NOT_HARMLESS);
    if is_harmless { Behaviour::Harmless } else { Behaviour::Keeps }
}

/// Input functions whose results are not recorded: the number of places they fill depends on a format, or they return
/// the library's memory.
fn is_unwritten_input(name: &str) -> bool {
    const BEGINNINGS: &[&str] = &["__isoc99_", "__isoc23_", "_ZNSi", "_ZStrs", "_ZSt7getline", "localtime", "gmtime"];
    const NAMES: &[&str] = &["scanf", "fscanf", "vscanf", "vfscanf", "ctime", "ctime_r"];
    NAMES.contains(&name) || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning)) && !name.contains("sscanf")
}

/// Whether the recorder replaces the function of the C library, except those with callbacks.
fn is_sequenced(name: &str) -> bool {
    name.strip_prefix(SEQUENCED).is_some_and(|name| name != "pthread_once")
}

fn is_synchronisation(name: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "pthread_mutex_",
        "pthread_cond_",
        "pthread_rwlock_",
        "pthread_spin_",
        "pthread_barrier_",
        "sem_",
        "mtx_",
        "cnd_",
        "pthread_mutexattr_",
        "pthread_condattr_",
    ];
    BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_told_apart() {
        for (name, expected) in [
            ("malloc", Behaviour::Allocates),
            ("_Znwm", Behaviour::Allocates),
            ("llvm.memcpy.p0.p0.i64", Behaviour::Copies),
            ("strlen", Behaviour::Harmless),
            ("strtok", Behaviour::Keeps),
            ("pthread_create", Behaviour::Keeps),
            ("pthread_mutex_trylock", Behaviour::Synchronises),
        ] {
            assert_eq!(behaviour(name, || true), expected, "{name}");
        }
        assert_eq!(behaviour("frobnicate", || false), Behaviour::Unknown);
        assert!(matches!(behaviour("read", || false), Behaviour::Answers(_)));
        assert_eq!(behaviour("__isoc99_scanf", || true), Behaviour::Unknown);
        assert_eq!(behaviour("_ZNSirsERi", || true), Behaviour::Unknown);
        assert_eq!(behaviour("__isoc99_sscanf", || true), Behaviour::Keeps);
    }
}
