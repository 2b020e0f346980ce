//! Compiler flags from a file: a schedule or a compilation database, possibly from another person.
//!
//! A compiler follows its flags: it loads plugins, runs other programs and writes files. So only flags pass that are
//! known to affect only the meaning of the program, its warnings or its debug information. All others are refused by
//! name. Flags that the user types are not checked.
//!
//! A predicate is an expression that the compiler puts into the program, which runs only in the virtual machine.
//!
//! Paths of `-I`, `-isystem`, `-iquote`, `-idirafter`, `-include` and `-imacros` may lead anywhere: the compiler reads
//! them as source text, which does not leave the machine. `-include` must not lead to a device, nor to a file with a
//! precompiled header beside it, which the compiler would load in its place.

use std::fs;
use std::path::Path;

use frontend_llvm::predicate::{self, Predicate};

use crate::exit::Problem;

/// Flags with a value that is joined or the next word: `-I`.
const WITH_VALUE: &[&str] = &[
    "-I",
    "-D",
    "-U",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-include",
    "-imacros",
    // The program is not linked: these have no effect.
    "-L",
    "-l",
];

/// Languages that `-x` may name.
const LANGUAGES: &[&str] = &["c", "c++", "cpp-output", "c++-cpp-output", "none"];

/// Flags without a value.
const ALONE: &str = "
    -ansi -pthread -w -pedantic -pedantic-errors -nostdinc -nostdinc++ -nostdlibinc -nobuiltininc -undef -trigraphs
    -g -g0 -g1 -g2 -g3 -ggdb -ggdb0 -ggdb1 -ggdb2 -ggdb3 -gdwarf -gdwarf-2 -gdwarf-3 -gdwarf-4 -gdwarf-5
    -gline-tables-only -gline-directives-only -gcolumn-info -gno-column-info -O -O0 -O1 -O2 -O3 -O4 -Os -Oz -Og
    -Ofast
";

/// `-fNAME` and `-fno-NAME`.
const FEATURES: &str = "
    PIC PIE pic pie plt common builtin exceptions cxx-exceptions objc-exceptions non-call-exceptions rtti rtti-data
    threadsafe-statics signed-char unsigned-char short-enums short-wchar char8_t wrapv wrapv-pointer trapv
    strict-aliasing strict-overflow strict-return strict-enums strict-vtable-pointers strict-float-cast-overflow
    delete-null-pointer-checks sized-deallocation aligned-allocation aligned-new assume-sane-operator-new check-new
    elide-constructors implicit-templates delayed-template-parsing operator-names access-control coroutines concepts
    relaxed-template-template-args blocks gnu89-inline gnu-keywords gnu-inline-asm ms-extensions ms-compatibility
    asm asm-blocks declspec dollars-in-identifiers digraphs hosted freestanding permissive lax-vector-conversions
    pascal-strings constant-cfstrings inline inline-functions inline-small-functions keep-inline-functions
    unroll-loops vectorize slp-vectorize tree-vectorize tree-slp-vectorize omit-frame-pointer optimize-sibling-calls
    reorder-functions reorder-blocks jump-tables function-sections data-sections unique-section-names
    merge-all-constants merge-constants semantic-interposition emulated-tls zero-initialized-in-bss use-cxa-atexit
    use-init-array visibility-inlines-hidden visibility-inlines-hidden-static-local-var pack-struct stack-protector
    stack-protector-all stack-protector-strong stack-clash-protection stack-check split-stack cf-protection
    asynchronous-unwind-tables unwind-tables dwarf2-cfi-asm ident verbose-asm math-errno fast-math finite-math-only
    associative-math reciprocal-math rounding-math trapping-math signed-zeros signaling-math
    unsafe-math-optimizations honor-nans honor-infinities approx-func protect-parens excess-precision
    cx-limited-range cx-fortran-rules gcse ivopts tree-vrp forward-propagate force-enable-int128 limit-debug-info
    standalone-debug debug-types-section eliminate-unused-debug-types diagnostics-color color-diagnostics
    caret-diagnostics diagnostics-show-option diagnostics-show-caret diagnostics-show-note-include-stack
    diagnostics-fixit-info diagnostics-absolute-paths ansi-escape-codes show-column show-source-location
    spell-checking openmp openmp-simd lto fat-lto-objects
