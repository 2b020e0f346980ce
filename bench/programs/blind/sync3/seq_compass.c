#include <assert.h>
#include <pthread.h>
#include <sched.h>

static volatile unsigned needle;
static volatile int heading, reverse;

#define BAR() __sync_synchronize()

static void compass_set(int deg)
{
    needle++;
    BAR();
    heading = deg;
    reverse = deg + 180;
    BAR();
    needle++;
}

static void compass_get(int *h, int *r)
{
    unsigned n;
    do {
        while ((n = needle) & 1)
            sched_yield();
        BAR();
        *h = heading;
        *r = reverse;
        BAR();
    } while (needle != n);
}

static void *helm(void *u)
{
    for (int d = 10; d <= 40; d += 10)
        compass_set(d);
    return u;
}

static void *lookout(void *u)
{
    int h, r;
    for (int i = 0; i < 3; i++) {
        compass_get(&h, &r);
        assert(r == h + 180);
    }
    return u;
}

int main(void)
{
    pthread_t w, a, b;
    compass_set(0);
    pthread_create(&a, 0, lookout, 0);
    pthread_create(&w, 0, helm, 0);
    pthread_create(&b, 0, lookout, 0);
    pthread_join(w, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
