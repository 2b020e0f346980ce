// A log that several threads write to and one thread stores: levels, sinks, and counts per level.
#pragma once

#include "queue.hpp"
#include "text.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

enum class Level { debug, info, warning, error };

inline const char *name_of(Level level) {
    switch (level) {
    case Level::debug:
        return "debug";
    case Level::info:
        return "info";
    case Level::warning:
        return "warning";
    case Level::error:
        return "error";
    }
    return "unknown";
}

struct Record {
    Level level = Level::info;
    std::string source;
    std::string message;
};

// Where records end up.
class Sink {
public:
    virtual ~Sink() = default;
    virtual void store(const Record &record) = 0;
    virtual void flush() {}
};

class MemorySink : public Sink {
public:
    void store(const Record &record) override {
        std::lock_guard<std::mutex> guard(lock_);
        lines_.push_back(text::format("[{}] {}: {}", name_of(record.level), record.source, record.message));
    }

    std::vector<std::string> lines() const {
        std::lock_guard<std::mutex> guard(lock_);
        return lines_;
    }

private:
    mutable std::mutex lock_;
    std::vector<std::string> lines_;
};

// Passes on only what is important enough.
class FilterSink : public Sink {
public:
    FilterSink(Level least, std::shared_ptr<Sink> next) : least_(least), next_(std::move(next)) {}

    void store(const Record &record) override {
        if (record.level >= least_) {
            next_->store(record);
        }
    }

    void flush() override { next_->flush(); }

private:
    Level least_;
    std::shared_ptr<Sink> next_;
};

class Logger {
public:
    explicit Logger(std::vector<std::shared_ptr<Sink>> sinks)
        : sinks_(std::move(sinks)), queue_(16), writer_([this] { run(); }) {}

    ~Logger() {
        queue_.close();
        writer_.join();
        for (auto &sink : sinks_) {
            sink->flush();
        }
    }

    template <typename... Values>
    void log(Level level, const std::string &source, const std::string &pattern, const Values &...values) {
        counts_[static_cast<std::size_t>(level)]++;
        queue_.push(Record{level, source, text::format(pattern, values...)});
    }

    template <typename... Values> void info(const std::string &source, const std::string &pattern, const Values &...values) {
        log(Level::info, source, pattern, values...);
    }

    template <typename... Values> void error(const std::string &source, const std::string &pattern, const Values &...values) {
        log(Level::error, source, pattern, values...);
    }

    int count(Level level) const { return counts_[static_cast<std::size_t>(level)]; }

private:
    void run() {
        while (auto record = queue_.pop()) {
            for (auto &sink : sinks_) {
                sink->store(*record);
            }
        }
    }

    std::vector<std::shared_ptr<Sink>> sinks_;
    std::array<std::atomic<int>, 4> counts_{};
    BlockingQueue<Record> queue_;
    std::thread writer_;
};
