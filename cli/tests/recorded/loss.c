// Four threads that take their own paths through noise. Every few decisions each of them says in a mapped file how far
// it is, and which way it went: what it says there outlives it, as another process could have seen it. Each has its own
// manner of saying so.
//
//     loss FILE STATUS STOP…
//
// Each walker stops in the round that is given for it; up to there nothing of what it does depends on it.
// In the end it waits for the end of its input: as long as that is open it can be killed.
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROUNDS = 30000, WALKERS = 4 };

struct walker {
    uint32_t number;
};

// What each walker meets in each round, and above all whether it stops.
static uint32_t noise[WALKERS + 1][ROUNDS + 1];
static const uint32_t stop = 1u << 31, silent = 1u << 26;
static int file;
// The process, then what each walker says.
static uint64_t *seen;
static struct walker walkers[WALKERS + 1];

static uint32_t mix(uint32_t trail, uint32_t step) { return (trail ^ step) * 0x01000193u; }

static uint32_t north(uint32_t trail) { return mix(trail, 20); }
static uint32_t east(uint32_t trail) { return mix(trail, 21); }
static uint32_t south(uint32_t trail) { return mix(trail, 22); }
static uint32_t west(uint32_t trail) { return mix(trail, 23); }

static uint32_t (*const ways[])(uint32_t) = {north, east, south, west};

static __attribute__((noinline)) uint32_t deeper(uint32_t trail, uint32_t value) {
    if (value & 1) return deeper(mix(trail, 10), value >> 1);
    return mix(trail, 11);
}

// Nothing is decided between what is said and whether to stop, not even which scopes are left.
#define WALKER(name, born, said, gone)                                                         \
    static void *name(void *argument) {                                                        \
        uint32_t number = ((struct walker *)argument)->number;                                 \
        uint64_t *place = &seen[number];                                                       \
        uint32_t trail = number, round, value, left;                                           \
        uint64_t word;                                                                         \
        ssize_t result;                                                                        \
        (void)result;                                                                          \
        born;                                                                                  \
        for (round = 0;; round++) {                                                            \
            value = noise[number][round];                                                      \
            if (value & stop) break;                                                           \
            if (value & 1) trail = mix(trail, 1);                                              \
            switch (value >> 1 & 7) {                                                          \
            case 0: trail = mix(trail, 2); break;                                              \
            case 1: trail = mix(trail, 3); break;                                              \
            case 5: trail = mix(trail, 4); break;                                              \
            default: trail = mix(trail, 5); break;                                             \
            }                                                                                  \
            for (left = value >> 4 & 3; left > 0; left--) trail = mix(trail, 6);               \
            if ((value >> 6 & 7) == 0) trail = deeper(trail, value >> 9);                      \
            if ((value >> 20 & 15) == 0) trail = ways[value >> 24 & 3](trail);                 \
            if ((value & silent * 3) != 0) continue;                                           \
            word = (uint64_t)(round + 1) << 32 | trail;                                        \
            said;                                                                              \
        }                                                                                      \
        gone;                                                                                  \
        return NULL;                                                                           \
    }

WALKER(stores, , *place = word, )
WALKER(copies, , memcpy(place, &word, sizeof word), )
WALKER(writes, , result = pwrite(file, &word, sizeof word, (char *)place - (char *)seen), )
WALKER(exchanges, pthread_t child; pthread_create(&child, NULL, writes, &walkers[4]),
       __atomic_exchange_n(place, word, __ATOMIC_RELAXED), pthread_join(child, NULL))

int main(int argc, char **argv) {
    if (argc != 3 + WALKERS) return 90;
    file = open(argv[1], O_RDWR);
    seen = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (seen == MAP_FAILED) return 91;
    uint32_t next = 2463534242u;
    for (int walker = 1; walker <= WALKERS; walker++) {
        for (int round = 0; round < ROUNDS; round++) {
            next ^= next << 13;
            next ^= next >> 17;
            next ^= next << 5;
            noise[walker][round] = next & ~stop;
        }
        // Whoever comes to the end has nothing more to say.
        noise[walker][ROUNDS - 1] |= silent;
        noise[walker][strtoul(argv[2 + walker], NULL, 10)] = stop;
    }
    for (uint32_t i = 1; i <= WALKERS; i++) walkers[i].number = i;
    seen[0] = (uint64_t)getpid();
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, stores, &walkers[1]);
    pthread_create(&threads[1], NULL, copies, &walkers[2]);
    pthread_create(&threads[2], NULL, exchanges, &walkers[3]);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    puts("walked");
    fflush(stdout);
    char byte;
    return read(0, &byte, 1) == 0 ? atoi(argv[2]) : 92;
}
