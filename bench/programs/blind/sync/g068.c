#include <pthread.h>
#include <stdatomic.h>

#define N 3

static atomic_int level[N];
static atomic_int victim[N];
static int pot;

static int rival(int me, int l)
{
    for (int k = 0; k < N; k++)
        if (k != me && atomic_load(&level[k]) >= l)
            return 1;
    return 0;
}

static void climb_in(int me)
{
    for (int l = 1; l < N; l++) {
        atomic_store(&level[me], l);
        atomic_store(&victim[l], me);
        while (atomic_load(&victim[l]) == me && rival(me, l))
            ;
    }
}

static void climb_out(int me)
{
    atomic_store(&level[me], 0);
}

static void *gambler(void *arg)
{
    int me = (int)(long)arg;

    for (int i = 0; i < 2; i++) {
        climb_in(me);
        pot = pot + me + 1;
        climb_out(me);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[N];

    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, gambler, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return pot == 12 ? 0 : 1;
}
