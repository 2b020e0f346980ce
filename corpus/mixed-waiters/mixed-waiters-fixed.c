// Cooks and waiters share a tray with one place; "filled" and "emptied" have a condition each.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static pthread_cond_t emptied = PTHREAD_COND_INITIALIZER;
static int plates;

static void *cook(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    while (plates == 1)
        pthread_cond_wait(&emptied, &lock);
    plates++;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *waiter(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    while (plates == 0)
        pthread_cond_wait(&filled, &lock);
    plates--;
    pthread_cond_signal(&emptied);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t staff[4];

    pthread_create(&staff[0], NULL, waiter, NULL);
    pthread_create(&staff[1], NULL, waiter, NULL);
    pthread_create(&staff[2], NULL, cook, NULL);
    pthread_create(&staff[3], NULL, cook, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(staff[i], NULL);
    return plates;
}
