#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

struct furnace {
    pthread_mutex_t lock;
    pthread_cond_t heated;
    atomic_int hot;
    int castings;
};

static struct furnace furnace = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .heated = PTHREAD_COND_INITIALIZER,
};

static void *burner(void *arg)
{
    struct furnace *f = arg;

    atomic_store(&f->hot, 1);
    pthread_cond_broadcast(&f->heated);
    return NULL;
}

static void *caster(void *arg)
{
    struct furnace *f = arg;

    pthread_mutex_lock(&f->lock);
    while (!atomic_load(&f->hot))
        pthread_cond_wait(&f->heated, &f->lock);
    f->castings++;
    pthread_mutex_unlock(&f->lock);
    return NULL;
}

int main(void)
{
    pthread_t b, c;

    pthread_create(&c, NULL, caster, &furnace);
    pthread_create(&b, NULL, burner, &furnace);
    pthread_join(b, NULL);
    pthread_join(c, NULL);

    printf("%d casting done\n", furnace.castings);
    return 0;
}
