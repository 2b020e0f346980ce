#include <atomic>
#include <cassert>
#include <functional>
#include <thread>

class Cellar {
    std::atomic<int> step{0};

public:
    template <typename F>
    void prepare(F &&fill)
    {
        if (step.load() == 0) {
            step.store(1);
            std::invoke(fill);
            step.store(2);
        } else {
            while (step.load() != 2)
                std::this_thread::yield();
        }
    }
};

static Cellar cellar;
static std::atomic<int> fillings{0};
static std::atomic<int> barrels{0};

static void vintner()
{
    for (int year = 0; year < 2; ++year) {
        cellar.prepare([] {
            ++fillings;
            barrels = 12;
        });
        assert(barrels == 12);
        assert(fillings == 1);
    }
}

int main()
{
    std::thread a(vintner), b(vintner);
    a.join();
    b.join();
}
