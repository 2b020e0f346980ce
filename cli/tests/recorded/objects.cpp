// Threads with objects of their own: virtual calls, lambdas, containers, exceptions, templates.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Node {
    virtual ~Node() = default;
    virtual long value(long x) const = 0;
};

struct Constant : Node {
    long number;
    explicit Constant(long number) : number(number) {}
    long value(long) const override { return number; }
};

struct Argument : Node {
    long value(long x) const override { return x; }
};

struct Sum : Node {
    std::vector<std::unique_ptr<Node>> parts;
    long value(long x) const override {
        long sum = 0;
        for (const auto &part : parts) sum += part->value(x);
        return sum;
    }
};

struct Quotient : Node {
    std::unique_ptr<Node> over, under;
    long value(long x) const override {
        long divisor = under->value(x);
        if (divisor == 0) throw std::domain_error("division by zero");
        return over->value(x) / divisor;
    }
};

std::unique_ptr<Node> build(unsigned &seed, int depth) {
    seed = seed * 1103515245u + 12345u;
    switch (depth == 0 ? seed >> 16 & 1 : seed >> 16 & 3) {
    case 0: return std::make_unique<Constant>(long(seed >> 20 & 7));
    case 1: return std::make_unique<Argument>();
    case 2: {
        auto sum = std::make_unique<Sum>();
        for (unsigned i = 0; i < 2 + (seed >> 24 & 1); i++) sum->parts.push_back(build(seed, depth - 1));
        return sum;
    }
    default: {
        auto quotient = std::make_unique<Quotient>();
        quotient->over = build(seed, depth - 1);
        quotient->under = build(seed, depth - 1);
        return quotient;
    }
    }
}

long work(unsigned seed) {
    std::map<long, int> counted;
    std::vector<long> values;
    long failures = 0;
    for (int i = 0; i < 12; i++) {
        auto node = build(seed, 4);
        for (long x = -2; x <= 2; x++) {
            try {
                values.push_back(node->value(x));
            } catch (const std::domain_error &) {
                failures++;
            }
        }
    }
    for (long value : values) counted[value % 13]++;
    std::sort(values.begin(), values.end(), [&](long a, long b) {
        int left = counted[a % 13], right = counted[b % 13];
        return left != right ? left < right : a < b;
    });
    std::function<long(long)> reduce = [&](long n) { return n <= 1 ? n : n % 2 ? reduce(n - 1) + 1 : reduce(n / 2); };
    std::string text;
    for (long value : values)
        if (text.size() < 40) text += std::to_string(reduce(value > 0 ? value : -value)) + ",";
    long commas = std::count(text.begin(), text.end(), ',');
    return failures * 1000 + commas * 10 + (values.empty() ? 0 : values.front() & 7);
}

} // namespace

int main() {
    std::vector<long> results(3);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < results.size(); i++)
        threads.emplace_back([&results, i] {
            long inner = 0;
            std::thread child([&inner, i] { inner = work(7 * i + 1); });
            long own = work(i + 1);
            child.join();
            results[i] = own + inner;
        });
    for (auto &thread : threads) thread.join();
    return std::any_of(results.begin(), results.end(), [](long result) { return result < 0; }) ? 1 : 0;
}
