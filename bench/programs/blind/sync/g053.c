#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>

static atomic_int start_flag;
static int tables[2];
static int results[2];

static inline void cpu_relax(void)
{
    __asm__ volatile("pause" ::: "memory");
}

static void wait_for_start(void)
{
retry:
    if (atomic_load_explicit(&start_flag, memory_order_acquire) == 0) {
        cpu_relax();
        goto retry;
    }
}

static void give_start(void)
{
    atomic_store_explicit(&start_flag, 1, memory_order_release);
}

static void *runner(void *arg)
{
    int i = (int)(long)arg;

    wait_for_start();
    results[i] = tables[i] * 2;
    return NULL;
}

static void *starter(void *arg)
{
    (void)arg;
    tables[0] = 4;
    tables[1] = 9;
    give_start();
    return NULL;
}

int main(void)
{
    pthread_t r0, r1, s;

    pthread_create(&r0, NULL, runner, (void *)0L);
    pthread_create(&r1, NULL, runner, (void *)1L);
    pthread_create(&s, NULL, starter, NULL);
    pthread_join(s, NULL);
    pthread_join(r0, NULL);
    pthread_join(r1, NULL);
    assert(results[0] == 8 && results[1] == 18);
    return 0;
}
