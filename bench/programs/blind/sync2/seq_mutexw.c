/* Routing entry: rare updates, frequent lookups. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    unsigned        seq;
    pthread_mutex_t wlock;
    int             hop[3];
} route_t;

static route_t route = { 0, PTHREAD_MUTEX_INITIALIZER, { 1, 1, 1 } };

static inline unsigned read_seqbegin(const route_t *r)
{
    unsigned s;

    while ((s = __atomic_load_n(&r->seq, __ATOMIC_SEQ_CST)) & 1)
        usleep(1);
    return s;
}

static inline int read_seqretry(const route_t *r, unsigned s)
{
    return __atomic_load_n(&r->seq, __ATOMIC_SEQ_CST) != s;
}

static inline void write_seqlock(route_t *r)
{
    pthread_mutex_lock(&r->wlock);
    __atomic_add_fetch(&r->seq, 1, __ATOMIC_SEQ_CST);
}

static inline void write_sequnlock(route_t *r)
{
    __atomic_add_fetch(&r->seq, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&r->wlock);
}

static void *updater(void *arg)
{
    int v = *(int *)arg, i, k;

    for (i = 0; i < 2; i++) {
        write_seqlock(&route);
        for (k = 0; k < 3; k++)
            __atomic_store_n(&route.hop[k], v + i, __ATOMIC_SEQ_CST);
        write_sequnlock(&route);
    }
    return NULL;
}

static void *lookup(void *arg)
{
    int i, k, h[3];
    unsigned s;

    (void)arg;
    for (i = 0; i < 3; i++) {
        do {
            s = read_seqbegin(&route);
            for (k = 0; k < 3; k++)
                h[k] = __atomic_load_n(&route.hop[k], __ATOMIC_SEQ_CST);
        } while (read_seqretry(&route, s));
        assert(h[0] == h[1] && h[1] == h[2]);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[4];
    int v[2] = { 10, 20 }, i;

    for (i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, i < 2 ? updater : lookup, &v[i & 1]);
    for (i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert(route.seq == 8);
    printf("hop %d\n", route.hop[0]);
    return 0;
}
