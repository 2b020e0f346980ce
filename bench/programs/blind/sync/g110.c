#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct counter_desk {
    atomic_uint next;
    atomic_uint serving;
};

static struct counter_desk desk;
static int queue_len, peak;

static unsigned take_number(struct counter_desk *d)
{
    return atomic_fetch_add(&d->next, 1);
}

static void wait_turn(struct counter_desk *d, unsigned no)
{
    while (atomic_load(&d->serving) != no)
        ;
}

static void call_next(struct counter_desk *d)
{
    unsigned s = atomic_load_explicit(&d->serving, memory_order_relaxed);

    atomic_store(&d->serving, s + 1);
}

static void *customer(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2; i++) {
        unsigned no = take_number(&desk);

        wait_turn(&desk, no);
        queue_len++;
        if (queue_len > peak)
            peak = queue_len;
        queue_len--;
        call_next(&desk);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, customer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    if (peak != 1 || queue_len != 0)
        abort();
    return 0;
}
