//! `heddle cc` and `heddle c++` in place of clang: the same messages and products, and programs with additional
//! sections.

mod command;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use command::{Answer, binary, folder, heddle, heddle_with_input, is_recorded, other, section};

const MAIN: &str = "#include <stdio.h>\nint twice(int);\nint main(int argc, char **argv)\n{\n    (void)argv;\n    \
                    printf(\"%d\\n\", twice(argc));\n    return twice(argc) == 2 ? 0 : 3;\n}\n";
const TWICE: &str = "int twice(int n)\n{\n    return n + n;\n}\n";

#[track_caller]
fn cc(folder: &Path, arguments: &str) -> Answer {
    let words: Vec<&str> = ["cc"].into_iter().chain(arguments.split_whitespace()).collect();
    heddle(folder, &words)
}

/// The command succeeds without output.
#[track_caller]
fn quietly(folder: &Path, arguments: &str) {
    let answer = cc(folder, arguments).expect_status(0);
    assert_eq!((answer.stdout.as_str(), answer.stderr.as_str()), ("", ""), "{arguments}");
}

/// The program runs, ends with 0 and prints 2.
#[track_caller]
fn works(program: &Path) {
    let answer = other(program.parent().expect("it is in a folder"), &program.display().to_string(), &[""; 0]);
    assert_eq!((answer.status, answer.stdout.as_str()), (0, "2\n"), "{}", answer.stderr);
}

#[test]
fn what_clang_says_is_said() {
    let folder = folder(&[
        ("main.c", MAIN),
        ("twice.c", TWICE),
        ("broken.c", "int main(void) { return missing; }\n"),
        ("warned.c", "int main(void) { int unused; return 0; }\n"),
        ("options", "-DX='a b' -E \"main.c\"\n"),
    ]);
    for arguments in [
        "--version",
        "-dumpmachine",
        "-print-prog-name=ld",
        "-v",
        "",
        "-E main.c",
        "@options",
        "-M main.c",
        "-MM main.c",
        "-S -O2 main.c -o -",
        "-fsyntax-only -Wall warned.c",
        "-Wall -c warned.c",
        "-Wall -Werror -c warned.c",
        "-c broken.c",
        "broken.c",
        "main.c broken.c",
        "nowhere.c",
        "nowhere.o",
        "-c main.c twice.c -o one.o",
        "-no-such-option -c main.c",
        "-x nonsense main.c",
        "-o",
        "main.c -Wl,--no-such-option -c -Werror",
    ] {
        let words: Vec<&str> = arguments.split_whitespace().collect();
        let clang = other(folder.path(), "clang-22", &words);
        let ours = cc(folder.path(), arguments);
        assert_eq!(ours.status, clang.status, "{arguments}\n{}", ours.stderr);
        assert_eq!(ours.stdout, clang.stdout, "{arguments}");
        assert_eq!(ours.stderr, clang.stderr, "{arguments}");
    }
    // Help has a few lines of heddle's own first.
    let help = other(folder.path(), "clang-22", &["--help"]);
    let ours = cc(folder.path(), "--help").expect_status(help.status);
    assert!(ours.stdout.ends_with(&help.stdout) && ours.stderr == help.stderr, "{}", ours.stdout);
    let twice = other(folder.path(), "clang-22", &["--driver-mode=g++", "-E", "-x", "c++", "-dM", "twice.c"]);
    let ours = heddle(folder.path(), &["c++", "-E", "-x", "c++", "-dM", "twice.c"]);
    assert_eq!((ours.status, ours.stdout), (twice.status, twice.stdout));
}

#[test]
fn what_the_linker_says_is_said() {
    let folder = folder(&[("main.c", MAIN)]);
    quietly(folder.path(), "-c main.c");
    let clang = other(folder.path(), "clang-22", &["main.o", "-o", "p"]);
    let ours = cc(folder.path(), "main.o -o p").expect_status(clang.status);
    assert!(ours.stderr.contains("undefined reference to `twice'"), "{}", ours.stderr);
    assert_eq!(ours.stderr, clang.stderr);
    assert!(!folder.path().join("p").exists());
}

