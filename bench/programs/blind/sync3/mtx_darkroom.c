#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

typedef struct {
    pthread_mutex_t guard;
    pthread_cond_t door;
    bool occupied;
} darkroom;

static darkroom lab = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false };
static int who_is_in;
static int prints;

static void darkroom_enter(darkroom *d)
{
    pthread_mutex_lock(&d->guard);
    if (d->occupied)
        pthread_cond_wait(&d->door, &d->guard);
    d->occupied = true;
    pthread_mutex_unlock(&d->guard);
}

static void darkroom_leave(darkroom *d)
{
    pthread_mutex_lock(&d->guard);
    d->occupied = false;
    pthread_cond_signal(&d->door);
    pthread_mutex_unlock(&d->guard);
}

static void *photographer(void *arg)
{
    int me = *(int *)arg;
    for (int i = 0; i < 3; i++) {
        darkroom_enter(&lab);
        who_is_in = me;
        prints++;
        assert(who_is_in == me);
        darkroom_leave(&lab);
    }
    return 0;
}

int main(void)
{
    pthread_t t[3];
    int id[3] = { 1, 2, 3 };
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, photographer, &id[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    assert(prints == 9);
    return 0;
}
