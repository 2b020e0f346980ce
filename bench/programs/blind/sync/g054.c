#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>

static atomic_flag busy = ATOMIC_FLAG_INIT;
static long balance = 100;
static int  moves;

static void acquire(void)
{
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        ;
}

static void release(void)
{
    atomic_flag_clear_explicit(&busy, memory_order_release);
}

static void transfer(long amount)
{
    acquire();
    balance += amount;
    moves++;
    release();
}

static void *teller(void *arg)
{
    long amount = *(long *)arg;

    transfer(amount);
    transfer(-amount);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    long amt[3] = { 5, 10, 20 };

    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, teller, &amt[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(balance == 100 && moves == 6);
    return 0;
}
