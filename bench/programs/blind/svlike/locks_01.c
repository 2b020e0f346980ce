#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int lo, hi = 10;

static void *writer(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_rwlock_wrlock(&rw);
        lo++;
        hi++;
        pthread_rwlock_unlock(&rw);
    }
    return 0;
}

static void *reader(void *arg)
{
    pthread_rwlock_rdlock(&rw);
    assert(hi - lo == 10);
    pthread_rwlock_unlock(&rw);
    return 0;
}

int main(void)
{
    pthread_t w, r1, r2;
    pthread_create(&w, 0, writer, 0);
    pthread_create(&r1, 0, reader, 0);
    pthread_create(&r2, 0, reader, 0);
    pthread_join(w, 0);
    pthread_join(r1, 0);
    pthread_join(r2, 0);
    assert(lo == 2 && hi == 12);
    return 0;
}
