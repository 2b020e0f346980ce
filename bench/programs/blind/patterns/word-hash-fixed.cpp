#include <atomic>
#include <cstddef>
#include <iostream>
#include <string>
#include <thread>

class Word {
public:
    explicit Word(std::string text) : text_(std::move(text)) {}

    std::size_t hash() const
    {
        std::size_t known = hash_;
        if (known != 0)
            return known;
        std::size_t h = 17;
        for (unsigned char c : text_)
            h = h * 31 + c;
        hash_ = h;
        return h;
    }

    const std::string& text() const { return text_; }

private:
    std::string text_;
    mutable std::atomic<std::size_t> hash_{0};
};

int main()
{
    const Word word("harbour");
    std::size_t left = 0;
    std::size_t right = 0;

    std::thread a([&] { left = word.hash(); });
    std::thread b([&] { right = word.hash(); });
    a.join();
    b.join();

    if (left == right)
        std::cout << word.text() << " hashes to " << left << '\n';
    else
        std::cout << "hashes differ\n";
}
