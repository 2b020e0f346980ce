//! Small programs whose verdict is known: trying every schedule and checking all of them must come to it.

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

/// A task of verification, whose condition may not hold.
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
    // Something else of that name is the program's own.
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
    // Two threads that assign: who reads it twice may see both.
    let shared = torn("#include <stdio.h>", "stdout = stderr;", "FILE *first = stdout;\n    assert(first == stdout);");
    judge(&[EXHAUSTIVE, CHECK], "a.c", &shared, &[], Some(9));
}
