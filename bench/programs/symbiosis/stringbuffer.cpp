// A string buffer with a lock for each call. append takes the other's length, then copies that many characters in a
// second call; the other may have become shorter in between.
#include <cassert>
#include <mutex>
#include <thread>

class StringBuffer {
public:
    explicit StringBuffer(const char *text) {
        while (text[count_] != '\0') {
            value_[count_] = text[count_];
            count_++;
        }
    }
    int length() {
        std::lock_guard<std::mutex> guard(mutex_);
        return count_;
    }
    void get_chars(int begin, int end, char *into) {
        std::lock_guard<std::mutex> guard(mutex_);
        assert(end <= count_);
        for (int i = begin; i < end; i++) into[i - begin] = value_[i];
        reads_++;
    }
    void erase(int begin, int end) {
        std::lock_guard<std::mutex> guard(mutex_);
        if (end > count_) end = count_;
        int tail = count_ - end;
        for (int i = 0; i < tail; i++) value_[begin + i] = value_[end + i];
        count_ = begin + tail;
        changes_++;
    }
    void insert(const char *text, int length) {
        std::lock_guard<std::mutex> guard(mutex_);
        for (int i = 0; i < length; i++) value_[count_ + i] = text[i];
        count_ += length;
        changes_++;
    }
    void append(StringBuffer &other) {
        int length = other.length();
        char copied[64];
        other.get_chars(0, length, copied);
        std::lock_guard<std::mutex> guard(mutex_);
        if (count_ + length > 64) count_ = 0;
        for (int i = 0; i < length; i++) value_[count_ + i] = copied[i];
        count_ += length;
    }

private:
    std::mutex mutex_;
    char value_[64] = {};
    int count_ = 0;
    int reads_ = 0;
    int changes_ = 0;
};

int main() {
    StringBuffer buffer("abcdefghijkl");
    std::thread eraser([&buffer] {
        for (int round = 0; round < 4; round++) buffer.insert("wxyz", 4);
        for (int round = 0; round < 3; round++) buffer.erase(4, 8);
    });
    StringBuffer sum("");
    for (int round = 0; round < 4; round++) sum.append(buffer);
    eraser.join();
    return 0;
}
