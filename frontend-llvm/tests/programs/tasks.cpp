// Futures, shared locks, and what C++20 adds for threads.
#include <atomic>
#include <barrier>
#include <future>
#include <iostream>
#include <latch>
#include <memory>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <stop_token>
#include <thread>

void futures() {
    auto sum = std::async(std::launch::async, [](int a, int b) { return a + b; }, 2, 3);
    std::cout << sum.get() << '\n';
    auto lazy = std::async(std::launch::deferred, [] { std::cout << "lazy "; return 1; });
    std::cout << lazy.get() << '\n';
    std::promise<std::string> promise;
    auto text = promise.get_future();
    std::thread setter([&] { promise.set_value("kept"); });
    std::cout << text.get() << '\n';
    setter.join();
    auto failing = std::async(std::launch::async, []() -> int { throw std::runtime_error("from a task"); });
    try {
        failing.get();
    } catch (const std::exception& error) {
        std::cout << error.what() << '\n';
    }
    std::future<int> broken;
    {
        std::promise<int> gone;
        broken = gone.get_future();
    }
    try {
        broken.get();
    } catch (const std::future_error& error) {
        std::cout << error.code().message() << '\n';
    }
    std::packaged_task<int(int)> task([](int n) { return n * n; });
    auto squared = task.get_future();
    task(7);
    std::cout << squared.get() << '\n';
}

void shared() {
    std::shared_mutex lock;
    int value = 0;
    std::thread writer([&] { std::unique_lock guard(lock); value = 1; });
    {
        std::shared_lock guard(lock);
        std::cout << (value <= 1) << '\n';
    }
    writer.join();
    auto pointer = std::make_shared<int>(3);
    std::atomic_store(&pointer, std::make_shared<int>(4));
    std::cout << *std::atomic_load(&pointer) << '\n';
}

void modern() {
    std::counting_semaphore<3> permits(0);
    std::latch started(2);
    std::barrier round(2);
    std::thread other([&] { permits.release(); started.count_down(); round.arrive_and_wait(); });
    permits.acquire();
    started.arrive_and_wait();
    round.arrive_and_wait();
    other.join();
    std::jthread polling([](std::stop_token stop) { while (!stop.stop_requested()) { std::this_thread::yield(); } });
    polling.request_stop();
    polling.join();
    std::cout << "stopped\n";
}

int main() {
    futures();
    shared();
    modern();
}
