#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int closed, jobs, final_jobs;

static void *submitter(void *arg)
{
    pthread_mutex_lock(&m);
    if (closed)
        return 0;
    jobs++;
    pthread_mutex_unlock(&m);
    return 0;
}

static void *closer(void *arg)
{
    pthread_mutex_lock(&m);
    closed = 1;
    pthread_mutex_unlock(&m);

    pthread_mutex_lock(&m);
    final_jobs = jobs;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t s, c;
    pthread_create(&s, 0, submitter, 0);
    pthread_create(&c, 0, closer, 0);
    pthread_join(s, 0);
    pthread_join(c, 0);
    assert(final_jobs <= 1);
    return 0;
}
