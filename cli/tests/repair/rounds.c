/* More schedules than can be explored, of which few interruptions make it fail. */
#include <assert.h>
#include <pthread.h>

#define THREADS 3
#define ROUNDS 12

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turns;
static int marks[THREADS][ROUNDS];

static void *worker(void *arg)
{
    int *own = arg;

    for (int round = 0; round < ROUNDS; round++) {
        int seen;

        pthread_mutex_lock(&lock);
        seen = turns;
        pthread_mutex_unlock(&lock);
        own[round] = seen;
        pthread_mutex_lock(&lock);
        turns = seen + 1;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, marks[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(turns == THREADS * ROUNDS);
    return 0;
}
