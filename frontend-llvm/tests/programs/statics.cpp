// Objects that live longer than a function: when they are made and when they end.
#include <iostream>
#include <string>

struct G {
    const char* n;
    G(const char* n) : n(n) {
        std::cout << "ctor " << n << "\n";
    }
    ~G() {
        std::cout << "dtor " << n << "\n";
    }
    int v = 1;
};
G g1("g1");
static G g2("g2");

namespace { G g3("g3"); } G& local() {
    static G l("local");
    return l;
}

struct S {
    static G s;
};
G S::s("member");
thread_local G tl("tl");
thread_local int counter = 5;


struct Thrower {
    Thrower() {
        static int n = 0;
        if (n++ < 2) throw n;
        std::cout << "made\n";
    }
};

void get() {
    static Thrower t;
}

int main() {
    std::cout << "main\n";
    local().v++;
    local().v++;
    std::cout << local().v << "\n";
    tl.v += counter;
    std::cout << tl.v << "\n";
    for (int i = 0; i < 4; i++) try {
        get();
        std::cout << "ok\n";
    } catch (int n) {
        std::cout << "throw " << n << "\n";
    }
    return 3;
}
