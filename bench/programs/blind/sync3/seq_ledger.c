#include <assert.h>
#include <pthread.h>
#include <sched.h>

struct ledger {
    unsigned opened;
    unsigned closed;
    int debit;
    int credit;
};

static struct ledger book;

#define GET(f) __atomic_load_n(&(f), __ATOMIC_SEQ_CST)
#define SET(f, v) __atomic_store_n(&(f), (v), __ATOMIC_SEQ_CST)

static void enter(struct ledger *l, int amount)
{
    SET(l->opened, l->opened + 1);
    SET(l->debit, amount);
    SET(l->credit, -amount);
    SET(l->closed, l->closed + 1);
}

static int balance(struct ledger *l)
{
    unsigned first, second;
    int d, c;

    while (1) {
        first = GET(l->opened);
        d = GET(l->debit);
        c = GET(l->credit);
        second = GET(l->closed);
        if (first == second)
            return d + c;
        sched_yield();
    }
}

static void *clerk(void *l)
{
    for (int i = 1; i <= 4; i++)
        enter(l, 25 * i);
    return 0;
}

static void *auditor(void *l)
{
    for (int i = 0; i < 4; i++)
        assert(balance(l) == 0);
    return 0;
}

int main(void)
{
    pthread_t c, a;
    pthread_create(&c, 0, clerk, &book);
    pthread_create(&a, 0, auditor, &book);
    pthread_join(c, 0);
    pthread_join(a, 0);
    return 0;
}
