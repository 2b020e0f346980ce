// Threads that work off tasks, and results that can be waited for.
#pragma once

#include "queue.hpp"

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

// The result of a task: a value or what the task threw.
template <typename Value> class Result {
public:
    void set(Value value) {
        {
            std::lock_guard<std::mutex> guard(lock_);
            value_ = std::move(value);
        }
        done_.notify_all();
    }

    void fail(std::exception_ptr error) {
        {
            std::lock_guard<std::mutex> guard(lock_);
            error_ = error;
        }
        done_.notify_all();
    }

    Value get() {
        std::unique_lock<std::mutex> guard(lock_);
        done_.wait(guard, [this] { return value_.has_value() || error_ != nullptr; });
        if (error_ != nullptr) {
            std::rethrow_exception(error_);
        }
        return *value_;
    }

private:
    std::mutex lock_;
    std::condition_variable done_;
    std::optional<Value> value_;
    std::exception_ptr error_;
};

class ThreadPool {
public:
    ThreadPool(std::size_t threads, std::size_t waiting) : tasks_(waiting) {
        for (std::size_t index = 0; index < threads; index++) {
            threads_.emplace_back([this] { run(); });
        }
    }

    ThreadPool(const ThreadPool &) = delete;
    ThreadPool &operator=(const ThreadPool &) = delete;

    ~ThreadPool() { stop(); }

    template <typename Function> auto submit(Function function) {
        using Value = std::invoke_result_t<Function>;
        auto result = std::make_shared<Result<Value>>();
        tasks_.push([result, function = std::move(function)]() mutable {
            try {
                result->set(function());
            } catch (...) {
                result->fail(std::current_exception());
            }
        });
        return result;
    }

    void stop() {
        tasks_.close();
        for (std::thread &thread : threads_) {
            if (thread.joinable()) {
                thread.join();
            }
        }
    }

private:
    void run() {
        while (auto task = tasks_.pop()) {
            (*task)();
        }
    }

    BlockingQueue<std::function<void()>> tasks_;
    std::vector<std::thread> threads_;
};