#[test]
fn objects_are_those_of_clang_and_carry_bitcode() {
    let folder =
        folder(&[("main.c", MAIN), ("twice.c", TWICE), ("deep/x.c", TWICE), ("start.s", ".globl start\nstart: ret\n")]);
    let at = |name: &str| folder.path().join(name);
    let carries = |name: &str| section(&at(name), ".heddle.bc").is_some();
    quietly(folder.path(), "-c -O2 main.c twice.c deep/x.c -MD -pthread");
    assert!(carries("main.o") && carries("twice.o") && carries("x.o"));
    assert!(at("main.d").exists() && at("twice.d").exists());
    other(folder.path(), "clang-22", &["-c", "-O2", "main.c", "-o", "native.o", "-pthread"]).expect_status(0);
    for name in [".text", ".rodata.str1.1", ".symtab"] {
        let native = section(&at("native.o"), name).expect("clang makes one");
        assert_eq!(section(&at("main.o"), name).map(|bytes| bytes.len()), Some(native.len()), "{name}");
    }
    assert_eq!(section(&at("main.o"), ".text"), section(&at("native.o"), ".text"));

    quietly(folder.path(), "-c start.s");
    assert!(!carries("start.o"));
    quietly(folder.path(), "-c -flto twice.c -o lto.o");
    assert!(carries("lto.o"));
    quietly(folder.path(), "-c -m32 -ffreestanding twice.c -o small.o");
    assert!(!carries("small.o"));
    quietly(folder.path(), "-c -fsanitize=thread twice.c -o tsan.o");
    assert!(!carries("tsan.o"));
    quietly(folder.path(), "-c twice.c -o /dev/null");
    assert!(!Path::new("/dev/null").is_file());
    for arguments in [&["cc", "-x", "c", "-c", "-", "-o", "piped.o"][..], &["cc", "-xc", "-c", "-o", "piped.o", "-"]] {
        heddle_with_input(folder.path(), arguments, TWICE.as_bytes()).expect_status(0);
        assert!(carries("piped.o"));
        fs::remove_file(at("piped.o")).expect("it is there");
    }
    fs::write(at("words"), "-c -O1 -DTEXT=\"\\\"a b\\\"\" 'twice.c'\n-o listed.o\n").expect("it can be written");
    quietly(folder.path(), "@words");
    assert!(carries("listed.o"));
}

/// A project as people write them: an archive, an object of another compiler, dependency files.
const MAKEFILE: &str = "CFLAGS = -O2 -Wall -MMD -pthread\n\
    prog: main.o other.o libparts.a\n\t$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)\n\
    libparts.a: a_part_with_a_long_name.o part2.o part3.o unused.o\n\t$(AR) rcs $@ $^\n\
    other.o: other.c\n\tgcc -O2 -c $< -o $@\n\
    -include *.d\n";

fn project() -> tempfile::TempDir {
    folder(&[
        ("Makefile", MAKEFILE),
        ("main.c", MAIN),
        ("a_part_with_a_long_name.c", "int half(int);\nint twice(int n) { return half(4 * n); }\n"),
        ("part2.c", "int divided(int, int);\nint half(int n) { return divided(n, 2); }\n"),
        ("part3.c", "int other(int);\nint divided(int n, int by) { return other(n) / by; }\n"),
        ("other.c", "int other(int n) { return n; }\n"),
        ("unused.c", "int nowhere(void);\nint unused(void) { return nowhere(); }\n"),
    ])
}

fn make(folder: &Path, variables: &[&str]) -> Answer {
    let _ = fs::remove_file(folder.join("prog"));
    let compiler = format!("CC={} cc", binary());
    let arguments: Vec<&str> = ["-s", "-j4", &compiler].into_iter().chain(variables.iter().copied()).collect();
    other(folder, "make", &arguments)
}