";

/// `-fNAME=VALUE`, where the value is a word, a number or a mapping of paths in texts, but never a file.
const FEATURES_WITH_VALUE: &str = "
    visibility visibility-global-new-delete tls-model fp-contract fp-model fp-exception-behavior fp-eval-method
    excess-precision denormal-fp-math complex-arithmetic max-type-align pack-struct template-depth constexpr-depth
    constexpr-steps bracket-depth template-backtrace-limit macro-backtrace-limit constexpr-backtrace-limit
    error-limit message-length trivial-auto-var-init strict-flex-arrays cf-protection zero-call-used-regs
    lax-vector-conversions clang-abi-compat ms-compatibility-version gnuc-version macro-prefix-map debug-prefix-map
    file-prefix-map input-charset exec-charset wide-exec-charset diagnostics-color aligned-allocation aligned-new
    max-errors sanitize no-sanitize no-sanitize-recover sanitize-recover sanitize-trap lto openmp c++-abi
";

/// `-mNAME` and `-mno-NAME`.
const MACHINE: &str = "
    16 32 64 x32 mmx sse sse2 sse3 ssse3 sse4 sse4.1 sse4.2 sse4a avx avx2 avx512f avx512bw avx512cd avx512dq
    avx512vl avx512vnni avx512vbmi avx512vbmi2 avx512ifma avx512bf16 avx512fp16 avx512bitalg avx512vpopcntdq avxvnni
    aes vaes pclmul vpclmulqdq sha gfni popcnt lzcnt abm bmi bmi2 tbm adx fma fma4 f16c cx8 cx16 sahf movbe rdrnd
    rdseed rdpid rdtscp xsave xsaveopt xsavec xsaves fxsr clflushopt clwb prfchw fsgsbase ptwrite rtm serialize
    waitpkg shstk cldemote movdiri movdir64b 3dnow xop lwp red-zone 80387 x87 hard-float soft-float stackrealign
    implicit-float omit-leaf-frame-pointer retpoline speculative-load-hardening general-regs-only long-double-64
    long-double-80 long-double-128 ms-bitfields accumulate-outgoing-args tls-direct-seg-refs
    incremental-linker-compatible relax-all stack-arg-probe vzeroupper
";

/// `-mNAME=VALUE`, where the value is a word.
const MACHINE_WITH_VALUE: &str = "
    arch tune cpu abi fpmath cmodel tls-dialect prefer-vector-width preferred-stack-boundary stack-alignment
    stack-protector-guard stack-probe-size branch-protection function-return indirect-branch recip regparm
    large-data-threshold harden-sls thread-model
";

/// Checks the flags of a schedule. The first unknown one is reported.
pub fn check(flags: &[String]) -> anyhow::Result<()> {
    let (_, refused) = split(flags);
    match refused.first() {
        None => Ok(()),
        Some(flag) => Err(Problem::error(
            format!("the schedule has the compiler flag `{}`, which heddle does not pass on from a file", shown(flag)),
            "such a flag may run other code or write files; if you trust whoever wrote it: heddle replay --trust-flags SCHEDULE",
        )),
    }
}

/// (flags that are known, in their order and with their values, flags that are not).
pub fn split(flags: &[String]) -> (Vec<String>, Vec<String>) {
    let (mut known, mut refused) = (Vec::new(), Vec::new());
    let mut words = flags.iter();
    while let Some(flag) = words.next() {
        let takes_next = WITH_VALUE.contains(&flag.as_str()) || flag == "-x";
        let value = if takes_next { words.next() } else { None };
        if is_known(flag, value.map(String::as_str)) {
            known.push(flag.clone());
            known.extend(value.cloned());
        } else {
            refused.push(value.map_or_else(|| flag.clone(), |value| format!("{flag} {value}")));
        }
    }
    (known, refused)
}

