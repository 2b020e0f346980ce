//! Guarantees of the sequential generator, checked without a compiler: one text per seed, and every feature within a
//! few hundred seeds. That the programs are free of undefined behaviour is checked by compilers, outside of the test
//! suite.

use generate::sequential_c;

const SEEDS: u64 = 200;

/// A piece of text for each feature that programs must use.
const FEATURES: &[&str] = &[
    // Types.
    "_Bool ",
    "signed char ",
    "unsigned char ",
    "unsigned short ",
    "long long ",
    "__int128 ",
    "unsigned __int128 ",
    "int8_t ",
    "uint16_t ",
    "int32_t ",
    "uint64_t ",
    "size_t ",
    "float ",
    "double ",
    "long double ",
    "wchar_t ",
    "enum ",
    // Operators and statements.
    " += ",
    " -= ",
    " *= ",
    " /= ",
    " %= ",
    " <<= ",
    " >>= ",
    " &= ",
    " |= ",
    " ^= ",
    " ? ",
    " && ",
    " || ",
    "~",
    "++;",
    "--;",
    "while (",
    "do {",
    "goto ",
    "continue;",
    "break;",
    "switch (",
    " ... ",
    "default:",
    "sizeof(",
    "_Generic(",
    "__typeof__",
    // Objects.
    " : 0;",
    "_Bool b",
    "__attribute__((packed))",
    "__attribute__((aligned(32)))",
    "union ",
    "_Thread_local ",
    "volatile ",
    "const volatile ",
    "restrict ",
    "extern ",
    "static inline ",
    "[1] = {",
    ".inner = {",
    "alloca(",
    "table[n][m]",
    "_Alignas(16)",
    "_Static_assert",
    "offsetof(",
    "fallthrough",
    "__auto_type",
    // Variable arguments.
    "va_start(",
    "va_copy(",
    "va_arg(list, int)",
    "va_arg(list, long long)",
    "va_arg(list, double)",
    "va_arg(list, long double)",
    "va_arg(list, struct",
    "va_arg(*list, int)",
    "vsnprintf(",
    // The library.
    "strlen(",
    "strcmp(",
    "strncmp(",
    "strcasecmp(",
    "strcpy(",
    "strncpy(",
    "strcat(",
    "strncat(",
    "strchr(",
    "strrchr(",
    "strstr(",
    "strspn(",
    "strpbrk(",
    "strdup(",
    "memcpy(",
    "memmove(",
    "memset(",
    "memcmp(",
    "memchr(",
    "strtok(",
    "strtok_r(",
    "strtol(",
    "strtoul(",
    "strtoull(",
    "strtod(",
    "strtold(",
    "snprintf(",
    "sprintf(",
    "sscanf(",
    "atoi(",
    "atof(",
    "qsort(",
    "bsearch(",
    "toupper(",
    "isdigit(",
    "ispunct(",
    "malloc(",
    "calloc(",
    "realloc(",
    "free(",
    "puts(",
    "putchar(",
    "div(",
    "labs(",
    // Floating numbers.
    "sqrt(",
    "sqrtf(",
    "sqrtl(",
    "floor",
    "ceil",
    "trunc",
    "fabs",
    "fmod",
    "copysign",
    "fmin",
    "fmax",
    "rint",
    "round",
    "INFINITY",
    "NAN",
    "isunordered(",
    "islessgreater(",
    "signbit(",
    // Builtins and atomics.
    "__builtin_popcount",
    "__builtin_parity",
    "__builtin_clz",
    "__builtin_ctz",
    "__builtin_bswap16",
    "__builtin_bswap32",
    "__builtin_bswap64",
    "__builtin_add_overflow",
    "__builtin_sub_overflow",
    "__builtin_mul_overflow",
    "__builtin_smul",
    "__builtin_expect",
    "__builtin_unreachable",
    "atomic_fetch_add",
    "atomic_fetch_sub",
    "atomic_fetch_and",
    "atomic_fetch_or",
    "atomic_fetch_xor",
    "atomic_exchange",
    "atomic_compare_exchange_strong",
    "atomic_compare_exchange_weak",
    "atomic_flag",
    "atomic_thread_fence",
    "__sync_fetch_and_",
    "__sync_bool_compare_and_swap",
    "__atomic_fetch_nand",
    "memory_order_relaxed",
    "memory_order_acquire",
    "memory_order_release",
    "memory_order_acq_rel",
    "memory_order_seq_cst",
];

#[test]
fn a_seed_stands_for_one_program() {
    for seed in 0..20 {
        assert_eq!(sequential_c(seed), sequential_c(seed));
        assert_ne!(sequential_c(seed), sequential_c(seed + 1));
    }
}

#[test]
fn every_feature_occurs() {
    let programs: Vec<String> = (0..SEEDS).map(sequential_c).collect();
    let missing: Vec<&&str> =
        FEATURES.iter().filter(|feature| !programs.iter().any(|program| program.contains(**feature))).collect();
    assert!(missing.is_empty(), "no program of {SEEDS} has {missing:?}");
}

#[test]
fn every_printf_conversion_occurs() {
    let programs: Vec<String> = (0..SEEDS).map(sequential_c).collect();
    for letter in "diuxXocsfFeEgGaA".chars() {
        let printed = |program: &String| {
            program.lines().filter(|line| line.contains("printf(")).any(|line| {
                line.split('%').skip(1).any(|rest| {
                    rest.trim_start_matches(|c: char| "-+ #0123456789.*hlLjzt".contains(c)).starts_with(letter)
                })
            })
        };
        assert!(programs.iter().any(printed), "no program prints with %{letter}");
    }
}

#[test]
fn programs_stay_readable() {
    for seed in 0..SEEDS {
        let program = sequential_c(seed);
        assert!(program.lines().count() < 900, "seed {seed} has {} lines", program.lines().count());
        assert!(!program.contains('$'), "seed {seed} has a name that was not replaced");
    }
}
