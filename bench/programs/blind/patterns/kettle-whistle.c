#include <pthread.h>
#include <stdio.h>

struct kettle {
    pthread_mutex_t lock;
    pthread_cond_t whistle;
    int degrees;
};

static struct kettle kettle = {
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_COND_INITIALIZER,
    20,
};

static void *stove(void *arg)
{
    struct kettle *k = arg;

    for (int step = 0; step < 2; step++) {
        pthread_mutex_lock(&k->lock);
        k->degrees += 40;
        if (k->degrees >= 100)
            pthread_cond_signal(&k->whistle);
        pthread_mutex_unlock(&k->lock);
    }
    return NULL;
}

static void pour_tea(struct kettle *k)
{
    pthread_mutex_lock(&k->lock);
    pthread_cond_wait(&k->whistle, &k->lock);
    printf("pouring at %d degrees\n", k->degrees);
    pthread_mutex_unlock(&k->lock);
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, stove, &kettle);
    pour_tea(&kettle);
    pthread_join(thread, NULL);
    return 0;
}
