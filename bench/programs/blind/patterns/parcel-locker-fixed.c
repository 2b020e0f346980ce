#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { BOXES = 3, COURIERS = 2 };

struct locker {
    pthread_mutex_t lock;
    int free;
    int owner[BOXES];
    int turned_away;
};

static struct locker locker = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .free = 1,
};

static void *courier(void *arg)
{
    int id = *(int *)arg;

    pthread_mutex_lock(&locker.lock);
    int room = locker.free > 0;
    if (!room)
        locker.turned_away++;
    if (room) {
        assert(locker.free > 0);
        locker.free--;
        locker.owner[locker.free] = id;
    }
    pthread_mutex_unlock(&locker.lock);
    return NULL;
}

int main(void)
{
    pthread_t couriers[COURIERS];
    int ids[COURIERS] = { 7, 8 };

    for (int i = 0; i < COURIERS; i++)
        pthread_create(&couriers[i], NULL, courier, &ids[i]);
    for (int i = 0; i < COURIERS; i++)
        pthread_join(couriers[i], NULL);

    printf("%d boxes free, %d couriers turned away\n",
           locker.free, locker.turned_away);
    return 0;
}
