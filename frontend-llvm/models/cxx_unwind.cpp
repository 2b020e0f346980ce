/* Exceptions: throwing, looking for whoever catches, landing there, and what lives between throw and catch.
 *
 * As on the machine there are two rounds. The first looks for a handler and changes nothing, so that an exception that
 * nobody catches ends the process where it was thrown; the second lands at every cleanup on the way to the handler. */
#include <exception>
#include <new>
#include <string.h>

#include "cxx_model.h"
#include "cxx_types.h"
#include "heddle.h"

/* As frontend-llvm/src/lower/exception.rs writes them. */
enum { ENTRY_END = 0, ENTRY_CATCH = 1, ENTRY_FILTER = 2, ENTRY_FILTERED = 3, ENTRY_CLEANUP = 4 };

struct Entry {
    int kind;
    int selector;
    const void *data;
};

/* The object that was thrown lies behind it. */
struct Thrown {
    long references;
    const std::type_info *type;
    void (*destroy)(void *);
    long padding;
};

/* One flight of a thrown object: a rethrown exception_ptr is a new flight of an old object. */
struct Exception {
    Thrown *thrown;
    void *caught;
    Exception *next;
    int handlers;
    bool is_rethrown;
};

static thread_local Exception *caught_exceptions;
static thread_local unsigned uncaught;

static void *object_of(Thrown *thrown) { return thrown + 1; }
static Thrown *thrown_at(void *object) { return static_cast<Thrown *>(object) - 1; }

static void release(Thrown *thrown) {
    if (__atomic_sub_fetch(&thrown->references, 1, __ATOMIC_ACQ_REL) != 0) {
        return;
    }
    if (thrown->destroy != nullptr) {
        thrown->destroy(object_of(thrown));
    }
    __heddle_memory_free(thrown);
}

static Exception *new_flight(Thrown *thrown) {
    Exception *exception = static_cast<Exception *>(__heddle_memory_alloc(sizeof(Exception), 16, 1));
    exception->thrown = thrown;
    return exception;
}

static void end_flight(Exception *exception) {
    release(exception->thrown);
    __heddle_memory_free(exception);
}

/* Whether a handler of the type takes the exception, and with which object; null stands for every type. */
static bool catches(const std::type_info *type, const Exception *exception, void **object) {
    const std::type_info *thrown = exception->thrown->type;
    void *at = object_of(exception->thrown);
    if (thrown->__is_pointer_p()) {
        at = *static_cast<void **>(at);
    }
    if (type != nullptr && !type->__do_catch(thrown, &at, 1)) {
        return false;
    }
    *object = at;
    return true;
}

/* The selector with which a call takes the exception; 0 when it does not. */
static int handler(const Entry *entry, const Exception *exception, void **object, bool *cleans) {
    *cleans = false;
    while (entry->kind != ENTRY_END) {
        switch (entry->kind) {
        case ENTRY_CATCH:
            if (catches(static_cast<const std::type_info *>(entry->data), exception, object)) {
                return entry->selector;
            }
            break;
        case ENTRY_FILTER: {
            long count = reinterpret_cast<long>(entry->data);
            bool passes = false;
            for (long index = 1; index <= count; index++) {
                void *ignored;
                passes = passes || catches(static_cast<const std::type_info *>(entry[index].data), exception, &ignored);
            }
            if (!passes) {
                *object = object_of(exception->thrown);
                return entry->selector;
            }
            break;
        }
        case ENTRY_CLEANUP:
            *cleans = true;
            break;
        default:
            break;
        }
        entry++;
    }
    return 0;
}

static bool is_caught(const Exception *exception) {
    for (int call = __heddle_unwind_depth() - 1; call >= 0; call--) {
        const Entry *table = static_cast<const Entry *>(__heddle_unwind_table(call));
        void *object;
        bool cleans;
        if (table != nullptr && handler(table, exception, &object, &cleans) != 0) {
            return true;
        }
    }
    return false;
}

/* Lands at the next handler or cleanup. */
[[noreturn]] static void fly(Exception *exception) {
    for (int call = __heddle_unwind_depth() - 1; call >= 0; call--) {
        const Entry *table = static_cast<const Entry *>(__heddle_unwind_table(call));
        if (table == nullptr) {
            continue;
        }
        void *object = nullptr;
        bool cleans;
        int selector = handler(table, exception, &object, &cleans);
        if (selector != 0) {
            exception->caught = object;
            __heddle_unwind_land(call, exception, selector);
        }
        if (cleans) {
            __heddle_unwind_land(call, exception, 0);
        }
    }
    std::terminate();
}

extern "C" void *__cxa_begin_catch(void *flight) noexcept;

[[noreturn]] static void raise(Exception *exception) {
    uncaught++;
    if (!is_caught(exception)) {
        __cxa_begin_catch(exception);
        std::terminate();
    }
    fly(exception);
}

