// Devices ask for a channel of a shared table. A channel is tested and marked in two steps, so that two devices can
// be given the same one.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define CHANNELS 3

static atomic_int taken[CHANNELS];

static int allocate_channel(void)
{
    for (int i = 0; i < CHANNELS; i++) {
        if (!taken[i]) {
            taken[i] = 1;
            return i;
        }
    }
    return -1;
}

static void *device(void *arg)
{
    int *channel = arg;

    *channel = allocate_channel();
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int channels[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, device, &channels[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(channels[0] != channels[1]);
    return 0;
}
