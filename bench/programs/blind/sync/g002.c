#include <pthread.h>
#include <stdlib.h>

typedef struct { int tokens; } pool_t;

static pool_t pool = { 1 };
static int printed[3], pages;

static void pool_get(pool_t *p)
{
    for (;;) {
        while (__atomic_load_n(&p->tokens, __ATOMIC_SEQ_CST) <= 0)
            __builtin_ia32_pause();
        if (__atomic_fetch_sub(&p->tokens, 1, __ATOMIC_SEQ_CST) > 0)
            return;
        /* somebody was faster: give it back */
        __atomic_fetch_add(&p->tokens, 1, __ATOMIC_SEQ_CST);
    }
}

static void pool_put(pool_t *p)
{
    __atomic_fetch_add(&p->tokens, 1, __ATOMIC_SEQ_CST);
}

static void *print_job(void *arg)
{
    int n = (int)(long)arg;

    for (int i = 0; i < 2; i++) {
        pool_get(&pool);
        pages++;
        printed[n]++;
        pool_put(&pool);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];

    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, print_job, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    if (pages != printed[0] + printed[1] + printed[2])
        abort();
    return 0;
}
