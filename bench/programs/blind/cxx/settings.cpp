#include <cassert>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

class Settings {
public:
    int port(const std::string& service) {
        std::call_once(once_, [this] { load(); });
        return table_->at(service);
    }

    int loads() const { return loads_; }

private:
    void load() {
        auto table = std::make_unique<std::map<std::string, int>>();
        table->emplace("web", 80);
        table->emplace("mail", 25);
        table->emplace("time", 123);
        table_ = std::move(table);
        ++loads_;
    }

    std::once_flag once_;
    std::unique_ptr<std::map<std::string, int>> table_;
    int loads_ = 0;
};

int main() {
    Settings settings;
    std::vector<int> ports(3, 0);

    std::thread web([&] {
        ports[0] = settings.port("web");
    });
    std::thread mail([&] {
        ports[1] = settings.port("mail");
        assert(settings.port("web") == 80);
    });
    ports[2] = settings.port("time");

    web.join();
    mail.join();

    assert(ports[0] == 80);
    assert(ports[1] == 25);
    assert(ports[2] == 123);
    assert(settings.loads() == 1);
    return 0;
}
