#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define THREADS 3
#define ROUNDS  2

static volatile int count;
static volatile int slot[THREADS];

#define CPU_RELAX() __asm__ __volatile__("pause" ::: "memory")

static void barrier(void)
{
    if (__sync_add_and_fetch(&count, 1) == THREADS) {
        count = 0;              /* open the gate */
        return;
    }
    while (count != 0)
        CPU_RELAX();
}

static void *work(void *arg)
{
    int id = (int)(long)arg;
    int r, i;

    for (r = 1; r <= ROUNDS; r++) {
        usleep(20000);          /* produce */
        slot[id] = r;
        barrier();
        for (i = 0; i < THREADS; i++)
            assert(slot[i] >= r);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    long i;

    for (i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("slots %d %d %d\n", slot[0], slot[1], slot[2]);
    return 0;
}
