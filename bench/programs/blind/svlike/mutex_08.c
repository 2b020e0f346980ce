#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define N 3

static atomic_int level[N];
static atomic_int victim[N];
static volatile int owner;

static void enter(int me)
{
    for (int l = 1; l < N - 1; l++) {
        atomic_store(&level[me], l);
        atomic_store(&victim[l], me);
        for (int k = 0; k < N; k++) {
            if (k == me)
                continue;
            while (atomic_load(&level[k]) >= l && atomic_load(&victim[l]) == me)
                ;
        }
    }
}

static void *proc(void *arg)
{
    int me = (int)(long)arg;
    enter(me);
    owner = me;
    assert(owner == me);
    atomic_store(&level[me], 0);
    return 0;
}

int main(void)
{
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], 0, proc, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    return 0;
}
