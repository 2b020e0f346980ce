/* Threads: their beginning and end, what they keep for themselves, and their attributes. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model.h"

/* Values that a thread keeps under keys. Keys are never given twice, so that no value outlives its key's deletion, and
 * reading and setting a value touches nothing that is shared. */
struct value {
    struct value *next;
    pthread_key_t key;
    const void *data;
};

struct key {
    struct key *next;
    pthread_key_t id;
    void (*destructor)(void *);
};

/* A destructor of a C++ thread_local object. */
struct destruction {
    struct destruction *next;
    void (*run)(void *);
    void *object;
};

static struct key *keys;
static pthread_key_t next_key;
static _Thread_local struct value *values;
static _Thread_local struct destruction *destructions;

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
    struct key *made = __heddle_memory_alloc(sizeof *made, 16, 0);
    if (made == NULL) {
        return ENOMEM;
    }
    __heddle_atomic_begin();
    pthread_key_t id = next_key;
    next_key = id + 1;
    made->id = id;
    made->destructor = destructor;
    made->next = keys;
    keys = made;
    __heddle_atomic_end();
    *key = id;
    return 0;
}

int pthread_key_delete(pthread_key_t key) {
    __heddle_atomic_begin();
    struct key **link = &keys;
    while (*link != NULL && (*link)->id != key) {
        link = &(*link)->next;
    }
    struct key *found = *link;
    if (found != NULL) {
        *link = found->next;
    }
    __heddle_atomic_end();
    if (found == NULL) {
        return EINVAL;
    }
    __heddle_memory_free(found);
    return 0;
}

int __pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) { return pthread_key_create(key, destructor); }

void *pthread_getspecific(pthread_key_t key) {
    for (struct value *value = values; value != NULL; value = value->next) {
        if (value->key == key) {
            return (void *)value->data;
        }
    }
    return NULL;
}

/* The list stays in the order of the keys, which is the order of their destructors. */
int pthread_setspecific(pthread_key_t key, const void *data) {
    struct value **link = &values;
    while (*link != NULL && (*link)->key < key) {
        link = &(*link)->next;
    }
    if (*link != NULL && (*link)->key == key) {
        (*link)->data = data;
        return 0;
    }
    if (data == NULL) {
        return 0;
    }
    struct value *made = __heddle_memory_alloc(sizeof *made, 16, 0);
    if (made == NULL) {
        return ENOMEM;
    }
    made->key = key;
    made->data = data;
    made->next = *link;
    *link = made;
    return 0;
}

static void (*destructor_of(pthread_key_t id))(void *) {
    void (*destructor)(void *) = NULL;
    __heddle_atomic_begin();
    for (struct key *key = keys; key != NULL; key = key->next) {
        if (key->id == id) {
            destructor = key->destructor;
        }
    }
    __heddle_atomic_end();
    return destructor;
}

/* True if a destructor ran: it may have set values again. */
static int destroy_values(void) {
    int ran = 0;
    for (struct value *value = values; value != NULL; value = value->next) {
        void *data = (void *)value->data;
        if (data == NULL) {
            continue;
        }
        void (*destructor)(void *) = destructor_of(value->key);
        value->data = NULL;
        if (destructor != NULL) {
            destructor(data);
            ran = 1;
        }
    }
    return ran;
}

void __model_thread_locals_end(void) {
    while (destructions != NULL) {
        struct destruction *first = destructions;
        destructions = first->next;
        first->run(first->object);
        __heddle_memory_free(first);
    }
}

int __cxa_thread_atexit_impl(void (*run)(void *), void *object, void *library) {
    (void)library;
    struct destruction *made = __heddle_memory_alloc(sizeof *made, 16, 0);
    if (made == NULL) {
        return -1;
    }
    made->run = run;
    made->object = object;
    made->next = destructions;
    destructions = made;
    return 0;
}

int __cxa_thread_atexit(void (*run)(void *), void *object, void *library) {
    return __cxa_thread_atexit_impl(run, object, library);
}

void __model_thread_ends(void) {
    __model_thread_locals_end();
    for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS && destroy_values(); round++) {
    }
    while (values != NULL) {
        struct value *first = values;
        values = first->next;
        __heddle_memory_free(first);
    }
}

