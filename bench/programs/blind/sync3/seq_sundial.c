#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define TRIES 3

struct dial {
    atomic_uint rev;
    atomic_int hour;
    atomic_int minute;
};

struct stamp {
    int hour, minute;
};

static struct dial sun;

static void dial_move(struct dial *d, int h)
{
    unsigned r = atomic_load(&d->rev);
    atomic_store(&d->rev, r | 1);
    atomic_store(&d->hour, h);
    atomic_store(&d->minute, 60 * h);
    atomic_store(&d->rev, r + 2);
}

static struct stamp dial_read(struct dial *d)
{
    struct stamp s = { 0, 0 };
    for (int left = TRIES; left > 0; left--) {
        unsigned r = atomic_load(&d->rev);
        s.hour = atomic_load(&d->hour);
        s.minute = atomic_load(&d->minute);
        if (!(r & 1) && atomic_load(&d->rev) == r)
            break;
    }
    return s;
}

static void *shadow(void *d)
{
    for (int h = 1; h <= 4; h++)
        dial_move(d, h);
    return 0;
}

static void *stroller(void *d)
{
    for (int i = 0; i < 4; i++) {
        struct stamp s = dial_read(d);
        assert(s.minute == 60 * s.hour);
    }
    return 0;
}

int main(void)
{
    pthread_t w, r;
    pthread_create(&r, 0, stroller, &sun);
    pthread_create(&w, 0, shadow, &sun);
    pthread_join(w, 0);
    pthread_join(r, 0);
    return 0;
}
