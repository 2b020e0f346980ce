#include <assert.h>
#include <pthread.h>

static pthread_mutex_t rim = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t splash = PTHREAD_COND_INITIALIZER;
static enum { DRY, DIGGING, WATER } phase = DRY;
static int depth, dug;

static void dig(void)
{
    dug++;
    for (int i = 0; i < 10; i++)
        depth++;
}

static void need_well(void (*work)(void))
{
    pthread_mutex_lock(&rim);
    switch (phase) {
    case DRY:
        phase = DIGGING;
        pthread_mutex_unlock(&rim);
        work();
        pthread_mutex_lock(&rim);
        phase = WATER;
        pthread_cond_broadcast(&splash);
        break;
    case DIGGING:
        do
            pthread_cond_wait(&splash, &rim);
        while (phase != WATER);
        break;
    case WATER:
        break;
    }
    pthread_mutex_unlock(&rim);
}

static void *villager(void *u)
{
    for (int i = 0; i < 2; i++) {
        need_well(dig);
        assert(depth == 10 && dug == 1);
    }
    return u;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, villager, 0);
    pthread_create(&b, 0, villager, 0);
    pthread_create(&c, 0, villager, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
