#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m;
static int depth, total;

static void inner(int v)
{
    pthread_mutex_lock(&m);
    depth++;
    assert(depth <= 2);
    total += v;
    depth--;
    pthread_mutex_unlock(&m);
}

static void *worker(void *arg)
{
    int v = (int)(long)arg;
    pthread_mutex_lock(&m);
    depth++;
    inner(v);
    inner(v);
    depth--;
    assert(depth == 0);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attr);
    pthread_create(&a, 0, worker, (void *)2L);
    pthread_create(&b, 0, worker, (void *)3L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(total == 10);
    pthread_mutex_destroy(&m);
    pthread_mutexattr_destroy(&attr);
    return 0;
}
