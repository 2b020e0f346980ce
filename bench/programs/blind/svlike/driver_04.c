#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

void reach_error(void) { assert(0); }

static atomic_int closing, users, unmapped;

static int port_get(void)
{
    atomic_fetch_add(&users, 1);
    if (atomic_load(&closing)) {
        atomic_fetch_sub(&users, 1);
        return 0;
    }
    return 1;
}

static void port_put(void)
{
    atomic_fetch_sub(&users, 1);
}

static void *job(void *arg)
{
    for (int i = 0; i < 2; i++) {
        if (port_get()) {
            if (atomic_load(&unmapped))
                reach_error();
            port_put();
        }
    }
    return 0;
}

static void *shutdown_port(void *arg)
{
    atomic_store(&closing, 1);
    while (atomic_load(&users) != 0)
        ;
    atomic_store(&unmapped, 1);
    return 0;
}

int main(void)
{
    pthread_t j, k, s;
    pthread_create(&j, 0, job, 0);
    pthread_create(&k, 0, job, 0);
    pthread_create(&s, 0, shutdown_port, 0);
    pthread_join(j, 0);
    pthread_join(k, 0);
    pthread_join(s, 0);
    return 0;
}