/* pthread_cleanup_push as C's header expands it: __sigsetjmp, then a registration. A handler that pthread_cleanup_pop
 * runs is ordinary code of the function; one that pthread_exit must run would be reached by a jump back into a frame,
 * which there is no model of: __model_jump_to_cleanup_handler is undefined on purpose. */
_Noreturn void __model_jump_to_cleanup_handler(void);

static _Thread_local int cleanup_depth;

void __pthread_register_cancel(__pthread_unwind_buf_t *buffer) {
    (void)buffer;
    cleanup_depth++;
}

void __pthread_unregister_cancel(__pthread_unwind_buf_t *buffer) {
    (void)buffer;
    cleanup_depth--;
}

void __pthread_register_cancel_defer(__pthread_unwind_buf_t *buffer) {
    (void)buffer;
    cleanup_depth++;
}

void __pthread_unregister_cancel_restore(__pthread_unwind_buf_t *buffer) {
    (void)buffer;
    cleanup_depth--;
}

void __pthread_unwind_next(__pthread_unwind_buf_t *buffer) {
    (void)buffer;
    __model_jump_to_cleanup_handler();
}

/* Of C++ functions on the way pthread_exit would have to run the destructors; undefined on purpose too. */
_Noreturn void __model_pthread_exit_out_of_functions_with_destructors(void);

void pthread_exit(void *result) {
    if (cleanup_depth > 0) {
        __model_jump_to_cleanup_handler();
    }
    for (int call = __heddle_unwind_depth() - 1; call >= 0; call--) {
        if (__heddle_unwind_table(call) != NULL) {
            __model_pthread_exit_out_of_functions_with_destructors();
        }
    }
    __model_thread_ends();
    __model_main_leaves();
    __heddle_thread_exit(result);
}

/* Attributes: pthread_attr_t holds this. */
struct attributes {
    int detached;
    int scope;
    int inherit;
    int policy;
    size_t stack_size;
    size_t guard_size;
    int priority;
};

_Static_assert(sizeof(struct attributes) <= sizeof(pthread_attr_t), "the attributes fit");

enum { DEFAULT_STACK = 8 << 20, DEFAULT_GUARD = 4096 };

static void *run_thread(void *function, void *argument) {
    void *result = ((void *(*)(void *))function)(argument);
    __model_thread_ends();
    return result;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument) {
    if (attributes == NULL || ((const struct attributes *)attributes)->detached == PTHREAD_CREATE_JOINABLE) {
        int code = __heddle_thread_create(thread, run_thread, (void *)function, argument);
        return code == HEDDLE_OK ? 0 : EAGAIN;
    }
    __heddle_atomic_begin();
    int code = __heddle_thread_create(thread, run_thread, (void *)function, argument);
    if (code == HEDDLE_OK) {
        __heddle_thread_detach(*thread);
    }
    __heddle_atomic_end();
    return code == HEDDLE_OK ? 0 : EAGAIN;
}

int pthread_join(pthread_t thread, void **result) { return model_errno(__heddle_thread_join(thread, result)); }

int pthread_tryjoin_np(pthread_t thread, void **result) { return model_errno(__heddle_thread_tryjoin(thread, result)); }

int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *deadline) {
    int code = __heddle_thread_timedjoin(thread, result);
    if (code == HEDDLE_TIMED_OUT) {
        __model_clock_pass(deadline);
    }
    return model_errno(code);
}

int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const struct timespec *deadline) {
    (void)clock;
    return pthread_timedjoin_np(thread, result, deadline);
}

int pthread_detach(pthread_t thread) { return model_errno(__heddle_thread_detach(thread)); }

pthread_t pthread_self(void) { return __heddle_thread_self(); }

int pthread_equal(pthread_t left, pthread_t right) { return left == right; }

int pthread_attr_init(pthread_attr_t *attributes) {
    struct attributes *made = (struct attributes *)attributes;
    made->detached = PTHREAD_CREATE_JOINABLE;
    made->scope = PTHREAD_SCOPE_SYSTEM;
    made->inherit = PTHREAD_INHERIT_SCHED;
    made->policy = SCHED_OTHER;
    made->stack_size = DEFAULT_STACK;
    made->guard_size = DEFAULT_GUARD;
    made->priority = 0;
    return 0;
}

