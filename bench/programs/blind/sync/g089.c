#include <pthread.h>
#include <stdatomic.h>
#include <sched.h>

static atomic_int readers;
static atomic_int writer;
int net = 8, gross = 10, rebate = 2;
int diff[2];

static void reader_enter(void)
{
    while (atomic_load(&writer))
        sched_yield();
    atomic_fetch_add(&readers, 1);
}

static void reader_exit(void)
{
    atomic_fetch_sub(&readers, 1);
}

static void writer_enter(void)
{
    while (atomic_exchange(&writer, 1))
        sched_yield();
    while (atomic_load(&readers) > 0)
        sched_yield();
}

static void writer_exit(void)
{
    atomic_store(&writer, 0);
}

static void *check_bill(void *arg)
{
    long k = (long)arg;

    reader_enter();
    diff[k] = gross - net - rebate;
    reader_exit();
    return NULL;
}

static void *new_price(void *arg)
{
    (void)arg;
    writer_enter();
    gross = 20;
    net = 15;
    rebate = 5;
    writer_exit();
    return NULL;
}

int main(void)
{
    pthread_t t[3];

    pthread_create(&t[0], NULL, check_bill, (void *)0L);
    pthread_create(&t[1], NULL, new_price, NULL);
    pthread_create(&t[2], NULL, check_bill, (void *)1L);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
