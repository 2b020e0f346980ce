// What C++20 adds: waiting on atomics, comparisons, concepts, ranges.
#include <atomic>
#include <iostream>
#include <thread>
#include <compare>
#include <concepts>
#include <span>
#include <string_view>
#include <ranges>
#include <vector>
#include <algorithm>

struct V {
    int a, b;
    auto operator<=>(const V&) const = default;
};

template <std::integral T> T twice(T x) {
    return x * 2;
}

int main() {
    std::atomic<int> flag{0};
    std::thread t([&] { flag.wait(0); std::cout << "woke " << flag << '\n'; });
    flag = 1;
    flag.notify_one();
    t.join();
    std::cout << (V{1, 2} < V{1, 3}) << twice(21) << '\n';
    int arr[] = {1, 2, 3};
    std::span<int> s(arr);
    std::cout << s.size() << s[1] << '\n';
    std::string_view sv = "hello world";
    std::cout << sv.substr(6) << sv.find('o') << '\n';
    std::vector<int> v{1, 2, 3, 4, 5, 6};
    for (int x : v | std::views::filter([](int n) { return n % 2; }) | std::views::transform([](int n) { return n * n; })) std::cout << x << ' ';
    std::cout << '\n';
    std::atomic_ref<int> r(arr[0]);
    r++;
    std::cout << arr[0] << '\n';
    std::atomic<double> ad{1.5};
    ad.fetch_add(2.0);
    std::cout << ad << '\n';
}