int pthread_attr_destroy(pthread_attr_t *attributes) {
    (void)attributes;
    return 0;
}

int pthread_attr_setdetachstate(pthread_attr_t *attributes, int state) {
    if (state != PTHREAD_CREATE_JOINABLE && state != PTHREAD_CREATE_DETACHED) {
        return EINVAL;
    }
    ((struct attributes *)attributes)->detached = state;
    return 0;
}

int pthread_attr_getdetachstate(const pthread_attr_t *attributes, int *state) {
    *state = ((const struct attributes *)attributes)->detached;
    return 0;
}

int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t size) {
    if (size < 16384) {
        return EINVAL;
    }
    ((struct attributes *)attributes)->stack_size = size;
    return 0;
}

int pthread_attr_getstacksize(const pthread_attr_t *attributes, size_t *size) {
    *size = ((const struct attributes *)attributes)->stack_size;
    return 0;
}

/* Threads run on stacks of the machine's own; the memory that is offered stays unused. */
int pthread_attr_setstack(pthread_attr_t *attributes, void *stack, size_t size) {
    (void)stack;
    return pthread_attr_setstacksize(attributes, size);
}

int pthread_attr_setguardsize(pthread_attr_t *attributes, size_t size) {
    ((struct attributes *)attributes)->guard_size = size;
    return 0;
}

int pthread_attr_getguardsize(const pthread_attr_t *attributes, size_t *size) {
    *size = ((const struct attributes *)attributes)->guard_size;
    return 0;
}

int pthread_attr_setscope(pthread_attr_t *attributes, int scope) {
    if (scope != PTHREAD_SCOPE_SYSTEM) {
        return scope == PTHREAD_SCOPE_PROCESS ? ENOTSUP : EINVAL;
    }
    ((struct attributes *)attributes)->scope = scope;
    return 0;
}

int pthread_attr_getscope(const pthread_attr_t *attributes, int *scope) {
    *scope = ((const struct attributes *)attributes)->scope;
    return 0;
}

int pthread_attr_setinheritsched(pthread_attr_t *attributes, int inherit) {
    ((struct attributes *)attributes)->inherit = inherit;
    return 0;
}

int pthread_attr_getinheritsched(const pthread_attr_t *attributes, int *inherit) {
    *inherit = ((const struct attributes *)attributes)->inherit;
    return 0;
}

int pthread_attr_setschedpolicy(pthread_attr_t *attributes, int policy) {
    ((struct attributes *)attributes)->policy = policy;
    return 0;
}

int pthread_attr_getschedpolicy(const pthread_attr_t *attributes, int *policy) {
    *policy = ((const struct attributes *)attributes)->policy;
    return 0;
}

int pthread_attr_setschedparam(pthread_attr_t *attributes, const struct sched_param *parameters) {
    ((struct attributes *)attributes)->priority = parameters->sched_priority;
    return 0;
}

int pthread_attr_getschedparam(const pthread_attr_t *attributes, struct sched_param *parameters) {
    parameters->sched_priority = ((const struct attributes *)attributes)->priority;
    return 0;
}

int pthread_attr_setaffinity_np(pthread_attr_t *attributes, size_t size, const cpu_set_t *set) {
    (void)attributes;
    (void)size;
    (void)set;
    return 0;
}

/* Only a thread itself can ask for its name: the name of another one is its own state. */
static _Thread_local char thread_name[16];

int pthread_setname_np(pthread_t thread, const char *name) {
    size_t length = strlen(name);
    if (length >= sizeof thread_name) {
        return ERANGE;
    }
    if (thread == __heddle_thread_self()) {
        memcpy(thread_name, name, length + 1);
    }
    return 0;
}

int pthread_getname_np(pthread_t thread, char *buffer, size_t size) {
    const char *name = thread == __heddle_thread_self() ? thread_name : "";
    size_t length = strlen(name);
    if (length >= size) {
        return ERANGE;
    }
    memcpy(buffer, name, length + 1);
    return 0;
}
