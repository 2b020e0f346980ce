#include <pthread.h>
#include <stdatomic.h>
#include <sched.h>

static atomic_bool bell;
int soup, bowl;

static void ring(void)
{
    atomic_store(&bell, 1);
    for (int i = 0; i < 4; i++)
        sched_yield();            /* let them hear it */
    atomic_store(&bell, 0);
}

static void listen_for_bell(void)
{
    for (;;) {
        if (atomic_load(&bell))
            return;
        sched_yield();
    }
}

static void *cook(void *arg)
{
    soup = *(int *)arg;
    ring();
    return NULL;
}

static void *guest(void *arg)
{
    (void)arg;
    listen_for_bell();
    bowl = soup;
    return NULL;
}

int main(void)
{
    pthread_t c, g;
    int litres = 3;

    pthread_create(&g, NULL, guest, NULL);
    pthread_create(&c, NULL, cook, &litres);
    pthread_join(c, NULL);
    pthread_join(g, NULL);
    return 0;
}
