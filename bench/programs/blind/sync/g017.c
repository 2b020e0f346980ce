#include <pthread.h>

static volatile long state;
int table[2] = { 5, 5 };
int sums[2];

#define RD_LOCK()                                                        \
    do {                                                                 \
        long s_;                                                         \
        do {                                                             \
            while ((s_ = state) < 0)                                     \
                __builtin_ia32_pause();                                  \
        } while (!__sync_bool_compare_and_swap(&state, s_, s_ + 1));     \
    } while (0)

#define RD_UNLOCK()  __sync_fetch_and_sub(&state, 1)

#define WR_LOCK()                                                        \
    do {                                                                 \
        while (state != 0)                                               \
            __builtin_ia32_pause();                                      \
        state = -1;                                                      \
        __sync_synchronize();                                            \
    } while (0)

#define WR_UNLOCK()  do { __sync_synchronize(); state = 0; } while (0)

static void *summer(void *arg)
{
    int k = (int)(long)arg;

    RD_LOCK();
    sums[k] = table[0] + table[1];
    RD_UNLOCK();
    return NULL;
}

static void *mover(void *arg)
{
    (void)arg;
    WR_LOCK();
    table[0] -= 3;
    table[1] += 3;
    WR_UNLOCK();
    return NULL;
}

int main(void)
{
    pthread_t t[3];

    pthread_create(&t[0], NULL, summer, (void *)0L);
    pthread_create(&t[1], NULL, mover, NULL);
    pthread_create(&t[2], NULL, summer, (void *)1L);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
