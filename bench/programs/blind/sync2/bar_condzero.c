#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define PARTIES 2
#define LAPS    3

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  c = PTHREAD_COND_INITIALIZER;
static int arrived;

static int lap_of[PARTIES];

static void rendezvous(void)
{
    pthread_mutex_lock(&m);
    arrived = arrived + 1;
    if (arrived == PARTIES) {
        arrived = 0;
        pthread_cond_broadcast(&c);
    } else {
        do {
            pthread_cond_wait(&c, &m);
        } while (arrived != 0);
    }
    pthread_mutex_unlock(&m);
}

static void *runner(void *arg)
{
    int id = (int)(long)arg;
    int lap;

    for (lap = 1; lap <= LAPS; lap++) {
        usleep(id ? 3000 : 2000);       /* run */
        pthread_mutex_lock(&m);
        lap_of[id] = lap;
        pthread_mutex_unlock(&m);

        rendezvous();

        pthread_mutex_lock(&m);
        assert(lap_of[1 - id] >= lap);
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[PARTIES];
    long i;

    for (i = 0; i < PARTIES; i++)
        pthread_create(&t[i], NULL, runner, (void *)i);
    for (i = 0; i < PARTIES; i++)
        pthread_join(t[i], NULL);
    printf("%d laps\n", lap_of[0]);
    return 0;
}
