#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int cached, value, fills;

static void *lookup(void *arg)
{
    int hit;
    pthread_rwlock_rdlock(&rw);
    hit = cached;
    pthread_rwlock_unlock(&rw);
    if (!hit) {
        pthread_rwlock_wrlock(&rw);
        value = 7;
        fills++;
        cached = 1;
        pthread_rwlock_unlock(&rw);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, lookup, 0);
    pthread_create(&b, 0, lookup, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(value == 7);
    assert(fills == 1);
    return 0;
}
