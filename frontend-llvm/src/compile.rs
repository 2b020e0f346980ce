//! Runs clang: compiles a C or C++ file to the bitcode of its unoptimised module.
//!
//! The user's flags are kept, since they determine the meaning of the program; flags that only affect optimisation,
//! linking or output are replaced. No pass may run: it could move or remove the accesses to be analysed.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::error::Error;

/// The bitcode of one file, and clang's messages.
pub(crate) struct Compiled {
    pub bitcode: Vec<u8>,
    pub warnings: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    C,
    CPlusPlus,
}

/// The language of a source file, from its ending.
pub(crate) fn language(file: &Path) -> Option<Language> {
    match file.extension()?.to_str()? {
        "c" | "i" => Some(Language::C),
        "cc" | "cp" | "cpp" | "cxx" | "c++" | "CPP" | "C" | "ii" => Some(Language::CPlusPlus),
        _ => None,
    }
}

/// The program that compiles.
pub fn compiler() -> OsString {
    std::env::var_os("HEDDLE_CLANG").filter(|name| !name.is_empty()).unwrap_or_else(|| "clang-22".into())
}

/// Constructs that C allowed before 1999 and that compilers now refuse: functions without declaration, variables and
/// results without type, integers in the place of pointers. The user's own flags come later and may forbid them again.
const OLD_C: &[&str] = &[
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-pointer-types",
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=return-mismatch",
];

pub(crate) fn compile(file: &Path, language: Language, flags: &[String], color: bool) -> Result<Compiled, Error> {
    let program = compiler();
    let mut command = Command::new(&program);
    if language == Language::CPlusPlus {
        command.arg("--driver-mode=g++");
    }
    // The first level has the lowest precedence: the user's own comes after it. With level 1 rather than 0 clang emits
    // the bodies of inline functions that C leaves to other files.
    command.arg("-O1");
    if language == Language::C {
        command.args(OLD_C);
    }
    command.args(kept_flags(flags));
    command.args(["-Xclang", "-disable-llvm-passes", "-Xclang", "-disable-O0-optnone", "-g"]);
    command.arg("-Qunused-arguments");
    command.arg(if color { "-fcolor-diagnostics" } else { "-fno-color-diagnostics" });
    command.args(["-c", "-emit-llvm", "-o", "-"]).arg(as_input(file));
    command.stdin(Stdio::null());
    let output = command
        .output()
        .map_err(|reason| Error::NoCompiler { program: program.to_string_lossy().into_owned(), reason })?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(Error::Compile { file: file.to_owned(), stderr: said });
    }
    Ok(Compiled { bitcode: output.stdout, warnings: said })
}

/// A path as the compiler's input. A name that begins with `-` or `@` would be an option or a response file.
fn as_input(file: &Path) -> PathBuf {
    let is_misread = file.as_os_str().as_encoded_bytes().first().is_some_and(|first| matches!(first, b'-' | b'@'));
    if is_misread { Path::new(".").join(file) } else { file.to_owned() }
}

/// A source that was just compiled by another command.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// `-` is stdin.
    pub file: &'a str,
    /// As `-x` calls it.
    pub language: &'a str,
    /// Whether the compiler was called as one for C++.
    pub cplusplus_driver: bool,
    /// All flags of that command; flags that do not concern bitcode are left out.
    pub flags: &'a [String],
    /// The contents of stdin.
    pub stdin: Option<&'a [u8]>,
}

/// The unoptimised bitcode of a source, with debug information. Warnings were already shown by the original
/// compilation.
///
/// The user's optimisation level counts from the beginning, since it also affects unoptimised code, for example through
/// macros.
pub fn bitcode(source: &Source<'_>) -> Result<Vec<u8>, Error> {
    let program = compiler();
    let mut command = Command::new(&program);
    if source.cplusplus_driver {
        command.arg("--driver-mode=g++");
    }
    command.args(kept_flags(source.flags));
    command.args(["-Xclang", "-disable-llvm-passes", "-Xclang", "-disable-O0-optnone", "-g", "-w"]);
    command.args(["-Qunused-arguments", "-fno-color-diagnostics", "-fno-crash-diagnostics"]);
    command.args(["-c", "-emit-llvm", "-o", "-", "-x", source.language, source.file]);
    let output = answer(command, source.stdin)
        .map_err(|reason| Error::NoCompiler { program: program.to_string_lossy().into_owned(), reason })?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Error::Compile { file: source.file.into(), stderr });
    }
    Ok(output.stdout)
}

