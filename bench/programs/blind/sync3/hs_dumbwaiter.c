#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { EMPTY, LOADING, FULL, TAKING };

static _Atomic int tray_state = EMPTY;
static int tray;

static void move_state(int from, int to)
{
    int want;
    do {
        want = from;
        if (atomic_compare_exchange_strong(&tray_state, &want, to))
            return;
        sched_yield();
    } while (1);
}

static void send_up(int x)
{
    move_state(EMPTY, LOADING);
    tray = x;
    atomic_store(&tray_state, FULL);
}

static int take_out(void)
{
    move_state(FULL, TAKING);
    int x = tray;
    tray = -1;
    atomic_store(&tray_state, EMPTY);
    return x;
}

static void *floor_below(void *base)
{
    for (int i = 0; i < 2; i++)
        send_up((int)(long)base + i);
    return 0;
}

static void *floor_above(void *u)
{
    int seen[20] = { 0 };
    for (int i = 0; i < 4; i++) {
        int x = take_out();
        assert(x >= 0 && x < 20 && !seen[x]);
        seen[x] = 1;
    }
    return u;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, floor_below, (void *)3);
    pthread_create(&b, 0, floor_below, (void *)13);
    pthread_create(&c, 0, floor_above, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
