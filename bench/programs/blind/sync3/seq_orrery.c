#include <assert.h>
#include <pthread.h>
#include <sched.h>

static volatile int epoch;
static volatile int mars, venus;

static void *crank(void *arg)
{
    int base = *(int *)arg;

    for (int i = 1; i <= 3; i++) {
        __sync_fetch_and_add(&epoch, 1);
        mars = base + i;
        venus = base + i;
        __sync_fetch_and_add(&epoch, 1);
    }
    return 0;
}

static void *observer(void *unused)
{
    (void)unused;
    for (int i = 0; i < 4; i++) {
        int e, m, v;
    look:
        e = epoch;
        __sync_synchronize();
        if (e & 1) {
            sched_yield();
            goto look;
        }
        m = mars;
        v = venus;
        __sync_synchronize();
        if (epoch != e)
            goto look;
        assert(m == v);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b, o;
    int low = 10, high = 90;
    pthread_create(&o, 0, observer, 0);
    pthread_create(&a, 0, crank, &low);
    pthread_create(&b, 0, crank, &high);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(o, 0);
    return 0;
}
