#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag spin = ATOMIC_FLAG_INIT;
static int inside, sum;

static void acquire(void)
{
    while (atomic_flag_test_and_set(&spin))
        ;
}

static void release(void)
{
    atomic_flag_clear(&spin);
}

static void *worker(void *arg)
{
    for (int i = 0; i < 2; i++) {
        acquire();
        inside++;
        assert(inside == 1);
        sum += (int)(long)arg;
        inside--;
        release();
    }
    return 0;
}

int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], 0, worker, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    assert(sum == 12);
    return 0;
}
