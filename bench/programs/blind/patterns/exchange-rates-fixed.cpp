#include <array>
#include <atomic>
#include <cassert>
#include <iostream>
#include <mutex>
#include <thread>

enum Currency { Krona, Peso, Yen, kCurrencies };

struct Rates {
    std::array<std::atomic<int>, kCurrencies> per_thousand{};

    void load()
    {
        per_thousand[Krona] = 88;
        per_thousand[Peso] = 47;
        per_thousand[Yen] = 6;
    }
};

Rates storage;
std::atomic<Rates*> rates{nullptr};
std::mutex rates_mutex;

Rates& shared_rates()
{
    if (rates.load() == nullptr) {
        std::lock_guard guard(rates_mutex);
        if (rates.load() == nullptr) {
            storage.load();
            rates.store(&storage);
        }
    }
    return *rates.load();
}

int convert(int amount, Currency c)
{
    int rate = shared_rates().per_thousand[c].load();
    assert(rate != 0);
    return amount * rate / 1000;
}

int main()
{
    std::atomic<int> sum{0};

    std::thread counter([&] { sum += convert(2000, Krona); });
    std::thread kiosk([&] {
        sum += convert(9000, Yen);
    });
    counter.join();
    kiosk.join();

    std::cout << "paid out " << sum << '\n';
}
