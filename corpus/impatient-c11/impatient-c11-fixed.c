// Poll workers add their votes to a tally under a timed C11 mutex. One that waited too long hands its votes in later.
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
    if (mtx_timedlock(&lock, &deadline) == thrd_success) {
        tally += w->votes;
        mtx_unlock(&lock);
    } else {
        w->late = w->votes;
    }
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
