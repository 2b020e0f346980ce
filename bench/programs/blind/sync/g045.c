#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define READERS 2

/* every thread has a lamp of its own */
struct lamp { atomic_int on; char pad[28]; };

static struct lamp rlamp[READERS];
static struct lamp wlamp;
static int first = 3, second = 3;

static void reading(int i)
{
    for (;;) {
        atomic_store(&rlamp[i].on, 1);
        if (!atomic_load(&wlamp.on))
            return;
        atomic_store(&rlamp[i].on, 0);
        while (atomic_load(&wlamp.on))
            ;
    }
}

static void reading_done(int i)
{
    atomic_store(&rlamp[i].on, 0);
}

static void writing(void)
{
    atomic_store(&wlamp.on, 1);
    for (int i = 0; i < READERS; i++)
        while (atomic_load(&rlamp[i].on))
            ;
}

static void writing_done(void)
{
    atomic_store(&wlamp.on, 0);
}

static void *reader(void *arg)
{
    int i = (int)(long)arg;

    for (int k = 0; k < 2; k++) {
        reading(i);
        if (first != second)
            abort();
        reading_done(i);
    }
    return NULL;
}

static void *only_writer(void *arg)
{
    (void)arg;
    for (int k = 0; k < 2; k++) {
        writing();
        first++;
        second++;
        writing_done();
    }
    return NULL;
}

int main(void)
{
    pthread_t r[READERS], w;

    for (long i = 0; i < READERS; i++)
        pthread_create(&r[i], NULL, reader, (void *)i);
    pthread_create(&w, NULL, only_writer, NULL);
    pthread_join(w, NULL);
    for (int i = 0; i < READERS; i++)
        pthread_join(r[i], NULL);
    return 0;
}
