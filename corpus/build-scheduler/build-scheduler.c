// A build tool runs steps whose inputs are finished. Workers that finish two inputs of one step at the same time
// decrement its count of missing inputs without the lock; a decrement is lost, and the step never becomes ready.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define STEPS 4
#define WORKERS 2

struct step {
    const char *name;
    int cost;
    int missing;
    int successors[2];
    int successor_count;
};

struct schedule {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int ready[STEPS];
    int ready_count;
    int finished;
    int total_cost;
};

// configure, then parse and lex in any order, then link.
static struct step steps[STEPS] = {
    {"configure", 1, 0, {1, 2}, 2},
    {"lex", 2, 1, {3}, 1},
    {"parse", 3, 1, {3}, 1},
    {"link", 4, 2, {0}, 0},
};

static struct schedule schedule = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void make_ready(struct schedule *s, int step)
{
    pthread_mutex_lock(&s->lock);
    s->ready[s->ready_count++] = step;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static int take_ready(struct schedule *s)
{
    int step = -1;

    pthread_mutex_lock(&s->lock);
    while (s->ready_count == 0 && s->finished < STEPS)
        pthread_cond_wait(&s->changed, &s->lock);
    if (s->ready_count > 0)
        step = s->ready[--s->ready_count];
    pthread_mutex_unlock(&s->lock);
    return step;
}

static void input_finished(struct schedule *s, int step)
{
    int left = steps[step].missing - 1;
    steps[step].missing = left;
    if (left == 0)
        make_ready(s, step);
}

static void finish(struct schedule *s, int step)
{
    for (int i = 0; i < steps[step].successor_count; i++)
        input_finished(s, steps[step].successors[i]);
    pthread_mutex_lock(&s->lock);
    s->total_cost += steps[step].cost;
    s->finished++;
    if (s->finished == STEPS)
        pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void *worker(void *arg)
{
    struct schedule *s = arg;
    int step;

    while ((step = take_ready(s)) >= 0)
        finish(s, step);
    return NULL;
}

int main(void)
{
    pthread_t workers[WORKERS];

    make_ready(&schedule, 0);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, worker, &schedule);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    assert(schedule.finished == STEPS && schedule.total_cost == 10);
    return 0;
}
