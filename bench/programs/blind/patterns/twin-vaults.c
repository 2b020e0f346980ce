#include <assert.h>
#include <pthread.h>
#include <stdio.h>

struct vault {
    pthread_mutex_t lock;
    int coins;
};

static struct vault east = { PTHREAD_MUTEX_INITIALIZER, 60 };
static struct vault west = { PTHREAD_MUTEX_INITIALIZER, 40 };

static void carry(int coins)
{
    pthread_mutex_lock(&east.lock);
    east.coins -= coins;
    pthread_mutex_unlock(&east.lock);

    pthread_mutex_lock(&west.lock);
    west.coins += coins;
    pthread_mutex_unlock(&west.lock);
}

static int count_all(void)
{
    int sum = 0;

    pthread_mutex_lock(&east.lock);
    sum += east.coins;
    pthread_mutex_unlock(&east.lock);

    pthread_mutex_lock(&west.lock);
    sum += west.coins;
    pthread_mutex_unlock(&west.lock);
    return sum;
}

static void *guard(void *unused)
{
    (void)unused;
    carry(10);
    carry(5);
    return NULL;
}

static void *auditor(void *unused)
{
    (void)unused;
    int sum = count_all();
    assert(sum == 100);
    return NULL;
}

int main(void)
{
    pthread_t g, a;

    pthread_create(&g, NULL, guard, NULL);
    pthread_create(&a, NULL, auditor, NULL);
    pthread_join(g, NULL);
    pthread_join(a, NULL);
    printf("east %d, west %d\n", east.coins, west.coins);
    return 0;
}
