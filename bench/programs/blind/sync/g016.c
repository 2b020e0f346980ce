#include <pthread.h>
#include <stdatomic.h>

#define N 4

static atomic_int flag[N][2];
int value[N];

static void all_meet(int i)
{
    for (int k = 0; k < 2; k++) {
        atomic_store(&flag[(i + (1 << k)) % N][k], 1);
        while (!atomic_load(&flag[i][k]))
            ;
        atomic_store(&flag[i][k], 0);
    }
}

static void *cell(void *arg)
{
    int i = (int)(long)arg;
    int seen;

    value[i] = i + 1;
    all_meet(i);
    seen = value[N - 1 - i];
    all_meet(i);
    value[i] = seen;
    return NULL;
}

int main(void)
{
    pthread_t t0, t1, t2, t3;

    pthread_create(&t0, NULL, cell, (void *)0L);
    pthread_create(&t1, NULL, cell, (void *)1L);
    pthread_create(&t2, NULL, cell, (void *)2L);
    pthread_create(&t3, NULL, cell, (void *)3L);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    pthread_join(t3, NULL);
    return 0;
}
