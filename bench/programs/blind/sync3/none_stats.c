#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_ulong hits, misses, bytes;

static void account_request(unsigned size)
{
    if (size % 3 == 0)
        atomic_fetch_add_explicit(&misses, 1, memory_order_relaxed);
    else
        atomic_fetch_add_explicit(&hits, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&bytes, size, memory_order_relaxed);
}

static void *client(void *arg)
{
    unsigned first = *(unsigned *)arg;
    for (unsigned i = 0; i < 6; i++)
        account_request(first + i);
    return 0;
}

int main(void)
{
    pthread_t t[3];
    unsigned first[3] = { 1, 10, 100 };
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, client, &first[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    assert(hits + misses == 18);
    printf("%lu %lu %lu\n", hits, misses, bytes);
    return 0;
}
