// Containers, strings and what else the library offers to hold values.
#include <algorithm>
#include <deque>
#include <functional>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <stack>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>
#include <array>
#include <bitset>
#include <utility>

int main() {
    std::vector<std::string> v;
    for (int i = 0; i < 20; i++) v.push_back("item" + std::to_string(i * 7 % 13));
    std::sort(v.begin(), v.end());
    v.erase(std::unique(v.begin(), v.end()), v.end());
    for (auto& s : v) std::cout << s << ' ';
    std::cout << '\n';
    std::deque<int> d;
    for (int i = 0; i < 300; i++) {
        d.push_back(i);
        if (i % 3) d.push_front(-i);
    }
    while (d.size() > 10) {
        d.pop_front();
        d.pop_back();
    }
    for (int x : d) std::cout << x << ' ';
    std::cout << '\n';
    std::map<int, std::string> m;
    for (int i = 0; i < 50; i++) m[i * 37 % 101] = std::to_string(i);
    for (int i = 0; i < 101; i += 3) m.erase(i);
    for (auto it = m.begin(); it != m.end(); ++it) std::cout << it->first << ':' << it->second << ' ';
    std::cout << m.size() << '\n';
    for (auto it = m.rbegin(); it != m.rend(); ++it) std::cout << it->first << ' ';
    std::cout << '\n';
    std::unordered_map<std::string, int> u;
    for (int i = 0; i < 40; i++) u["key" + std::to_string(i)] += i;
    u.erase("key7");
    for (auto& [k, x] : u) std::cout << k << '=' << x << ' ';
    std::cout << u.bucket_count() << '\n';
    std::unordered_set<int> us{5, 1, 99, 1000, 7, 3};
    for (int x : us) std::cout << x << ' ';
    std::cout << '\n';
    std::unordered_map<double, int> ud;
    ud[1.5] = 1;
    ud[-0.0] = 2;
    ud[3e10] = 3;
    for (auto& [k, x] : ud) std::cout << k << '=' << x << ' ';
    std::cout << '\n';
    std::set<std::string, std::greater<>> s{"b", "a", "c"};
    for (auto& x : s) std::cout << x;
    std::cout << '\n';
    std::multimap<int, int> mm;
    mm.insert({1, 2});
    mm.insert({1, 3});
    mm.insert({0, 9});
    auto r = mm.equal_range(1);
    for (auto i = r.first; i != r.second; ++i) std::cout << i->second << ' ';
    std::cout << '\n';
    std::list<int> l{5, 3, 8, 1};
    l.sort();
    l.reverse();
    l.splice(l.begin(), std::list<int>{42, 43});
    l.remove(3);
    for (int x : l) std::cout << x << ' ';
    std::cout << '\n';
    std::priority_queue<int> pq;
    for (int x : {3, 9, 2, 7}) pq.push(x);
    while (!pq.empty()) {
        std::cout << pq.top() << ' ';
        pq.pop();
    }
    std::cout << '\n';
    std::queue<std::unique_ptr<int>> q;
    q.push(std::make_unique<int>(4));
    q.push(std::make_unique<int>(5));
    auto p = std::move(q.front());
    q.pop();
    std::cout << *p << *q.front() << '\n';
    std::stack<char> st;
    for (char c : std::string("hello")) st.push(c);
    while (!st.empty()) {
        std::cout << st.top();
        st.pop();
    }
    std::cout << '\n';
    std::function<int(int)> fib = [&](int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    };
    std::cout << fib(15) << '\n';
    std::function<void()> empty;
    try {
        empty();
    } catch (std::bad_function_call& e) {
        std::cout << e.what() << '\n';
    }
    auto b = std::bind([](int a, int c) { return a - c; }, std::placeholders::_2, 10);
    std::cout << b(1, 50) << '\n';
    std::optional<std::string> o;
    std::cout << o.has_value();
    o = "some";
    std::cout << *o << '\n';
    try {
        std::optional<int> n;
        n.value();
    } catch (std::bad_optional_access& e) {
        std::cout << e.what() << '\n';
    }
    std::variant<int, std::string> va = 3;
    va = std::string("str");
    std::visit([](auto& x) { std::cout << x << '\n'; }, va);
    try {
        std::get<int>(va);
    } catch (std::bad_variant_access& e) {
        std::cout << e.what() << '\n';
    }
    auto [x, y, z] = std::make_tuple(1, 2.5, std::string("t"));
    std::cout << x << y << z << '\n';
    std::shared_ptr<int> sp = std::make_shared<int>(3);
    std::weak_ptr<int> wp = sp;
    {
        auto sp2 = sp;
        std::cout << sp.use_count() << *wp.lock();
    }
    sp.reset();
    std::cout << wp.expired() << '\n';
    try {
        std::shared_ptr<int> bad(wp);
    } catch (std::bad_weak_ptr& e) {
        std::cout << e.what() << '\n';
    }
    std::array<int, 5> a{5, 4, 3, 2, 1};
    std::sort(a.begin(), a.end());
    std::cout << std::accumulate(a.begin(), a.end(), 0) << a[0] << '\n';
    std::bitset<70> bs;
    bs.set(3).set(69);
    std::cout << bs.count() << bs.to_string().size() << '\n';
    std::string str = "The quick brown fox";
    str.replace(4, 5, "slow");
    str.insert(0, ">> ");
    str += '!';
    std::cout << str << str.find("fox") << str.rfind('o') << (str.compare("abc") < 0)
        << (str < std::string("zzz")) << str.find_first_of("xyz") << '\n';
    str.erase(3, 4);
    str.append(3, '.').resize(10, '-');
    std::cout << str << '|' << str.substr(2, 4) << '\n';
    std::vector<bool> vb(10);
    vb[3] = true;
    vb.push_back(true);
    for (bool f : vb) std::cout << f;
    std::cout << '\n';
    std::vector<int> nums(1000);
    std::iota(nums.begin(), nums.end(), 0);
    std::cout << std::count_if(nums.begin(), nums.end(), [](int n) { return n % 7 == 0; })
        << *std::max_element(nums.begin(), nums.end()) << std::binary_search(nums.begin(), nums.end(), 500) << '\n';
    std::nth_element(nums.begin(), nums.begin() + 500, nums.end(), std::greater<int>());
    std::cout << nums[500] << '\n';
    std::stable_sort(nums.begin(), nums.end(), [](int a, int b) { return a % 10 < b % 10; });
    std::cout << nums[0] << nums[999] << '\n';
}
