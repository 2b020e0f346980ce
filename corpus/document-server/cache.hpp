// A cache of bounded size that gives up what was used least recently.
#pragma once

#include <cassert>
#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

template <typename Key, typename Value> class LruCache {
public:
    explicit LruCache(std::size_t capacity) : capacity_(capacity) {}

    // The value of a key, which is computed without the lock if it is not there: computing takes long.
    template <typename Compute> Value get(const Key &key, Compute compute) {
        {
            std::lock_guard<std::mutex> guard(lock_);
            auto found = entries_.find(key);
            if (found != entries_.end()) {
                hits_++;
                order_.splice(order_.begin(), order_, found->second.position);
                return found->second.value;
            }
            misses_++;
        }
        Value value = compute();
        std::lock_guard<std::mutex> guard(lock_);
        order_.push_front(key);
        entries_[key] = Entry{value, order_.begin()};
        shrink();
        return value;
    }

    void clear() {
        std::lock_guard<std::mutex> guard(lock_);
        entries_.clear();
        order_.clear();
    }

    // Every key stands in the order once.
    void check() const {
        std::lock_guard<std::mutex> guard(lock_);
        assert(entries_.size() == order_.size());
    }

    std::pair<long, long> hits_and_misses() const {
        std::lock_guard<std::mutex> guard(lock_);
        return {hits_, misses_};
    }

private:
    struct Entry {
        Value value;
        typename std::list<Key>::iterator position;
    };

    // Called with the lock held.
    void shrink() {
        while (order_.size() > capacity_) {
            entries_.erase(order_.back());
            order_.pop_back();
        }
    }

    const std::size_t capacity_;
    mutable std::mutex lock_;
    std::list<Key> order_;
    std::unordered_map<Key, Entry> entries_;
    long hits_ = 0;
    long misses_ = 0;
};
