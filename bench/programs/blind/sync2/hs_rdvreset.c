#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#define MEETINGS 3

static volatile int here[2];
static volatile int count[2];

static void meet(int me)
{
    int other = 1 - me;

    here[me] = 1;
    __sync_synchronize();
    while (!here[other])
        sched_yield();
    usleep(20000);              /* shake hands */
    here[me] = 0;
    __sync_synchronize();
}

static void *party(void *arg)
{
    int me = (int)(long)arg;
    int m;

    for (m = 1; m <= MEETINGS; m++) {
        usleep(30000 + 200 * me);
        count[me] = m;
        meet(me);
        assert(count[1 - me] >= m);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, party, (void *)0L);
    pthread_create(&b, NULL, party, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d %d\n", count[0], count[1]);
    return 0;
}
