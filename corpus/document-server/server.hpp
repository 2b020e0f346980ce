// The server: requests in, answers out, with a pool that works, a cache of answers and a log. It expects that the cache is
// included before it.
#pragma once

#include "index.hpp"
#include "logging.hpp"
#include "pool.hpp"
#include "query.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

class BadRequest : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// How often what was asked, and how long it took.
class Statistics {
public:
    using Clock = std::chrono::steady_clock;

    // Counts from its begin to its end.
    class Timer {
    public:
        Timer(Statistics &statistics, std::string command)
            : statistics_(statistics), command_(std::move(command)), started_(Clock::now()) {}
        ~Timer() { statistics_.add(command_, Clock::now() - started_); }

        Timer(const Timer &) = delete;
        Timer &operator=(const Timer &) = delete;

    private:
        Statistics &statistics_;
        std::string command_;
        Clock::time_point started_;
    };

    void add(const std::string &command, Clock::duration spent) {
        std::lock_guard<std::mutex> guard(lock_);
        Entry &entry = entries_[command];
        entry.count++;
        entry.longest = std::max(entry.longest, spent);
    }

    long count(const std::string &command) const {
        std::lock_guard<std::mutex> guard(lock_);
        auto found = entries_.find(command);
        return found == entries_.end() ? 0 : found->second.count;
    }

    std::string shown() const {
        std::lock_guard<std::mutex> guard(lock_);
        std::vector<std::string> parts;
        for (const auto &[command, entry] : entries_) {
            parts.push_back(text::format("{} {}", command, entry.count));
        }
        return text::join(parts, ", ");
    }

private:
    struct Entry {
        long count = 0;
        Clock::duration longest{};
    };

    mutable std::mutex lock_;
    std::map<std::string, Entry> entries_;
};

struct Request {
    std::string command;
    std::vector<std::string> arguments;

    // `search weft and warp`, `add 3 | title | body`
    static Request parse(const std::string &line) {
        std::string trimmed = text::trim(line);
        std::size_t space = trimmed.find(' ');
        Request request;
        request.command = text::lower(trimmed.substr(0, space));
        if (request.command.empty()) {
            throw BadRequest("an empty request");
        }
        if (space != std::string::npos) {
            for (const std::string &part : text::split(trimmed.substr(space + 1), '|')) {
                request.arguments.push_back(text::trim(part));
            }
        }
        return request;
    }

    const std::string &argument(std::size_t number) const {
        if (number >= arguments.size()) {
            throw BadRequest(text::format("{} needs {} arguments", command, number + 1));
        }
        return arguments[number];
    }

    int number(std::size_t position) const {
        try {
            return std::stoi(argument(position));
        } catch (const std::invalid_argument &) {
            throw BadRequest(text::format("{} is no number", argument(position)));
        }
    }
};

class Server {
public:
    using Answer = std::shared_ptr<Result<std::string>>;

    explicit Server(std::shared_ptr<Logger> logger, std::size_t threads)
        : logger_(std::move(logger)), answers_(4), pool_(threads, 8) {}

    Answer ask(const std::string &line) {
        return pool_.submit([this, line] { return handle(line); });
    }

    void stop() { pool_.stop(); }

    void check() const { answers_.check(); }

    const Statistics &statistics() const { return statistics_; }
    const Index &index() const { return index_; }

private:
    std::string handle(const std::string &line) {
        Request request = Request::parse(line);
        Statistics::Timer timer(statistics_, request.command);
        try {
            return answer(request);
        } catch (const std::exception &error) {
            logger_->error("server", "{}: {}", request.command, error.what());
            throw;
        }
    }

    std::string answer(const Request &request) {
        if (request.command == "add") {
            return add(request);
        }
        if (request.command == "remove") {
            return index_.remove(request.number(0)) ? "removed" : "not there";
        }
        if (request.command == "show") {
            Document document = index_.document(request.number(0));
            return document.title + ": " + document.body;
        }
        if (request.command == "search") {
            return search(request.argument(0));
        }
        if (request.command == "stats") {
            auto [hits, misses] = answers_.hits_and_misses();
            return text::format("{} documents, {} asked", index_.size(), hits + misses);
        }
        throw BadRequest("unknown request " + request.command);
    }

    std::string add(const Request &request) {
        Document document;
        document.id = request.number(0);
        document.title = request.argument(1);
        document.body = request.argument(2);
        std::size_t words = index_.add(document);
        logger_->info("server", "document {} has {} words", document.id, words);
        return text::format("added {}", document.id);
    }

    std::string search(const std::string &text) {
        QueryPointer query = QueryParser(text).parse();
        std::string key = text::format("{}@{}", query->shown(), index_.version());
        return answers_.get(key, [&] { return ranked(*query); });
    }

    // The titles of what matches, those with the most of the wanted words first.
    std::string ranked(const Query &query) const {
        std::vector<std::string> words;
        query.words(words);
        std::vector<std::pair<int, DocumentId>> scores;
        for (DocumentId id : query.matches(index_)) {
            int score = 0;
            for (const std::string &word : words) {
                score += index_.frequency(word, id);
            }
            scores.emplace_back(-score, id);
        }
        std::sort(scores.begin(), scores.end());
        std::vector<std::string> titles;
        for (const auto &[score, id] : scores) {
            titles.push_back(index_.document(id).title);
        }
        return titles.empty() ? "nothing" : text::join(titles, ", ");
    }

    std::shared_ptr<Logger> logger_;
    Index index_;
    Statistics statistics_;
    LruCache<std::string, std::string> answers_;
    ThreadPool pool_;
};
