// A getter takes the lock and returns a copy.
#include <mutex>
#include <string>
#include <thread>

class Device {
public:
    std::string name() {
        std::lock_guard<std::mutex> guard(lock_);
        return name_;
    }
    void rename(const std::string &name) {
        std::lock_guard<std::mutex> guard(lock_);
        name_ = name;
    }

private:
    std::mutex lock_;
    std::string name_ = "printer on the second floor";
};

static int first_letter(Device &device) {
    std::string name = device.name();
    return name[0];
}

int main() {
    Device device;
    std::thread other([&device] { device.rename("printer on the second floor, behind the green door"); });
    first_letter(device);
    other.join();
    return 0;
}
