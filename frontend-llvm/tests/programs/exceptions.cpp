// Exceptions: what is destroyed on the way, what is thrown again, and what the library throws.
#include <iostream>
#include <stdexcept>
#include <string>
#include <exception>
#include <vector>

struct T {
    std::string n;
    T(std::string n) : n(std::move(n)) {
        std::cout << "+" << this->n << " ";
    }
    T(const T& o) : n(o.n + "'") {
        std::cout << "c" << n << " ";
    }
    ~T() {
        std::cout << "-" << n << " ";
    }
};

struct E1 : std::runtime_error {
    T t;
    E1(const char* m) : std::runtime_error(m), t("e1") {
    }
};

void deep(int n) {
    T t("d" + std::to_string(n));
    if (n == 0) throw E1("deep");
    deep(n - 1);
}

int twice() try {
    deep(2);
    return 0;
} catch (E1& e) {
    std::cout << "[" << e.what() << "] ";
    throw;
}

struct M {
    T a{"a"};
    T b;
    M(bool f) : b("b") {
        if (f) throw 1;
    }
    T c{"c"};
};

struct NE {
    ~NE() noexcept(false) {
        if (!std::uncaught_exceptions()) throw std::logic_error("from dtor");
        else std::cout << "quiet ";
    }
};

void cleanup() {
    T x("x");
    try {
        T y("y");
        throw std::out_of_range("oor");
    } catch (std::logic_error& e) {
        std::cout << e.what() << " ";
        T z("z");
        throw std::domain_error("dom");
    }
}

int main() {
    try {
        twice();
    } catch (std::exception& e) {
        std::cout << "main:" << e.what() << "\n";
    }
    try {
        M m(true);
    } catch (int i) {
        std::cout << "int" << i << "\n";
    }
    try {
        NE n;
    } catch (std::logic_error& e) {
        std::cout << e.what() << "\n";
    }
    try {
        NE n;
        throw 3;
    } catch (int i) {
        std::cout << i << "\n";
    }
    try {
        cleanup();
    } catch (...) {
        try {
            throw;
        } catch (std::domain_error& e) {
            std::cout << "inner " << e.what() << "\n";
        }
    }
    std::exception_ptr p;
    try {
        throw std::length_error("kept");
    } catch (...) {
        p = std::current_exception();
    }
    try {
        std::rethrow_exception(p);
    } catch (std::length_error& e) {
        std::cout << e.what() << "\n";
    }
    p = nullptr;
    try {
        std::vector<int> v;
        v.at(3);
    } catch (std::out_of_range& e) {
        std::cout << e.what() << "\n";
    }
    try {
        std::string s("abc");
        s.substr(5);
    } catch (std::out_of_range& e) {
        std::cout << e.what() << "\n";
    }
    try {
        std::stoi("zz");
    } catch (std::invalid_argument& e) {
        std::cout << e.what() << "\n";
    }
    try {
        auto q = std::make_exception_ptr(T("m"));
        std::rethrow_exception(q);
    } catch (T& t) {
        std::cout << "got " << t.n << "\n";
    }
    try {
        try {
            throw std::runtime_error("inner");
        } catch (...) {
            std::throw_with_nested(std::runtime_error("outer"));
        }
    } catch (std::exception& e) {
        std::cout << e.what() << " ";
        try {
            std::rethrow_if_nested(e);
        } catch (std::exception& i) {
            std::cout << i.what() << "\n";
        }
    }
    auto arr = [] { try { T ts[3] = {T("1"), T("2"), (throw 9, T("3"))}; } catch (int i) { std::cout << "arr"
        << i << "\n"; } };
    arr();
    try {
        T* pt = new T((throw 4, std::string("n")));
        delete pt;
    } catch (int i) {
        std::cout << "new" << i << "\n";
    }
}
