#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lk[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static int acct[2] = { 50, 50 };

static void transfer(int from, int to, int amount)
{
    int first = from < to ? from : to;
    int second = from < to ? to : from;
    pthread_mutex_lock(&lk[first]);
    pthread_mutex_lock(&lk[second]);
    acct[from] -= amount;
    acct[to] += amount;
    assert(acct[0] + acct[1] == 100);
    pthread_mutex_unlock(&lk[second]);
    pthread_mutex_unlock(&lk[first]);
}

static void *east(void *arg)
{
    transfer(0, 1, 10);
    transfer(0, 1, 5);
    return 0;
}

static void *west(void *arg)
{
    transfer(1, 0, 20);
    transfer(1, 0, 1);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, east, 0);
    pthread_create(&b, 0, west, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(acct[0] == 56 && acct[1] == 44);
    return 0;
}