extern "C" {

void *__cxa_allocate_exception(size_t size) noexcept {
    Thrown *thrown = static_cast<Thrown *>(__heddle_memory_alloc(sizeof(Thrown) + size, 16, 1));
    return object_of(thrown);
}

void __cxa_free_exception(void *object) noexcept { __heddle_memory_free(thrown_at(object)); }

[[noreturn]] void __cxa_throw(void *object, std::type_info *type, void (*destroy)(void *)) {
    Thrown *thrown = thrown_at(object);
    thrown->references = 1;
    thrown->type = type;
    thrown->destroy = destroy;
    raise(new_flight(thrown));
}

/* A thrown object that waits for an exception_ptr. */
__cxxabiv1::__cxa_refcounted_exception *__cxa_init_primary_exception(void *object, std::type_info *type, void (*destroy)(void *)) noexcept {
    Thrown *thrown = thrown_at(object);
    thrown->references = 0;
    thrown->type = type;
    thrown->destroy = destroy;
    return reinterpret_cast<__cxxabiv1::__cxa_refcounted_exception *>(thrown);
}

[[noreturn]] void _Unwind_Resume(void *flight) { fly(static_cast<Exception *>(flight)); }

void *__cxa_get_exception_ptr(void *flight) noexcept { return static_cast<Exception *>(flight)->caught; }

void *__cxa_begin_catch(void *flight) noexcept {
    Exception *exception = static_cast<Exception *>(flight);
    if (exception != caught_exceptions) {
        exception->next = caught_exceptions;
        caught_exceptions = exception;
    }
    exception->handlers++;
    exception->is_rethrown = false;
    uncaught--;
    return exception->caught;
}

void __cxa_end_catch() {
    Exception *exception = caught_exceptions;
    if (exception == nullptr) {
        return;
    }
    if (--exception->handlers > 0) {
        return;
    }
    caught_exceptions = exception->next;
    if (!exception->is_rethrown) {
        end_flight(exception);
    }
}

[[noreturn]] void __cxa_rethrow() {
    Exception *exception = caught_exceptions;
    if (exception == nullptr) {
        std::terminate();
    }
    exception->is_rethrown = true;
    raise(exception);
}

std::type_info *__cxa_current_exception_type() noexcept {
    Exception *exception = caught_exceptions;
    return exception == nullptr ? nullptr : const_cast<std::type_info *>(exception->thrown->type);
}

/* A dynamic exception specification was violated. */
[[noreturn]] void __cxa_call_unexpected(void *flight) {
    __cxa_begin_catch(flight);
    std::terminate();
}

[[noreturn]] void __cxa_call_terminate(void *flight) {
    __cxa_begin_catch(flight);
    std::terminate();
}

/* Known by its address alone. */
int __gxx_personality_v0(...) { return 0; }
}

namespace __cxxabiv1 {

/* Known by their types alone: nobody throws them here. */
class __forced_unwind {
    virtual ~__forced_unwind() throw();
    virtual void __pure_dummy() = 0;
};
class __foreign_exception {
    virtual ~__foreign_exception() throw();
    virtual void __pure_dummy() = 0;
};

__forced_unwind::~__forced_unwind() throw() {}
__foreign_exception::~__foreign_exception() throw() {}

} // namespace __cxxabiv1

/* The text of what was thrown, for the report: its type and, if it is one of the library's exceptions, what it says. */
static void describe(char *text, size_t size) {
    Exception *exception = caught_exceptions;
    if (exception == nullptr) {
        strcpy(text, "std::terminate called without an exception");
        return;
    }
    strcpy(text, "uncaught exception `");
    size_t length = strlen(text);
    length += __model_readable_name(exception->thrown->type->name(), text + length, size / 2);
    strcpy(text + length, "`");
    void *object;
    if (catches(&typeid(std::exception), exception, &object)) {
        const char *what = static_cast<std::exception *>(object)->what();
        strcat(text, ": ");
        length = strlen(text);
        strncat(text, what, size - length - 1);
    }
}

[[noreturn]] static void say_and_end() {
    char text[512];
    describe(text, sizeof text);
    __heddle_process_uncaught(text);
}

static std::terminate_handler chosen_handler;

namespace std {

void terminate() noexcept {
    std::terminate_handler handler = get_terminate();
    if (handler != nullptr && handler != &say_and_end) {
        handler();
    }
    say_and_end();
}

terminate_handler set_terminate(terminate_handler handler) noexcept {
    terminate_handler old = get_terminate();
    __atomic_store_n(&chosen_handler, handler, __ATOMIC_SEQ_CST);
    return old;
}

terminate_handler get_terminate() noexcept {
    terminate_handler set = __atomic_load_n(&chosen_handler, __ATOMIC_SEQ_CST);
    return set != nullptr ? set : &say_and_end;
}

bool uncaught_exception() noexcept { return uncaught != 0; }
int uncaught_exceptions() noexcept { return static_cast<int>(uncaught); }

namespace __exception_ptr {

exception_ptr::exception_ptr(void *object) noexcept : _M_exception_object(object) { _M_addref(); }

void exception_ptr::_M_addref() noexcept {
    if (_M_exception_object != nullptr) {
        __atomic_add_fetch(&thrown_at(_M_exception_object)->references, 1, __ATOMIC_ACQ_REL);
    }
}

void exception_ptr::_M_release() noexcept {
    if (_M_exception_object != nullptr) {
        release(thrown_at(_M_exception_object));
        _M_exception_object = nullptr;
    }
}

void *exception_ptr::_M_get() const noexcept { return _M_exception_object; }

const type_info *exception_ptr::__cxa_exception_type() const noexcept {
    return _M_exception_object == nullptr ? nullptr : thrown_at(_M_exception_object)->type;
}

} // namespace __exception_ptr

exception_ptr current_exception() noexcept {
    Exception *exception = caught_exceptions;
    return exception == nullptr ? exception_ptr() : exception_ptr(object_of(exception->thrown));
}

void rethrow_exception(exception_ptr pointer) {
    void *object = pointer._M_get();
    __atomic_add_fetch(&thrown_at(object)->references, 1, __ATOMIC_ACQ_REL);
    Exception *exception = new_flight(thrown_at(object));
    /* The pointer's own reference ends before the flight, which does not return here. */
    pointer._M_release();
    raise(exception);
}

} // namespace std
