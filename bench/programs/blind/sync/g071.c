#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sched.h>

static atomic_bool loaded;
static atomic_int  cargo;
int unloaded[2];

static void load_cargo(int v)
{
    while (atomic_load(&loaded))
        sched_yield();
    atomic_store(&cargo, v);
    atomic_store(&loaded, true);
}

static int unload_cargo(void)
{
    int v;

    while (!atomic_load(&loaded))
        sched_yield();
    v = atomic_load(&cargo);
    atomic_store(&loaded, false);
    return v;
}

static void *crane(void *arg)
{
    (void)arg;
    load_cargo(1);
    load_cargo(2);
    return NULL;
}

static void *lorry(void *arg)
{
    int k = (int)(long)arg;
    int v = unload_cargo();

    unloaded[k] = v;
    return NULL;
}

int main(void)
{
    pthread_t c, l0, l1;

    pthread_create(&c, NULL, crane, NULL);
    pthread_create(&l0, NULL, lorry, (void *)0L);
    pthread_create(&l1, NULL, lorry, (void *)1L);
    pthread_join(c, NULL);
    pthread_join(l0, NULL);
    pthread_join(l1, NULL);
    return 0;
}
