// A home-made spin lock waits until its word is zero and then sets it. Two threads can see zero before either sets
// it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int word;
static int shelves[3] = {5, 5, 5};
static atomic_int inside;

static void spin_lock(atomic_int *w)
{
    while (atomic_load(w))
        ;
    atomic_store(w, 1);
}

static void spin_unlock(atomic_int *w)
{
    atomic_store(w, 0);
}

static void *sell(void *arg)
{
    (void)arg;
    spin_lock(&word);
    int others = atomic_fetch_add(&inside, 1);
    assert(others == 0);
    for (int i = 0; i < 3; i++)
        shelves[i]--;
    atomic_fetch_sub(&inside, 1);
    spin_unlock(&word);
    return NULL;
}

int main(void)
{
    pthread_t branch;

    pthread_create(&branch, NULL, sell, NULL);
    sell(NULL);
    pthread_join(branch, NULL);
    assert(shelves[0] + shelves[1] + shelves[2] == 9);
    return 0;
}
