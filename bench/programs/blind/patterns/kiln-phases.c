#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

enum phase { COLD, HEATING, SOAKING, COOLING };

static atomic_int phase = COLD;
static atomic_int samples;

static void await_phase(enum phase wanted)
{
    while (atomic_load(&phase) != (int)wanted)
        sched_yield();
}

static void *controller(void *unused)
{
    static const enum phase plan[] = { HEATING, SOAKING, COOLING };

    (void)unused;
    for (int i = 0; i < 3; i++)
        atomic_store(&phase, plan[i]);
    return NULL;
}

static void *logger(void *unused)
{
    (void)unused;
    await_phase(SOAKING);
    atomic_fetch_add(&samples, 1);
    return NULL;
}

int main(void)
{
    pthread_t c, l;

    pthread_create(&c, NULL, controller, NULL);
    pthread_create(&l, NULL, logger, NULL);
    pthread_join(c, NULL);
    pthread_join(l, NULL);

    printf("%d sample taken\n", atomic_load(&samples));
    return 0;
}
