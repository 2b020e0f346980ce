// A position is guarded by a sequence number that is odd during an update. The reader waits for an even number, and
// reads again when it has changed.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_uint sequence;
static atomic_int latitude = 10, longitude = 20;

static void *gps(void *arg)
{
    (void)arg;
    atomic_fetch_add(&sequence, 1);
    atomic_store(&latitude, 30);
    atomic_store(&longitude, 60);
    atomic_fetch_add(&sequence, 1);
    return NULL;
}

static void *map(void *arg)
{
    unsigned before, after;
    int lat, lon;

    (void)arg;
    do {
        before = atomic_load(&sequence);
        lat = atomic_load(&latitude);
        lon = atomic_load(&longitude);
        after = atomic_load(&sequence);
    } while (before != after || before % 2 != 0);
    assert(lon == 2 * lat);
    return NULL;
}

int main(void)
{
    pthread_t writer, reader;

    pthread_create(&writer, NULL, gps, NULL);
    pthread_create(&reader, NULL, map, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return 0;
}
