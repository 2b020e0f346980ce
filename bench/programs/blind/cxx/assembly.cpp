#include <cassert>
#include <future>
#include <string>
#include <thread>
#include <utility>

namespace {

std::string paint(std::string part) {
    return "red " + part;
}

struct Line {
    std::promise<std::string> cut;
    std::packaged_task<std::string(std::string)> painter{paint};
    std::promise<int> weight;
};

}  // namespace

int main() {
    Line line;
    std::future<std::string> cut = line.cut.get_future();
    std::future<std::string> painted = line.painter.get_future();
    std::future<int> weight = line.weight.get_future();

    std::thread saw([out = std::move(line.cut)]() mutable {
        std::string board = "board";
        out.set_value(std::move(board));
    });

    std::thread booth(
        [in = std::move(cut), task = std::move(line.painter)]() mutable {
            task(in.get());
        });

    std::thread scale([out = std::move(line.weight)]() mutable {
        out.set_value(12);
    });

    const std::string product = painted.get();
    const int grams = weight.get();

    saw.join();
    booth.join();
    scale.join();

    assert(product == "red board");
    assert(grams == 12);
    assert(!painted.valid());
    return 0;
}
