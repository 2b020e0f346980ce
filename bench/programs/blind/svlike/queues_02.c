#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ITEMS 3

static const int slot[ITEMS] = { 0, 1, 2 };
static atomic_int head;
static atomic_int taken[ITEMS];

static int get(void)
{
    int h = atomic_load(&head);
    if (h >= ITEMS)
        return -1;
    atomic_store(&head, h + 1);
    return slot[h];
}

static void *consumer(void *arg)
{
    for (int i = 0; i < 2; i++) {
        int v = get();
        if (v >= 0) {
            int before = atomic_fetch_add(&taken[v], 1);
            assert(before == 0);
        }
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, consumer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
