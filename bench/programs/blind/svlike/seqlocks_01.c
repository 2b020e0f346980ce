#include <assert.h>
#include <pthread.h>

void reach_error(void) { assert(0); }

/* a clock of hours and minutes, read without a lock */
static volatile unsigned seq;
static volatile int hour = 0, minute = 59;

static void *clock_tick(void *arg)
{
    for (int i = 0; i < 2; i++) {
        int h = hour, m = minute + 1;
        if (m == 60) {
            m = 0;
            h++;
        }
        seq = seq + 1;
        minute = m;
        hour = h;
        seq = seq + 1;
    }
    return 0;
}

static int now(void)
{
    unsigned s;
    int h, m;
    do {
        while ((s = seq) & 1)
            ;
        h = hour;
        m = minute;
    } while (s != seq);
    return h * 60 + m;
}

static void *watcher(void *arg)
{
    int t1 = now();
    int t2 = now();
    if (t1 < 59 || t2 > 61)
        reach_error();
    if (t2 < t1)
        reach_error();
    return 0;
}

int main(void)
{
    pthread_t c, w;
    pthread_create(&c, 0, clock_tick, 0);
    pthread_create(&w, 0, watcher, 0);
    pthread_join(c, 0);
    pthread_join(w, 0);
    return 0;
}
