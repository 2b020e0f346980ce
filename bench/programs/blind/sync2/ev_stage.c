/* Milestones: one thread advances the stage, others wait for theirs. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum stage { BOOT = 0, MEMORY = 1, DEVICES = 2, NETWORK = 3 };

static atomic_int reached = BOOT;
static int inventory[4];

static void reach(enum stage s)
{
    atomic_store(&reached, (int)s);
}

static void await(enum stage s)
{
    while (atomic_load(&reached) < (int)s)
        usleep(50);
}

static void *boot(void *arg)
{
    (void)arg;
    inventory[MEMORY] = 64;
    reach(MEMORY);
    inventory[DEVICES] = 5;
    reach(DEVICES);
    inventory[NETWORK] = 2;
    reach(NETWORK);
    return NULL;
}

static void *service(void *arg)
{
    enum stage need = (enum stage)(long)arg;
    static const int want[4] = { 0, 64, 5, 2 };
    int s;

    await(need);
    for (s = MEMORY; s <= (int)need; s++)
        assert(inventory[s] == want[s]);
    return NULL;
}

int main(void)
{
    pthread_t b, m, n;

    pthread_create(&m, NULL, service, (void *)(long)MEMORY);
    pthread_create(&n, NULL, service, (void *)(long)NETWORK);
    pthread_create(&b, NULL, boot, NULL);
    pthread_join(b, NULL);
    pthread_join(m, NULL);
    pthread_join(n, NULL);
    printf("stage %d\n", atomic_load(&reached));
    return 0;
}
