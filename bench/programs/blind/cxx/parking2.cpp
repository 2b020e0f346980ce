#include <atomic>
#include <cassert>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

class Garage {
public:
    class Visit {
    public:
        explicit Visit(Garage& garage)
            : garage_(garage), admitted_(garage.gate_.try_acquire()) {}
        ~Visit() { garage_.gate_.release(); }
        Visit(const Visit&) = delete;
        Visit& operator=(const Visit&) = delete;

        bool admitted() const { return admitted_; }

    private:
        Garage& garage_;
        bool admitted_;
    };

    void park() {
        int others = inside_.fetch_add(1);
        assert(others == 0);
        inside_.fetch_sub(1);
    }

private:
    std::counting_semaphore<8> gate_{1};
    std::atomic<int> inside_{0};
};

int main() {
    Garage garage;
    const std::vector<std::string> plates{"AB-1", "CD-2", "EF-3"};
    std::vector<std::string> parked(plates.size());

    std::vector<std::thread> cars;
    for (std::size_t i = 0; i < plates.size(); ++i) {
        cars.emplace_back([&, i] {
            Garage::Visit visit(garage);
            if (visit.admitted()) {
                garage.park();
                parked[i] = plates[i];
            }
        });
    }
    for (auto& car : cars) {
        car.join();
    }
    return 0;
}
