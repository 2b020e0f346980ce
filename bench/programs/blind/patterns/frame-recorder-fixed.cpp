#include <array>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>

struct Frames {
    std::array<int, 4> brightness{};
    int used = 0;
};

class Recorder {
public:
    void add(int brightness)
    {
        std::lock_guard guard(mutex_);
        frames_->brightness[frames_->used++] = brightness;
    }

    int finish()
    {
        camera_.join();
        return frames_->used;
    }

private:
    void film()
    {
        for (int i = 0; i < 3; ++i)
            add(100 + i);
    }

    std::mutex mutex_;
    std::unique_ptr<Frames> frames_ = std::make_unique<Frames>();
    std::thread camera_{[this] { film(); }};
};

int main()
{
    static Recorder recorder;
    int frames = recorder.finish();
    std::printf("%d frames recorded\n", frames);
}
