#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#define VIEWERS 2

static atomic_bool looking[VIEWERS];
static atomic_bool cleaning;
static int fish, scales;

static void look(int me)
{
    for (;;) {
        atomic_store(&looking[me], true);
        if (!atomic_load(&cleaning))
            return;
        atomic_store(&looking[me], false);
        while (atomic_load(&cleaning))
            sched_yield();
    }
}

static void look_away(int me)
{
    atomic_store(&looking[me], false);
}

static void clean(void)
{
    atomic_store(&cleaning, true);
    for (int i = 0; i < VIEWERS; i++)
        while (atomic_load(&looking[i]))
            sched_yield();
}

static void clean_done(void)
{
    atomic_store(&cleaning, false);
}

static void *viewer(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < 3; i++) {
        look(me);
        assert(scales == 10 * fish);
        look_away(me);
    }
    return 0;
}

static void *cleaner(void *u)
{
    for (int i = 0; i < 3; i++) {
        clean();
        fish++;
        scales += 10;
        clean_done();
    }
    return u;
}

int main(void)
{
    pthread_t v[VIEWERS], c;
    for (long i = 0; i < VIEWERS; i++)
        pthread_create(&v[i], 0, viewer, (void *)i);
    pthread_create(&c, 0, cleaner, 0);
    for (int i = 0; i < VIEWERS; i++)
        pthread_join(v[i], 0);
    pthread_join(c, 0);
    return 0;
}
