/* What futures and atomic operations on shared pointers keep outside of the C++ library's headers. */
#include <future>
#include <limits.h>
#include <linux/futex.h>
#include <memory>
#include <mutex>
#include <string>
#include <sys/syscall.h>
#include <system_error>
#include <time.h>
#include <unistd.h>

#include "cxx_model.h"
#include "heddle.h"

namespace std {

__future_base::_Result_base::_Result_base() = default;
__future_base::_Result_base::~_Result_base() = default;

bool __atomic_futex_unsigned_base::_M_futex_wait_until(unsigned *word, unsigned expected, bool has_timeout,
                                                       chrono::seconds seconds, chrono::nanoseconds nanoseconds) {
    timespec deadline = {static_cast<time_t>(seconds.count()), static_cast<long>(nanoseconds.count())};
    long result = syscall(SYS_futex, word, FUTEX_WAIT_BITSET, expected, has_timeout ? &deadline : nullptr, nullptr,
                          FUTEX_BITSET_MATCH_ANY);
    return result == 0 || errno != ETIMEDOUT;
}

/* There is one clock. */
bool __atomic_futex_unsigned_base::_M_futex_wait_until_steady(unsigned *word, unsigned expected, bool has_timeout,
                                                              chrono::seconds seconds,
                                                              chrono::nanoseconds nanoseconds) {
    return _M_futex_wait_until(word, expected, has_timeout, seconds, nanoseconds);
}

void __atomic_futex_unsigned_base::_M_futex_notify_all(unsigned *word) { syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX); }

future_error::~future_error() noexcept {}
const char *future_error::what() const noexcept { return logic_error::what(); }

namespace {

struct future_errors final : error_category {
    const char *name() const noexcept override { return "future"; }
    string message(int number) const override {
        switch (static_cast<future_errc>(number)) {
        case future_errc::future_already_retrieved:
            return "Future already retrieved";
        case future_errc::promise_already_satisfied:
            return "Promise already satisfied";
        case future_errc::no_state:
            return "No associated state";
        case future_errc::broken_promise:
            return "Broken promise";
        default:
            return "Unknown error";
        }
    }
};

union Kept {
    future_errors errors;
    constexpr Kept() : errors() {}
    constexpr ~Kept() {}
};

constinit const Kept the_future_errors;

} // namespace

const error_category &future_category() noexcept { return the_future_errors.errors; }

void __throw_future_error(int number) { throw future_error(make_error_code(static_cast<future_errc>(number))); }

/* One lock for all pointers: who holds it waits for nobody. */
static char pointers;

_Sp_locker::_Sp_locker(const void *) noexcept : _M_key1(0), _M_key2(0) { __heddle_mutex_lock(&pointers, nullptr); }
_Sp_locker::_Sp_locker(const void *, const void *) noexcept : _M_key1(0), _M_key2(0) {
    __heddle_mutex_lock(&pointers, nullptr);
}
_Sp_locker::~_Sp_locker() { __heddle_mutex_unlock(&pointers, nullptr); }

} // namespace std
