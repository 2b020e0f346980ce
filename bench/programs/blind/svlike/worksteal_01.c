#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

void reach_error(void) { assert(0); }

#define TASKS 4

struct bin {
    pthread_mutex_t lk;
    int item[TASKS];
    int n;
};

static struct bin bin[2] = {
    { PTHREAD_MUTEX_INITIALIZER, { 0, 1, 2 }, 3 },
    { PTHREAD_MUTEX_INITIALIZER, { 3 }, 1 }
};
static atomic_int left = TASKS;
static atomic_int runs[TASKS];

static int remove_from(struct bin *b)
{
    int v = -1;
    pthread_mutex_lock(&b->lk);
    if (b->n > 0)
        v = b->item[--b->n];
    pthread_mutex_unlock(&b->lk);
    return v;
}

static void *worker(void *arg)
{
    int id = (int)(long)arg;
    while (atomic_load(&left) > 0) {
        int v = remove_from(&bin[id]);
        if (v < 0)
            v = remove_from(&bin[1 - id]);
        if (v >= 0) {
            if (atomic_fetch_add(&runs[v], 1) != 0)
                reach_error();
            atomic_fetch_sub(&left, 1);
        }
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, (void *)0L);
    pthread_create(&b, 0, worker, (void *)1L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    for (int i = 0; i < TASKS; i++)
        if (atomic_load(&runs[i]) != 1)
            reach_error();
    return 0;
}
