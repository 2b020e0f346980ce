#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static volatile int item, stop;
static unsigned produced, consumed;

static void *producer(void *arg)
{
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) {
        while (item)
            ;
        item = 1;
        produced++;
    }
    stop = 1;
    return 0;
}

static void *consumer(void *arg)
{
    while (1) {
        if (stop)
            break;
        if (item) {
            consumed++;
            item = 0;
        }
    }
    return 0;
}

int main(void)
{
    pthread_t p, c;
    pthread_create(&p, 0, producer, 0);
    pthread_create(&c, 0, consumer, 0);
    pthread_join(p, 0);
    pthread_join(c, 0);
    assert(produced == consumed);
    return 0;
}
