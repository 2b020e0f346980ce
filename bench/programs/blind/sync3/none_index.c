#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t built = PTHREAD_ONCE_INIT;
static int key[4], val[4];

static void build(void)
{
    for (int i = 0; i < 4; i++) {
        key[i] = i;
        val[i] = i * 7;
    }
}

static void *lookup(void *u)
{
    pthread_once(&built, build);
    for (int i = 0; i < 4; i++) {
        pthread_rwlock_rdlock(&rw);
        assert(val[i] == key[i] * 7);
        pthread_rwlock_unlock(&rw);
    }
    return u;
}

static void *update(void *u)
{
    pthread_once(&built, build);
    for (int i = 0; i < 4; i++) {
        pthread_rwlock_wrlock(&rw);
        key[i] += 10;
        val[i] += 70;
        pthread_rwlock_unlock(&rw);
    }
    return u;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, lookup, 0);
    pthread_create(&b, 0, update, 0);
    pthread_create(&c, 0, lookup, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
