#include <cassert>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct Entry {
    int page;
    std::string text;
    bool signed_off;
};

class Journal {
public:
    Entry& append(int page, std::string text) {
        std::lock_guard<std::mutex> lock(mutex_);
        return entries_.emplace_back(Entry{page, std::move(text), false});
    }

    std::size_t size() const {
        std::lock_guard<std::mutex> lock(mutex_);
        return entries_.size();
    }

    int last_page() const {
        std::lock_guard<std::mutex> lock(mutex_);
        return entries_.empty() ? 0 : entries_.back().page;
    }

private:
    mutable std::mutex mutex_;
    std::vector<Entry> entries_;
};

void write_page(Journal& journal, int page) {
    Entry& entry = journal.append(page, "page " + std::to_string(page));
    entry.signed_off = true;
}

int main() {
    Journal journal;

    std::thread first([&journal] { write_page(journal, 1); });
    std::thread second([&journal] { write_page(journal, 2); });

    int seen = journal.last_page();
    assert(seen >= 0 && seen <= 2);

    first.join();
    second.join();
    assert(journal.size() == 2);
    return 0;
}
