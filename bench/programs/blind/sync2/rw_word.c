#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

/* >0: that many readers, -1: one writer, 0: free */
typedef struct { volatile int word; } rw_t;

static void rw_rdlock(rw_t *l)
{
    for (;;) {
        int w = l->word;
        if (w >= 0 && __sync_bool_compare_and_swap(&l->word, w, w + 1))
            break;
        sched_yield();
    }
}

static void rw_rdunlock(rw_t *l)
{
    __sync_fetch_and_sub(&l->word, 1);
}

static void rw_wrlock(rw_t *l)
{
    while (!__sync_bool_compare_and_swap(&l->word, 0, -1))
        sched_yield();
}

static void rw_wrunlock(rw_t *l)
{
    __sync_lock_test_and_set(&l->word, 0);
}

static rw_t lock;
static int pair[2];

static void *reader(void *arg)
{
    int i, a, b;

    (void)arg;
    for (i = 0; i < 3; i++) {
        rw_rdlock(&lock);
        a = pair[0];
        b = pair[1];
        rw_rdunlock(&lock);
        assert(a == b);
    }
    return NULL;
}

static void *writer(void *arg)
{
    int i;

    (void)arg;
    for (i = 0; i < 2; i++) {
        rw_wrlock(&lock);
        pair[0]++;
        pair[1]++;
        rw_wrunlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[4];
    int i;

    for (i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, i & 1 ? reader : writer, NULL);
    for (i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert(pair[0] == 4 && pair[1] == 4);
    printf("%d %d\n", pair[0], pair[1]);
    return 0;
}
