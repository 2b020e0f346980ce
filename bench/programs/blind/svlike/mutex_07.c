#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

void reach_error(void) { assert(0); }

#define N 3

static atomic_int level[N];
static atomic_int victim[N];
static int count;

static void enter(int me)
{
    for (int l = 1; l < N; l++) {
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
    int c = count;
    count = c + 1;
    if (count != c + 1)
        reach_error();
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
    if (count != N)
        reach_error();
    return 0;
}
