#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

struct gauge {
    int zero_mark;
    int scale;
};

struct station {
    const char *name;
    _Atomic(struct gauge *) gauge;
    atomic_int level;
};

static struct gauge north_pier = { .zero_mark = 40, .scale = 2 };
static struct station station = { .name = "north pier" };

static int convert(const struct gauge *g, int raw)
{
    return (raw - g->zero_mark) * g->scale;
}

static void *sampler(void *arg)
{
    struct station *st = arg;
    static const int raw[] = { 52, 57 };

    for (int i = 0; i < 2; i++) {
        struct gauge *g = atomic_load(&st->gauge);
        atomic_store(&st->level, convert(g, raw[i]));
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;

    atomic_store(&station.gauge, &north_pier);
    pthread_create(&thread, NULL, sampler, &station);
    pthread_join(thread, NULL);

    printf("%s: level %d\n", station.name, atomic_load(&station.level));
    return 0;
}
