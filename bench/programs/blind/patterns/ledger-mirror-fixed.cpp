#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class Ledger {
public:
    explicit Ledger(std::vector<std::string> rows) : rows_(std::move(rows)) {}

    void merge_from(const Ledger& other)
    {
        std::scoped_lock both(mutex_, other.mutex_);
        for (const auto& row : other.rows_)
            if (!has(row))
                rows_.push_back(row);
    }

    std::size_t size() const
    {
        std::lock_guard guard(mutex_);
        return rows_.size();
    }

private:
    bool has(const std::string& wanted) const
    {
        for (const auto& row : rows_)
            if (row == wanted)
                return true;
        return false;
    }

    mutable std::mutex mutex_;
    std::vector<std::string> rows_;
};

int main()
{
    Ledger paris({"rent", "wages"});
    Ledger tokyo({"rent", "travel"});

    std::thread west([&] { paris.merge_from(tokyo); });
    std::thread east([&] { tokyo.merge_from(paris); });
    west.join();
    east.join();

    std::cout << paris.size() << " and " << tokyo.size() << " rows\n";
}
