/* First-come admission of at most ROOM visitors. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#define ROOM     2
#define VISITORS 3
#define TIMES    2

typedef struct {
    atomic_uint drawn;
    atomic_uint limit;
} tsem;

static tsem door = { 0, ROOM };
static atomic_int present;
static atomic_int visits;

static void tsem_wait(tsem *s)
{
    unsigned my = atomic_fetch_add(&s->drawn, 1);

    for (;;) {
        unsigned lim = atomic_load(&s->limit);
        if ((int)(lim - my) > 0)
            break;
        sched_yield();
    }
}

static void tsem_post(tsem *s)
{
    atomic_fetch_add(&s->limit, 1);
}

static void *visitor(void *arg)
{
    int k, others;

    (void)arg;
    for (k = 0; k < TIMES; k++) {
        tsem_wait(&door);
        others = atomic_fetch_add(&present, 1);
        assert(others < ROOM);
        atomic_fetch_add(&visits, 1);
        atomic_fetch_sub(&present, 1);
        tsem_post(&door);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[VISITORS];
    int i;

    for (i = 0; i < VISITORS; i++)
        pthread_create(&t[i], NULL, visitor, NULL);
    for (i = 0; i < VISITORS; i++)
        pthread_join(t[i], NULL);
    assert(atomic_load(&visits) == VISITORS * TIMES);
    printf("%d visits\n", atomic_load(&visits));
    return 0;
}