/// A flag in a message, escaped, since the contents of a file must not reach the terminal directly.
pub fn shown(flag: &str) -> String {
    let short: String = flag.chars().take(120).collect();
    short.escape_debug().to_string()
}

fn is_known(flag: &str, value: Option<&str>) -> bool {
    // A word that begins with `@` is replaced by the contents of a file. `-load` is `-l oad` to the driver and a plugin
    // to the compiler proper.
    if flag == "-load" || flag.starts_with('@') || value.is_some_and(|value| value.starts_with('@')) {
        return false;
    }
    if let Some(predicate) = flag.strip_prefix(predicate::FLAG) {
        return !predicate.contains("_Pragma") && predicate.parse::<Predicate>().is_ok();
    }
    if flag == "-x" {
        return value.is_some_and(|value| LANGUAGES.contains(&value));
    }
    if is_in(ALONE, flag) {
        return true;
    }
    if let Some(name) = WITH_VALUE.iter().filter(|name| flag.starts_with(**name)).max_by_key(|name| name.len()) {
        return is_known_with_value(flag, name, value);
    }
    let (name, value) = flag.split_once('=').map_or((flag, None), |(name, value)| (name, Some(value)));
    match (name.get(..2), value) {
        (Some("-W"), value) => is_word(&name[2..]) && value.is_none_or(is_word),
        (Some("-x"), None) => LANGUAGES.contains(&&name[2..]),
        (Some("-f"), None) => {
            let feature = name[2..].strip_prefix("no-").unwrap_or(&name[2..]);
            is_in(FEATURES, feature) || is_builtin(feature) || is_template_depth(feature)
        }
        (Some("-f"), Some(_)) => is_in(FEATURES_WITH_VALUE, &name[2..]),
        (Some("-m"), None) => is_in(MACHINE, name[2..].strip_prefix("no-").unwrap_or(&name[2..])),
        (Some("-m"), Some(value)) => is_in(MACHINE_WITH_VALUE, &name[2..]) && is_word(value),
        (Some("-s"), Some(value)) => name == "-std" && is_word(value),
        (Some("--"), Some(value)) => name == "--std" && is_word(value),
        _ => false,
    }
}

fn is_in(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|known| known == word)
}

/// Longer flags have shorter ones as prefixes: `-include-pch` has `-include`, `-isystem-after` has `-isystem`.
fn is_known_with_value(flag: &str, name: &str, next: Option<&str>) -> bool {
    let joined = &flag[name.len()..];
    let long = name.len() > 2;
    let value = match next {
        Some(next) => next,
        None if joined.is_empty() || (long && joined.starts_with('-')) => return false,
        None => joined,
    };
    match name {
        "-include" | "-imacros" => is_plain_text(Path::new(value)),
        _ => true,
    }
}

/// Whether the compiler would read this file as source text, if it is there.
fn is_plain_text(file: &Path) -> bool {
    let with = |ending: &str| {
        let mut name = file.as_os_str().to_owned();
        name.push(ending);
        Path::new(&name).exists()
    };
    let is_regular = fs::metadata(file).map_or(true, |metadata| metadata.is_file());
    is_regular && !with(".pch") && !with(".gch")
}

fn is_builtin(feature: &str) -> bool {
    feature.strip_prefix("builtin-").is_some_and(is_word)
}

