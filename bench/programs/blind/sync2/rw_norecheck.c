#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

struct rw {
    atomic_int readers;
    atomic_int writing;
};

static struct rw rw;
static atomic_int lo, hi;

static void rd_enter(struct rw *l)
{
    while (atomic_load(&l->writing))
        sched_yield();
    atomic_fetch_add(&l->readers, 1);
}

static void rd_exit(struct rw *l)
{
    atomic_fetch_sub(&l->readers, 1);
}

static void wr_enter(struct rw *l)
{
    while (atomic_exchange(&l->writing, 1))
        sched_yield();
    while (atomic_load(&l->readers) > 0)
        sched_yield();
}

static void wr_exit(struct rw *l)
{
    atomic_store(&l->writing, 0);
}

static void *reader(void *arg)
{
    int i;

    for (i = 0; i < 3; i++) {
        rd_enter(&rw);
        assert(atomic_load(&lo) == atomic_load(&hi));
        rd_exit(&rw);
        usleep(150 * (int)(long)arg);
    }
    return NULL;
}

static void *writer(void *arg)
{
    int i;

    (void)arg;
    for (i = 0; i < 3; i++) {
        wr_enter(&rw);
        atomic_fetch_add(&lo, 1);
        atomic_fetch_add(&hi, 1);
        wr_exit(&rw);
        usleep(400);
    }
    return NULL;
}

int main(void)
{
    pthread_t r[2], w;

    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&r[0], NULL, reader, (void *)1L);
    pthread_create(&r[1], NULL, reader, (void *)2L);
    pthread_join(w, NULL);
    pthread_join(r[0], NULL);
    pthread_join(r[1], NULL);
    printf("%d %d\n", atomic_load(&lo), atomic_load(&hi));
    return 0;
}
