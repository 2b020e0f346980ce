#include <assert.h>
#include <pthread.h>
#include <sched.h>

#define WEAVERS 3
#define LINES 3

static volatile int shuttles;
static volatile int shed;
static int cloth[LINES][WEAVERS];

static inline int xadd(volatile int *p, int d)
{
    __asm__ __volatile__("lock; xaddl %0, %1" : "+r"(d), "+m"(*p) : : "memory");
    return d;
}

#define BEAT_UP(parity)                              \
    do {                                             \
        (parity) = !(parity);                        \
        if (xadd(&shuttles, 1) == WEAVERS - 1) {     \
            shuttles = 0;                            \
            __sync_synchronize();                    \
            shed = (parity);                         \
        } else {                                     \
            while (shed != (parity))                 \
                sched_yield();                       \
            __sync_synchronize();                    \
        }                                            \
    } while (0)

static void *weave(void *arg)
{
    long me = (long)arg;
    int parity = 0;
    for (int l = 0; l < LINES; l++) {
        cloth[l][me] = 1;
        BEAT_UP(parity);
        for (int i = 0; i < WEAVERS; i++)
            assert(cloth[l][i] == 1);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, weave, (void *)0);
    pthread_create(&b, 0, weave, (void *)1);
    pthread_create(&c, 0, weave, (void *)2);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
