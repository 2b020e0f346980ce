#include <pthread.h>
#include <stddef.h>

struct waiter {
    struct waiter *volatile next;
    volatile int            blocked;
};

static struct waiter *volatile tail;

static void mq_lock(struct waiter *w)
{
    struct waiter *prev;

    w->next = NULL;
    w->blocked = 1;
    do {
        prev = tail;
    } while (!__sync_bool_compare_and_swap(&tail, prev, w));

    if (prev != NULL) {
        prev->next = w;
        while (w->blocked)
            __builtin_ia32_pause();
    }
}

static void mq_unlock(struct waiter *w)
{
    if (w->next == NULL) {
        __sync_bool_compare_and_swap(&tail, w, NULL);
        return;
    }
    w->next->blocked = 0;
}

int histogram[4];

static void *binner(void *arg)
{
    int start = *(int *)arg;
    struct waiter w;

    for (int i = 0; i < 2; i++) {
        mq_lock(&w);
        histogram[(start + i) % 4]++;
        mq_unlock(&w);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int s0 = 0, s1 = 1;

    pthread_create(&a, NULL, binner, &s0);
    pthread_create(&b, NULL, binner, &s1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
