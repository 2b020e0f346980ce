#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#define NUM_THREADS 3
#define NUM_SLOTS   (NUM_THREADS - 1)

static atomic_uint tail;
static atomic_int may_enter[NUM_SLOTS] = { 1 };
static int my_slot[NUM_THREADS];

static volatile int value;

void array_lock(int tid)
{
    int s = (int)(atomic_fetch_add(&tail, 1) % NUM_SLOTS);

    while (!atomic_load(&may_enter[s]))
        sched_yield();
    my_slot[tid] = s;
}

void array_unlock(int tid)
{
    int s = my_slot[tid];

    atomic_store(&may_enter[s], 0);
    atomic_store(&may_enter[(s + 1) % NUM_SLOTS], 1);
}

static void *thread_main(void *arg)
{
    int tid = (int)(long)arg;
    int round, before;

    for (round = 0; round < 2; round++) {
        usleep(400 * (tid + 1));
        array_lock(tid);
        before = value;
        value = before + 1;
        assert(value == before + 1);
        array_unlock(tid);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[NUM_THREADS];
    long i;

    for (i = 0; i < NUM_THREADS; i++)
        pthread_create(&t[i], NULL, thread_main, (void *)i);
    for (i = 0; i < NUM_THREADS; i++)
        pthread_join(t[i], NULL);
    assert(value == 2 * NUM_THREADS);
    printf("value %d\n", value);
    return 0;
}