/// Runs a command with this input, which is written while the output is read, to avoid a deadlock.
fn answer(mut command: Command, stdin: Option<&[u8]>) -> std::io::Result<Output> {
    let Some(bytes) = stdin else { return command.stdin(Stdio::null()).output() };
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let pipe = child.stdin.take();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // A compiler that does not read to the end reports the reason itself.
            if let Some(mut pipe) = pipe {
                let _ = pipe.write_all(bytes);
            }
        });
        child.wait_with_output()
    })
}

/// Whether LLVM can read a module; if not, the reason.
///
/// LLVM's reader aborts the process for some damaged modules, while reading or while freeing. So a process of the
/// compiler, which has the same reader, reads the module first, and only a module that it accepts is read here. Without
/// a compiler this check is skipped.
pub(crate) fn check_readable(module: &[u8]) -> Result<(), String> {
    let mut command = Command::new(compiler());
    command.args(["-fno-crash-diagnostics", "-Wno-override-module", "-Xclang", "-disable-llvm-passes"]);
    command.args(["-x", "ir", "-", "-c", "-emit-llvm", "-o", "-"]);
    let Ok(output) = answer(command, Some(module)) else { return Ok(()) };
    match output.status.code() {
        Some(0) => Ok(()),
        Some(1) => complaint(&String::from_utf8_lossy(&output.stderr)).map_or(Ok(()), Err),
        _ => Err("it is damaged".to_owned()),
    }
}

/// The compiler's message about a module that it cannot read. A target without code generation is not such a message.
fn complaint(said: &str) -> Option<String> {
    if said.contains("unable to create target") || said.contains("unknown target") {
        return None;
    }
    let Some((place, message)) = said.lines().find_map(|line| line.split_once("error: ")) else {
        return Some("it is damaged".to_owned());
    };
    let mut place = place.strip_prefix("<stdin>:").unwrap_or_default().split(':');
    Some(match place.next().and_then(|line| line.parse::<u32>().ok()) {
        Some(line) => format!("line {line}: {}", message.trim()),
        None => message.trim().to_owned(),
    })
}

/// Flags that are dropped together with their argument, which is the next word.
const DROPPED_WITH_ARGUMENT: &[&str] = &[
    "-o",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-L",
    "-l",
    "-Xlinker",
    "-Xassembler",
    "-T",
    "-u",
    "-z",
    "-arch",
    "-dumpbase",
    "-dumpdir",
];

/// Flags that are kept together with their argument, which is the next word, whatever it looks like.
const KEPT_WITH_ARGUMENT: &[&str] = &[
    "-Xclang",
    "-Xpreprocessor",
    "-mllvm",
    "-I",
    "-D",
    "-U",
    "-x",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-isysroot",
    "--sysroot",
    "-target",
];

/// Flags that choose another product, another linker input or another instrumentation.
const DROPPED: &[&str] = &[
    "-c",
    "-S",
    "-E",
    "-M",
    "-MM",
    "-MD",
    "-MMD",
    "-MP",
    "-MG",
    "-emit-llvm",
    "-fsyntax-only",
    "-shared",
    "-static",
    "-rdynamic",
    "-pie",
    "-no-pie",
    "-s",
    "-r",
    "-pg",
    "-p",
    "-nostdlib",
    "-nostartfiles",
    "-nodefaultlibs",
    "-pipe",
    "-v",
    "-###",
    "--coverage",
    "-coverage",
    "-static-pie",
    "-static-libgcc",
    "-static-libstdc++",
];

const DROPPED_BEGINNINGS: &[&str] = &[
    "-o",
    "-L",
    "-l",
    "-Wl,",
    "-Wa,",
    "-fsanitize",
    "-fno-sanitize",
    "-flto",
    "-fno-lto",
    "-fuse-ld",
    "-fprofile",
    "-fcoverage",
    "-ftest-coverage",
    "-finstrument",
    "-fxray",
    "-save-temps",
    "-g",
    "-fdiagnostics-color",
    "-fcolor-diagnostics",
    "-fno-color-diagnostics",
    "-fsave-optimization-record",
    "-ftime-",
    "-fembed-bitcode",
    "--serialize-diagnostics",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
];

