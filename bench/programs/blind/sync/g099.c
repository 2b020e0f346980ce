#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <assert.h>

#define TEAM   3
#define STEPS  3

typedef struct {
    atomic_int  pending;
    atomic_bool sense;
} rendezvous_t;

static rendezvous_t meet = { TEAM, false };
static int grid[STEPS + 1][TEAM];

static void meet_wait(rendezvous_t *r, bool *mine)
{
    *mine = !*mine;
    if (atomic_fetch_sub(&r->pending, 1) == 1) {
        atomic_store(&r->pending, TEAM);
        atomic_store(&r->sense, *mine);
        return;
    }
    while (atomic_load(&r->sense) != *mine)
        ;
}

static void *body(void *arg)
{
    int  id = (int)(long)arg;
    bool mine = false;

    for (int s = 0; s < STEPS; s++) {
        /* each cell depends on the neighbour's cell of the step before */
        grid[s + 1][id] = grid[s][(id + 1) % TEAM] + 1;
        meet_wait(&meet, &mine);
    }
    return 0;
}

int main(void)
{
    pthread_t t[TEAM];

    for (long i = 0; i < TEAM; i++)
        pthread_create(&t[i], 0, body, (void *)i);
    for (int i = 0; i < TEAM; i++)
        pthread_join(t[i], 0);
    for (int i = 0; i < TEAM; i++)
        assert(grid[STEPS][i] == STEPS);
    return 0;
}
