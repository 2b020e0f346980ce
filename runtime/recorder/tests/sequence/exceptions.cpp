// C++: conditions, and exceptions that leave operations and routines that run once.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <stdexcept>
#include <thread>
#include <vector>

extern "C" {
void __heddle_order_ticket(void);
void __heddle_order_done(void);
int __heddle_seq_pthread_once(pthread_once_t *, void (*)(void));
int __heddle_seq_pthread_mutex_lock(pthread_mutex_t *);
int __heddle_seq_pthread_mutex_unlock(pthread_mutex_t *);
void __heddle_seq__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(std::condition_variable *,
                                                                            std::unique_lock<std::mutex> *);
void __heddle_seq__ZNSt18condition_variable10notify_oneEv(std::condition_variable *);
void __heddle_seq__ZNSt18condition_variable10notify_allEv(std::condition_variable *);
}

enum { THREADS = 3, ITEMS = 20 };
static std::mutex mutex;
static std::condition_variable filled;
static pthread_once_t control = PTHREAD_ONCE_INIT;
static int items, consumed, attempts, initialised;
static std::atomic<long> numbers;

static void ticket() {
    numbers++;
    __heddle_order_ticket();
}

static void check(bool holds, int line) {
    if (!holds) {
        fprintf(stderr, "line %d\n", line);
        _Exit(99);
    }
}

// The first two attempts fail.
static void initialise() {
    ticket();
    int attempt = ++attempts;
    __heddle_order_done();
    if (attempt <= 2) throw std::runtime_error("not yet");
    ticket();
    initialised++;
    __heddle_order_done();
}

static void lock() {
    ticket();
    check(__heddle_seq_pthread_mutex_lock(mutex.native_handle()) == 0, __LINE__);
}

static void unlock() {
    ticket();
    check(__heddle_seq_pthread_mutex_unlock(mutex.native_handle()) == 0, __LINE__);
}

// An operation that is never done with.
__attribute__((noinline)) static void fail() {
    ticket();
    throw std::runtime_error("in the middle");
}

static void work(int number) {
    for (bool done = false; !done;) {
        try {
            ticket();
            check(__heddle_seq_pthread_once(&control, initialise) == 0, __LINE__);
            done = true;
        } catch (const std::runtime_error &) {
        }
    }
    for (int i = 0; i < ITEMS; i++) {
        try {
            fail();
        } catch (const std::runtime_error &) {
            ticket();
            __heddle_order_done();
        }
        lock();
        if (number == 0) {
            items += THREADS - 1;
            ticket();
            if (i % 2) {
                __heddle_seq__ZNSt18condition_variable10notify_allEv(&filled);
            } else {
                __heddle_seq__ZNSt18condition_variable10notify_oneEv(&filled);
                ticket();
                __heddle_seq__ZNSt18condition_variable10notify_oneEv(&filled);
            }
        } else {
            while (items == 0) {
                numbers++;
                ticket();
                std::unique_lock<std::mutex> held(mutex, std::adopt_lock);
                __heddle_seq__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(&filled, &held);
                held.release();
            }
            items--;
            consumed++;
        }
        unlock();
    }
}

int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < THREADS; i++) {
        ticket();
        threads.emplace_back(work, i);
        __heddle_order_done();
    }
    for (auto &thread : threads) thread.join();
    check(initialised == 1 && attempts == 3 && items == 0 && consumed == (THREADS - 1) * ITEMS, __LINE__);
    printf("%ld\n", numbers.load());
}
