#include <atomic>
#include <cassert>
#include <cstddef>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

class Glossary {
public:
    void define(std::string term, std::string text) {
        std::unique_lock lock(mutex_);
        terms_.insert_or_assign(std::move(term), std::move(text));
    }

    void retire(const std::string& term) {
        std::unique_lock lock(mutex_);
        terms_.erase(term);
    }

    const std::string* find(const std::string& term) const {
        std::shared_lock lock(mutex_);
        auto it = terms_.find(term);
        return it == terms_.end() ? nullptr : &it->second;
    }

    std::size_t size() const {
        std::shared_lock lock(mutex_);
        return terms_.size();
    }

private:
    mutable std::shared_mutex mutex_;
    std::unordered_map<std::string, std::string> terms_;
};

int main() {
    Glossary glossary;
    glossary.define("fence", "an ordering constraint between memory operations");
    glossary.define("futex", "a fast user space lock primitive of the kernel");

    std::atomic<std::size_t> characters{0};

    std::thread reader([&] {
        const std::string* text = glossary.find("futex");
        if (text != nullptr) {
            characters += text->size();
        }
    });
    std::thread editor([&] {
        glossary.retire("futex");
    });

    const std::string* fence = glossary.find("fence");
    assert(fence != nullptr);

    reader.join();
    editor.join();
    assert(glossary.size() == 1);
    assert(characters == 0 || characters == 46);
    return 0;
}
