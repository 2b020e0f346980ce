/* Sense-reversing barrier, sense kept in the caller's context. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

struct bar {
    volatile int count;
    volatile int sense;
    int total;
};

struct ctx {
    int id;
    int sense;
    struct bar *b;
};

static struct bar the_bar = { 0, 0, 2 };
static volatile int progress[2];

static inline void bar_wait(struct ctx *c)
{
    struct bar *b = c->b;

    c->sense ^= 1;
    if (__sync_add_and_fetch(&b->count, 1) >= b->total) {
        b->sense = c->sense;
        b->count = 0;
        return;
    }
    while (b->sense != c->sense)
        sched_yield();
}

static void *worker(void *arg)
{
    struct ctx *c = arg;
    int r;

    for (r = 1; r <= 3; r++) {
        progress[c->id] = r;
        bar_wait(c);
        usleep(500);
        assert(progress[!c->id] >= r);
    }
    return NULL;
}

int main(void)
{
    struct ctx c[2] = { { 0, 0, &the_bar }, { 1, 0, &the_bar } };
    pthread_t t[2];
    int i;

    for (i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, &c[i]);
    for (i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("progress %d %d\n", progress[0], progress[1]);
    return 0;
}
