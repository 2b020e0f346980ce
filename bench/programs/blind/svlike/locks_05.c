#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int debit, credit;

static void *worker(void *arg)
{
    int step = *(int *)arg;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        debit += step;
        credit -= step;
        pthread_mutex_unlock(&m);
    }
    pthread_mutex_lock(&m);
    assert(debit + credit == 0);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    int s1 = 1, s2 = 2;
    pthread_create(&t1, 0, worker, &s1);
    pthread_create(&t2, 0, worker, &s2);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(debit == 9 && credit == -9);
    return 0;
}
