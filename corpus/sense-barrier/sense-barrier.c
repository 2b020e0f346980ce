// A sense-reversing barrier whose last arrival turns the sense before it resets the count. A thread that is quick
// arrives for the next round in between; its arrival is wiped out and both spin for ever.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define THREADS 2
#define ROUNDS 2

struct barrier {
    atomic_int count;
    atomic_int sense;
};

static struct barrier barrier;
static atomic_int steps[THREADS];

static void barrier_wait(struct barrier *b, int *my_sense)
{
    int seen = atomic_load(&b->count);

    *my_sense = !*my_sense;
    while (!atomic_compare_exchange_strong(&b->count, &seen, seen + 1))
        ;
    if (seen + 1 == THREADS) {
        atomic_store(&b->sense, *my_sense);
        atomic_store(&b->count, 0);
    } else {
        while (atomic_load(&b->sense) != *my_sense)
            ;
    }
}

static void *solver(void *arg)
{
    int self = *(const int *)arg, sense = 0;

    for (int round = 1; round <= ROUNDS; round++) {
        atomic_store(&steps[self], round);
        barrier_wait(&barrier, &sense);
        assert(atomic_load(&steps[1 - self]) >= round);
    }
    return NULL;
}

int main(void)
{
    static const int ids[THREADS] = {0, 1};
    pthread_t solvers[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&solvers[i], NULL, solver, (void *)&ids[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(solvers[i], NULL);
    return 0;
}
