#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>

enum once_state { IDLE, BUSY, DONE };

typedef struct {
    _Atomic int st;
} once_t;

static once_t tables_once = { IDLE };
static int squares[4];
static int builds;

static void build_tables(void)
{
    builds++;
    for (int i = 0; i < 4; i++)
        squares[i] = i * i;
}

static void run_once(once_t *o, void (*fn)(void))
{
    int expect = IDLE;

    if (atomic_load(&o->st) == DONE)
        return;
    if (atomic_compare_exchange_strong(&o->st, &expect, BUSY)) {
        fn();
        atomic_store(&o->st, DONE);
        return;
    }
    while (atomic_load(&o->st) != DONE)
        ;
}

static void *user(void *arg)
{
    int i = (int)(long)arg;

    run_once(&tables_once, build_tables);
    assert(squares[i + 1] == (i + 1) * (i + 1));
    return NULL;
}

int main(void)
{
    pthread_t t[3];

    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, user, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(builds == 1);
    return 0;
}
