#include <pthread.h>
#include <assert.h>

typedef volatile int latch_word;

static inline int swap_int(latch_word *p, int v)
{
    __asm__ volatile("xchgl %0, %1"
                     : "+r"(v), "+m"(*p)
                     :
                     : "memory");
    return v;
}

#define LATCH_GET(p) while (swap_int((p), 1)) { __builtin_ia32_pause(); }
#define LATCH_PUT(p) ((void)swap_int((p), 0))

static latch_word latch;
static struct { int min, max, n; } stats = { 1000, -1000, 0 };

static void note(int v)
{
    LATCH_GET(&latch);
    if (v < stats.min)
        stats.min = v;
    if (v > stats.max)
        stats.max = v;
    stats.n++;
    LATCH_PUT(&latch);
}

static void *meter(void *arg)
{
    int base = *(int *)arg;

    note(base);
    note(base + 1);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int base[3] = { 10, 40, 20 };

    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, meter, &base[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(stats.min == 10 && stats.max == 41 && stats.n == 6);
    return 0;
}
