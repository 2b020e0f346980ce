// Threads, locks and atomics where the order does not matter.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>
#include <memory>
#include <functional>

struct Account {
    std::mutex m;
    long balance = 0;
    void add(long n) {
        std::lock_guard<std::mutex> g(m);
        balance += n;
    }
};

class Queue {
    std::mutex m;
    std::condition_variable cv;
    std::queue<int> q;
    bool done = false;
    public: void push(int x) {
        {
            std::lock_guard g(m);
            q.push(x);
        }
        cv.notify_one();
    }
    void close() {
        {
            std::lock_guard g(m);
            done = true;
        }
        cv.notify_all();
    }
    bool pop(int& x) {
        std::unique_lock l(m);
        cv.wait(l, [&] { return !q.empty() || done; });
        if (q.empty()) return false;
        x = q.front();
        q.pop();
        return true;
    }
};
std::once_flag once;
std::atomic<int> inits{0};
thread_local int mine = 1;
std::recursive_mutex rm;
std::timed_mutex tm_;

void work(Account& a, int n, std::unique_ptr<int> p) {
    for (int i = 0; i < n; i++) a.add(*p);
    std::call_once(once, [] { inits++; });
    mine++;
}

int rec(int n) {
    std::lock_guard<std::recursive_mutex> g(rm);
    return n == 0 ? 0 : 1 + rec(n - 1);
}

int main() {
    Account a;
    std::vector<std::thread> ts;
    for (int i = 0; i < 3; i++) ts.emplace_back(work, std::ref(a), 5, std::make_unique<int>(i));
    for (auto& t : ts) t.join();
    std::cout << a.balance << inits << mine << '\n';
    Queue q;
    long sum = 0;
    std::thread c([&] { int x; while (q.pop(x)) sum += x; });
    for (int i = 0; i < 6; i++) q.push(i);
    q.close();
    c.join();
    std::cout << sum << '\n';
    std::thread d([] { });
    std::thread e = std::move(d);
    std::cout << d.joinable() << e.joinable();
    e.join();
    std::cout << e.joinable() << rec(4) << '\n';
    try {
        std::thread().join();
    } catch (std::system_error& x) {
        std::cout << x.code().value() << x.what() << '\n';
    }
    std::mutex m1, m2;
    {
        std::scoped_lock l(m1, m2);
    }
    {
        std::unique_lock l(m1, std::try_to_lock);
        std::cout << l.owns_lock();
        std::unique_lock l2(m2, std::defer_lock);
        l2.lock();
        l2.unlock();
        std::cout << l2.owns_lock();
        std::lock(l2, tm_);
        tm_.unlock();
    }
    std::cout << tm_.try_lock_for(std::chrono::milliseconds(1)) << '\n';
    tm_.unlock();
    std::atomic_flag f = ATOMIC_FLAG_INIT;
    std::cout << f.test_and_set() << f.test_and_set();
    f.clear();
    std::atomic<long> al{5};
    al.fetch_add(3);
    long ex = 8;
    std::cout << al.compare_exchange_strong(ex, 10) << al.exchange(1) << al << '\n';
    struct Big { long a, b, c; };
    std::atomic<Big> big{Big{1, 2, 3}};
    Big o = big.load();
    o.a++;
    big.store(o);
    std::cout << big.load().a << '\n';
    std::atomic<std::shared_ptr<int>*> ap{nullptr};
    std::cout << (ap.load() == nullptr) << '\n';
    auto t0 = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    auto t1 = std::chrono::steady_clock::now();
    std::cout << (t1 - t0 >= std::chrono::milliseconds(5)) << '\n';
    std::this_thread::yield();
    std::thread det([] {});
    det.detach();
    std::condition_variable cv;
    std::mutex mm;
    std::unique_lock<std::mutex> ul(mm);
    auto st = cv.wait_for(ul, std::chrono::milliseconds(1));
    std::cout << (st == std::cv_status::timeout)
        << cv.wait_for(ul, std::chrono::milliseconds(1), [] { return false; }) << '\n';
    std::condition_variable_any cva;
    cva.notify_all();
    try {
        std::unique_lock<std::mutex> x;
        x.lock();
    } catch (std::system_error& e) {
        std::cout << e.what() << '\n';
    }
    std::cout << (std::this_thread::get_id() == std::thread::id()) << '\n';
    try {
        std::call_once(once, [] { throw 1; });
        std::once_flag o2;
        try {
            std::call_once(o2, [] { throw 2; });
        } catch (int i) {
            std::cout << "once threw " << i << '\n';
        }
        std::call_once(o2, [] { std::cout << "second\n"; });
    } catch (...) {
        std::cout << "no\n";
    }
}
