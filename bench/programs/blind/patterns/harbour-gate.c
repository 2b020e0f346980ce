#include <pthread.h>
#include <stdio.h>

struct harbour {
    pthread_mutex_t lock;
    int closed;
    int ships;
    int refused;
};

static struct harbour harbour = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int enter(struct harbour *h)
{
    pthread_mutex_lock(&h->lock);
    if (h->closed) {
        h->refused++;
        return 0;
    }
    h->ships++;
    pthread_mutex_unlock(&h->lock);
    return 1;
}

static void *ship(void *arg)
{
    enter(arg);
    return NULL;
}

static void *harbour_master(void *arg)
{
    struct harbour *h = arg;

    pthread_mutex_lock(&h->lock);
    h->closed = 1;
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

int main(void)
{
    pthread_t s, m;

    pthread_create(&s, NULL, ship, &harbour);
    pthread_create(&m, NULL, harbour_master, &harbour);
    pthread_join(s, NULL);
    pthread_join(m, NULL);

    pthread_mutex_lock(&harbour.lock);
    printf("%d in harbour, %d refused\n", harbour.ships, harbour.refused);
    pthread_mutex_unlock(&harbour.lock);
    return 0;
}
