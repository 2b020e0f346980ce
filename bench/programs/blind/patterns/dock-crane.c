#include <pthread.h>
#include <stdio.h>

struct crane {
    int lifts;
};

struct dock {
    pthread_mutex_t lock;
    pthread_cond_t returned;
    struct crane *spare;
};

static struct crane crane;
static struct dock dock = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .returned = PTHREAD_COND_INITIALIZER,
};

static struct crane *borrow(struct dock *d)
{
    pthread_mutex_lock(&d->lock);
    if (d->spare == NULL)
        pthread_cond_wait(&d->returned, &d->lock);
    struct crane *c = d->spare;
    d->spare = NULL;
    pthread_mutex_unlock(&d->lock);
    return c;
}

static void give_back(struct dock *d, struct crane *c)
{
    pthread_mutex_lock(&d->lock);
    d->spare = c;
    pthread_cond_signal(&d->returned);
    pthread_mutex_unlock(&d->lock);
}

static void *crew(void *arg)
{
    struct dock *d = arg;
    struct crane *c = borrow(d);

    c->lifts++;
    give_back(d, c);
    return NULL;
}

int main(void)
{
    pthread_t day, night;

    pthread_create(&day, NULL, crew, &dock);
    pthread_create(&night, NULL, crew, &dock);
    give_back(&dock, &crane);
    pthread_join(day, NULL);
    pthread_join(night, NULL);
    printf("%d lifts\n", crane.lifts);
    return 0;
}
