#include <assert.h>
#include <pthread.h>

#define CAP 2

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static int buf[CAP], first, count;

static void put(int v)
{
    pthread_mutex_lock(&m);
    while (count == CAP)
        pthread_cond_wait(&not_full, &m);
    buf[(first + count) % CAP] = v;
    count++;
    assert(count <= CAP);
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&m);
}

static int get(void)
{
    pthread_mutex_lock(&m);
    while (count == 0)
        pthread_cond_wait(&not_empty, &m);
    int v = buf[first];
    first = (first + 1) % CAP;
    count--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&m);
    return v;
}

static void *producer(void *arg)
{
    int base = (int)(long)arg;
    put(base);
    put(base + 1);
    return 0;
}

static void *consumer(void *arg)
{
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += get();
    assert(sum == 10 + 11 + 20 + 21);
    return 0;
}

int main(void)
{
    pthread_t p, q, c;
    pthread_create(&p, 0, producer, (void *)10L);
    pthread_create(&q, 0, producer, (void *)20L);
    pthread_create(&c, 0, consumer, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    pthread_join(c, 0);
    assert(count == 0);
    return 0;
}
