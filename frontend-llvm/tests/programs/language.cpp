// The language itself: arrays that cannot be made, specifications of exceptions, members as values, templates, literals.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>
int live = 0, made = 0;

struct C {
    int id;
    static int limit;
    C() : id(++made) {
        if (id == limit) throw id;
        live++;
    }
    C(const C& o) : id(o.id + 100) {
        if (id == limit) throw id;
        live++;
    }
    ~C() {
        live--;
    }
};
int C::limit = 0;

void spec() throw(int) {
    throw 5;
}

void spec2() throw(int, std::exception) {
    throw std::runtime_error("spec");
}

struct V {
    virtual ~V() {
    }
    virtual int f() = 0;
};

struct W : virtual V {
    int f() override {
        return 1;
    }
};

struct X : virtual V {
    int f() override {
        return 2;
    }
};

struct Y : W, X {
    int f() override {
        return W::f() + X::f();
    }
};

template <int N> int fact() {
    return N * fact<N - 1>();
}

template <> int fact<0>() {
    return 1;
}

struct Conv {
    operator int() const {
        return 9;
    }
    explicit operator bool() const {
        return false;
    }
};

int operator"" _k(unsigned long long n) {
    return int(n * 1000);
}

union U {
    int i;
    float f;
};
enum class Color : char { red = 'r', blue = 'b' };

struct Bits {
    unsigned a : 3;
    int b : 5;
};

struct Node {
    std::unique_ptr<Node> next;
    int v;
    Node(int v, std::unique_ptr<Node> n) : next(std::move(n)), v(v) {
    }
    ~Node() {
        printf("n%d ", v);
    }
};

int ptm(int (V::*m)(), V* v) {
    return (v->*m)();
}

void handler() {
    printf("terminating\n");
    fflush(stdout);
    std::exit(3);
}

int main() {
    C::limit = 4;
    try {
        C* a = new C[6];
        delete[] a;
    } catch (int i) {
        printf("array %d live %d\n", i, live);
    }
    C::limit = 0;
    made = 0;
    {
        std::vector<C> v(3);
        C::limit = 102;
        try {
            v.reserve(10);
        } catch (int i) {
            printf("reserve %d live %d size %zu\n", i, live, v.size());
        }
        C::limit = 0;
    }
    printf("live %d\n", live);
    try {
        spec();
    } catch (int i) {
        printf("spec %d\n", i);
    }
    try {
        spec2();
    } catch (std::exception& e) {
        printf("%s\n", e.what());
    }
    Y y;
    V* v = &y;
    printf("%d %d %d\n", v->f(), ptm(&V::f, v), fact<6>());
    Conv c;
    printf("%d %d %d\n", c + 1, c ? 1 : 0, 3_k);
    U u;
    u.f = 1.0f;
    printf("%x %c\n", u.i, (char)Color::blue);
    Bits b = {5, -3};
    printf("%u %d\n", b.a, b.b);
    {
        std::unique_ptr<Node> list;
        for (int i = 0; i < 4; i++) list = std::unique_ptr<Node>(new Node(i, std::move(list)));
    }
    printf("\n");
    std::vector<int> w{5, 3, 9, 1};
    int calls = 0;
    try {
        std::sort(w.begin(), w.end(), [&](int a,
            int b) { if (++calls == 3) throw std::string("cmp"); return a < b; });
    } catch (std::string& s) {
        printf("%s %d\n", s.c_str(), calls);
    }
    int x = 0;
    auto f = [&x, y = 2](int n) mutable {
        x += n * y++;
        return x;
    };
    f(1);
    f(2);
    printf("%d\n", x);
    std::function<int(int)> g = f;
    printf("%d %d\n", g(1), x);
    const std::string s = "abc";
    for (auto it = s.rbegin(); it != s.rend(); ++it) putchar(*it);
    putchar('\n');
    int arr[2][3] = {{1, 2, 3}, {4, 5, 6}};
    int sum = 0;
    for (auto& row : arr) for (int e : row) sum += e;
    printf("%d\n", sum);
    alignas(16) char buf[sizeof(std::string)];
    auto* p = new (buf) std::string("placed");
    printf("%s\n", p->c_str());
    p->~basic_string();
    printf("%s %s\n", typeid(Y).name(), typeid(*v) == typeid(Y) ? "Y" : "?");
    std::cout << std::boolalpha << std::is_base_of<V, Y>::value << ' ' << sizeof(Y) << '\n';
    try {
        try {
            throw 1;
        } catch (int) {
            try {
                throw 2;
            } catch (int n) {
                printf("inner %d\n", n);
            }
            throw;
        }
    } catch (int n) {
        printf("outer %d\n", n);
    }
    auto ex = std::current_exception();
    printf("%d\n", ex == nullptr);
    std::set_terminate(handler);
    auto bad = []() noexcept {
        throw std::logic_error("through noexcept");
    };
    std::cout.flush();
    bad();
}
