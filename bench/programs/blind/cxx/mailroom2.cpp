#include <cassert>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using Box = std::deque<std::string>;

class MailRoom {
public:
    void deliver(const std::string& name, std::string letter) {
        std::lock_guard<std::mutex> lock(mutex_);
        boxes_[name].push_back(std::move(letter));
        arrived_.notify_one();
    }

    std::string collect(const std::string& name) {
        std::unique_lock<std::mutex> lock(mutex_);
        Box& box = boxes_[name];
        while (box.empty()) {
            arrived_.wait(lock);
        }
        std::string letter = std::move(box.front());
        box.pop_front();
        return letter;
    }

private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::map<std::string, Box> boxes_;
};

int main() {
    MailRoom room;
    const std::vector<std::string> names{"cleo", "dan"};
    std::vector<std::string> received(names.size());

    std::vector<std::thread> clerks;
    for (std::size_t i = 0; i < names.size(); ++i) {
        clerks.emplace_back([&room, &names, &received, i] {
            received[i] = room.collect(names[i]);
        });
    }

    room.deliver("cleo", "parcel");
    room.deliver("dan", "magazine");

    for (auto& clerk : clerks) {
        clerk.join();
    }
    assert(received[0] == "parcel");
    assert(received[1] == "magazine");
    return 0;
}
