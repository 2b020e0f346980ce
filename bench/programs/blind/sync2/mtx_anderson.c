/* Array-based queue lock. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#define NTHREADS 3
#define SLOTS    4              /* power of two, >= NTHREADS */

struct alock {
    volatile unsigned ticket;
    struct {
        volatile int go;
        char pad[60];
    } slot[SLOTS];
};

static struct alock al = { .slot[0].go = 1 };

static unsigned alock_get(struct alock *l)
{
    unsigned my = __sync_fetch_and_add(&l->ticket, 1) & (SLOTS - 1);

    while (!l->slot[my].go)
        sched_yield();
    l->slot[my].go = 0;
    __sync_synchronize();
    return my;
}

static void alock_put(struct alock *l, unsigned my)
{
    __sync_synchronize();
    l->slot[(my + 1) & (SLOTS - 1)].go = 1;
}

static int sieve[12];
static int pos;

static void *filler(void *arg)
{
    int mark = (int)(long)arg + 1;
    int i;
    unsigned s;

    for (i = 0; i < 3; i++) {
        s = alock_get(&al);
        assert(sieve[pos] == 0);
        sieve[pos] = mark;
        pos++;
        alock_put(&al, s);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[NTHREADS];
    long i;
    int n = 0;

    for (i = 0; i < NTHREADS; i++)
        pthread_create(&t[i], NULL, filler, (void *)i);
    for (i = 0; i < NTHREADS; i++)
        pthread_join(t[i], NULL);
    for (i = 0; i < 12; i++)
        n += sieve[i];
    assert(pos == 9 && n == 18);
    printf("pos %d\n", pos);
    return 0;
}
