#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static volatile int bar_down;
static int coins;
static int cars_in_gate;

static void *car(void *arg)
{
    int toll = *(int *)arg;

    for (int trip = 0; trip < 3; trip++) {
        unsigned nap = 1;
    approach:
        if (bar_down)
            goto hold;
        if (__sync_lock_test_and_set(&bar_down, 1) == 0)
            goto inside;
    hold:
        usleep(nap);
        if (nap < 64)
            nap <<= 1;
        goto approach;

    inside:
        cars_in_gate++;
        assert(cars_in_gate == 1);
        coins += toll;
        cars_in_gate--;
        __sync_lock_release(&bar_down);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int toll[3] = { 1, 2, 5 };

    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, car, &toll[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(coins == 24);
    return 0;
}
