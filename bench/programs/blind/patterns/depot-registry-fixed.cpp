#include <iostream>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct Depot {
    std::string city;
    std::vector<int> lines;
};

class Registry {
public:
    void open(const std::string& city, std::vector<int> lines)
    {
        std::lock_guard guard(mutex_);
        depots_[city].city = city;
        depots_[city].lines = std::move(lines);
    }

    int first_line(const std::string& city) const
    {
        std::lock_guard guard(mutex_);
        auto it = depots_.find(city);
        if (it == depots_.end())
            return 0;
        return it->second.lines.at(0);
    }

private:
    mutable std::mutex mutex_;
    std::map<std::string, Depot> depots_;
};

int main()
{
    Registry registry;
    int line = 0;

    std::thread planner([&] {
        registry.open("Bergen", {4, 11, 26});
    });
    std::thread desk([&] {
        line = registry.first_line("Bergen");
    });
    planner.join();
    desk.join();

    if (line == 0)
        std::cout << "no depot yet\n";
    else
        std::cout << "first line is " << line << '\n';
}
