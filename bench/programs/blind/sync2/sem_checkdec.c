#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#define LICENCES 2

static volatile int licences = LICENCES;
static volatile int running;

static void get_licence(void)
{
    while (licences <= 0)
        sched_yield();
    __sync_fetch_and_sub(&licences, 1);
}

static void put_licence(void)
{
    __sync_fetch_and_add(&licences, 1);
}

static void *program(void *arg)
{
    int i, n;

    usleep(200 * (int)(long)arg);
    for (i = 0; i < 2; i++) {
        get_licence();
        n = __sync_add_and_fetch(&running, 1);
        assert(n <= LICENCES);
        __sync_sub_and_fetch(&running, 1);
        put_licence();
        usleep(100);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    long i;

    for (i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, program, (void *)i);
    for (i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(licences == LICENCES);
    printf("%d licences\n", licences);
    return 0;
}
