//! Small programs with known verdicts: exploration and bounded checking must agree with them.

mod command;

use command::{folder, heddle};

const EXHAUSTIVE: &[&str] = &["run", "--strategy", "exhaustive"];
const CHECK: &[&str] = &["check"];

/// The line of the failure that each command finds, or none.
#[track_caller]
fn judge(commands: &[&[&str]], file: &str, source: &str, flags: &[&str], line: Option<u64>) {
    let folder = folder(&[(file, source)]);
    for command in commands {
        let arguments = [*command, &[file, "--format", "json"], flags].concat();
        let json = heddle(folder.path(), &arguments).expect_status(i32::from(line.is_some())).json();
        assert_eq!(json["failure"]["at"]["line"].as_u64(), line, "{command:?}:\n{source}");
        assert!(line.is_some() || json["bounds"]["complete"] == true, "{command:?}:\n{source}");
    }
}

/// One thread writes all of a variable while `main` reads it.
fn torn(declaration: &str, write: &str, read: &str) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <string.h>\n{declaration}\n\
         static void *writer(void *unused) {{ {write} return unused; }}\n\
         int main(void) {{\n    pthread_t other;\n    pthread_create(&other, 0, writer, 0);\n    {read}\n    \
         pthread_join(other, 0);\n    return 0;\n}}\n"
    )
}

#[test]
fn plain_accesses_of_more_than_eight_bytes_are_several() {
    let halves = "unsigned long half[2];\n    memcpy(half, &seen, sizeof half);\n    assert(half[0] == half[1]);";
    for (declaration, write) in [
        ("static unsigned __int128 shared;", "shared = ~(unsigned __int128)0;"),
        ("static unsigned _BitInt(128) shared;", "shared = ~(unsigned _BitInt(128))0;"),
        ("typedef long pair __attribute__((vector_size(16)));\nstatic pair shared;", "shared = (pair){5, 5};"),
        ("struct pair { long one, two; };\nstatic struct pair shared;", "shared = (struct pair){3, 3};"),
        ("union wide { unsigned __int128 whole; };\nstatic union wide shared;", "shared.whole = ~(__int128)0;"),
    ] {
        let line = 12 + declaration.matches('\n').count() as u64;
        let source = torn(declaration, write, &format!("__typeof__(shared) seen = shared;\n    {halves}"));
        judge(&[EXHAUSTIVE, CHECK], "a.c", &source, &[], Some(line));
    }
    // Of eleven bytes, too, and of the ten of a long double.
    let odd = torn(
        "static unsigned _BitInt(88) shared;",
        "shared = ~(unsigned _BitInt(88))0;",
        "unsigned _BitInt(88) seen = shared;\n    assert(seen == 0 || seen == ~(unsigned _BitInt(88))0);",
    );
    judge(&[EXHAUSTIVE, CHECK], "a.c", &odd, &[], Some(10));
    let extended = torn(
        "static long double shared;",
        "shared = -1.5L;",
        "long double seen = shared;\n    short top;\n    unsigned long low;\n    memcpy(&low, &seen, 8);\n    \
         memcpy(&top, (char *)&seen + 8, 2);\n    assert((low == 0) == (top == 0));",
    );
    judge(&[EXHAUSTIVE, CHECK], "a.c", &extended, &[], Some(14));
}

#[test]
fn accesses_of_up_to_eight_bytes_and_locked_ones_are_one() {
    for declaration in ["static unsigned long shared;", "static double shared;", "static unsigned _BitInt(48) shared;"]
    {
        let read = "__typeof__(shared) seen = shared;\n    assert(seen == 0 || seen == 7);";
        judge(&[EXHAUSTIVE, CHECK], "a.c", &torn(declaration, "shared = 7;", read), &[], None);
    }
    let atomic = torn(
        "static _Atomic unsigned __int128 shared;",
        "shared = ~(unsigned __int128)0;",
        "unsigned __int128 seen = shared;\n    assert((unsigned long)seen == (unsigned long)(seen >> 64));",
    );
    judge(&[EXHAUSTIVE, CHECK], "a.c", &atomic, &["-mcx16"], None);
    judge(&[EXHAUSTIVE, CHECK], "a.c", &atomic, &[], None);
}