/// The functions that a program's module defines, out of these.
fn defined<'n>(program: &Path, names: &[&'n str]) -> Vec<&'n str> {
    let text = heddle(Path::new("."), &["ir", &program.display().to_string()]).expect_status(0).stdout;
    let is_defined = |name: &&str| {
        let head = format!("function @{name} ");
        text.lines().any(|line| line.starts_with(&head) && line.contains('{'))
    };
    names.iter().copied().filter(is_defined).collect()
}

const PARTS: [&str; 6] = ["main", "twice", "half", "divided", "other", "unused"];

#[test]
fn a_project_with_an_archive_is_built_by_make() {
    let folder = project();
    let program = folder.path().join("prog");
    let answer = make(folder.path(), &[]).expect_status(0);
    assert_eq!(answer.stderr, "");
    works(&program);
    assert!(is_recorded(&program));
    assert_eq!(defined(&program, &PARTS), ["main", "twice", "half", "divided"]);
    assert!(folder.path().join("part2.d").exists());

    for flags in ["-no-pie", "-s", "-rdynamic", "-Wl,--gc-sections", "-Wl,--as-needed -Wl,-z,now", "-static-libgcc"] {
        let answer = make(folder.path(), &[&format!("LDFLAGS={flags}")]).expect_status(0);
        assert_eq!(answer.stderr, "", "{flags}");
        works(&program);
        assert!(is_recorded(&program), "{flags}");
    }
}

#[test]
fn archives_that_are_linked_as_a_whole() {
    let folder = project();
    fs::write(folder.path().join("unused.c"), "int unused(void) { return 1; }\n").expect("it can be written");
    let program = folder.path().join("prog");
    let whole = ["LDFLAGS=-Wl,--whole-archive", "LDLIBS=-Wl,--no-whole-archive"];
    assert_eq!(make(folder.path(), &whole).expect_status(0).stderr, "");
    works(&program);
    assert_eq!(defined(&program, &PARTS), ["main", "twice", "half", "divided"]);
    assert!(is_recorded(&program));
    assert!(other(folder.path(), "llvm-nm-22", &["prog"]).stdout.contains(" T unused\n"));
    // An archive of which one member has no bitcode, named as a library.
    other(folder.path(), "ar", &["rc", "libmixed.a", "part2.o", "part3.o", "other.o"]).expect_status(0);
    quietly(
        folder.path(),
        "main.o a_part_with_a_long_name.o -L. -Wl,--whole-archive -lmixed -Wl,--no-whole-archive -o mixed",
    );
    works(&folder.path().join("mixed"));
    assert_eq!(defined(&folder.path().join("mixed"), &PARTS), ["main", "twice", "half", "divided"]);
}

#[test]
fn objects_of_objects_and_thin_archives() {
    let folder = project();
    let at = |name: &str| folder.path().join(name);
    make(folder.path(), &[]).expect_status(0);
    quietly(folder.path(), "-r part2.o part3.o -o both.o");
    quietly(folder.path(), "main.o a_part_with_a_long_name.o both.o other.o -o p");
    works(&at("p"));
    assert_eq!(defined(&at("p"), &PARTS), ["main", "twice", "half", "divided"]);
    // Objects joined by the linker with one without bitcode count as without bitcode.
    quietly(folder.path(), "-r part3.o other.o -o mixed.o");
    quietly(folder.path(), "main.o a_part_with_a_long_name.o part2.o mixed.o -o p");
    works(&at("p"));
    assert_eq!(defined(&at("p"), &PARTS), ["main", "twice", "half"]);
    other(folder.path(), "ar", &["rcT", "thin.a", "part2.o", "part3.o", "unused.o"]).expect_status(0);
    quietly(folder.path(), "main.o a_part_with_a_long_name.o thin.a other.o -o p");
    works(&at("p"));
    assert_eq!(defined(&at("p"), &PARTS), ["main", "twice", "half", "divided"]);
    // A symbol was renamed after the object was made: its bitcode does not know.
    other(folder.path(), "llvm-objcopy-22", &["--redefine-sym=other=renamed", "part3.o", "renamed.o"]).expect_status(0);
    fs::write(at("renamed.c"), "int renamed(int n) { return n; }\n").expect("it can be written");
    quietly(folder.path(), "main.o a_part_with_a_long_name.o part2.o renamed.o renamed.c -o p");
    works(&at("p"));
}

