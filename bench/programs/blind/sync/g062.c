#include <pthread.h>
#include <sched.h>

struct lazy {
    volatile int state;          /* 0 fresh, 1 at work, 2 there */
    int          value;
    int          runs;
};

struct lazy lz;

static void setup(struct lazy *l)
{
    l->runs++;
    l->value = 77;
}

static int lazy_get(struct lazy *l)
{
    switch (l->state) {
    case 0:
        l->state = 1;
        setup(l);
        __sync_synchronize();
        l->state = 2;
        break;
    case 1:
        while (l->state != 2)
            sched_yield();
        break;
    }
    return l->value;
}

static void *consumer(void *arg)
{
    int *out = arg;

    *out = lazy_get(&lz);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int x = 0, y = 0;

    pthread_create(&a, NULL, consumer, &x);
    pthread_create(&b, NULL, consumer, &y);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return x == y ? 0 : 1;
}
