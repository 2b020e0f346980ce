#include <assert.h>
#include <pthread.h>

#define IRQS 3

static volatile int events, pending;

static void *interrupt(void *arg)
{
    for (int i = 0; i < IRQS; i++) {
        events = events + 1;
        pending = 1;
    }
    return 0;
}

static void *handler(void *arg)
{
    int handled = 0;
    while (handled < IRQS) {
        while (!pending)
            ;
        pending = 0;
        int n = events;
        assert(n >= handled);
        handled = n;
    }
    assert(handled == IRQS);
    return 0;
}

int main(void)
{
    pthread_t i, h;
    pthread_create(&h, 0, handler, 0);
    pthread_create(&i, 0, interrupt, 0);
    pthread_join(i, 0);
    pthread_join(h, 0);
    return 0;
}
