#include <assert.h>
#include <pthread.h>

#define TASKS 3

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int deque[TASKS], lo, hi;
static int runs[TASKS];

static void put(int v)
{
    pthread_mutex_lock(&m);
    deque[hi++] = v;
    pthread_mutex_unlock(&m);
}

static int get(int from_top)
{
    int v = -1;
    pthread_mutex_lock(&m);
    if (lo < hi)
        v = from_top ? deque[lo++] : deque[--hi];
    pthread_mutex_unlock(&m);
    return v;
}

static void *thief(void *arg)
{
    int v = get(1);
    if (v >= 0) {
        runs[v]++;
        assert(runs[v] == 1);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    put(0);
    put(1);
    pthread_create(&a, 0, thief, 0);
    pthread_create(&b, 0, thief, 0);
    int v = get(0);
    if (v >= 0)
        runs[v]++;
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(runs[0] <= 1 && runs[1] <= 1);
    assert(runs[0] + runs[1] + (hi - lo) == 2);
    return 0;
}
