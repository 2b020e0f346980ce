#define _POSIX_C_SOURCE 199309L
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <assert.h>

#define JOBS 2

/* counts the jobs that are still running */
static atomic_int running = JOBS;
static int piece[JOBS];
static int sum;

static void job_finished(atomic_int *left)
{
    atomic_fetch_sub(left, 1);
}

static void wait_all_jobs(atomic_int *left)
{
    struct timespec nap = { 0, 1000 };

    for (int n = atomic_load(left); n > 0; n = atomic_load(left))
        nanosleep(&nap, NULL);
}

static void *job(void *arg)
{
    int *p = arg;

    *p = (int)(p - piece) + 50;
    job_finished(&running);
    return NULL;
}

static void *reaper(void *arg)
{
    (void)arg;
    wait_all_jobs(&running);
    sum = piece[0] + piece[1];
    return NULL;
}

int main(void)
{
    pthread_t r, j[JOBS];

    pthread_create(&r, NULL, reaper, NULL);
    for (int i = 0; i < JOBS; i++)
        pthread_create(&j[i], NULL, job, &piece[i]);
    for (int i = 0; i < JOBS; i++)
        pthread_join(j[i], NULL);
    pthread_join(r, NULL);
    assert(sum == 101);
    return 0;
}
