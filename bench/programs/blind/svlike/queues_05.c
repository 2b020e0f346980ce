#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#define SIZE 2

static sem_t room, avail;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ring[SIZE], in, out;

static void *producer(void *arg)
{
    int id = (int)(long)arg;
    for (int i = 1; i <= 2; i++) {
        sem_wait(&room);
        pthread_mutex_lock(&m);
        ring[in] = id * 10 + i;
        in = (in + 1) % SIZE;
        pthread_mutex_unlock(&m);
        sem_post(&avail);
    }
    return 0;
}

static void *consumer(void *arg)
{
    int last[2] = { 0, 0 };
    for (int i = 0; i < 4; i++) {
        sem_wait(&avail);
        pthread_mutex_lock(&m);
        int v = ring[out];
        out = (out + 1) % SIZE;
        pthread_mutex_unlock(&m);
        sem_post(&room);
        int p = v / 10;
        assert(p == 0 || p == 1);
        assert(v % 10 == last[p] + 1);
        last[p]++;
    }
    return 0;
}

int main(void)
{
    pthread_t p, q, c;
    sem_init(&room, 0, SIZE);
    sem_init(&avail, 0, 0);
    pthread_create(&p, 0, producer, (void *)0L);
    pthread_create(&q, 0, producer, (void *)1L);
    pthread_create(&c, 0, consumer, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    pthread_join(c, 0);
    return 0;
}
