#include <pthread.h>

struct pair {
    volatile int seq;
    volatile int a, b;
};

static struct pair pr = { 0, 1, 1 };
int copy_a, copy_b;

static inline void pair_set(struct pair *p, int v)
{
    __sync_fetch_and_add(&p->seq, 1);
    p->a = v;
    p->b = v;
    __sync_fetch_and_add(&p->seq, 1);
}

static inline int pair_try(struct pair *p, int *a, int *b)
{
    int s = p->seq;

    if (s % 2)
        return 0;
    *a = p->a;
    *b = p->b;
    return s == p->seq;
}

static void *setter(void *arg)
{
    pair_set(&pr, (int)(long)arg);
    return NULL;
}

static void *getter(void *arg)
{
    int a, b;

    (void)arg;
    while (!pair_try(&pr, &a, &b))
        __builtin_ia32_pause();
    copy_a = a;
    copy_b = b;
    return NULL;
}

int main(void)
{
    pthread_t s1, s2, g;

    pthread_create(&s1, NULL, setter, (void *)5L);
    pthread_create(&s2, NULL, setter, (void *)6L);
    pthread_create(&g, NULL, getter, NULL);
    pthread_join(s1, NULL);
    pthread_join(s2, NULL);
    pthread_join(g, NULL);
    return 0;
}
