// A bank counter guarded by a ticket lock. try_lock() draws the ticket that is being served by compare-exchange, or
// none.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct ticket_lock {
    atomic_uint next;
    atomic_uint serving;
};

static struct ticket_lock counter;
static atomic_bool closed;

static void ticket_lock(struct ticket_lock *l)
{
    unsigned mine = atomic_fetch_add(&l->next, 1);

    while (atomic_load(&l->serving) < mine)
        ;
}

static bool ticket_try_lock(struct ticket_lock *l)
{
    unsigned serving = atomic_load(&l->serving);

    return atomic_compare_exchange_strong(&l->next, &serving, serving + 1);
}

static void ticket_unlock(struct ticket_lock *l)
{
    atomic_fetch_add(&l->serving, 1);
}

static void *clerk(void *arg)
{
    (void)arg;
    ticket_lock(&counter);
    atomic_store(&closed, true);
    return NULL;
}

static void *customer(void *arg)
{
    (void)arg;
    if (ticket_try_lock(&counter)) {
        assert(!atomic_load(&closed));
        ticket_unlock(&counter);
    }
    return NULL;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, NULL, clerk, NULL);
    pthread_create(&second, NULL, customer, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
