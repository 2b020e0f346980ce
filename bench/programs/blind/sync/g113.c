#include <pthread.h>
#include <stdatomic.h>

static atomic_int gen;
static struct { atomic_int bid, ask; } quote = { 99, 101 };
int spread[2];

static void quote_set(int bid, int ask)
{
    atomic_fetch_add(&gen, 1);
    atomic_store(&quote.bid, bid);
    atomic_store(&quote.ask, ask);
    atomic_fetch_add(&gen, 1);
}

static int quote_spread(void)
{
    int bid, ask;

    for (;;) {
        if (atomic_load(&gen) % 2 != 0)
            continue;               /* an update is under way */
        bid = atomic_load(&quote.bid);
        ask = atomic_load(&quote.ask);
        break;
    }
    return ask - bid;
}

static void *market(void *arg)
{
    (void)arg;
    quote_set(109, 111);
    quote_set(89, 91);
    return NULL;
}

static void *trader(void *arg)
{
    int *out = arg;

    *out = quote_spread();
    return NULL;
}

int main(void)
{
    pthread_t m, t[2];

    pthread_create(&m, NULL, market, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, trader, &spread[i]);
    pthread_join(m, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
