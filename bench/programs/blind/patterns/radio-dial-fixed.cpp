#include <atomic>
#include <cstdio>
#include <thread>

struct Radio {
    std::atomic<int> volume{4};
    std::atomic<int> station{885};
};

void tune(Radio& radio)
{
    radio.volume = 2;
    radio.station = 1015;
    radio.volume = 6;
}

void show(const Radio& radio, char (&text)[32])
{
    int station = radio.station;
    std::snprintf(text, sizeof text, "FM %d.%d  vol %d",
                  station / 10, station % 10, radio.volume.load());
}

int main()
{
    Radio radio;
    char before[32];
    char after[32];

    show(radio, before);
    std::puts(before);

    std::thread knob([&] {
        tune(radio);
    });
    std::thread display([&] {
        show(radio, after);
    });
    knob.join();
    display.join();

    std::puts(after);
}
