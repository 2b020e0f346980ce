/* At most two of four threads use the device at a time. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#define UNITS 2

struct csem {
    volatile int value;
};

static struct csem dev = { UNITS };
static int users, uses;

static void csem_down(struct csem *s)
{
    int v;

again:
    v = s->value;
    if (v <= 0) {
        sched_yield();
        goto again;
    }
    if (!__sync_bool_compare_and_swap(&s->value, v, v - 1))
        goto again;
}

static void csem_up(struct csem *s)
{
    __sync_fetch_and_add(&s->value, 1);
}

static void *user(void *arg)
{
    int i, n;

    (void)arg;
    for (i = 0; i < 2; i++) {
        csem_down(&dev);
        n = __sync_add_and_fetch(&users, 1);
        assert(n <= UNITS);
        __sync_add_and_fetch(&uses, 1);
        __sync_sub_and_fetch(&users, 1);
        csem_up(&dev);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[4];
    int i;

    for (i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, user, NULL);
    for (i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert(uses == 8 && dev.value == UNITS);
    printf("%d uses\n", uses);
    return 0;
}
