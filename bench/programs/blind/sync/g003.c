#include <pthread.h>

#define TEAM 3

static volatile int to_come = TEAM;
static volatile int flag;
static __thread int local_sense = 1;

int pressure[TEAM], force[TEAM];

static void step_sync(void)
{
    if (__sync_sub_and_fetch(&to_come, 1) == 0) {
        to_come = TEAM;
        __sync_synchronize();
        flag = local_sense;
    } else {
        while (flag != local_sense)
            __builtin_ia32_pause();
        local_sense = !local_sense;
    }
}

static void *solver(void *arg)
{
    int k = *(int *)arg;

    for (int step = 0; step < 2; step++) {
        pressure[k] += k + step;
        step_sync();
        force[k] += pressure[(k + 1) % TEAM] - pressure[k];
    }
    return NULL;
}

int main(void)
{
    pthread_t t[TEAM];
    int k[TEAM];

    for (int i = 0; i < TEAM; i++) {
        k[i] = i;
        pthread_create(&t[i], NULL, solver, &k[i]);
    }
    for (int i = 0; i < TEAM; i++)
        pthread_join(t[i], NULL);
    return 0;
}
