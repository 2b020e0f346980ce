#include <assert.h>
#include <pthread.h>
#include <sched.h>

struct bridge {
    volatile int coming[2];
    volatile int polite;
};

static struct bridge br;
static int walker = -1;
static int crossings;

#define FENCE() __sync_synchronize()

static void *walk(void *arg)
{
    int me = (int)(long)arg;
    int you = 1 - me;

    for (int i = 0; i < 4; i++) {
        br.polite = you;
        FENCE();
        br.coming[me] = 1;
        FENCE();
        while (br.coming[you] && br.polite == you)
            sched_yield();

        walker = me;
        crossings++;
        assert(walker == me);

        FENCE();
        br.coming[me] = 0;
    }
    return 0;
}

int main(void)
{
    pthread_t east, west;
    pthread_create(&east, 0, walk, (void *)0);
    pthread_create(&west, 0, walk, (void *)1);
    pthread_join(east, 0);
    pthread_join(west, 0);
    assert(crossings == 8);
    return 0;
}