#[test]
fn a_wide_value_is_whole_where_nobody_interferes() {
    let source = "#include <assert.h>\n#include <pthread.h>\nstatic __int128 sum;\nstatic long double scale = 1;\n\
        static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
        static void *adds(void *unused) {\n    pthread_mutex_lock(&m);\n    sum += ((__int128)1 << 90) - 1;\n    scale *= -0.5L;\n    \
        pthread_mutex_unlock(&m);\n    return unused;\n}\n\
        int main(void) {\n    pthread_t one, two;\n    pthread_create(&one, 0, adds, 0);\n    pthread_create(&two, 0, adds, 0);\n    \
        pthread_join(one, 0);\n    pthread_join(two, 0);\n    assert(sum == ((__int128)1 << 91) - 2);\n    \
        assert(scale == 0.25L);\n    return 0;\n}\n";
    judge(&[EXHAUSTIVE], "a.c", source, &[], None);
    // Checking does not compute with long doubles that several threads change.
    let whole = source.replace("    scale *= -0.5L;\n", "").replace("    assert(scale == 0.25L);\n", "");
    judge(&[CHECK], "a.c", &whole, &[], None);
}

/// A verification task whose condition may be violated.
fn task(error: &str, condition: &str) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n{error}\nint shared;\n\
         void *sets(void *unused) {{ shared = 1; return 0; }}\n\
         int main() {{\n    pthread_t other;\n    pthread_create(&other, 0, sets, 0);\n    if (!({condition}))\n        \
         ERROR: reach_error();\n    pthread_join(other, 0);\n    return 0;\n}}\n"
    )
}

#[test]
fn a_call_of_reach_error_is_a_failure_with_and_without_a_body() {
    for error in [
        "extern void reach_error(void);",
        "void reach_error() {}",
        "void reach_error(void) { assert(0); }",
        "void reach_error() { abort(); }",
        "static void reach_error(void) { exit(0); }",
        "void reach_error() { for (;;) {} }",
    ] {
        judge(&[EXHAUSTIVE, CHECK], "a.c", &task(error, "shared == 0"), &[], Some(11));
        judge(&[EXHAUSTIVE, CHECK], "a.c", &task(error, "shared <= 1"), &[], None);
    }
    judge(&[EXHAUSTIVE], "a.cpp", &task("void reach_error() {}", "shared == 0"), &[], Some(11));
    let older = task("void __VERIFIER_error() {}", "shared == 0").replace("reach_error", "__VERIFIER_error");
    judge(&[EXHAUSTIVE, CHECK], "a.c", &older, &[], Some(11));
    // Another function of that name is the program's own.
    let own = task("int reach_error(int number) { return number; }", "shared == 0").replace("_error()", "_error(4)");
    judge(&[EXHAUSTIVE, CHECK], "a.c", &own, &[], None);
}

#[test]
fn the_standard_streams_are_variables() {
    for (stream, write) in
        [("stdout", "puts(\"seven\")"), ("stdout", "printf(\"seven\\n\")"), ("stderr", "fputs(\"seven\\n\", stderr)")]
    {
        let source = format!(
            "#include <assert.h>\n#include <stdio.h>\n#include <string.h>\nint main(void) {{\n    FILE *kept = tmpfile(), *own = {stream};\n    \
             {stream} = kept;\n    {write};\n    {stream} = own;\n    char text[8] = \"\";\n    rewind(kept);\n    \
             assert(fgets(text, sizeof text, kept) && !strcmp(text, \"seven\\n\"));\n    puts(\"to the user\");\n    return 0;\n}}\n"
        );
        judge(&[EXHAUSTIVE, CHECK], "a.c", &source, &[], None);
    }
    let through_a_pointer = "#include <assert.h>\n#include <stdio.h>\nstatic void exchange(FILE **one, FILE **other) {\n    \
        FILE *kept = *one;\n    *one = *other;\n    *other = kept;\n}\n\
        int main(void) {\n    FILE *out = stdout, *err = stderr;\n    exchange(&stdout, &stderr);\n    \
        assert(stdout == err && stderr == out);\n    stdin = 0;\n    assert(!stdin);\n    return 0;\n}\n";
    judge(&[EXHAUSTIVE, CHECK], "a.c", through_a_pointer, &[], None);
    // Two threads that assign: a thread that reads it twice may see both values.
    let shared = torn("#include <stdio.h>", "stdout = stderr;", "FILE *first = stdout;\n    assert(first == stdout);");
    judge(&[EXHAUSTIVE, CHECK], "a.c", &shared, &[], Some(10));
}

