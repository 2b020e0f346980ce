#include <iostream>
#include <list>
#include <mutex>
#include <string>
#include <thread>

struct Flight {
    int number;
    std::string city;
};

class FlightBoard {
public:
    void add(int number, std::string city)
    {
        std::lock_guard guard(mutex_);
        flights_.push_back({number, std::move(city)});
    }

    void cancel(int number)
    {
        std::lock_guard guard(mutex_);
        flights_.remove_if([&](const Flight& f) { return f.number == number; });
    }

    std::size_t announce()
    {
        std::size_t letters = 0;
        std::unique_lock lock(mutex_);
        for (auto it = flights_.begin(); it != flights_.end(); ++it) {
            letters += it->city.size();
        }
        return letters;
    }

private:
    std::mutex mutex_;
    std::list<Flight> flights_;
};

int main()
{
    FlightBoard board;
    std::size_t spoken = 0;

    board.add(411, "Quito");
    board.add(502, "Perth");

    std::thread speaker([&] { spoken = board.announce(); });
    std::thread desk([&] {
        board.cancel(411);
    });
    speaker.join();
    desk.join();

    std::cout << spoken << " letters spoken\n";
}
