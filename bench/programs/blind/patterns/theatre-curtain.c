#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { ACTORS = 2 };

static pthread_mutex_t stage = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cue = PTHREAD_COND_INITIALIZER;
static atomic_bool curtain_up;
static atomic_int bows;

static void wait_for_curtain(void)
{
    if (!atomic_load(&curtain_up)) {
        pthread_mutex_lock(&stage);
        pthread_cond_wait(&cue, &stage);
        pthread_mutex_unlock(&stage);
    }
}

static void *actor(void *unused)
{
    (void)unused;
    wait_for_curtain();
    atomic_fetch_add(&bows, 1);
    return NULL;
}

static void raise_curtain(void)
{
    pthread_mutex_lock(&stage);
    atomic_store(&curtain_up, 1);
    pthread_cond_broadcast(&cue);
    pthread_mutex_unlock(&stage);
}

int main(void)
{
    pthread_t actors[ACTORS];

    for (int i = 0; i < ACTORS; i++)
        pthread_create(&actors[i], NULL, actor, NULL);
    raise_curtain();
    for (int i = 0; i < ACTORS; i++)
        pthread_join(actors[i], NULL);

    printf("%d bows\n", atomic_load(&bows));
    return 0;
}
