// A one-shot event: once it is set it stays set.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace build {

class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void set() {
    set_.store(true);
    changed_.notify_all();
  }

  void wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!set_.load()) {
      changed_.wait(lock);
    }
  }

  bool isSet() const { return set_.load(); }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> set_{false};
};

}  // namespace build