#[test]
fn products_that_are_not_recorded() {
    let folder = folder(&[("main.c", MAIN), ("twice.c", TWICE)]);
    let at = |name: &str| folder.path().join(name);
    quietly(folder.path(), "-shared -fPIC twice.c -o libtwice.so");
    quietly(folder.path(), "main.c -L. -ltwice -Wl,-rpath,$ORIGIN -o p");
    works(&at("p"));
    assert_eq!(defined(&at("p"), &PARTS), ["main"]);
    for (flags, words) in
        [("-static", "it is linked with -static"), ("-fsanitize=undefined", "it is made with -fsanitize")]
    {
        let answer = cc(folder.path(), &format!("{flags} main.c twice.c -o p")).expect_status(0);
        assert!(answer.stderr.contains(words) && answer.stderr.lines().count() == 1, "{flags}: {}", answer.stderr);
        works(&at("p"));
        assert!(!is_recorded(&at("p")));
    }
    let wrapped = "int __wrap_twice(int n) { return n + 1; }\n";
    fs::write(at("wrapped.c"), wrapped).expect("it can be written");
    let answer = cc(folder.path(), "main.c twice.c wrapped.c -Wl,--wrap=twice -o p").expect_status(0);
    assert!(answer.stderr.contains("wrap `twice`"), "{}", answer.stderr);
    works(&at("p"));
    quietly(folder.path(), "main.c twice.c -o /dev/null");
}

#[test]
fn compiling_and_linking_at_once() {
    let folder = folder(&[("main.c", MAIN), ("twice.c", TWICE), ("twice.txt", TWICE)]);
    let program = folder.path().join("p");
    let assembler = ".globl twice\ntwice:\n leal (%rdi,%rdi), %eax\n ret\n.section .note.GNU-stack,\"\",@progbits\n";
    fs::write(folder.path().join("twice.s"), assembler).expect("it can be written");
    for (arguments, expected) in [
        ("main.c twice.c -o p", &["main", "twice"][..]),
        ("-o p -O3 -flto main.c -x c twice.txt", &["main", "twice"]),
        ("main.c twice.s -o p", &["main"]),
        ("twice.s main.c -o p", &["main"]),
        ("-x c main.c -x assembler twice.s -o p", &["main"]),
        ("-fheddle-every-branch -fheddle-hooks main.c twice.c -o p", &["main", "twice"]),
    ] {
        quietly(folder.path(), arguments);
        works(&program);
        assert_eq!(defined(&program, &PARTS), expected, "{arguments}");
        fs::remove_file(&program).expect("it is there");
    }
    let answer = heddle_with_input(folder.path(), &["cc", "-x", "c", "-", "twice.c", "-o", "p"], MAIN.as_bytes());
    answer.expect_status(0);
    works(&program);
    quietly(folder.path(), "main.c twice.c");
    works(&folder.path().join("a.out"));
}

