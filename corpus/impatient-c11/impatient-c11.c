// Poll workers add their votes to a tally under a timed C11 mutex. One that waited too long adds its votes all the
// same, without the lock, and an addition is lost.
#include <assert.h>
#include <stddef.h>
#include <threads.h>
#include <time.h>

#define WORKERS 2

struct poll_worker {
    int votes;
    int late;
};

static mtx_t lock;
static int tally;
static struct poll_worker workers[WORKERS] = {{5, 0}, {7, 0}};

static int count(void *arg)
{
    struct poll_worker *w = arg;
    struct timespec deadline;

    timespec_get(&deadline, TIME_UTC);
    deadline.tv_sec += 1;
    int held = mtx_timedlock(&lock, &deadline) == thrd_success;
    tally += w->votes;
    if (held)
        mtx_unlock(&lock);
    return 0;
}

int main(void)
{
    thrd_t threads[WORKERS];

    mtx_init(&lock, mtx_timed);
    for (int i = 0; i < WORKERS; i++)
        thrd_create(&threads[i], count, &workers[i]);
    for (int i = 0; i < WORKERS; i++) {
        int result;
        thrd_join(threads[i], &result);
    }
    for (int i = 0; i < WORKERS; i++)
        tally += workers[i].late;
    mtx_destroy(&lock);
    assert(tally == 12);
    return 0;
}
