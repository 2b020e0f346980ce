// A program's own operators new and delete are used by the library too, and all that is allocated is given back.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static int allocated;
static int freed;

void *operator new(std::size_t size) {
    allocated++;
    if (void *block = std::malloc(size)) {
        return block;
    }
    throw std::bad_alloc();
}

void operator delete(void *block) noexcept {
    freed += block != nullptr;
    std::free(block);
}

void operator delete(void *block, std::size_t) noexcept {
    freed += block != nullptr;
    std::free(block);
}

struct Left {
    virtual ~Left() = default;
    int value = 1;
};

struct Right {
    virtual ~Right() = default;
    int value = 2;
};

struct First : Left {};

struct Second : Left {};

// Two subobjects of one type: which one a pointer means decides what a cast finds.
struct Both : First, Second, Right {};

int main() {
    {
        std::string text(100, 'x');
        text += "more";
        std::map<std::string, std::vector<int>> map;
        map["a long key that does not fit the small buffer"].assign(20, 1);
        std::thread([] { std::string(50, 'y').append("z"); }).join();
    }
    std::printf("%d %d %d\n", allocated > 4, allocated == freed, freed > 4);
    Both both;
    Left *first = static_cast<First *>(&both);
    Left *second = static_cast<Second *>(&both);
    std::printf("%d %d\n", dynamic_cast<Both *>(first) == &both, dynamic_cast<Both *>(second) == &both);
    std::printf("%d %d\n", dynamic_cast<Second *>(first) == &both, dynamic_cast<Right *>(second) == &both);
    Right *right = &both;
    std::printf("%d %d\n", dynamic_cast<Left *>(right) == nullptr, dynamic_cast<First *>(right) == &both);
    return 0;
}