#[test]
fn trials_of_configure_scripts() {
    let folder = folder(&[("conftest.c", "int main(void) { return 0; }\n")]);
    let write = |text: &str| fs::write(folder.path().join("conftest.c"), text).expect("it can be written");
    let run = || other(folder.path(), "./conftest", &[""; 0]).status;
    for flags in ["", "-Werror -Wall", "-static", "-fsanitize=undefined", "-pthread -lm", "-flto", "-Wl,--as-needed"] {
        quietly(folder.path(), &format!("{flags} -o conftest conftest.c"));
        assert_eq!(run(), 0, "{flags}");
    }
    quietly(folder.path(), "-c conftest.c");
    assert!(folder.path().join("conftest.o").exists());
    write("int main(void) { return 77; }\n");
    quietly(folder.path(), "conftest.c -o conftest");
    assert_eq!(run(), 77);
    write("char no_such_function(void);\nint main(void) { return no_such_function(); }\n");
    cc(folder.path(), "conftest.c -o conftest").expect_status(1);
    write("#include <no_such_header.h>\nint main(void) { return 0; }\n");
    cc(folder.path(), "-c conftest.c").expect_status(1);
    write(
        "#include <math.h>\n#include <stdio.h>\nint main(void)\n{\n    FILE *f = fopen(\"conftest.val\", \"w\");\n    \
           return !f || fprintf(f, \"%d\", (int)sizeof(long)) != 1 || fclose(f);\n}\n",
    );
    quietly(folder.path(), "-o conftest conftest.c -lm");
    assert_eq!(run(), 0);
    assert_eq!(fs::read_to_string(folder.path().join("conftest.val")).expect("it was written"), "8");
}

#[test]
fn cplusplus_with_exceptions_threads_and_constructors() {
    let folder = folder(&[
        (
            "main.cpp",
            "#include <iostream>\n#include <thread>\nint checked(int);\nstruct Start { Start(); int value; };\n\
             extern Start start;\nint main()\n{\n    int caught = 0;\n    std::thread thread([&] {\n        try {\n            \
             checked(start.value);\n        } catch (const char *) {\n            caught = 2;\n        }\n    });\n    \
             thread.join();\n    std::cout << caught << \"\\n\";\n}\n",
        ),
        ("checked.cpp", "int checked(int n) { if (n == 7) throw \"seven\"; return n; }\n"),
        ("start.cc", "struct Start { Start(); int value; };\nStart::Start() : value(7) {}\nStart start;\n"),
    ]);
    let program = folder.path().join("p");
    let arguments = ["c++", "-O2", "-std=c++17", "main.cpp", "checked.cpp", "start.cc", "-pthread", "-o", "p"];
    let answer = heddle(folder.path(), &arguments).expect_status(0);
    assert_eq!(answer.stderr, "");
    works(&program);
    assert!(is_recorded(&program));
    // A C compiler compiles C++ too, if the library is given.
    quietly(folder.path(), "-c main.cpp checked.cpp");
    other(folder.path(), "g++", &["-c", "start.cc"]).expect_status(0);
    quietly(folder.path(), "main.o checked.o start.o -lstdc++ -o p");
    works(&program);
    assert!(is_recorded(&program));
}

#[test]
fn a_cmake_project() {
    let folder = project();
    let text = "cmake_minimum_required(VERSION 3.10)\nproject(prog C)\ninclude(CheckCSourceRuns)\n\
                check_c_source_runs(\"int main(void) { return 0; }\" RUNS)\n\
                check_c_source_runs(\"int main(void) { return 1; }\" RUNS_NOT)\n\
                if(NOT RUNS OR RUNS_NOT OR NOT CMAKE_C_COMPILER_ID STREQUAL \"Clang\")\n  message(FATAL_ERROR wrong)\n\
                endif()\nadd_library(parts STATIC a_part_with_a_long_name.c part2.c part3.c)\n\
                add_library(other SHARED other.c)\ntarget_link_libraries(parts other)\nadd_executable(prog main.c)\n\
                target_link_libraries(prog parts)\n";
    fs::write(folder.path().join("CMakeLists.txt"), text).expect("it can be written");
    let mut configure = Command::new("cmake");
    configure.args(["-S", ".", "-B", "build"]).env("CC", format!("{} cc", binary())).current_dir(folder.path());
    // CMake is optional.
    let Ok(configured) = configure.stdin(Stdio::null()).output() else {
        let _ = writeln!(std::io::stderr(), "skipped: there is no cmake");
        return;
    };
    assert!(configured.status.success(), "{}", String::from_utf8_lossy(&configured.stderr));
    other(folder.path(), "cmake", &["--build", "build", "-j4"]).expect_status(0);
    let program = folder.path().join("build/prog");
    works(&program);
    assert_eq!(defined(&program, &PARTS), ["main", "twice", "half", "divided"]);
}

