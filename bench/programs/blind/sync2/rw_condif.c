#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static struct {
    pthread_mutex_t mtx;
    pthread_cond_t  chg;
    int readers;
    int writer;
} L = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 };

static volatile int version;
static volatile int writers_in;

static void lock_read(void)
{
    pthread_mutex_lock(&L.mtx);
    while (L.writer)
        pthread_cond_wait(&L.chg, &L.mtx);
    ++L.readers;
    pthread_mutex_unlock(&L.mtx);
}

static void lock_write(void)
{
    pthread_mutex_lock(&L.mtx);
    if (L.readers || L.writer)
        pthread_cond_wait(&L.chg, &L.mtx);
    L.writer = 1;
    pthread_mutex_unlock(&L.mtx);
}

static void unlock(void)
{
    pthread_mutex_lock(&L.mtx);
    if (L.writer)
        L.writer = 0;
    else
        --L.readers;
    pthread_cond_broadcast(&L.chg);
    pthread_mutex_unlock(&L.mtx);
}

static void *reader(void *arg)
{
    int i, v;

    for (i = 0; i < 2; i++) {
        lock_read();
        v = version;
        assert(v == version);
        unlock();
        usleep(300 + *(int *)arg);
    }
    return NULL;
}

static void *writer(void *arg)
{
    int i;

    for (i = 0; i < 2; i++) {
        usleep(*(int *)arg);
        lock_write();
        assert(__sync_add_and_fetch(&writers_in, 1) == 1);
        version = version + 1;
        __sync_sub_and_fetch(&writers_in, 1);
        unlock();
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int d[3] = { 0, 700, 1600 };

    pthread_create(&t[0], NULL, reader, &d[0]);
    pthread_create(&t[1], NULL, writer, &d[1]);
    pthread_create(&t[2], NULL, writer, &d[2]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(version == 4);
    printf("version %d\n", version);
    return 0;
}
