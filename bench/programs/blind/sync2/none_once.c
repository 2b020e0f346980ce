#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static pthread_once_t  once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mx;
static int setups;
static int hits[3];

static void setup(void)
{
    pthread_mutex_init(&mx, NULL);
    setups++;
}

static void *worker(void *arg)
{
    int id = (int)(long)arg;
    int i;

    pthread_once(&once, setup);
    for (i = 0; i < 3; i++) {
        while (pthread_mutex_trylock(&mx) != 0)
            sched_yield();
        hits[(id + i) % 3]++;
        pthread_mutex_unlock(&mx);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    long i;

    for (i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(setups == 1);
    assert(hits[0] == 3 && hits[1] == 3 && hits[2] == 3);
    printf("%d %d %d\n", hits[0], hits[1], hits[2]);
    return 0;
}
