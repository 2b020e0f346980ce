// A vending machine clears a ticket's `empty` flag first and fills the other fields in afterwards. The inspector
// takes the flag's word for it and reads a ticket without a price.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct ticket {
    atomic_bool empty;
    int zone;
    int price;
};

static struct ticket ticket = {.empty = true};

static void *vend(void *arg)
{
    struct ticket *t = arg;

    t->empty = false;
    t->zone = 2;
    t->price = 310;
    return NULL;
}

static void *inspect(void *arg)
{
    const struct ticket *t = arg;

    if (!t->empty)
        assert(t->zone == 2 && t->price == 310);
    return NULL;
}

int main(void)
{
    pthread_t machine, inspector;

    pthread_create(&machine, NULL, vend, &ticket);
    pthread_create(&inspector, NULL, inspect, &ticket);
    pthread_join(machine, NULL);
    pthread_join(inspector, NULL);
    return 0;
}