#[test]
fn programs_are_programs_for_the_other_commands() {
    let racy = include_str!("../../corpus/lost-update/lost-update.c");
    let folder = folder(&[("a.c", racy), ("plain.c", "int main(void) { return 0; }\n")]);
    quietly(folder.path(), "a.c -o a -pthread");
    let found = heddle(folder.path(), &["run", "a", "--runs", "300"]).expect_status(1);
    assert!(found.stdout.contains("a.c:24"), "{}", found.stdout);
    heddle(folder.path(), &["replay", ".heddle/a.schedule"]).expect_status(1);
    // Comments move no decisions, but another program is another program.
    quietly(folder.path(), "-DOTHER plain.c -o a");
    let misfit = heddle(folder.path(), &["replay", ".heddle/a.schedule"]).expect_status(2);
    assert!(misfit.stderr.contains("no longer fits a"), "{}", misfit.stderr);
    other(folder.path(), "clang-22", &["plain.c", "-o", "plain"]).expect_status(0);
    for command in ["run", "ir"] {
        let answer = heddle(folder.path(), &[command, "plain"]).expect_status(2);
        assert!(answer.stderr.contains("plain was not built with `heddle cc`"), "{}", answer.stderr);
        assert!(answer.stderr.contains("help: "), "{}", answer.stderr);
    }
}

#[test]
fn a_signal_leaves_nothing_behind() {
    let compiler = "#!/bin/sh\necho started\nexec cat\n";
    let folder = folder(&[("main.c", MAIN), ("compiler", compiler), ("temporary/x", "")]);
    other(folder.path(), "chmod", &["+x", "compiler"]).expect_status(0);
    let mut heddle = Command::new(binary())
        .args(["cc", "-c", "main.c"])
        .env("TMPDIR", folder.path().join("temporary"))
        .env("HEDDLE_CLANG", folder.path().join("compiler"))
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("heddle starts");
    let mut line = String::new();
    BufReader::new(heddle.stdout.take().expect("a pipe")).read_line(&mut line).expect("the compiler starts");
    assert_eq!(fs::read_dir(folder.path().join("temporary")).expect("it is there").count(), 2);
    // As long as there is input, the compiler does not end.
    let _input = heddle.stdin.take();
    other(folder.path(), "kill", &[&heddle.id().to_string()]).expect_status(0);
    assert_eq!(heddle.wait().expect("heddle ends").signal(), Some(15));
    assert_eq!(fs::read_dir(folder.path().join("temporary")).expect("it is there").count(), 1);
}

#[test]
fn nothing_is_left_behind() {
    let folder = folder(&[("main.c", MAIN), ("twice.c", TWICE), ("broken.c", "int main(void) { return missing; }\n")]);
    let temporary = folder.path().join("temporary");
    fs::create_dir(&temporary).expect("it can be made");
    for arguments in
        ["main.c twice.c -o p", "-c main.c", "broken.c", "main.c", "-static main.c twice.c -o p", "--version"]
    {
        let words = ["cc"].into_iter().chain(arguments.split_whitespace());
        let mut command = Command::new(binary());
        command.args(words).env("TMPDIR", &temporary).current_dir(folder.path());
        command.output().expect("heddle starts");
        let left: Vec<_> = fs::read_dir(&temporary).expect("it is there").collect();
        assert!(left.is_empty(), "{arguments}: {left:?}");
    }
    let mut names: Vec<String> = fs::read_dir(folder.path())
        .expect("it is there")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    names.sort();
    assert_eq!(names, ["broken.c", "main.c", "main.o", "p", "temporary", "twice.c"]);
}