#[test]
fn whoever_is_woken_by_address_may_have_gone() {
    let source = "#define _GNU_SOURCE\n#include <linux/futex.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <sys/syscall.h>\n\
        #include <unistd.h>\nstatic pthread_t other;\n\
        static void *opens(void *gate) {\n    atomic_store((atomic_int *)gate, 1);\n    \
        syscall(SYS_futex, gate, FUTEX_WAKE, 1, 0, 0, 0);\n    return 0;\n}\n\
        static void passes(void) {\n    atomic_int gate = 0;\n    pthread_create(&other, 0, opens, &gate);\n    \
        while (!gate) syscall(SYS_futex, &gate, FUTEX_WAIT, 0, 0, 0, 0);\n}\n\
        int main(void) {\n    passes();\n    pthread_join(other, 0);\n    return 0;\n}\n";
    judge(&[EXHAUSTIVE], "a.c", source, &[], None);
    // A write to the word itself comes too late, and is reported.
    let late = source
        .replace("syscall(SYS_futex, gate, FUTEX_WAKE, 1, 0, 0, 0)", "atomic_store((atomic_int *)gate, 2)")
        .replace("syscall(SYS_futex, &gate, FUTEX_WAIT, 0, 0, 0, 0)", "");
    judge(&[EXHAUSTIVE], "a.c", &late, &[], Some(10));
}

#[test]
fn a_semaphore_of_the_library_may_end_while_it_is_released() {
    let source = "#include <semaphore>\n#include <thread>\nstatic std::thread other;\nstatic void waits() {\n    \
        std::binary_semaphore done(0);\n    other = std::thread([&] { done.release(); });\n    done.acquire();\n}\n\
        int main() {\n    waits();\n    other.join();\n}\n";
    judge(&[EXHAUSTIVE], "a.cpp", source, &["-std=c++20"], None);
}

/// A text that another thread has to do with while `main` prints it.
fn printing(text: &str, work: &str, print: &str) -> String {
    format!(
        "#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n{text}\n\
         static void *work(void *unused) {{ {work} return unused; }}\n\
         int main(void) {{\n    pthread_t other;\n    if (!text) text = calloc(4, 1);\n    pthread_create(&other, 0, work, 0);\n    \
         {print}\n    pthread_join(other, 0);\n    return 0;\n}}\n"
    )
}

const PRINTS: Option<u64> = Some(11);

#[test]
fn a_text_that_another_thread_frees_is_not_printed() {
    for print in [
        "puts(text);",
        "printf(\"%d %s\\n\", 7, text);",
        "printf(\"%.*s\\n\", 3, text);",
        "fprintf(stderr, \"%.2s\\n\", text);",
        "fputs(text, stdout);",
        "write(1, text, 2);",
        "fwrite(text, 2, 2, stdout);",
    ] {
        let freed = printing("static char *text;", "free(text);", print);
        judge(&[EXHAUSTIVE, CHECK], "a.c", &freed, &[], PRINTS);
        let kept = printing("static char *text;", "text[1] = 'b';", print);
        judge(&[EXHAUSTIVE, CHECK], "a.c", &kept, &[], None);
    }
    // The number that is printed beside it may be any.
    let beside =
        printing("static int seen;\nstatic char *text;", "seen = 5; free(text);", "printf(\"%d %s\", seen, text);");
    judge(&[EXHAUSTIVE, CHECK], "a.c", &beside, &[], Some(12));
    let beside = beside.replace("free(text)", "text[0] = 'c'");
    judge(&[EXHAUSTIVE, CHECK], "a.c", &beside, &[], None);
    // No byte is read.
    let nothing = printing("static char *text;", "free(text);", "printf(\"%.0s\", text);");
    judge(&[EXHAUSTIVE, CHECK], "a.c", &nothing, &[], None);
}

