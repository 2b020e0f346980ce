#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define DONE_READ  0
#define DONE_WRITE 1

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  cv = PTHREAD_COND_INITIALIZER;
static int done[2];

static volatile int rbytes, wbytes;

static void post(int what)
{
    pthread_mutex_lock(&mu);
    done[what] = 1;
    pthread_cond_broadcast(&cv);
    pthread_mutex_unlock(&mu);
}

static void wait_for(int what)
{
    pthread_mutex_lock(&mu);
    if (!done[what])
        pthread_cond_wait(&cv, &mu);
    pthread_mutex_unlock(&mu);
}

static void *device(void *arg)
{
    (void)arg;
    usleep(2000);
    rbytes = 512;
    post(DONE_READ);
    wbytes = 128;
    post(DONE_WRITE);
    return NULL;
}

static void *reader(void *arg)
{
    (void)arg;
    wait_for(DONE_READ);
    assert(rbytes == 512);
    return NULL;
}

static void *writer(void *arg)
{
    (void)arg;
    wait_for(DONE_WRITE);
    usleep(500);
    assert(wbytes == 128);
    return NULL;
}

int main(void)
{
    pthread_t d, r, w;

    pthread_create(&r, NULL, reader, NULL);
    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&d, NULL, device, NULL);
    pthread_join(r, NULL);
    pthread_join(w, NULL);
    pthread_join(d, NULL);
    printf("%d read, %d written\n", rbytes, wbytes);
    return 0;
}
