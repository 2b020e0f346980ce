/* Progress display beside two workers. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#define STEPS 50

static atomic_int progress;
static long result[2];

static void *worker(void *arg)
{
    int id = (int)(long)arg;
    int i;

    for (i = 1; i <= STEPS; i++) {
        result[id] += (long)i * (id + 1);
        atomic_fetch_add(&progress, 1);
        if (i % 10 == 0)
            usleep(20);
    }
    return NULL;
}

static void *monitor(void *arg)
{
    int i;

    (void)arg;
    for (i = 0; i < 3; i++) {
        int p = atomic_load(&progress);

        if (p >= 2 * STEPS)
            puts("100 %");
        else
            printf("%d %%\n", p * 100 / (2 * STEPS));
        usleep(100);
    }
    return NULL;
}

int main(void)
{
    pthread_t w[2], m;
    long i;

    pthread_create(&m, NULL, monitor, NULL);
    for (i = 0; i < 2; i++)
        pthread_create(&w[i], NULL, worker, (void *)i);
    for (i = 0; i < 2; i++)
        pthread_join(w[i], NULL);
    pthread_join(m, NULL);
    assert(result[1] == 2 * result[0]);
    printf("%ld %ld\n", result[0], result[1]);
    return 0;
}
