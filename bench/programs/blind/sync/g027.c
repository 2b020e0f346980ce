#include <pthread.h>
#include <sched.h>

static volatile char door;
int visitors[2];
int ledger;

#define ENTER(l)                \
    do {                        \
        while (*(l))            \
            sched_yield();      \
        *(l) = 1;               \
        __sync_synchronize();   \
    } while (0)

#define LEAVE(l)                \
    do {                        \
        __sync_synchronize();   \
        *(l) = 0;               \
    } while (0)

static void *visitor(void *arg)
{
    int n = (int)(long)arg;

    for (int i = 0; i < 3; i++) {
        ENTER(&door);
        ledger = ledger + 1;
        visitors[n]++;
        LEAVE(&door);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, visitor, (void *)0);
    pthread_create(&b, NULL, visitor, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
