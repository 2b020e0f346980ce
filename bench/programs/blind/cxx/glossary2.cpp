#include <atomic>
#include <cassert>
#include <cstddef>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

using Text = std::shared_ptr<const std::string>;

class Glossary {
public:
    void define(const std::string& term, std::string text) {
        auto entry = std::make_shared<const std::string>(std::move(text));
        std::unique_lock lock(mutex_);
        terms_[term] = std::move(entry);
    }

    bool retire(const std::string& term) {
        std::unique_lock lock(mutex_);
        return terms_.erase(term) == 1;
    }

    Text find(const std::string& term) const {
        std::shared_lock lock(mutex_);
        auto it = terms_.find(term);
        if (it == terms_.end()) {
            return nullptr;
        }
        return it->second;
    }

private:
    mutable std::shared_mutex mutex_;
    std::unordered_map<std::string, Text> terms_;
};

int main() {
    Glossary glossary;
    glossary.define("barrier", "a meeting point");

    std::atomic<int> hits{0};

    std::thread reader([&] {
        if (Text text = glossary.find("barrier")) {
            assert(*text == "a meeting point" || *text == "a reusable meeting point");
            ++hits;
        }
    });
    std::thread editor([&] {
        glossary.define("barrier", "a reusable meeting point");
        bool removed = glossary.retire("barrier");
        assert(removed);
    });

    Text mine = glossary.find("barrier");
    reader.join();
    editor.join();

    assert(glossary.find("barrier") == nullptr);
    assert(mine == nullptr || mine.use_count() == 1);
    assert(hits.load() <= 1);
    return 0;
}
