//! Valid inputs, and the messages for invalid ones.

mod snippet;

use frontend_llvm::Error;
use snippet::{Folder, function, load_files, try_load};

const MAIN: &str = "int main(void) { return 0; }";

#[test]
fn several_files_are_one_program() {
    let folder = Folder::new();
    let files = [
        folder.write("a.c", "static int count; int other(void); int main(void) { return ++count + other(); }"),
        folder.write("b.c", "static int count = 5; int other(void) { return count++; }"),
    ];
    let program = load_files(&files, &[]).program;
    let named = program.globals.iter().filter(|global| global.name.starts_with("count")).count();
    assert_eq!(named, 2);
    assert_eq!(program.name, "a");
}

#[test]
fn a_name_that_is_defined_twice_is_an_error() {
    let folder = Folder::new();
    let files = [folder.write("a.c", format!("int x = 1; {MAIN}")), folder.write("b.c", "int x = 2;")];
    let error = try_load(&files, &[]).expect_err("x is defined twice");
    assert!(matches!(&error, Error::Link { file, .. } if *file == files[1]), "{error}");
    assert!(error.to_string().contains("'x'"), "{error}");
}

#[test]
fn the_programs_own_functions_win() {
    let folder = Folder::new();
    let file = folder.write(
        "own.c",
        "typedef unsigned long size_t;
         int index(int x) { return x; }
         void *memset(void *p, int c, size_t n) { for (size_t i = 0; i < n; i++) ((char *)p)[i] = c; return p; }
         int main(void) { char b[100]; memset(b, 0, 100); return index(3); }",
    );
    let program = load_files(&[file], &["-w"]).program;
    assert_eq!(function(&program, "index").origin, ir::Origin::User);
}

#[test]
fn a_program_needs_main() {
    let folder = Folder::new();
    let error = try_load(&[folder.write("a.c", "int x;")], &[]).expect_err("there is no main");
    assert!(matches!(error, Error::NoMain), "{error}");
    assert!(matches!(try_load(&[], &[]), Err(Error::NoInput)));
}

#[test]
fn the_compilers_words_are_kept() {
    let folder = Folder::new();
    let file = folder.write("wrong.c", "int main(void) { return x; }");
    let error = try_load(&[file], &[]).expect_err("x is not declared");
    let Error::Compile { stderr, .. } = &error else { panic!("{error}") };
    assert!(stderr.contains("use of undeclared identifier 'x'"), "{stderr}");
    assert!(!stderr.contains('\u{1b}'), "no colour was asked for");
    let file = folder.write("warned.c", "int main(void) { int unused; return 0; }");
    let loaded = load_files(&[file], &["-Wall"]);
    assert!(loaded.warnings.contains("unused variable"), "{}", loaded.warnings);
}

#[test]
fn files_that_are_not_what_they_seem() {
    let folder = Folder::new();
    let missing = try_load(&[folder.path("missing.c")], &[]).expect_err("it is not there");
    assert!(matches!(missing, Error::Read { .. }), "{missing}");
    for (name, content) in [("junk.bc", "junk"), ("empty.bc", ""), ("junk.ll", "junk"), ("cut.bc", "BC\u{a9}")] {
        let error = try_load(&[folder.write(name, content)], &[]).expect_err(name);
        assert!(matches!(error, Error::BadModule { .. }), "{error}");
        assert!(error.to_string().contains(name), "{error}");
    }
    let error = try_load(&[folder.write("notes.txt", "hello")], &[]).expect_err("a text");
    assert!(matches!(error, Error::UnknownKind { .. }), "{error}");
}

#[test]
fn a_truncated_module_is_an_error() {
    let folder = Folder::new();
    folder.write("a.c", MAIN);
    folder.compile("clang-22", &["-c", "-emit-llvm", "a.c"]).expect("clang-22 is installed");
    let whole = std::fs::read(folder.path("a.bc")).expect("clang wrote it");
    for length in [8, 100, whole.len() / 2, whole.len() - 4] {
        let error = try_load(&[folder.write("cut.bc", &whole[..length])], &[]).expect_err("it is cut");
        assert!(matches!(error, Error::BadModule { .. }), "{length}: {error}");
    }
}

/// Each byte in turn may be wrong: there is an error or a program, and we are still there.
#[test]
fn a_damaged_module_does_no_harm() {
    let folder = Folder::new();
    folder
        .write("a.c", "struct s { int a; } s; int f(int x, ...) { return x; } int main(void) { return f(s.a, 2.0); }");
    folder.compile("clang-22", &["-g", "-c", "-emit-llvm", "a.c"]).expect("clang-22 is installed");
    let whole = std::fs::read(folder.path("a.bc")).expect("clang wrote it");
    for at in (4..whole.len()).step_by(whole.len() / 60) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x2d;
        let _ = try_load(&[folder.write("damaged.bc", &damaged)], &[]);
    }
}

