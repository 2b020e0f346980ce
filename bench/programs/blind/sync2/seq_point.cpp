#include <atomic>
#include <cassert>
#include <cstdio>
#include <thread>

struct Point {
    int x, y;
};

class SeqPoint {
    std::atomic<unsigned> version{0};
    std::atomic<int> x{0}, y{0};

    bool try_read(Point &out) const
    {
        const unsigned v0 = version.load();
        if (v0 % 2 != 0)
            return false;
        out.x = x.load();
        out.y = y.load();
        return version.load() == v0;
    }

public:
    void write(Point p)             // one writer only
    {
        const unsigned v = version.load();
        version.store(v + 1);
        x.store(p.x);
        y.store(p.y);
        version.store(v + 2);
    }

    Point read() const
    {
        Point p{};
        while (!try_read(p))
            std::this_thread::yield();
        return p;
    }
};

static SeqPoint cursor;

static void mouse()
{
    for (int i = 1; i <= 3; ++i)
        cursor.write(Point{i, -i});
}

static void painter()
{
    int last = 0;
    for (int i = 0; i < 3; ++i) {
        const Point p = cursor.read();
        assert(p.x + p.y == 0);
        assert(p.x >= last);
        last = p.x;
    }
}

int main()
{
    std::thread a(painter), m(mouse), b(painter);
    a.join();
    m.join();
    b.join();
    const Point p = cursor.read();
    assert(p.x == 3 && p.y == -3);
    std::printf("(%d,%d)\n", p.x, p.y);
    return 0;
}
