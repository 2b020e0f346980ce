//! Small programs of two threads and the main thread, with their verdicts.

mod timed;
mod sections;
mod locks;

pub use locks::LOCKS;
pub use sections::SECTIONS;
pub use timed::TIMED;

/// The bodies of the threads. The main thread creates both, executes its own part, joins them and then asserts.
#[derive(Clone, Copy)]
pub struct Row {
    /// Why the program is here.
    pub about: &'static str,
    /// Declarations besides those of [`DECLARATIONS`].
    pub declares: &'static str,
    /// The main thread's statements before it creates the others.
    pub begins: &'static str,
    pub first: &'static str,
    pub second: &'static str,
    pub main: &'static str,
    /// The condition that holds at the end.
    pub holds: &'static str,
    /// Whether some schedule fails.
    pub fails: bool,
}

/// An empty row.
pub const EMPTY: Row =
    Row { about: "", declares: "", begins: "", first: "", second: "", main: "", holds: "1", fails: false };

const DECLARATIONS: &str = r"
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
#define BEGIN __VERIFIER_atomic_begin()
#define END __VERIFIER_atomic_end()
#define LOCK(mutex) pthread_mutex_lock(&mutex)
#define UNLOCK(mutex) pthread_mutex_unlock(&mutex)
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER, door = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t bell = PTHREAD_COND_INITIALIZER, horn = PTHREAD_COND_INITIALIZER;
static sem_t tokens;
static struct timespec soon = {1, 0};
static int x, y, z;
/* Whether the wait was in vain. */
static int in_vain(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    return pthread_cond_timedwait(condition, mutex, &soon) == ETIMEDOUT;
}
";

impl Row {
    pub fn source(&self) -> String {
        let Row { declares, begins, first, second, main, holds, .. } = self;
        format!(
            "{DECLARATIONS}{declares}\n\
             static void *first(void *argument) {{\n    {first}\n    return argument;\n}}\n\
             static void *second(void *argument) {{\n    {second}\n    return argument;\n}}\n\
             int main(void) {{\n    pthread_t threads[2];\n    {begins}\n    \
             pthread_create(&threads[0], NULL, first, NULL);\n    pthread_create(&threads[1], NULL, second, NULL);\n    \
             {main}\n    pthread_join(threads[0], NULL);\n    pthread_join(threads[1], NULL);\n    \
             assert({holds});\n    return 0;\n}}\n"
        )
    }
}
