/* Threads, condition variables and call_once of the C++ library, over pthread; its clocks. */
#include <chrono>
#include <condition_variable>
#include <errno.h>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <thread>
#include <time.h>

#include "cxx_model.h"
#include "heddle.h"

namespace std {

thread::_State::~_State() = default;

static void *run_state(void *state) {
    thread::_State_ptr owned(static_cast<thread::_State *>(state));
    owned->_M_run();
    return nullptr;
}

void thread::_M_start_thread(_State_ptr state, void (*)()) {
    int error = pthread_create(&_M_id._M_thread, nullptr, run_state, state.get());
    if (error != 0) {
        __throw_system_error(error);
    }
    state.release();
}

void thread::join() {
    int error = EINVAL;
    if (_M_id != id()) {
        error = pthread_join(_M_id._M_thread, nullptr);
    }
    if (error != 0) {
        __throw_system_error(error);
    }
    _M_id = id();
}

void thread::detach() {
    int error = EINVAL;
    if (_M_id != id()) {
        error = pthread_detach(_M_id._M_thread);
    }
    if (error != 0) {
        __throw_system_error(error);
    }
    _M_id = id();
}

unsigned thread::hardware_concurrency() noexcept { return 2; }

condition_variable::condition_variable() noexcept = default;
condition_variable::~condition_variable() noexcept = default;
void condition_variable::wait(unique_lock<mutex> &lock) {
    pthread_cond_wait(native_handle(), lock.mutex()->native_handle());
}
void condition_variable::notify_one() noexcept { pthread_cond_signal(native_handle()); }
void condition_variable::notify_all() noexcept { pthread_cond_broadcast(native_handle()); }

/* What call_once leaves for the function that pthread_once calls. */
__thread void *__once_callable;
__thread void (*__once_call)();

static void call_what_was_left() { __once_call(); }

extern "C" void __once_proxy() { call_what_was_left(); }

namespace chrono {
inline namespace _V2 {

system_clock::time_point system_clock::now() noexcept {
    return time_point(duration(__heddle_input_clock()));
}

steady_clock::time_point steady_clock::now() noexcept {
    return time_point(duration(__heddle_input_clock()));
}

} // namespace _V2
} // namespace chrono

} // namespace std

namespace {

/* An initialiser that throws has not initialised. */
struct Once {
    pthread_once_t *control;
    bool done = false;
    ~Once() {
        if (done) {
            __heddle_once_end(control);
        } else {
            __heddle_once_cancel(control);
        }
    }
};

} // namespace

extern "C" int pthread_once(pthread_once_t *control, void (*run)()) {
    if (__heddle_record_bit(__heddle_once_begin(control))) {
        Once once{control};
        run();
        once.done = true;
    }
    return 0;
}
