/* Rejection sampling with a private generator per thread. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

struct rng {
    unsigned state;
    int      rejected;
};

struct task {
    unsigned   seed;
    int        dice[4];
    struct rng rng;
};

static unsigned next(struct rng *r)
{
    r->state = r->state * 1103515245u + 12345u;
    return (r->state >> 16) & 7;
}

static int roll(struct rng *r)
{
    unsigned v;

again:
    v = next(r);
    if (v == 0 || v == 7) {
        r->rejected++;
        goto again;
    }
    return (int)v;
}

static void *player(void *arg)
{
    struct task *t = arg;
    int i, done = 0;

    t->rng.state = t->seed;
    while (!done) {
        for (i = 0; i < 4; i++)
            t->dice[i] = roll(&t->rng);
        done = t->dice[0] != t->dice[1];
    }
    return NULL;
}

int main(void)
{
    struct task task[3] = { { .seed = 1 }, { .seed = 22 }, { .seed = 333 } };
    pthread_t t[3];
    int i, k;

    for (i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, player, &task[i]);
    for (i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    for (i = 0; i < 3; i++) {
        for (k = 0; k < 4; k++)
            assert(task[i].dice[k] >= 1 && task[i].dice[k] <= 6);
        printf("player %d rejected %d\n", i, task[i].rng.rejected);
    }
    return 0;
}
