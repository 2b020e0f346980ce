#include <atomic>
#include <cassert>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

class Painting {
public:
    explicit Painting(std::string title) : title_(std::move(title)) {}
    const std::string& title() const { return title_; }

private:
    std::string title_;
};

class Gallery {
public:
    void open() {
        std::call_once(opened_, [this] { ++ceremonies_; });
    }

    int ceremonies() const { return ceremonies_; }

private:
    std::once_flag opened_;
    int ceremonies_ = 0;
};

int main() {
    Gallery gallery;
    auto painting = std::make_shared<Painting>("harbour at dusk");
    std::weak_ptr<Painting> label = painting;
    std::atomic<int> views{0};

    std::vector<std::thread> people;
    people.emplace_back([&gallery, &views, label] {
        gallery.open();
        if (auto seen = label.lock()) {
            assert(seen->title() == "harbour at dusk");
            views.fetch_add(1);
        }
    });
    people.emplace_back([&gallery, owner = std::move(painting)]() mutable {
        gallery.open();
        owner.reset();
    });

    gallery.open();
    if (auto seen = label.lock()) {
        assert(!seen->title().empty());
    }

    for (auto& person : people) {
        person.join();
    }
    assert(label.expired());
    assert(gallery.ceremonies() == 1);
    assert(views.load() <= 1);
    return 0;
}
