// A queue between threads that can be closed: who waits then gets nothing.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

class QueueClosed : public std::runtime_error {
public:
    QueueClosed() : std::runtime_error("the queue is closed") {}
};

template <typename Item> class BlockingQueue {
public:
    explicit BlockingQueue(std::size_t capacity) : capacity_(capacity) {}

    BlockingQueue(const BlockingQueue &) = delete;
    BlockingQueue &operator=(const BlockingQueue &) = delete;

    void push(Item item) {
        std::unique_lock<std::mutex> guard(lock_);
        drained_.wait(guard, [this] { return items_.size() < capacity_ || closed_; });
        if (closed_) {
            throw QueueClosed();
        }
        items_.push_back(std::move(item));
        guard.unlock();
        filled_.notify_one();
    }

    std::optional<Item> pop() {
        std::unique_lock<std::mutex> guard(lock_);
        filled_.wait(guard, [this] { return !items_.empty() || closed_; });
        if (items_.empty()) {
            return std::nullopt;
        }
        std::optional<Item> item(std::move(items_.front()));
        items_.pop_front();
        guard.unlock();
        drained_.notify_one();
        return item;
    }

    void close() {
        {
            std::lock_guard<std::mutex> guard(lock_);
            closed_ = true;
        }
        filled_.notify_all();
        drained_.notify_all();
    }

    std::size_t size() const {
        std::lock_guard<std::mutex> guard(lock_);
        return items_.size();
    }

private:
    const std::size_t capacity_;
    mutable std::mutex lock_;
    std::condition_variable filled_;
    std::condition_variable drained_;
    std::deque<Item> items_;
    bool closed_ = false;
};
