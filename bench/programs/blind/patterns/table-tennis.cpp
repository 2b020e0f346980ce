#include <atomic>
#include <iostream>
#include <thread>

class Table {
public:
    bool await_turn(int player)
    {
        if (closing_.load())
            return false;
        while (turn_.load() != player)
            std::this_thread::yield();
        return true;
    }

    void hit(int player)
    {
        ++hits_;
        turn_.store(1 - player);
    }

    void close() { closing_.store(true); }

    int hits() const { return hits_.load(); }

private:
    std::atomic<bool> closing_{false};
    std::atomic<int> turn_{0};
    std::atomic<int> hits_{0};
};

void play(Table& table, int player)
{
    for (int round = 0; round < 2; ++round) {
        if (!table.await_turn(player))
            return;
        table.hit(player);
    }
}

int main()
{
    Table table;

    std::thread server(play, std::ref(table), 0);
    std::thread returner(play, std::ref(table), 1);
    table.close();
    server.join();
    returner.join();

    std::cout << table.hits() << " hits\n";
}
