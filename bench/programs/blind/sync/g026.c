#include <pthread.h>

static volatile int credit = 1;
int purse;
int spent[3];

static int try_debit(void)
{
    int old = __sync_fetch_and_sub(&credit, 1);

    if (old > 0)
        return 1;
    credit = old;                /* undo */
    return 0;
}

static void debit(void)
{
    while (!try_debit())
        while (credit <= 0)
            __builtin_ia32_pause();
}

static void refund(void)
{
    __sync_fetch_and_add(&credit, 1);
}

static void *spender(void *arg)
{
    int k = (int)(long)arg;

    debit();
    purse += k;
    spent[k]++;
    refund();
    return NULL;
}

int main(void)
{
    pthread_t t[3];

    for (long k = 0; k < 3; k++)
        pthread_create(&t[k], NULL, spender, (void *)k);
    for (int k = 0; k < 3; k++)
        pthread_join(t[k], NULL);
    return 0;
}
