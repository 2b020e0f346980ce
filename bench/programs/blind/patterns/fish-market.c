#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { CRATES = 2, BUYERS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t landed = PTHREAD_COND_INITIALIZER;
static int crates;
static int sold;

static void *boat(void *unused)
{
    (void)unused;
    for (int i = 0; i < CRATES; i++) {
        pthread_mutex_lock(&lock);
        crates++;
        pthread_cond_signal(&landed);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *buyer(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    if (crates == 0)
        pthread_cond_wait(&landed, &lock);
    assert(crates > 0);
    crates--;
    sold++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t seller, buyers[BUYERS];

    for (int i = 0; i < BUYERS; i++)
        pthread_create(&buyers[i], NULL, buyer, NULL);
    pthread_create(&seller, NULL, boat, NULL);

    pthread_join(seller, NULL);
    for (int i = 0; i < BUYERS; i++)
        pthread_join(buyers[i], NULL);
    printf("%d crates sold, %d left\n", sold, crates);
    return 0;
}
