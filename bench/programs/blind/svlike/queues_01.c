#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

void reach_error(void) { assert(0); }

#define SIZE 4

static atomic_int slot[SIZE];
static atomic_uint head, tail;

static void send(int v)
{
    unsigned t = atomic_load(&tail);
    while (t - atomic_load(&head) == SIZE)
        ;
    atomic_store(&tail, t + 1);
    atomic_store(&slot[t % SIZE], v);
}

static int receive(void)
{
    unsigned h = atomic_load(&head);
    while (atomic_load(&tail) == h)
        ;
    int v = atomic_load(&slot[h % SIZE]);
    atomic_store(&head, h + 1);
    return v;
}

static void *sender(void *arg)
{
    send(1);
    send(2);
    return 0;
}

static void *receiver(void *arg)
{
    int a = receive();
    int b = receive();
    if (a != 1 || b != 2)
        reach_error();
    return 0;
}

int main(void)
{
    pthread_t s, r;
    pthread_create(&s, 0, sender, 0);
    pthread_create(&r, 0, receiver, 0);
    pthread_join(s, 0);
    pthread_join(r, 0);
    return 0;
}
