#include <assert.h>
#include <pthread.h>

#define STRIPES 2
#define BUCKETS 3

static pthread_mutex_t stripe[STRIPES] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER
};
static int bucket[BUCKETS];
static volatile int total;

static void *insert(void *arg)
{
    long k = (long)arg;
    pthread_mutex_lock(&stripe[k % STRIPES]);
    bucket[k]++;
    total = total + 1;
    pthread_mutex_unlock(&stripe[k % STRIPES]);
    return 0;
}

int main(void)
{
    pthread_t t[BUCKETS];
    for (long i = 0; i < BUCKETS; i++)
        pthread_create(&t[i], 0, insert, (void *)i);
    for (int i = 0; i < BUCKETS; i++)
        pthread_join(t[i], 0);
    assert(bucket[0] == 1 && bucket[1] == 1 && bucket[2] == 1);
    assert(total == 3);
    return 0;
}
