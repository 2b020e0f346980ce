// Virtual functions, several and virtual bases, casts at run time, and which handler catches which type.
#include <cstdio>
#include <iostream>
#include <memory>
#include <typeinfo>

struct Shape {
    virtual ~Shape() {
        std::cout << "~Shape\n";
    }
    virtual double area() const = 0;
    virtual const char* name() const {
        return "shape";
    }
};

struct Circle : Shape {
    double r;
    explicit Circle(double r) : r(r) {
    }
    double area() const override {
        return 3.0 * r * r;
    }
    const char* name() const override {
        return "circle";
    }
    ~Circle() override {
        std::cout << "~Circle\n";
    }
};

struct Named {
    int tag = 7;
    virtual void hello() {
        std::cout << "named " << tag << "\n";
    }
    virtual ~Named() = default;
};

struct Square : public Named, public Shape {
    double s;
    explicit Square(double s) : s(s) {
    }
    double area() const override {
        return s * s;
    }
    void hello() override {
        std::cout << "square " << tag << "\n";
    }
};

struct Base {
    int b = 1;
    virtual ~Base() {
    }
};

struct L : virtual Base {
    int l = 2;
};

struct R : virtual Base {
    int r = 3;
};

struct D : L, R {
    int d = 4;
};

struct Priv : private Base {
};

int main() {
    std::unique_ptr<Shape> shapes[] = { std::make_unique<Circle>(2), std::make_unique<Square>(3) };
    for (auto& s : shapes) {
        std::cout << s->name() << " " << s->area() << "\n";
        if (auto* n = dynamic_cast<Named*>(s.get())) n->hello();
        else std::cout << "not named\n";
        if (auto* q = dynamic_cast<Square*>(s.get())) std::cout << "side " << q->s << "\n";
    }
    D d;
    Base* b = &d;
    std::cout << (dynamic_cast<D*>(b) == &d) << (dynamic_cast<R*>(b) == &d)
        << (dynamic_cast<L*>(static_cast<R*>(&d)) != nullptr) << "\n";
    Base plain;
    std::cout << (dynamic_cast<D*>(&plain) == nullptr) << "\n";
    try {
        dynamic_cast<D&>(plain);
    } catch (std::bad_cast& e) {
        std::cout << e.what() << "\n";
    }
    std::cout << typeid(*b).name() << " " << (typeid(*b) == typeid(D)) << " " << typeid(int).name() << "\n";
    try {
        throw D();
    } catch (Base& x) {
        std::cout << "base " << x.b << "\n";
    }
    try {
        throw Priv();
    } catch (Base&) {
        std::cout << "wrong\n";
    } catch (Priv&) {
        std::cout << "priv\n";
    }
    try {
        throw &d;
    } catch (L* x) {
        std::cout << "ptr " << x->l << " " << x->b << "\n";
    }
    try {
        throw (const char*)"text";
    } catch (const void* p) {
        std::cout << (const char*)p << "\n";
    }
    try {
        throw nullptr;
    } catch (int* p) {
        std::cout << "null " << (p == nullptr) << "\n";
    }
    try {
        throw 5;
    } catch (long) {
        std::cout << "long\n";
    } catch (const int& i) {
        std::cout << "int " << i << "\n";
    }
}
