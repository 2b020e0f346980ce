#include <atomic>
#include <cassert>
#include <cstdio>
#include <thread>

class Viewport {
public:
    static constexpr int kWidth = 100;

    void pan(int dx)
    {
        left_ += dx;
        right_ += dx;
    }

    int width() const
    {
        int left = left_.load();
        int right = right_.load();
        return right - left;
    }

    int centre() const { return (left_.load() + right_.load()) / 2; }

private:
    std::atomic<int> left_{0};
    std::atomic<int> right_{kWidth};
};

void scroll(Viewport& view)
{
    view.pan(30);
    view.pan(-10);
}

void render(const Viewport& view)
{
    int width = view.width();
    assert(width == Viewport::kWidth);
}

int main()
{
    Viewport view;

    std::thread input(scroll, std::ref(view));
    std::thread painter(render, std::cref(view));
    input.join();
    painter.join();

    std::printf("centre at %d\n", view.centre());
}
