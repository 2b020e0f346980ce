#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static int stopping, pending;
static volatile int powered = 1;

static int io_enter(void)
{
    int ok;
    pthread_mutex_lock(&m);
    ok = !stopping;
    if (ok)
        pending++;
    pthread_mutex_unlock(&m);
    return ok;
}

static void io_exit(void)
{
    pthread_mutex_lock(&m);
    if (--pending == 0 && stopping)
        pthread_cond_signal(&idle);
    pthread_mutex_unlock(&m);
}

static void *request(void *arg)
{
    if (io_enter()) {
        assert(powered);
        io_exit();
    }
    return 0;
}

static void *stop(void *arg)
{
    pthread_mutex_lock(&m);
    stopping = 1;
    while (pending > 0)
        pthread_cond_wait(&idle, &m);
    pthread_mutex_unlock(&m);
    powered = 0;
    return 0;
}

int main(void)
{
    pthread_t a, b, s;
    pthread_create(&a, 0, request, 0);
    pthread_create(&b, 0, request, 0);
    pthread_create(&s, 0, stop, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(s, 0);
    assert(pending == 0 && !powered);
    return 0;
}
