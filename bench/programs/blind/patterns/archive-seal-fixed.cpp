#include <cassert>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class Archive {
public:
    void append(const std::string& record)
    {
        std::lock_guard guard(mutex_);
        assert(!sealed_);
        records_.push_back(record);
    }

    void seal()
    {
        std::lock_guard guard(mutex_);
        sealed_ = true;
    }

    std::size_t size() const
    {
        std::lock_guard guard(mutex_);
        return records_.size();
    }

private:
    mutable std::mutex mutex_;
    std::vector<std::string> records_;
    bool sealed_ = false;
};

int main()
{
    Archive archive;

    std::thread clerk([&archive] {
        archive.append("deed of 1902");
        archive.append("map of 1911");
    });
    clerk.join();
    std::thread notary([&archive] {
        archive.seal();
    });
    notary.join();

    std::cout << archive.size() << " records sealed\n";
}
