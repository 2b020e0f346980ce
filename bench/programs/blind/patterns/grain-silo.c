#include <pthread.h>
#include <stdio.h>

enum { CAPACITY = 4, LOAD = 2, LOADS = 3 };

static pthread_mutex_t silo_lock = PTHREAD_MUTEX_INITIALIZER;
static int stored;
static int sent_home;
static int shipped;

static void *farmer(void *unused)
{
    (void)unused;
    for (int i = 0; i < LOADS; i++) {
        pthread_mutex_lock(&silo_lock);
        if (stored + LOAD > CAPACITY) {
            sent_home++;
            continue;
        }
        stored += LOAD;
        pthread_mutex_unlock(&silo_lock);
    }
    return NULL;
}

static void *miller(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&silo_lock);
    shipped += stored;
    stored = 0;
    pthread_mutex_unlock(&silo_lock);
    return NULL;
}

int main(void)
{
    pthread_t f, m;

    pthread_create(&f, NULL, farmer, NULL);
    pthread_create(&m, NULL, miller, NULL);
    pthread_join(f, NULL);
    pthread_join(m, NULL);

    printf("stored %d, shipped %d, sent home %d\n",
           stored, shipped, sent_home);
    return 0;
}