fn is_template_depth(feature: &str) -> bool {
    feature.strip_prefix("template-depth-").is_some_and(|depth| depth.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Letters, digits and the punctuation in names of warnings, processors and standards. No comma, no slash.
fn is_word(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || "+-_.:#".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn flags_that_only_change_the_meaning_pass() {
        for flags in [
            "-DN=3 -D M -UX -U Y -Iinclude -I include -isystem /opt/x -iquote q -idirafter z -std=c++20 -std=gnu11",
            "-O2 -Os -g -ggdb3 -Wall -Wextra -Wno-unused -Werror=format -Wframe-larger-than=100 -w -pedantic",
            "-fno-strict-aliasing -fwrapv -fno-exceptions -fvisibility=hidden -fno-builtin-memcpy -ftemplate-depth=10",
            "-m64 -mavx2 -mno-red-zone -march=x86-64-v3 -mcmodel=large -pthread -ansi -nostdinc -x c++ -xc",
            "-lm -l m -L. -L lib -include no-such-file.h -imacros no-such-file.h -fsanitize=thread,undefined -flto=thin",
        ] {
            let flags = words(flags);
            assert_eq!(split(&flags), (flags.clone(), Vec::new()));
        }
    }

    const REFUSED: &str = "
        -fplugin=./evil.so -fpass-plugin=./evil.so -fplugin-arg-x-y -Xclang -load -mllvm -mllvm=-load
        -foptimization-record-file=x -fsave-optimization-record -Wp,-MD,x -Wa,-a=x -Wl,-o,x -o -ox -MD -MMD -MFx -MF
        -MJx -save-temps -save-temps=obj --save-temps -ftime-trace -ftime-trace=x -fprofile-generate=x
        -fprofile-instr-generate=x -fprofile-use=x -fcrash-diagnostics-dir=x -fcrash-diagnostics=all
        -dependency-file -dependency-dot @flags --config=x --config -Bx -B -fuse-ld=x -resource-dir=x -resource-dir
        -specs=x --specs=x -wrapper -no-canonical-prefixes -cc1 --driver-mode=cl -fmodules -fmodules-cache-path=x
        -fmodule-file=x -include-pch -include-pchx -imacros-x -isystem-afterx -isysroot -ivfsoverlay --sysroot=x
        -target --target=x -working-directory=x -serialize-diagnostics --analyze -emit-ast -E -S -c -x -xir -xcuda
        -fembed-bitcode -fthinlto-index=x -v -### -dumpdir -gsplit-dwarf -gen-cdb-fragment-path
        -fdiagnostics-add-output=sarif:file=x -fdump-record-layouts -fdump-tree-all=x -fcs-profile-generate=x
        -fcoverage-mapping --coverage -ftest-coverage -fdebug-compilation-dir=x -fmacro-backtrace-limit
        -Wsystem-headers-in-module=a/b - -- a.c -ccc-gcc-name -Xpreprocessor -Xassembler -Xlinker
        -fsanitize-coverage=x -fsanitize-ignorelist=x -fxray-instrument -finstrument-functions -fproc-stat-report=x
        -fprebuilt-module-path=x -fapi-notes-modules -fbuild-session-file=x -iapinotes-modules -I -D
    ";

    #[test]
    fn flags_that_do_more_are_refused_by_name() {
        for flags in REFUSED.split_whitespace().chain([""]) {
            let (known, refused) = split(&words(flags));
            assert!(known.is_empty() && refused == [flags], "{flags}: {known:?}, {refused:?}");
            let message = check(&words(flags)).expect_err("it is refused").to_string();
            assert!(message.contains(&format!("`{flags}`")), "{message}");
        }
    }

    #[test]
    fn values_that_are_words_of_their_own_are_looked_at() {
        for flags in ["-D @file", "-l @file", "-x ir", "-include /dev/zero", "-I @file"] {
            assert_eq!(split(&words(flags)), (Vec::new(), vec![flags.to_owned()]));
        }
        // The value of a flag is not a flag.
        assert_eq!(split(&words("-D -fplugin=x")).1, Vec::<String>::new());
        let folder = tempfile::tempdir().expect("a folder");
        let header = folder.path().join("a.h");
        fs::write(&header, "").expect("it can be written");
        let flag = format!("-include{}", header.display());
        assert_eq!(split(std::slice::from_ref(&flag)).1, Vec::<String>::new());
        fs::write(folder.path().join("a.h.pch"), "").expect("it can be written");
        assert_eq!(split(std::slice::from_ref(&flag)).1, [flag]);
    }

    #[test]
    fn messages_hold_no_control_characters() {
        assert_eq!(shown("-f\u{1b}[2Jx"), "-f\\u{1b}[2Jx");
    }
}
