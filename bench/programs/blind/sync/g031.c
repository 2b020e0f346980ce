#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static uint64_t ticket;
static long debit_ = 0, credit_ = 0;

static uint64_t upd_begin(void)
{
    uint64_t t;

    for (;;) {
        t = __atomic_load_n(&ticket, __ATOMIC_SEQ_CST);
        if ((t & 1) == 0 &&
            __atomic_compare_exchange_n(&ticket, &t, t + 1, 0,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            return t + 1;
    }
}

static void upd_end(uint64_t t)
{
    __atomic_store_n(&ticket, t + 1, __ATOMIC_SEQ_CST);
}

static int snapshot(long *d, long *c)
{
    uint64_t t = __atomic_load_n(&ticket, __ATOMIC_SEQ_CST);

    if (t & 1)
        return 0;
    *d = __atomic_load_n(&debit_, __ATOMIC_SEQ_CST);
    *c = __atomic_load_n(&credit_, __ATOMIC_SEQ_CST);
    return __atomic_load_n(&ticket, __ATOMIC_SEQ_CST) == t;
}

static void *book(void *arg)
{
    long amount = *(long *)arg;
    uint64_t t = upd_begin();

    __atomic_store_n(&debit_, debit_ - amount, __ATOMIC_SEQ_CST);
    __atomic_store_n(&credit_, credit_ + amount, __ATOMIC_SEQ_CST);
    upd_end(t);
    return NULL;
}

static void *auditor(void *arg)
{
    long d, c;

    (void)arg;
    while (!snapshot(&d, &c))
        __builtin_ia32_pause();
    if (d + c != 0)
        abort();
    return NULL;
}

int main(void)
{
    pthread_t w1, w2, r;
    long a1 = 10, a2 = 25;

    pthread_create(&w1, NULL, book, &a1);
    pthread_create(&w2, NULL, book, &a2);
    pthread_create(&r, NULL, auditor, NULL);
    pthread_join(w1, NULL);
    pthread_join(w2, NULL);
    pthread_join(r, NULL);
    return credit_ == 35 ? 0 : 1;
}
