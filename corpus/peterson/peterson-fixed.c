// Peterson's lock: a thread says that it wants in, gives the turn away, and waits while the other wants in and has
// the turn.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int interested[2];
static atomic_int turn;
static atomic_int inside;
static int balance, deposits, last_amount;

static void enter(int self)
{
    int other = 1 - self;

    atomic_store(&interested[self], 1);
    atomic_store(&turn, other);
    while (atomic_load(&interested[other]) && atomic_load(&turn) == other)
        ;
}

static void leave(int self)
{
    atomic_store(&interested[self], 0);
}

static void deposit(int self)
{
    enter(self);
    int others = atomic_fetch_add(&inside, 1);
    assert(others == 0);
    balance += 10;
    deposits++;
    last_amount = 10;
    atomic_fetch_sub(&inside, 1);
    leave(self);
}

static void *depositor(void *arg)
{
    (void)arg;
    deposit(1);
    return NULL;
}

int main(void)
{
    pthread_t other;

    pthread_create(&other, NULL, depositor, NULL);
    deposit(0);
    pthread_join(other, NULL);
    assert(balance == 20 && deposits == 2);
    return 0;
}
