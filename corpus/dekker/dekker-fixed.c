// Dekker's lock: raise the flag first; if the other's is up too, the one without the turn takes its flag down until
// it has the turn.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int wants[2];
static atomic_int turn;
static int in_room, exposures, last_lamp;

static void enter(int self)
{
    int other = 1 - self;

    atomic_store(&wants[self], 1);
    while (atomic_load(&wants[other])) {
        if (atomic_load(&turn) == other) {
            atomic_store(&wants[self], 0);
            while (atomic_load(&turn) == other)
                ;
            atomic_store(&wants[self], 1);
        }
    }
}

static void leave(int self)
{
    atomic_store(&turn, 1 - self);
    atomic_store(&wants[self], 0);
}

static void develop(int self)
{
    enter(self);
    in_room++;
    assert(in_room == 1);
    exposures++;
    last_lamp = self;
    in_room--;
    leave(self);
}

static void *apprentice(void *arg)
{
    (void)arg;
    develop(1);
    return NULL;
}

int main(void)
{
    pthread_t other;

    pthread_create(&other, NULL, apprentice, NULL);
    develop(0);
    pthread_join(other, NULL);
    return 0;
}
