#include <cassert>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct Entry {
    std::string text;
    bool signed_off = false;
};

class Journal {
public:
    Entry& append(std::string text) {
        std::lock_guard<std::mutex> lock(mutex_);
        entries_.push_back(Entry{std::move(text), false});
        return entries_.back();
    }

    std::size_t size() const {
        std::lock_guard<std::mutex> lock(mutex_);
        return entries_.size();
    }

    const std::deque<Entry>& entries() const { return entries_; }

private:
    mutable std::mutex mutex_;
    std::deque<Entry> entries_;
};

void write_page(Journal& journal, const std::string& text) {
    Entry& entry = journal.append(text);
    assert(entry.text == text);
    entry.signed_off = true;
}

int main() {
    Journal journal;

    std::vector<std::thread> authors;
    authors.emplace_back([&journal] { write_page(journal, "monday"); });
    authors.emplace_back([&journal] { write_page(journal, "tuesday"); });

    write_page(journal, "wednesday");
    assert(journal.size() >= 1);

    for (auto& author : authors) {
        author.join();
    }
    assert(journal.size() == 3);
    for (const Entry& entry : journal.entries()) {
        assert(entry.signed_off);
    }
    return 0;
}
