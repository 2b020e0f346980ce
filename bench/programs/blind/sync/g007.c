#include <pthread.h>
#include <stdatomic.h>

enum { WORKERS = 3, LAPS = 2 };

static atomic_int left = WORKERS;
static atomic_int phase;
int lane[WORKERS];
int sum[WORKERS];

static void line_up(void)
{
    int n = atomic_fetch_sub(&left, 1);
    int old = atomic_load(&phase);

    if (n == 1) {
        atomic_store(&left, WORKERS);
        atomic_store(&phase, !old);
    } else {
        while (atomic_load(&phase) == old)
            ;
    }
}

static void *runner(void *p)
{
    int me = *(int *)p;

    for (int lap = 0; lap < LAPS; lap++) {
        lane[me] += me + 1;
        line_up();
        for (int j = 0; j < WORKERS; j++)
            sum[me] += lane[j];
        line_up();
    }
    return NULL;
}

int main(void)
{
    pthread_t th[WORKERS];
    int ids[WORKERS];

    for (int i = 0; i < WORKERS; i++) {
        ids[i] = i;
        pthread_create(&th[i], NULL, runner, &ids[i]);
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(th[i], NULL);
    return 0;
}
