#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define TASKS 3

static volatile int H, T = TASKS;
static const int task[TASKS] = { 0, 1, 2 };
static atomic_int runs[TASKS];

static int steal(void)
{
    int h = H;
    H = h + 1;
    if (h + 1 > T) {
        H = h;
        return -1;
    }
    return task[h];
}

static void *thief(void *arg)
{
    int v = steal();
    if (v >= 0) {
        int before = atomic_fetch_add(&runs[v], 1);
        assert(before == 0);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, thief, 0);
    pthread_create(&b, 0, thief, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
