#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static int          claimed;
static volatile int prepared;
static int          cache[2];

#define PREPARE_CACHE(stmt)                                     \
    do {                                                        \
        if (!prepared) {                                        \
            if (__sync_bool_compare_and_swap(&claimed, 0, 1)) { \
                stmt;                                           \
                __sync_synchronize();                           \
                prepared = 1;                                   \
            } else {                                            \
                while (!prepared)                               \
                    sched_yield();                              \
            }                                                   \
        }                                                       \
    } while (0)

static void warm_up(void)
{
    cache[0] += 7;
    cache[1] += 8;
}

static void *low(void *arg)
{
    PREPARE_CACHE(warm_up());
    *(int *)arg = cache[0];
    return NULL;
}

static void *high(void *arg)
{
    PREPARE_CACHE(warm_up());
    *(int *)arg = cache[1];
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int r[3];

    pthread_create(&t[0], NULL, low, &r[0]);
    pthread_create(&t[1], NULL, high, &r[1]);
    pthread_create(&t[2], NULL, high, &r[2]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    if (r[0] != 7 || r[1] != 8 || r[2] != 8)
        abort();
    return 0;
}
