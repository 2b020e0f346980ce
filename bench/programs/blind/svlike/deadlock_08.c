#include <assert.h>
#include <pthread.h>

void reach_error(void) { assert(0); }

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static int both;

static void *forward(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    both++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return 0;
}

static void *backward(void *arg)
{
    long done = 0;
    for (int i = 0; i < 3 && !done; i++) {
        pthread_mutex_lock(&b);
        if (pthread_mutex_trylock(&a) == 0) {
            both++;
            done = 1;
            pthread_mutex_unlock(&a);
        }
        pthread_mutex_unlock(&b);
    }
    return (void *)done;
}

int main(void)
{
    pthread_t f, g;
    void *done;
    pthread_create(&f, 0, forward, 0);
    pthread_create(&g, 0, backward, 0);
    pthread_join(f, 0);
    pthread_join(g, &done);
    if (both != 1 + (int)(long)done)
        reach_error();
    return 0;
}