/// The flags for one of a program's files: where the files are of both languages, a standard holds for its own language only.
/// Where all are of the other language, it is a mistake that the compiler names.
pub fn flags_of_file(file: &Path, files: &[PathBuf], flags: &[String]) -> Vec<String> {
    let Some(own) = language(file) else { return flags.to_vec() };
    let is_other = |other: &PathBuf| language(other).is_some_and(|other| other != own);
    if files.iter().any(is_other) { flags_of_language(flags, own) } else { flags.to_vec() }
}

fn flags_of_language(flags: &[String], language: Language) -> Vec<String> {
    let holds = |flag: &&String| match flag.strip_prefix("-std=").or_else(|| flag.strip_prefix("--std=")) {
        Some(standard) => standard.contains("++") == (language == Language::CPlusPlus),
        None => true,
    };
    flags.iter().filter(holds).cloned().collect()
}

/// The flags that affect an unoptimised module, as owned values.
pub fn meaningful_flags(flags: &[String]) -> Vec<String> {
    kept_flags(flags).into_iter().map(str::to_owned).collect()
}

/// The flags that affect an unoptimised module.
fn kept_flags(flags: &[String]) -> Vec<&str> {
    let mut kept = Vec::new();
    let mut rest = flags.iter().map(String::as_str);
    while let Some(flag) = rest.next() {
        if KEPT_WITH_ARGUMENT.contains(&flag) {
            kept.push(flag);
            kept.extend(rest.next());
        } else if DROPPED_WITH_ARGUMENT.contains(&flag) {
            rest.next();
        } else if !DROPPED.contains(&flag) && !DROPPED_BEGINNINGS.iter().any(|beginning| flag.starts_with(beginning)) {
            kept.push(flag);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(flags: &str) -> String {
        let flags: Vec<String> = flags.split(' ').map(str::to_owned).collect();
        kept_flags(&flags).join(" ")
    }

    #[test]
    fn flags_that_decide_the_meaning_are_kept() {
        let flags =
            "-std=c11 -Iinclude -I include -D N=3 -DM -include config.h -Wall -O2 -m64 -fno-strict-aliasing -pthread";
        assert_eq!(kept(flags), flags);
    }

    #[test]
    fn complaints_about_modules_name_the_line() {
        let said = "<stdin>:3:1: error: found end of file\nx\n1 error generated.\n";
        assert_eq!(complaint(said).as_deref(), Some("line 3: found end of file"));
        assert_eq!(complaint("error: Invalid record\n").as_deref(), Some("Invalid record"));
        assert_eq!(complaint("").as_deref(), Some("it is damaged"));
        assert_eq!(complaint("error: unable to create target: 'x'\n"), None);
    }

    #[test]
    fn standards_hold_for_their_language() {
        let flags = ["-std=c++17", "-DN", "-std=gnu11"].map(str::to_owned);
        assert_eq!(flags_of_language(&flags, Language::C), ["-DN", "-std=gnu11"]);
        assert_eq!(flags_of_language(&flags, Language::CPlusPlus), ["-std=c++17", "-DN"]);
    }

    #[test]
    fn names_that_look_like_options_are_inputs() {
        assert_eq!(as_input(Path::new("-fplugin=x.c")), Path::new("./-fplugin=x.c"));
        assert_eq!(as_input(Path::new("@x.c")), Path::new("./@x.c"));
        assert_eq!(as_input(Path::new("a/-x.c")), Path::new("a/-x.c"));
    }

    #[test]
    fn flags_of_other_products_are_dropped() {
        assert_eq!(kept("-c -o out.o -MD -MF out.d -lm -L. -Wl,-O1 -Xlinker -z -flto -g3 -O0"), "-O0");
        assert_eq!(kept("-l m -L lib -fsanitize=thread -save-temps -Werror"), "-Werror");
        assert_eq!(kept("-Xclang -load -D -s -pg"), "-Xclang -load -D -s");
    }
}
