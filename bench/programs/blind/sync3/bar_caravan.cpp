#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

class Caravan {
public:
    explicit Caravan(int size) : size_(size), missing_(size) {}

    void gather()
    {
        std::unique_lock<std::mutex> lk(m_);
        const unsigned here = stage_;
        if (--missing_ == 0) {
            missing_ = size_;
            ++stage_;
            cv_.notify_all();
            return;
        }
        cv_.wait(lk, [&] { return stage_ != here; });
    }

private:
    std::mutex m_;
    std::condition_variable cv_;
    const int size_;
    int missing_;
    unsigned stage_ = 0;
};

static Caravan caravan(3);
static int water[3][3];

static void camel(int me)
{
    for (int day = 0; day < 3; ++day) {
        water[day][me] = day + 1;
        caravan.gather();
        for (int i = 0; i < 3; ++i)
            assert(water[day][i] == day + 1);
    }
}

int main()
{
    std::vector<std::thread> all;
    for (int i = 0; i < 3; ++i)
        all.emplace_back(camel, i);
    for (auto &t : all)
        t.join();
}
