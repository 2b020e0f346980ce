#include <pthread.h>
#include <stdatomic.h>

struct fix {
    atomic_uint rev;
    atomic_int  lat;
    atomic_int  lon;
};

static struct fix gps = { 0, 10, 20 };
int seen_lat, seen_lon;

static void fix_store(struct fix *f, int lat, int lon)
{
    atomic_store(&f->lat, lat);
    atomic_store(&f->lon, lon);
    atomic_fetch_add(&f->rev, 2);
}

static void fix_load(struct fix *f, int *lat, int *lon)
{
    unsigned r;

retry:
    r = atomic_load(&f->rev);
    if (r & 1)
        goto retry;
    *lat = atomic_load(&f->lat);
    *lon = atomic_load(&f->lon);
    if (atomic_load(&f->rev) != r)
        goto retry;
}

static void *receiver(void *arg)
{
    (void)arg;
    for (int i = 1; i <= 2; i++)
        fix_store(&gps, 10 + i, 20 + i);
    return NULL;
}

static void *navigator(void *arg)
{
    int la, lo;

    (void)arg;
    fix_load(&gps, &la, &lo);
    seen_lat = la;
    seen_lon = lo;
    return NULL;
}

int main(void)
{
    pthread_t r, n;

    pthread_create(&r, NULL, receiver, NULL);
    pthread_create(&n, NULL, navigator, NULL);
    pthread_join(r, NULL);
    pthread_join(n, NULL);
    return 0;
}
