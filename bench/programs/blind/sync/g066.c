#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define SEATS 4                 /* at least the number of threads */

static struct {
    atomic_uint tail;
    struct { atomic_int go; char pad[12]; } seat[SEATS];
} q = { .seat = { [0] = { .go = 1 } } };

static int chain[6], links;

static void chain_lock(unsigned *slot)
{
    *slot = atomic_fetch_add(&q.tail, 1) % SEATS;
    while (atomic_load(&q.seat[*slot].go) == 0)
        ;
    atomic_store(&q.seat[*slot].go, 0);
}

static void chain_unlock(const unsigned *slot)
{
    atomic_store(&q.seat[(*slot + 1) % SEATS].go, 1);
}

static void *linker(void *arg)
{
    int v = *(int *)arg;
    unsigned s;

    for (int i = 0; i < 2; i++) {
        chain_lock(&s);
        chain[links] = v;
        links++;
        chain_unlock(&s);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int v[3] = { 7, 8, 9 }, sum = 0;

    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, linker, &v[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < 6; i++)
        sum += chain[i];
    if (sum != 48)
        abort();
    return 0;
}
