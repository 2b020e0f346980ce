#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t nonempty = PTHREAD_COND_INITIALIZER;
static int items[2], count;

static void *producer(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        items[count] = i + 1;
        count++;
        pthread_cond_signal(&nonempty);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

static void *consumer(void *arg)
{
    int v;
    pthread_mutex_lock(&m);
    if (count == 0)
        pthread_cond_wait(&nonempty, &m);
    assert(count > 0);
    count--;
    v = items[count];
    pthread_mutex_unlock(&m);
    return (void *)(long)v;
}

int main(void)
{
    pthread_t p, a, b;
    pthread_create(&a, 0, consumer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_create(&p, 0, producer, 0);
    pthread_join(p, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
