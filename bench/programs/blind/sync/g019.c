#include <pthread.h>
#include <assert.h>

static volatile int first_come;
static volatile int finished;
static long seed[2];

static inline int xchg(volatile int *p, int v)
{
    __asm__ volatile("xchgl %0, %1" : "+r"(v), "+m"(*p) : : "memory");
    return v;
}

static void plant_seed(void)
{
    seed[0] += 12345;
    seed[1] += 67890;
}

static void *roll(void *arg)
{
    long *out = arg;

    if (xchg(&first_come, 1) == 0) {
        plant_seed();
        xchg(&finished, 1);
    } else {
spin:   if (!finished) {
            __builtin_ia32_pause();
            goto spin;
        }
    }
    *out = seed[0] ^ seed[1];
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    long r[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, roll, &r[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(r[0] == r[1] && r[1] == r[2]);
    assert(seed[0] == 12345);
    return 0;
}