#[test]
fn other_machines_modules_are_refused() {
    let folder = Folder::new();
    folder.write("a.c", MAIN);
    folder.compile("clang-22", &["--target=i386-linux-gnu", "-c", "-emit-llvm", "a.c"]).expect("clang-22 is installed");
    let error = try_load(&[folder.path("a.bc")], &[]).expect_err("another machine");
    assert!(matches!(&error, Error::Target { target, .. } if target.starts_with("i386")), "{error}");
}

#[test]
fn flags_reach_the_compiler_and_those_of_the_linker_do_not() {
    let folder = Folder::new();
    folder.write("number.h", "#define NUMBER 42\n");
    let file = folder.write("a.c", "#include \"number.h\"\nint main(void) { return NUMBER + EXTRA; }");
    let include = format!("-I{}", folder.path("").display());
    let flags = ["-DEXTRA=1", "-O3", "-lm", "-L/nowhere", "-Wl,-z,now", "-pthread", "-o", "a.out", "-c", &include];
    let program = load_files(&[file], &flags).program;
    assert!(snippet::body(&program, "main").contains("return i32 43"));
}

/// Bitcode and text of every compiler that is here, at every level of optimisation.
#[test]
fn modules_of_older_compilers() {
    let folder = Folder::new();
    let source = "
        #include <pthread.h>
        #include <stdatomic.h>
        #include <string.h>
        #include <stdio.h>
        struct task { int id; long weight; char name[24]; };
        static struct task tasks[4];
        static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
        static _Atomic int done;
        static void *work(void *argument) {
            struct task *task = argument, copy = *task;
            pthread_mutex_lock(&lock);
            for (int i = 0; i < 4; i++) tasks[i].weight += copy.id;
            pthread_mutex_unlock(&lock);
            done++;
            return task;
        }
        int main(void) {
            pthread_t threads[2];
            for (int i = 0; i < 2; i++) { tasks[i].id = i; strcpy(tasks[i].name, \"task\"); }
            for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, &tasks[i]);
            for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
            printf(\"%d %ld\\n\", done, tasks[0].weight);
            return 0;
        }";
    folder.write("tasks.c", source);
    let mut compilers = 0;
    for compiler in ["clang-14", "clang-15", "clang-16", "clang-19", "clang-22"] {
        for level in ["-O0", "-O2"] {
            let bitcode = ["-g", level, "-c", "-emit-llvm", "tasks.c", "-o", "tasks.bc"];
            if folder.compile(compiler, &bitcode).is_none() {
                continue;
            }
            let loaded = load_files(&[folder.path("tasks.bc")], &[]);
            assert_eq!(loaded.unsupported, [], "{compiler} {level}");
            let text = loaded.program.to_string();
            assert!(text.contains("\"tasks[i].weight\"") || level != "-O0", "{compiler}: names are kept\n{text}");
            compilers += 1;
        }
    }
    assert!(compilers >= 2, "clang-22 at least is installed");
    folder
        .compile("clang-22", &["-g", "-S", "-emit-llvm", "tasks.c", "-o", "tasks.ll"])
        .expect("clang-22 is installed");
    load_files(&[folder.path("tasks.ll")], &[]);
}

/// All that throwing and catching needs is lowered.
#[test]
fn exceptions_are_lowered() {
    let folder = Folder::new();
    let file = folder.write(
        "a.cpp",
        "struct shape { virtual ~shape() {} virtual int area() { return 1; } };
         int fail(int x) { if (x > 2) throw x; return x; }
         int main() { shape *s = new shape; int a = s->area(); delete s; try { return fail(a); } catch (int x) { return x; } }",
    );
    let loaded = load_files(&[file], &[]);
    assert_eq!(loaded.unsupported, []);
    assert!(function(&loaded.program, "__cxa_throw").is_defined());
    let ends = function(&loaded.program, "main").blocks.iter().map(|block| &block.terminator.kind);
    assert!(ends.into_iter().any(|end| matches!(end, ir::TerminatorKind::Invoke { .. })));
}

/// A module that was compiled elsewhere names its files as they were named there.
#[test]
fn files_keep_the_names_that_the_compiler_was_given() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("src")).expect("a folder can be made");
    folder.write("src/a.c", MAIN);
    folder.compile("clang-22", &["-g", "-c", "-emit-llvm", "src/a.c", "-o", "a.bc"]).expect("clang-22 is installed");
    let program = load_files(&[folder.path("a.bc")], &[]).program;
    assert!(program.files.iter().any(|file| file == "src/a.c"), "{:?}", program.files);
    let source = folder.path("src/a.c");
    let program = load_files(std::slice::from_ref(&source), &[]).program;
    let spelled = source.to_string_lossy().into_owned();
    assert!(program.files.contains(&spelled), "{:?}", program.files);
}
