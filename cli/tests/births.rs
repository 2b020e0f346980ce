//! `heddle check` on threads whose function, argument or memory depends on values that their creator read from other
//! threads.

mod command;

use command::{folder, heddle};
use serde_json::Value;

/// Main creates a thread that sets `x`, executes `main`, creates a second one and joins both.
fn checked(top: &str, main: &str, end: &str, status: i32) -> Value {
    let source = format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\nstatic int x;\n\
         static void *set(void *a)\n{{\n    x = 1;\n    return a;\n}}\n{top}\nint main(void)\n{{\n    \
         pthread_t t, u;\n    {main}\n    pthread_join(t, 0);\n    pthread_join(u, 0);\n    {end}\n    return 0;\n}}\n"
    );
    let folder = folder(&[("a.c", &source)]);
    // The solver alone.
    heddle(folder.path(), &["check", "a.c", "--unroll", "2", "--format", "json"]).expect_status(status).json()
}

#[test]
fn the_function_of_a_thread_may_depend_on_others() {
    let top = "static int *p;\nstatic void *idle(void *a)\n{\n    return a;\n}\n\
               static void *look(void *a)\n{\n    assert(*p == 0);\n    return a;\n}\n";
    let main = |value| {
        format!(
            "p = calloc(1, sizeof *p);\n    pthread_create(&t, 0, set, 0);\n    void *(*jobs[2])(void *) = {{idle, look}};\n    \
             int y = x;\n    if (y)\n        *p = {value};\n    pthread_create(&u, 0, jobs[y], 0);"
        )
    };
    let json = checked(top, &main(1), "", 1);
    assert_eq!((&json["failure"]["kind"], &json["failure"]["at"]["line"]), (&"assertion".into(), &17.into()), "{json}");
    let json = checked(top, &main(0), "", 0);
    assert_eq!(json["bounds"]["complete"], true, "{json}");
}

#[test]
fn a_creator_may_free_what_its_thread_would_use() {
    let top = "static int *p;\nstatic void *use(void *a)\n{\n    p[0]++;\n    return a;\n}\n";
    let main = "p = calloc(1, sizeof *p);\n    pthread_create(&t, 0, set, 0);\n    if (x)\n        free(p);\n    \
                pthread_create(&u, 0, use, 0);";
    let json = checked(top, main, "", 1);
    assert_eq!((&json["failure"]["kind"], &json["failure"]["at"]["line"]), (&"memory".into(), &13.into()), "{json}");
    let instead = main.replace("free(p);", "{\n        free(p);\n        p = calloc(2, sizeof *p);\n    }");
    let json = checked(top, &instead, "free(p);", 0);
    assert_eq!(json["bounds"]["complete"], true, "{json}");
}

#[test]
fn the_argument_of_a_thread_may_depend_on_the_way_to_it() {
    let top = "static int seen;\nstatic void *see(void *a)\n{\n    seen = *(int *)a;\n    return a;\n}\n";
    let main = "int *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);\n    *b = 7;\n    pthread_create(&t, 0, set, 0);\n    \
                int *dead = x ? a : b;\n    free(dead);\n    pthread_create(&u, 0, see, dead == a ? b : a);";
    let json = checked(top, main, "assert(seen == 0);", 1);
    assert_eq!(json["failure"]["kind"], "assertion", "{json}");
    let json = checked(top, main, "assert(seen == 0 || seen == 7);", 0);
    assert_eq!(json["bounds"]["complete"], true, "{json}");
}

#[test]
fn a_creator_that_waits_before_its_first_thread_hands_its_blocks_over() {
    // The barrier makes main one of several threads before there are others.
    let top = "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic pthread_barrier_t b;\nstatic int *buf, cap, len;\n\
               static void push(int v)\n{\n    pthread_mutex_lock(&m);\n    if (len == cap) {\n        \
               int more = cap ? cap * 2 : 2, *wide = malloc(more * sizeof *wide);\n        \
               for (int i = 0; i < len; i++)\n            wide[i] = buf[i];\n        \
               free(buf);\n        buf = wide;\n        cap = more;\n    }\n    buf[len++] = v;\n    pthread_mutex_unlock(&m);\n}\n\
               static void *work(void *a)\n{\n    push(1);\n    return a;\n}\n";
    let main = "pthread_barrier_init(&b, 0, 1);\n    pthread_barrier_wait(&b);\n    push(8);\n    \
                pthread_create(&t, 0, work, 0);\n    pthread_create(&u, 0, work, 0);";
    let json = checked(top, main, "assert(len == 3 && buf[0] == 8);", 0);
    assert_eq!(json["bounds"]["complete"], true, "{json}");
}
