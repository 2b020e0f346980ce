#include <cassert>
#include <cstddef>
#include <iostream>
#include <mutex>
#include <set>
#include <string>
#include <thread>

class GuestList {
public:
    bool contains(const std::string& name) const
    {
        std::lock_guard guard(mutex_);
        return names_.count(name) != 0;
    }

    void add(const std::string& name)
    {
        std::lock_guard guard(mutex_);
        if (names_.insert(name).second)
            ++badges_;
    }

    std::size_t guests() const { return names_.size(); }
    std::size_t badges() const { return badges_; }

private:
    mutable std::mutex mutex_;
    std::set<std::string> names_;
    std::size_t badges_ = 0;
};

void check_in(GuestList& list, const std::string& name)
{
    if (!list.contains(name))
        list.add(name);
}

int main()
{
    GuestList list;

    std::thread front_door([&list] {
        check_in(list, "Maria");
    });
    std::thread side_door([&list] {
        check_in(list, "Maria");
        check_in(list, "Jonas");
    });
    front_door.join();
    side_door.join();

    std::cout << list.guests() << " guests, " << list.badges() << " badges\n";
    assert(list.badges() == list.guests());
}
