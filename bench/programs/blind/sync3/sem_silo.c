#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

struct silo {
    volatile int tons;
};

static struct silo tower = { 1 };
static volatile int loads_begun;
static int taken;

static void silo_fill(struct silo *s)
{
    s->tons = s->tons + 1;
    __sync_synchronize();
}

static void silo_draw(struct silo *s)
{
    int have;
retry:
    have = s->tons;
    if (have > 0 && __sync_bool_compare_and_swap(&s->tons, have, have - 1))
        return;
    sched_yield();
    goto retry;
}

static void *farmer(void *u)
{
    for (int i = 0; i < 2; i++) {
        loads_begun++;
        __sync_synchronize();
        silo_fill(&tower);
        usleep(200);
    }
    return u;
}

static void *baker(void *u)
{
    for (int i = 0; i < 3; i++) {
        silo_draw(&tower);
        taken++;
        assert(taken <= 1 + loads_begun);
    }
    return u;
}

int main(void)
{
    pthread_t f, b;
    pthread_create(&f, 0, farmer, 0);
    pthread_create(&b, 0, baker, 0);
    pthread_join(f, 0);
    pthread_join(b, 0);
    return 0;
}
