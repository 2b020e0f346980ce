#include <cassert>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using Names = std::vector<std::string>;

class VisitorLog {
public:
    std::shared_ptr<const Names> snapshot() const
    {
        std::lock_guard guard(mutex_);
        return names_;
    }

    void sign(const std::string& who)
    {
        auto page = std::make_shared<Names>(*snapshot());
        page->push_back(who);
        std::lock_guard guard(mutex_);
        names_ = std::move(page);
    }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const Names> names_ = std::make_shared<Names>();
};

int main()
{
    VisitorLog log;

    std::thread north([&log] {
        log.sign("Ida");
    });
    std::thread south([&log] {
        log.sign("Otto");
        log.sign("Emil");
    });
    north.join();
    south.join();

    auto names = log.snapshot();
    for (const auto& name : *names)
        std::cout << name << '\n';
    assert(names->size() == 3);
}