#[test]
fn a_text_that_another_thread_sets_to_null_is_not_printed() {
    for print in ["puts(text);", "fputs(text, stdout);", "write(1, text, 2);", "fwrite(text, 1, 2, stdout);"] {
        let null = printing("static char *text = \"one\";", "text = 0;", print);
        judge(&[EXHAUSTIVE, CHECK], "a.c", &null, &[], PRINTS);
        let other =
            printing("static char *text = \"one\";", "text = \"another one, which is longer than that\";", print);
        judge(&[EXHAUSTIVE, CHECK], "a.c", &other, &[], None);
    }
    // The C library prints `(null)`.
    let null = printing("static char *text = \"one\";", "text = 0;", "printf(\"%s\", text);");
    judge(&[EXHAUSTIVE, CHECK], "a.c", &null, &[], None);
    let alone = "#include <stdio.h>\nint main(void) {\n    char *text = 0;\n    puts(text);\n    return 0;\n}\n";
    judge(&[EXHAUSTIVE, CHECK], "a.c", alone, &[], Some(4));
    let dangling = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n    char *text = calloc(4, 1);\n    free(text);\n    \
        printf(\"%s\", text);\n    return 0;\n}\n";
    judge(&[EXHAUSTIVE, CHECK], "a.c", dangling, &[], Some(6));
}

#[test]
fn a_text_without_its_terminator_is_not_printed() {
    let text = "static char kept[] = \"ab\", *text = kept;";
    for (print, fails) in [
        ("puts(text);", true),
        ("printf(\"%s\", text);", true),
        ("printf(\"%.*s\", 4, text);", true),
        ("printf(\"%.*s\", 3, text);", false),
        ("printf(\"%.2s\", text);", false),
        ("printf(\"%.*s\", -1, text);", true),
        ("write(1, text, 3);", false),
    ] {
        judge(&[EXHAUSTIVE, CHECK], "a.c", &printing(text, "kept[2] = 'c';", print), &[], PRINTS.filter(|_| fails));
        judge(&[EXHAUSTIVE, CHECK], "a.c", &printing(text, "kept[1] = 'c';", print), &[], None);
    }
    // At each moment the text has a zero, and a reader may still find none.
    let moved = printing(text, "kept[0] = 0; kept[2] = 'c';", "puts(text);");
    judge(&[EXHAUSTIVE, CHECK], "a.c", &moved, &[], PRINTS);
    let long =
        "#include <stdio.h>\nint main(void) {\n    char text[3] = \"abc\";\n    write(1, text, 4);\n    return 0;\n}\n";
    judge(&[EXHAUSTIVE, CHECK], "a.c", &long.replace("stdio", "unistd"), &[], Some(4));
}

#[test]
fn what_is_inserted_into_a_stream_lies_in_valid_memory() {
    let source = |kept: &str, work: &str, print: &str| {
        format!(
            "#include <iostream>\n#include <string>\n#include <thread>\nint main() {{\n    {kept}\n    std::thread other([&] {{ {work} }});\n    \
             std::cout << {print} << 7 << std::endl;\n    other.join();\n}}\n"
        )
    };
    let (text, string) = ("char *text = new char[4]();", "auto *text = new std::string(\"abc\");");
    judge(&[EXHAUSTIVE, CHECK], "a.cpp", &source(text, "delete[] text;", "text"), &[], Some(7));
    judge(&[EXHAUSTIVE, CHECK], "a.cpp", &source(text, "text[1] = 'b';", "text"), &[], None);
    judge(&[EXHAUSTIVE, CHECK], "a.cpp", &source(string, "delete text;", "*text"), &[], Some(7));
    judge(&[EXHAUSTIVE, CHECK], "a.cpp", &source(string, "int own = 1; (void)own;", "*text"), &[], None);
}

#[test]
fn a_mutex_that_another_thread_unlocks_is_no_deadlock() {
    let source = "#include <pthread.h>\n#include <stdatomic.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic atomic_int held;\n\
        static void *unlocks(void *unused) {\n    while (!held) {}\n    pthread_mutex_unlock(&m);\n    return unused;\n}\n\
        int main(void) {\n    pthread_t other;\n    pthread_create(&other, 0, unlocks, 0);\n    pthread_mutex_lock(&m);\n    held = 1;\n    \
        pthread_mutex_lock(&m);\n    pthread_join(other, 0);\n    return 0;\n}\n";
    judge(&[EXHAUSTIVE, CHECK], "a.c", source, &[], None);
    let runs: &[&str] = &["run", "--runs", "60"];
    let folder = folder(&[("a.c", source)]);
    heddle(folder.path(), &[runs, &["a.c"]].concat()).expect_status(0);
    judge(&[runs, EXHAUSTIVE, CHECK], "a.c", &source.replace("pthread_mutex_unlock(&m);", ""), &[], Some(15));
}

/// The main thread ends the process while another waits for itself, and a third one may or may not release the mutex.
#[test]
fn a_mutex_that_nobody_unlocks_in_time_is_a_deadlock() {
    let source = |unlocks: &str, main: &str| {
        format!(
            "#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n\
             static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n\
             static pthread_mutex_t *named = &m;\nstatic sem_t s;\nstatic atomic_int held, skip;\n\
             static void *waits(void *unused) {{\n    pthread_mutex_lock(&m);\n    held = 1;\n    \
             pthread_mutex_lock(&m);\n    return unused;\n}}\n\
             static void *unlocks(void *unused) {{\n    while (!held) {{}}\n    {unlocks}\n    return unused;\n}}\n\
             int main(void) {{\n    pthread_t one, other;\n    sem_init(&s, 0, 0);\n    pthread_mutex_lock(&n);\n    \
             pthread_create(&one, 0, waits, 0);\n    pthread_create(&other, 0, unlocks, 0);\n    {main}\n    return 0;\n}}\n"
        )
    };
    let join = "pthread_join(other, 0);";
    let unlock = "pthread_mutex_unlock(&m);";
    judge(&[EXHAUSTIVE, CHECK], "a.c", &source(unlock, ""), &[], None);
    judge(&[EXHAUSTIVE, CHECK], "a.c", &source(unlock, join), &[], None);
    // Another mutex, an alias of the same one, and one at a symbolic address.
    judge(&[EXHAUSTIVE, CHECK], "a.c", &source("pthread_mutex_unlock(&n);", join), &[], Some(11));
    judge(&[EXHAUSTIVE, CHECK], "a.c", &source("pthread_mutex_unlock(named);", join), &[], None);
    let changes = format!("named = &n;\n    {join}");
    judge(&[EXHAUSTIVE, CHECK], "a.c", &source("pthread_mutex_unlock(named);", &changes), &[], Some(11));
    // Never, not always, and only after another thread proceeds, which ends the process at once.
    let perhaps = "if (!skip) pthread_mutex_unlock(&m);";
    judge(&[EXHAUSTIVE, CHECK], "a.c", &source(perhaps, join), &[], None);
    judge(&[EXHAUSTIVE, CHECK], "a.c", &source(perhaps, &format!("skip = 1;\n    {join}")), &[], Some(11));
    let posted = format!("sem_wait(&s);\n    {unlock}");
    judge(&[EXHAUSTIVE, CHECK], "a.c", &source(&posted, "sem_post(&s);"), &[], None);
    judge(&[EXHAUSTIVE, CHECK], "a.c", &source(&posted, ""), &[], Some(11));
}
