#include <pthread.h>
#include <stdlib.h>

/* team size and tally live on the heap, workers get a pointer */
struct team {
    volatile int tally;
    int          size;
    int         *data;
};

struct member {
    struct team *team;
    int          no;
    int          goal;
};

static inline void regroup(struct member *m)
{
    volatile int *tally = &m->team->tally;

    m->goal += m->team->size;
    __sync_fetch_and_add(tally, 1);
    while (*tally < m->goal)
        __builtin_ia32_pause();
}

static void *march(void *p)
{
    struct member *m = p;
    int *d = m->team->data;
    int i = m->no;

    for (int k = 0; k < 2; k++) {
        d[i] += 1;
        regroup(m);
        if (d[0] != k + 1 || d[1] != k + 1 || d[2] != k + 1)
            abort();
        regroup(m);
    }
    return NULL;
}

int main(void)
{
    struct team *t = calloc(1, sizeof *t);
    struct member m[3];
    pthread_t th[3];

    t->size = 3;
    t->data = calloc(3, sizeof *t->data);
    for (int i = 0; i < 3; i++) {
        m[i] = (struct member){ t, i, 0 };
        pthread_create(&th[i], NULL, march, &m[i]);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(th[i], NULL);
    free(t->data);
    free(t);
    return 0;
}
