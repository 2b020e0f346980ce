#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t mu;
    long cents;
    int moves;
};

static struct account acc = { PTHREAD_MUTEX_INITIALIZER, 1000, 0 };

static void transfer(struct account *a, long c)
{
    pthread_mutex_lock(&a->mu);
    a->cents += c;
    a->moves++;
    pthread_mutex_unlock(&a->mu);
}

static void *teller(void *arg)
{
    long step = (long)arg;
    for (int i = 0; i < 4; i++)
        transfer(&acc, step);
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, teller, (void *)5);
    pthread_create(&b, 0, teller, (void *)-3);
    pthread_create(&c, 0, teller, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(acc.cents == 1012 && acc.moves == 12);
    return 0;
}
